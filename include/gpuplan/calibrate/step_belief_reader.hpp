#pragma once
/// \file
/// Writes what runs told of a cluster as JSON, and reads it back.

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/accuracy/run_class.hpp>
#include <gpuplan/calibrate/framework_memory_fit.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_factors.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What runs told: of step times, of memory, or of both.
struct run_belief {
  step_belief steps{};
  framework_memory beside_model{};
  std::vector<std::string> marks{};  ///< of the runs, one each
};

namespace detail {

/// "dense transformer_engine mixed_bf16 flash short 8 or fewer".
inline std::string name_of_class(const run_class& one) {
  std::string name{name_of(one.kind)};
  name += ' ' + std::string(spelled(framework_names, one.software));
  name += ' ' + std::string(spelled(precision_names, one.format));
  if (one.format == precision::mixed_fp8)
    name += ' ' + std::string(spelled(fp8_recipe_names, one.scaling));
  name += ' ' + std::string(name_of(one.core));
  name += one.long_sequences ? " long" : " short";
  return name + (one.many_gpus ? " more than 8" : " 8 or fewer");
}

/// Calls visit(class) for each that a job can have.
template <class Visit>
void each_run_class(Visit visit) {
  for (const trained_kind kind : trained_kinds)
    for (const framework software : frameworks)
      for (const precision format : precisions)
        for (const fp8_recipe scaling : fp8_recipes) {
          if (format != precision::mixed_fp8 && scaling != fp8_recipe::tensorwise) continue;
          for (const attention_core core : attention_cores)
            for (const bool longer : {false, true})
              for (const bool many : {false, true})
                visit(run_class{kind, software, format, scaling, core, longer, many});
        }
}

inline nlohmann::ordered_json names_of_classes(const run_class_set& classes) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  each_run_class([&](const run_class& one) {
    if (classes.contains(one)) names.push_back(name_of_class(one));
  });
  return names;
}

/// Classes by their names.  An older profile has none, or names that say less; these and names of a
/// later program count for nothing, so that answers are of a lower grade.
inline run_class_set classes_of(const nlohmann::json& object, const std::string& where) {
  run_class_set classes;
  const auto found = object.find("classes");
  if (found == object.end()) return classes;
  if (!found->is_array()) throw invalid_input{where + ".classes must be a list"};
  std::map<std::string, run_class> named;
  each_run_class([&](const run_class& one) { named.emplace(name_of_class(one), one); });
  for (const nlohmann::json& one : *found) {
    if (!one.is_string()) throw invalid_input{where + ".classes must be a list of names"};
    const auto known = named.find(one.get_ref<const std::string&>());
    if (known != named.end()) classes.insert(known->second);
  }
  return classes;
}

}  // namespace detail

/// Logarithms of factors by their names, their covariance in the same order, memory, and marks of
/// the runs; what no run told is left out.
inline nlohmann::ordered_json json_of(const run_belief& of) {
  nlohmann::ordered_json text = nlohmann::ordered_json::object();
  if (of.steps.runs > 0) {
    text["step_times"] = of.steps.runs;
    text["residual_deviation"] = of.steps.residual;
    for (const step_factor_row& row : step_factor_table)
      text["log_factors"][std::string(row.name)] =
          of.steps.log_mean[static_cast<std::size_t>(row.value)];
    text["log_covariance"] = of.steps.log_covariance;
    text["classes"] = detail::names_of_classes(of.steps.classes);
  }
  if (of.beside_model.runs > 0)
    text["framework_memory"] = {{"peaks", of.beside_model.runs},
                                {"extra_bytes", of.beside_model.extra.in_base_units()},
                                {"deviation_bytes", of.beside_model.deviation.in_base_units()},
                                {"residual_deviation", of.beside_model.residual},
                                {"classes", detail::names_of_classes(of.beside_model.classes)}};
  if (!of.marks.empty()) text["marks"] = of.marks;
  return text;
}

namespace detail {

/// A field that runs of a profile may have.
struct belief_field {
  std::string_view name;
};

inline constexpr std::array belief_fields{
    belief_field{"step_times"},  belief_field{"residual_deviation"},
    belief_field{"log_factors"}, belief_field{"log_covariance"},
    belief_field{"classes"},     belief_field{"framework_memory"},
    belief_field{"marks"}};

inline constexpr std::array belief_memory_fields{
    belief_field{"peaks"}, belief_field{"extra_bytes"}, belief_field{"deviation_bytes"},
    belief_field{"residual_deviation"}, belief_field{"classes"}};

inline double belief_number(const nlohmann::json& value, const std::string& where, double least,
                            double most) {
  if (!value.is_number()) throw invalid_input{where + " must be a number"};
  const double number = value.get<double>();
  if (!(number >= least && number <= most))
    throw invalid_input{where + " must be " + nlohmann::json(least).dump() + " to " +
                        nlohmann::json(most).dump()};
  return number;
}

inline const nlohmann::json& belief_member(const nlohmann::json& object, const std::string& where,
                                           const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) throw invalid_input{where + "." + key + " is missing"};
  return *found;
}

