#pragma once
/// \file
/// The table of errors as the header that holds it.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <gpuplan/accuracy/error_row.hpp>
#include <gpuplan/model/recipe_names.hpp>

namespace gpuplan::accuracy {

namespace detail {

/// Three decimals: errors are known no better.
inline std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", std::round(1000 * value) / 1000 + 0.0);
  std::string digits = text;
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

inline std::string code_of(const error_row& row) {
  std::string code = "    error_row{.of = prediction::" + std::string(name_of(row.of));
  const auto flag = [&](const char* name, const std::optional<bool>& value) {
    if (value) code += std::string(",\n              .") + name + (*value ? " = true" : " = false");
  };
  if (row.kind) code += ",\n              .kind = trained_kind::" + std::string(name_of(*row.kind));
  if (row.software)
    code += ",\n              .software = framework::" +
            std::string(spelled(framework_names, *row.software));
  if (row.launches)
    code += ",\n              .launches = launch_part::" + std::string(name_of(*row.launches));
  flag("known_device", row.known_device);
  flag("many_gpus", row.many_gpus);
  code += ",\n              .runs = " + std::to_string(row.runs);
  code += ",\n              .sources = " + std::to_string(row.sources);
  if (row.most_gpus > 0) code += ",\n              .most_gpus = " + std::to_string(row.most_gpus);
  code += ",\n              .quantiles = {";
  for (std::size_t i = 0; i < row.quantiles.size(); ++i)
    code += (i > 0 ? ", " : "") + rounded(row.quantiles[i]);
  return code + "}}";
}

inline std::string code_of(const timed_recipes& runs) {
  const std::string begin = "inline constexpr timed_recipes timed_runs{";
  const std::string next = ",\n" + std::string(begin.size(), ' ');
  std::string code =
      "\n/// No run had a power limit below its device's own.\n" + begin + ".formats = {";
  for (std::size_t i = 0; i < runs.formats.size(); ++i)
    code += std::string(i > 0 ? ", " : "") + (runs.formats[i] ? "true" : "false");
  return code + "}" + next + ".longest_sequence = " + std::to_string(runs.longest_sequence) + next +
         ".offloads = " + (runs.offloads ? "true" : "false") + "};\n";
}

}  // namespace detail

/// include/gpuplan/accuracy/error_rows.hpp.
inline std::string header_of(const std::vector<error_row>& rows, const timed_recipes& runs) {
  std::string code =
      "#pragma once\n"
      "/// \\file\n"
      "/// How far off answers were, by class, the finest first; the last row of a quantity "
      "covers\n"
      "/// all of it.  Written by benchmarks/accuracy from the rows of tests/data/vectors.\n"
      "\n"
      "#include <array>\n"
      "\n"
      "#include <gpuplan/accuracy/error_row.hpp>\n"
      "\n"
      "namespace gpuplan {\n"
      "\n"
      "/// Errors of steps are those of constants fitted without the run's source.\n"
      "inline constexpr std::array error_rows{\n";
  for (const error_row& row : rows)
    code += detail::code_of(row) + (&row == &rows.back() ? "};\n" : ",\n");
  return code + detail::code_of(runs) + "\n}  // namespace gpuplan\n";
}

}  // namespace gpuplan::accuracy
