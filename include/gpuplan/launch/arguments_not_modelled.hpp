#pragma once
/// \file
/// Arguments of a launch that are named as not modelled.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/text/json_scalar.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// An argument, and the value that a plan takes for it: any other can change memory or time.
struct modelled_value {
  std::string_view argument;
  std::string_view value;  ///< "true" or "false" of a switch, which false in a file turns off, too
};

namespace detail {

/// The value of an argument as a table has it; nothing where the launch does not say it.
inline std::optional<std::string> told_value(const launch_arguments& args,
                                             const modelled_value& row) {
  if (const bool usual = row.value == "true"; usual || row.value == "false") {
    const bool is_on = args.flag_or(row.argument, usual);
    return std::string(is_on ? "true" : "false");
  }
  const nlohmann::json& value = args.value(row.argument);
  if (value.is_null()) return std::nullopt;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace detail

/// Names those of a table that have another value, as "reduce_scatter false".
///
/// \throws invalid_input if a switch is neither true nor false
template <class Table>
void add_other_values(const launch_arguments& args, const Table& table, launch_job& said) {
  for (const modelled_value& row : table)
    if (const auto told = detail::told_value(args, row); told && *told != row.value)
      said.not_modelled.push_back(shown_name(args.shown_as(row.argument)) + " " +
                                  shown_name(*told));
}

/// Names every argument that nobody looked at and whose name begins as none of those that change
/// neither memory nor time.
template <class Beginnings>
void add_not_modelled(const launch_arguments& args, const Beginnings& idle, launch_job& said) {
  for (const std::string& name : args.unread()) {
    const bool is_idle = std::any_of(idle.begin(), idle.end(), [&](std::string_view beginning) {
      return name.starts_with(beginning);
    });
    if (!is_idle) said.not_modelled.push_back(shown_name(name));
  }
}

}  // namespace gpuplan