inline int belief_count(const nlohmann::json& value, const std::string& where) {
  const double count = belief_number(value, where, 1, 1e9);
  if (count != std::trunc(count)) throw invalid_input{where + " must be a whole number"};
  return static_cast<int>(count);
}

inline factor_values factor_row_of(const nlohmann::json& row, const std::string& where) {
  if (!row.is_array() || row.size() != step_factor_count)
    throw invalid_input{where + " must be a list of " + std::to_string(step_factor_count) +
                        " numbers"};
  factor_values values{};
  for (std::size_t i = 0; i < step_factor_count; ++i)
    values[i] = belief_number(row[i], where + "[" + std::to_string(i) + "]", -100, 100);
  return values;
}

inline step_belief steps_of(const nlohmann::json& object, const std::string& where) {
  const auto at = [&](const std::string& key) -> const nlohmann::json& {
    return belief_member(object, where, key);
  };
  step_belief steps{
      .residual = belief_number(at("residual_deviation"), where + ".residual_deviation", 1e-9, 100),
      .runs = belief_count(at("step_times"), where + ".step_times"),
      .classes = classes_of(object, where)};
  const nlohmann::json& factors = at("log_factors");
  if (!factors.is_object()) throw invalid_input{where + ".log_factors must be an object"};
  json_fields{factors, where + ".log_factors"}.refuse_unknown(step_factor_table);
  for (const step_factor_row& row : step_factor_table) {
    const std::string name{row.name};
    const std::string inside = where + ".log_factors";
    steps.log_mean[static_cast<std::size_t>(row.value)] =
        belief_number(belief_member(factors, inside, name), inside + "." + name, -6.9, 6.9);
  }
  const nlohmann::json& rows = at("log_covariance");
  const std::string inside = where + ".log_covariance";
  if (!rows.is_array() || rows.size() != step_factor_count)
    throw invalid_input{inside + " must be a list of " + std::to_string(step_factor_count) +
                        " rows"};
  for (std::size_t i = 0; i < step_factor_count; ++i)
    steps.log_covariance[i] = factor_row_of(rows[i], inside + "[" + std::to_string(i) + "]");
  return steps;
}

inline framework_memory memory_of(const nlohmann::json& object, const std::string& where) {
  if (!object.is_object()) throw invalid_input{where + " must be an object"};
  json_fields{object, where}.refuse_unknown(belief_memory_fields);
  const auto number = [&](const char* key, double least) {
    return belief_number(belief_member(object, where, key), where + "." + key, least, 1e12);
  };
  const auto residual = object.find("residual_deviation");
  return {.extra = bytes{number("extra_bytes", -1e12)},
          .deviation = bytes{number("deviation_bytes", 0)},
          .residual = residual == object.end()
                          ? usual_peak_residual
                          : belief_number(*residual, where + ".residual_deviation", 1e-9, 1),
          .runs = belief_count(belief_member(object, where, "peaks"), where + ".peaks"),
          .classes = classes_of(object, where)};
}

}  // namespace detail

/// Reads what json_of writes.
///
/// \throws invalid_input of one line that names `where` and the field, if a field is missing, not
///         known, of another type or out of range, or the covariance is not symmetric or beyond
///         its variances
inline run_belief read_run_belief(const nlohmann::json& object, const std::string& where) {
  if (!object.is_object()) throw invalid_input{where + " must be an object"};
  json_fields{object, where}.refuse_unknown(detail::belief_fields);
  run_belief all;
  if (object.contains("step_times") || object.contains("log_factors")) {
    all.steps = detail::steps_of(object, where);
    try {
      require_valid(all.steps);
    } catch (const invalid_input& fault) {
      throw invalid_input{where + ": " + fault.what()};
    }
  }
  if (const auto memory = object.find("framework_memory"); memory != object.end())
    all.beside_model = detail::memory_of(*memory, where + ".framework_memory");
  if (const auto marks = object.find("marks"); marks != object.end()) {
    if (!marks->is_array()) throw invalid_input{where + ".marks must be a list"};
    for (const nlohmann::json& one : *marks) {
      if (!one.is_string()) throw invalid_input{where + ".marks must be a list of texts"};
      all.marks.push_back(one.get<std::string>());
    }
  }
  return all;
}

}  // namespace gpuplan
