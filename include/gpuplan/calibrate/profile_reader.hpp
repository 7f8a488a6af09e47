#pragma once
/// \file
/// Writes a profile as JSON, and reads it back.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/step_belief_reader.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The profile in SI units; what was not measured is left out.
inline nlohmann::ordered_json json_of(const cluster_profile& profile) {
  nlohmann::ordered_json text{{"schema", "gpuplan-profile"}, {"version", cluster_profile::version}};
  if (!profile.gpu.empty()) text["gpu"] = profile.gpu;
  const auto add = [&](const char* name, const interconnect& link) {
    if (link.bandwidth > bytes_per_second{0})
      text[name] = {{"latency_s", link.latency.in_base_units()},
                    {"bandwidth_bytes_per_s", link.bandwidth.in_base_units()}};
  };
  add("scale_up", profile.scale_up);
  add("fabric", profile.fabric);
  add("host", profile.host);
  if (profile.memory_bandwidth > bytes_per_second{0})
    text["memory_bandwidth_bytes_per_s"] = profile.memory_bandwidth.in_base_units();
  for (std::size_t i = 0; i < number_formats.size(); ++i)
    if (const flop_per_second rate = profile.products.*detail::peak_fields[i];
        rate > flop_per_second{0})
      text["products_flop_per_s"][std::string(spelled(number_format_names, number_formats[i]))] =
          rate.in_base_units();
  const auto add_size = [&](const char* name, bytes size) {
    if (size > bytes{0}) text[name] = size.in_base_units();
  };
  add_size("memory_bytes", profile.memory);
  add_size("cuda_context_bytes", profile.cuda_context);
  add_size("communicator_bytes", profile.communicator);
  const run_belief runs{
      .steps = profile.steps, .beside_model = profile.beside_model, .marks = profile.run_marks};
  if (nlohmann::ordered_json told = json_of(runs); !told.empty()) text["runs"] = std::move(told);
  text["sources"] = nlohmann::ordered_json::array();
  for (const profile_source& source : profile.sources)
    text["sources"].push_back({{"file", source.file},
                               {"what", source.what},
                               {"median_error", source.median_error},
                               {"p90_error", source.p90_error},
                               {"device", source.device},
                               {"time_utc", source.time_utc}});
  if (!profile.forced.empty()) text["forced"] = profile.forced;
  return text;
}

namespace detail {

/// A field that a profile may have.
struct profile_field {
  std::string_view name;
};

inline constexpr std::array profile_fields{profile_field{"schema"},
                                           profile_field{"version"},
                                           profile_field{"gpu"},
                                           profile_field{"scale_up"},
                                           profile_field{"fabric"},
                                           profile_field{"host"},
                                           profile_field{"memory_bandwidth_bytes_per_s"},
                                           profile_field{"products_flop_per_s"},
                                           profile_field{"memory_bytes"},
                                           profile_field{"cuda_context_bytes"},
                                           profile_field{"communicator_bytes"},
                                           profile_field{"runs"},
                                           profile_field{"sources"},
                                           profile_field{"forced"}};

inline constexpr std::array profile_link_fields{profile_field{"latency_s"},
                                                profile_field{"bandwidth_bytes_per_s"}};

inline double profile_number(const nlohmann::json& object, const std::string& where,
                             const char* field, double least, double most, const char* allowed) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_number())
    throw invalid_input{where + "." + field + " must be a number"};
  const double value = found->get<double>();
  if (!(value >= least && value <= most))
    throw invalid_input{where + "." + field + " must be " + allowed};
  return value;
}

inline interconnect profile_link(const nlohmann::json& object, const std::string& where,
                                 const char* field) {
  const auto found = object.find(field);
  if (found == object.end()) return {};
  const std::string inside = where + "." + field;
  if (!found->is_object()) throw invalid_input{inside + " must be an object"};
  json_fields{*found, inside}.refuse_unknown(profile_link_fields);
  return {
      .latency = seconds{profile_number(*found, inside, "latency_s", 0, 1e3, "from 0 to 1000 s")},
      .bandwidth = bytes_per_second{
          profile_number(*found, inside, "bandwidth_bytes_per_s", 1, 1e18, "from 1 to 1e18 B/s")}};
}

