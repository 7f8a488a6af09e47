#pragma once
/// \file
/// One door for programs: a request in JSON, an answer in JSON.

#include <string>
#include <string_view>

namespace gpuplan {

/// Answers a request such as
///
///     {"question": "plan", "model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 64},
///      "options": {"tokens": "1T"}}
///
/// with what the command line prints for it with --json.  What cannot be answered is an answer,
/// too: {"error": {"what", "where", "allowed", "did_you_mean", "exit_code"}}, null where unknown.
/// No file of the machine is read or written: a request brings the files that it names.  Nothing is
/// printed.  Several threads may ask at once.
/// \throws std::bad_alloc
std::string answer(std::string_view request);

}  // namespace gpuplan
