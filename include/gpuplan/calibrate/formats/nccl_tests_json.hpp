#pragma once
/// \file
/// What nccl-tests writes with -J: the same log as its text, with more digits.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/formats/nccl_tests_log.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// The fields that are looked at, of the file, its config, devices and results.
inline bool keeps_of_nccl_tests(std::string_view field) {
  constexpr std::array<std::string_view, 22> fields{
      "version",  "args",        "config",        "nthreads", "ngpus",        "devices",
      "hostname", "device_info", "results",       "size",     "out_of_place", "in_place",
      "time",     "cpu_time",    "alg_bw",        "bus_bw",   "nwrong",       "count",
      "type",     "redop",       "out_of_bounds", "okay"};
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// A rate or a count, 0 where the tool has none: null, or "nan" as it writes what is no number.
inline double nccl_tests_number(const json_fields& fields, std::string_view field) {
  if (!fields.has(field)) return 0;
  const nlohmann::json& value = fields.value().at(std::string(field));
  if (value.is_string() && value.get_ref<const std::string&>().ends_with("nan")) return 0;
  return fields.number(field, 0, 1e18, "a number from 0 to 1e18");
}

/// Time of a table of one direction, in seconds.
inline seconds nccl_tests_time(const json_fields& fields) {
  const std::string_view field = fields.has("time") ? "time" : "cpu_time";
  return fields.number(field, 1e-9, 1e15, "microseconds, > 0 and <= 1e15") * units::us;
}

inline void read_nccl_tests_config(const json_fields& config, nccl_tests_log& log) {
  const nlohmann::json* devices = config.array("devices");
  if (devices == nullptr) return;
  // A device is listed for each process, which has so many threads of so many GPUs.
  const double ranks = static_cast<double>(config.integer_or("nthreads", 1)) *
                       config.integer_or("ngpus", 1) * static_cast<double>(devices->size());
  if (!(ranks <= json_fields::largest))
    config.refuse("ngpus", "makes more than " + std::to_string(json_fields::largest) + " ranks");
  log.ranks = static_cast<int>(ranks);
  std::unordered_set<std::string_view> hosts;
  for (const nlohmann::json& each : *devices) {
    const json_fields device{each, config.where() + ".devices"};
    hosts.insert(device.text_or("hostname", {}));
    add_nccl_device(device.text_or("device_info", {}), log.devices);
  }
  hosts.erase(std::string_view{});
  log.nodes = static_cast<int>(hosts.size());
}

/// {"count": 3, "okay": "false"}, a text as the tool writes it.
inline void read_nccl_tests_outcome(const json_fields& outcome, nccl_tests_log& log) {
  const double count = nccl_tests_number(outcome, "count");
  const auto okay = outcome.value().find("okay");
  const bool failed = okay != outcome.value().end() && (*okay == "false" || *okay == false);
  log.out_of_bounds = static_cast<std::int64_t>(failed ? std::max(count, 1.0) : count);
}

}  // namespace detail

/// Reads what nccl-tests writes with `-J file`. Rows that have no out-of-place time are left out.
///
///     name  of the file, for the error line
///
/// Source: NVIDIA, nccl-tests 2.17 (2025), src/util.cu, version 1 and 2 of its JSON.
///
/// \throws invalid_input of one line, "<name>: <field> ...", where parse_json does, if there is no
///         list of results, or a field is of another type or out of range
inline nccl_tests_log read_nccl_tests_json(std::string_view text, std::string_view name) {
  const nlohmann::json whole = parse_json(text, name, {.keeps = detail::keeps_of_nccl_tests});
  const json_fields fields{whole, name};
  nccl_tests_log log;
  if (const nlohmann::json* arguments = fields.array("args"))
    if (!arguments->empty() && arguments->front().is_string()) {
      std::string_view program = arguments->front().get_ref<const std::string&>();
      program.remove_prefix(program.rfind('/') + 1);
      log.name = program;
    }
  if (fields.has("config"))
    detail::read_nccl_tests_config({whole.at("config"), fields.where() + ": config"}, log);
  if (fields.has("out_of_bounds"))
    detail::read_nccl_tests_outcome({whole.at("out_of_bounds"), fields.where() + ": out_of_bounds"},
                                    log);
  const nlohmann::json* results = fields.array("results");
  if (results == nullptr) fields.refuse("results", "is missing");
  log.rows.reserve(results->size());
  std::size_t index = 0;
  for (const nlohmann::json& each : *results) {
    const std::string where = fields.where() + ": results[" + std::to_string(index++) + "]";
    const json_fields row{each, where};
    nccl_tests_row read;
    read.message = bytes{row.number("size", 0, 1e18, "bytes from 0 to 1e18")};
    if (row.has("in_place")) {
      const json_fields in{each.at("in_place"), where + ".in_place"};
      read.in_place = detail::nccl_tests_time(in);
      read.wrong = static_cast<std::int64_t>(detail::nccl_tests_number(in, "nwrong"));
    }
    if (!row.has("out_of_place")) continue;
    const json_fields out{each.at("out_of_place"), where + ".out_of_place"};
    read.out_of_place = detail::nccl_tests_time(out);
    const double algorithm = detail::nccl_tests_number(out, "alg_bw");
    if (algorithm > 0)
      read.bus_over_algorithm = detail::nccl_tests_number(out, "bus_bw") / algorithm;
    read.wrong += static_cast<std::int64_t>(detail::nccl_tests_number(out, "nwrong"));
    log.rows.push_back(read);
  }
  return log;
}

}  // namespace gpuplan