/// Where a number comes from; what is of another type is left out.
inline profile_source profile_source_of(const nlohmann::json& one) {
  const auto words = [&](const char* field) {
    const bool is_text = one.is_object() && one.contains(field) && one[field].is_string();
    return is_text ? one[field].get<std::string>() : std::string{};
  };
  const auto number = [&](const char* field) {
    const bool is_number = one.is_object() && one.contains(field) && one[field].is_number();
    return is_number ? one[field].get<double>() : 0;
  };
  return {words("file"),       words("what"),   number("median_error"),
          number("p90_error"), words("device"), words("time_utc")};
}

/// Names of the links that were forced.
inline std::vector<std::string> forced_links(const nlohmann::json& object,
                                             const std::string& where) {
  const auto found = object.find("forced");
  if (found == object.end()) return {};
  const bool names =
      found->is_array() &&
      std::all_of(found->begin(), found->end(), [](const auto& one) { return one.is_string(); });
  if (!names) throw invalid_input{where + ".forced must be a list of names"};
  return found->get<std::vector<std::string>>();
}

}  // namespace detail

/// Reads a profile of this version or an earlier one. What else a source says is passed over, since
/// nothing is calculated with it.
///
/// \throws invalid_input of one line that names `where` and the field or the line, if it is no
///         JSON, of another schema or a later version, or a field is not known, of another type or
///         out of range
inline cluster_profile read_profile(std::string_view text, const std::string& where) {
  const nlohmann::json read = parse_json(text, where);
  if (!read.is_object()) throw invalid_input{where + " must be a JSON object"};
  if (read.value("schema", nlohmann::json{}) != "gpuplan-profile")
    throw invalid_input{where + ".schema must be gpuplan-profile"};
  const double version =
      detail::profile_number(read, where, "version", 1, 1e9, "a whole number >= 1");
  if (version != std::trunc(version))
    throw invalid_input{where + ".version must be a whole number >= 1"};
  if (version > cluster_profile::version)
    throw invalid_input{where + ".version is newer than this program can read"};
  json_fields{read, where}.refuse_unknown(detail::profile_fields);
  cluster_profile profile;
  if (const auto gpu = read.find("gpu"); gpu != read.end()) {
    if (!gpu->is_string()) throw invalid_input{where + ".gpu must be a name"};
    profile.gpu = gpu->get<std::string>();
  }
  profile.scale_up = detail::profile_link(read, where, "scale_up");
  profile.fabric = detail::profile_link(read, where, "fabric");
  profile.host = detail::profile_link(read, where, "host");
  const auto number_or_0 = [&](const nlohmann::json& object, const std::string& inside,
                               const char* field, double most, const char* allowed) {
    return object.contains(field) ? detail::profile_number(object, inside, field, 1, most, allowed)
                                  : 0;
  };
  profile.memory_bandwidth = bytes_per_second{
      number_or_0(read, where, "memory_bandwidth_bytes_per_s", 1e18, "from 1 to 1e18 B/s")};
  if (const auto products = read.find("products_flop_per_s"); products != read.end()) {
    const std::string inside = where + ".products_flop_per_s";
    if (!products->is_object()) throw invalid_input{inside + " must be an object"};
    json_fields{*products, inside}.refuse_unknown(number_format_names);
    for (std::size_t i = 0; i < number_formats.size(); ++i)
      profile.products.*detail::peak_fields[i] = flop_per_second{number_or_0(
          *products, inside, std::string(spelled(number_format_names, number_formats[i])).c_str(),
          1e24, "from 1 to 1e24 FLOP/s")};
  }
  const auto size_of = [&](const char* field) {
    return bytes{number_or_0(read, where, field, 1e18, "from 1 to 1e18 B")};
  };
  profile.memory = size_of("memory_bytes");
  profile.cuda_context = size_of("cuda_context_bytes");
  profile.communicator = size_of("communicator_bytes");
  if (const auto runs = read.find("runs"); runs != read.end()) {
    const run_belief told = read_run_belief(*runs, where + ".runs");
    profile.steps = told.steps;
    profile.beside_model = told.beside_model;
    profile.run_marks = told.marks;
  }
  if (const auto sources = read.find("sources"); sources != read.end()) {
    if (!sources->is_array()) throw invalid_input{where + ".sources must be a list"};
    for (const nlohmann::json& one : *sources)
      profile.sources.push_back(detail::profile_source_of(one));
  }
  profile.forced = detail::forced_links(read, where);
  return profile;
}

}  // namespace gpuplan
