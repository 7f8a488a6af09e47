#pragma once
/// \file
/// A profile as JSON: written, and read back.

#include <cmath>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/require.hpp>
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
  if (profile.memory_bandwidth > bytes_per_second{0})
    text["memory_bandwidth_bytes_per_s"] = profile.memory_bandwidth.in_base_units();
  text["sources"] = nlohmann::ordered_json::array();
  for (const profile_source& source : profile.sources)
    text["sources"].push_back({{"file", source.file},
                               {"what", source.what},
                               {"median_error", source.median_error},
                               {"p90_error", source.p90_error}});
  return text;
}

namespace detail {

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
  return {
      .latency = seconds{profile_number(*found, inside, "latency_s", 0, 1e3, "from 0 to 1000 s")},
      .bandwidth = bytes_per_second{
          profile_number(*found, inside, "bandwidth_bytes_per_s", 1, 1e18, "from 1 to 1e18 B/s")}};
}

}  // namespace detail

/// Reads a profile; fields that are not known are passed over, as a newer program's may have more.
///
/// \throws invalid_input naming `where` and the field, if the text is no JSON, of another schema or
///         a later version, or a field is of another type or out of range
inline cluster_profile read_profile(std::string_view text, const std::string& where) {
  const nlohmann::json read = nlohmann::json::parse(text, nullptr, false);
  if (!read.is_object()) throw invalid_input{where + " must be a JSON object"};
  if (read.value("schema", nlohmann::json{}) != "gpuplan-profile")
    throw invalid_input{where + ".schema must be gpuplan-profile"};
  if (detail::profile_number(read, where, "version", 1, 1e9, "a whole number >= 1") >
      cluster_profile::version)
    throw invalid_input{where + ".version is later than this program knows"};
  cluster_profile profile;
  if (const auto gpu = read.find("gpu"); gpu != read.end()) {
    if (!gpu->is_string()) throw invalid_input{where + ".gpu must be a name"};
    profile.gpu = gpu->get<std::string>();
  }
  profile.scale_up = detail::profile_link(read, where, "scale_up");
  profile.fabric = detail::profile_link(read, where, "fabric");
  if (read.contains("memory_bandwidth_bytes_per_s"))
    profile.memory_bandwidth = bytes_per_second{detail::profile_number(
        read, where, "memory_bandwidth_bytes_per_s", 1, 1e18, "from 1 to 1e18 B/s")};
  if (const auto sources = read.find("sources"); sources != read.end()) {
    if (!sources->is_array()) throw invalid_input{where + ".sources must be a list"};
    for (const nlohmann::json& one : *sources) {
      const auto words = [&](const char* field) {
        const bool is_text = one.is_object() && one.contains(field) && one[field].is_string();
        return is_text ? one[field].get<std::string>() : std::string{};
      };
      const auto number = [&](const char* field) {
        const bool is_number = one.is_object() && one.contains(field) && one[field].is_number();
        return is_number ? one[field].get<double>() : 0;
      };
      profile.sources.push_back(
          {words("file"), words("what"), number("median_error"), number("p90_error")});
    }
  }
  return profile;
}

}  // namespace gpuplan
