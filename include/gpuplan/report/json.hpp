#pragma once
/// \file
/// Answers as JSON: base units named at the end of each key (_bytes, _s, _flop, _per_s), counts
/// plain, and null where a value is unknown, infinite or not a number.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Keys keep the order in which they are written.
using report_json = nlohmann::ordered_json;

/// What a program should check before it reads on; changes when a key changes its meaning.
inline constexpr int report_schema_version = 1;

/// A number in JSON: an integer if it is whole, null if it is infinite or not a number.
inline report_json json_number(double x) {
  if (!std::isfinite(x)) return nullptr;
  if (std::abs(x) < 0x1p53 && x == std::trunc(x)) return static_cast<std::int64_t>(x);
  return x;
}

/// A quantity in its base unit.
template <dimension D>
report_json json_number(quantity<D, double> q) {
  return json_number(q.in_base_units());
}

/// Bytes are whole: a share of what ZeRO divides is rounded up, so that a sum may be less than its
/// terms by a byte for each of them, and what fits still does.
inline report_json json_number(bytes size) {
  return json_number(std::ceil(size.in_base_units()));
}

/// An object written field by field, in order; each key once.
class json_object {
 public:
  explicit json_object(std::size_t fields) { fields_.reserve(fields); }

  json_object& add(std::string_view key, report_json value) {
    fields_.base::emplace_back(std::string(key), std::move(value));
    return *this;
  }
  /// All fields of another object.
  json_object& add(report_json&& other) {
    for (auto& [key, value] : other.get_ref<report_json::object_t&>()) add(key, std::move(value));
    return *this;
  }
  [[nodiscard]] report_json take() { return report_json(std::move(fields_)); }

 private:
  using base = report_json::object_t::Container;  // whose fields are not looked up first
  report_json::object_t fields_;
};

/// Three figures of one stage: what tensors hold (torch.cuda.max_memory_allocated), what the
/// allocator reserves for them (max_memory_reserved), what the device holds (nvidia-smi).
inline report_json json_of_visibilities(const stage_footprint& stage) {
  return json_object{3}
      .add("allocated_bytes", json_number(stage.allocated()))
      .add("reserved_bytes", json_number(stage.reserved()))
      .add("device_bytes", json_number(stage.device_total()))
      .take();
}

/// What each term adds to the total of a stage, as share_of_total; those that add nothing are left
/// out.
inline report_json json_of_shares(const stage_footprint& stage) {
  json_object object{stage_terms.size()};
  for (const stage_term& term : stage_terms)
    if (const bytes share = share_of_total(stage, term); share > bytes{0})
      object.add(std::string(term.name) + "_bytes", json_number(share));
  return object.take();
}

/// The memory of a stage: each term, what it adds to the total, the sums, and the moment of the
/// peak.
inline report_json json_of(const stage_footprint& stage) {
  json_object object{stage_terms.size() + 9};
  object.add("stage", stage.stage);
  for (const stage_term& term : stage_terms)
    object.add(std::string(term.name) + "_bytes", json_number(term.of(stage)));
  return object.add("peak_moment", name_of(stage.peak_moment()))
      .add("states_bytes", json_number(stage.states.total()))
      .add("allocator_peak_bytes", json_number(stage.allocator_peak()))
      .add(json_of_visibilities(stage))
      .add("total_bytes", json_number(stage.total()))
      .add("at_peak", json_of_shares(stage))
      .take();
}

/// Every stage; none, and null, of a footprint that was not computed.
inline report_json json_of(const footprint& memory) {
  const bool known = memory.model.layers > 0;
  json_object object{6};
  object.add("worst_stage", nullptr)
      .add("worst_stage_bytes", nullptr)
      .add("allocated_bytes", nullptr)
      .add("reserved_bytes", nullptr)
      .add("device_bytes", nullptr);
  report_json stages = report_json::array();
  for (int i = 0; known && i < memory.stages(); ++i) stages.push_back(json_of(memory.stage(i)));
  report_json answer = object.add("stages", std::move(stages)).take();
  if (!known) return answer;
  const stage_footprint worst = memory.worst_stage();
  answer["worst_stage"] = worst.stage;
  answer["worst_stage_bytes"] = json_number(worst.total());
  answer.update(json_of_visibilities(worst));
  return answer;
}

/// The same, and the memory of a GPU that it is compared with.
inline report_json json_of(const footprint& memory, const accelerator& gpu) {
  report_json answer = json_of(memory);
  answer["capacity_bytes"] = json_number(gpu.memory);
  answer["capacity_from"] = name_of(gpu.memory_from);
  answer["label_bytes"] =
      gpu.label_memory > bytes{0} ? json_number(gpu.label_memory) : report_json(nullptr);
  return answer;
}

