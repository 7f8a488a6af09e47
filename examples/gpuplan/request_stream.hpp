#pragma once
/// \file
/// Requests of standard input, one a line, and their answers.

#include <cstdint>
#include <functional>
#include <string_view>

#include <gpuplan/api/line_answer.hpp>

namespace gpuplan::cli {

/// Makes an answer to a request, which stands on that line of standard input.
using line_maker = std::function<api::line_answer(std::string_view request, std::int64_t line)>;

/// Answers each request of standard input, one a line, with a line of JSON: what `answer` makes of
/// it, or {"line": n, "error": {...}} where it throws bad_usage, or the line is longer than any JSON
/// text may be.  A blank line gets nothing.  What was printed goes out after each part that was
/// read.
/// \returns whether every request was answered
/// \throws bad_usage if standard input cannot be read
bool answer_lines(const line_maker& answer);

}  // namespace gpuplan::cli
