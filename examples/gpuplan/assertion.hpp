#pragma once
/// \file
/// --assert: a comparison that an answer must pass.

#include <string>
#include <string_view>

#include "program.hpp"

namespace gpuplan::cli {

struct assertion_result {
  bool holds = false;
  std::string found;  ///< the value that was compared
};

/// Refuses what is no comparison, whatever the answer will be.
/// \throws bad_usage
void require_assertion(std::string_view text);

/// Compares what the JSON answer holds under a path with a value: "KEY OP VALUE".
///
///     KEY    keys joined by points, places of an array in brackets: memory.stages[0].total_bytes
///     OP     < <= > >= == !=
///     VALUE  a number, a quantity with its unit (70GiB, 2.5h), true, false, null or a word
///
/// Of a value that is null, unknown or without bound, nothing holds but "== null".
/// \throws bad_usage if it is no such comparison, or the answer has no such key
assertion_result check_assertion(std::string_view text, const report_json& answer);

}  // namespace gpuplan::cli