/// The terms of a step, which add up to its time.
inline report_json json_of(const step_time& step) {
  json_object object{step_terms.size()};
  for (const step_term term : step_terms)
    object.add(std::string(name_of(term)) + "_s", json_number(step[term]));
  return object.take();
}

/// A refusal, or null if there is none.
inline report_json json_of(const reject& refusal) {
  if (!refusal) return nullptr;
  const std::string unit = refusal.in_bytes() ? "_bytes" : "";
  const auto number = [&](double x) {
    return refusal.in_bytes() ? json_number(bytes{x}) : json_number(x);
  };
  return json_object{4}
      .add("reason", name_of(refusal.reason))
      .add("rule", describe(refusal.reason))
      .add("needed" + unit, number(refusal.needed))
      .add("available" + unit, number(refusal.available))
      .take();
}

/// The value of a field, as requests write it.
template <class Owner>
report_json json_of(const field<Owner>& row, const Owner& of) {
  const member_value<Owner>& value = row.value;
  if (value.kind == field_kind::layers_of_stages) {
    const layer_split& split = of.*value.stages;
    report_json stages = report_json::array();
    for (int i = 0; i < split.stages(); ++i) stages.push_back(split.layers(i));
    return stages;
  }
  const double x = row.shown != nullptr ? row.shown(of) : value.get(of);
  switch (value.kind) {
    case field_kind::count:
    case field_kind::level: return static_cast<std::int64_t>(x);
    case field_kind::quantity: return json_number(x);  // exact, as it is read back
    case field_kind::flag:
    case field_kind::flag_or_probability: return x != 0;
    case field_kind::choice: return spelled(value.names, static_cast<int>(x));
    case field_kind::set_of_choices: {
      report_json names = report_json::array();
      for (const named<int>& one : value.names)
        if ((static_cast<int>(x) & one.value) != 0 &&
            one.name == spelled(value.names, one.value))  // aliases left out
          names.push_back(one.name);
      return names;
    }
    default: return x;
  }
}

/// Every field of a table.
template <class Rows, class Owner>
report_json json_of_fields(const Rows& rows, const Owner& of) {
  json_object object{rows.size()};
  std::string_view inner;  // the object within the object that is being written
  report_json parts;
  for (const field<Owner>& row : rows) {
    const auto dot = row.key.find('.');
    const std::string_view outer = dot == row.key.npos ? "" : row.key.substr(0, dot);
    if (!inner.empty() && outer != inner) object.add(inner, std::move(parts));
    if (outer != inner) parts = report_json::object();
    inner = outer;
    if (outer.empty())
      object.add(row.key, json_of(row, of));
    else
      parts[std::string(row.key.substr(dot + 1))] = json_of(row, of);
  }
  if (!inner.empty()) object.add(inner, std::move(parts));
  return object.take();
}

/// Every axis, and what else cuts a model; ranks that follow from others as they come out.
inline report_json json_of(const parallelism& cut) {
  return json_of_fields(parallelism_fields, cut);
}

/// Every choice; gradient_dtype and reduce_dtype as they follow from others.
inline report_json json_of(const recipe& how) {
  return json_of_fields(recipe_fields, how);
}

/// What is kept beside the model; the kernels' choices are not among it.
inline report_json json_of(const workspace& beside) {
  return json_of_fields(workspace_fields, beside);
}

/// A link: latency_s and bandwidth_bytes_per_s.
inline report_json json_of(const interconnect& link) {
  return {{"latency_s", json_number(link.latency)},
          {"bandwidth_bytes_per_s", json_number(link.bandwidth)}};
}

/// On what a band rests.
inline report_json json_of(const error_band& band) {
  return json_object{3}
      .add("grade", name_of(band.grade))
      .add("runs", band.runs)
      .add("sources", band.sources)
      .take();
}

/// On what the bands of an estimate rest, and the share of runs that they hold.
inline report_json json_of(const estimate_bands& bands, double level) {
  return {{"level", level}, {"step_time", json_of(bands.step)}, {"memory", json_of(bands.device)}};
}

namespace detail {

/// Adds the ends of the bands of memory on the fullest stage; null where nothing was costed.
inline void add_bands(report_json& memory, const estimate& answer, const estimate_bands& bands) {
  const bool costed = answer.costed();
  const stage_footprint worst = costed ? answer.memory.worst_stage() : stage_footprint{};
  const auto add = [&](const std::string& key, bytes predicted, const error_band& band) {
    memory[key + "_low_bytes"] = costed ? json_number(band.low * predicted) : nullptr;
    memory[key + "_high_bytes"] = costed ? json_number(band.high * predicted) : nullptr;
  };
  add("worst_stage", worst.total(), bands.device);
  add("allocated", worst.allocated(), bands.allocated);
  add("reserved", worst.reserved(), bands.reserved);
  add("device", worst.device_total(), bands.device);
}

/// The ends of the band of a step, the chance that it fits, and on what both rest.
inline report_json json_of_bands(const estimate& answer, const accelerator& gpu,
                                 const estimate_errors& errors, double level, report_json& memory) {
  json_object object{4};
  const bool costed = answer.costed();
  const estimate_bands bands = costed ? bands_of(answer, gpu, errors, level) : estimate_bands{};
  add_bands(memory, answer, bands);
  if (!costed) {
    for (const char* key :
         {"step_time_low_s", "step_time_high_s", "fits_probability", "error_basis"})
      object.add(key, nullptr);
    return object.take();
  }
  return object.add("step_time_low_s", json_number(bands.step.low * answer.time.total()))
      .add("step_time_high_s", json_number(bands.step.high * answer.time.total()))
      .add("fits_probability", json_number(bands.fits_probability))
      .add("error_basis", json_of(bands, level))
      .take();
}

inline report_json json_of_estimate(const estimate& answer, report_json memory,
                                    report_json bands = report_json::object()) {
  const bool costed = answer.costed();
  const auto known = [&](report_json value) { return costed ? std::move(value) : report_json(); };
  return json_object{18}
      .add("fits", answer.fits())
      .add("reason",
           answer.refusal ? report_json(name_of(answer.refusal.reason)) : report_json(nullptr))
      .add("binding", known(name_of(answer.time.binding())))
      .add("rejected", json_of(answer.refusal))
      .add("mfu", known(json_number(answer.model_flop_utilization())))
      .add("mfu_all_scores",
           known(json_number(answer.model_flop_utilization(masked_scores::counted))))
      .add("step_time_s", known(json_number(answer.time.total())))
      .add(std::move(bands))
      .add("step_terms", known(json_of(answer.time)))
      .add("tokens_per_step", known(json_number(answer.tokens_per_step)))
      .add("tokens_per_s", known(json_number(answer.throughput())))
      .add("model_flop", known(json_number(answer.model_flop)))
      .add("peak_flop_per_s", json_number(answer.peak))
      .add("gpus_used", answer.gpus)
      .add("memory", std::move(memory))
      .take();
}

}  // namespace detail

/// fits, reason, binding, mfu, step_time_s, step_terms, memory and what follows from them.  Where
/// the layout breaks a rule, time and memory are null and `rejected` says which.
inline report_json json_of(const estimate& answer) {
  return detail::json_of_estimate(answer, json_of(answer.memory));
}

/// The same, with the memory of a GPU that its memory is compared with, and how far off time and
/// memory can be: the ends of bands that hold what is measured with the probability `level`, where
/// these errors are known.
inline report_json json_of(const estimate& answer, const accelerator& gpu,
                           const estimate_errors& errors, double level = usual_level) {
  report_json memory = json_of(answer.memory, gpu);
  report_json bands = detail::json_of_bands(answer, gpu, errors, level, memory);
  return detail::json_of_estimate(answer, std::move(memory), std::move(bands));
}

/// The same with the errors of its classes.
inline report_json json_of(const estimate& answer, const accelerator& gpu,
                           double level = usual_level) {
  return json_of(answer, gpu, errors_of(answer, gpu), level);
}

/// What of a run is known; the rest of it is 0 there.
struct run_knowledge {
  bool gpu_cost = false;     ///< the price of a GPU
  bool energy = false;       ///< what a GPU draws
  bool energy_cost = false;  ///< likewise; where the price of a GPU has it, that
};

/// Steps, time, cost and energy of a run without failures; null where it is not known.
inline report_json json_of(const run_estimate& run, const run_knowledge& known) {
  const auto number = [](bool is_known, auto value) {
    return is_known ? json_number(value) : report_json(nullptr);
  };
  return {{"steps", json_number(run.steps)},
          {"time_s", json_number(run.time)},
          {"gpu_time_s", json_number(run.gpu_time)},
          {"gpu_cost_dollars", number(known.gpu_cost, run.gpu_cost)},
          {"energy_joules", number(known.energy, run.energy)},
          {"energy_cost_dollars", number(known.energy_cost, run.energy_cost)},
          {"cost_dollars", number(known.gpu_cost && known.energy_cost, run.cost())}};
}

/// "verified", "derived" or "recalled".
constexpr std::string_view name_of(fact_status status) {
  switch (status) {
    case fact_status::verified: return "verified";
    case fact_status::derived: return "derived";
    case fact_status::recalled: return "recalled";
  }
  return "unknown";
}

/// A number of the catalog with its source.
inline report_json json_of(const fact& one) {
  report_json object{{"field", one.field},
                     {"value", json_number(one.value)},
                     {"status", name_of(one.status)},
                     {"source", one.source}};
  if (!one.note.empty()) object["note"] = one.note;
  return object;
}

}  // namespace gpuplan
