#pragma once
/// \file
/// The line with which an input is refused.

#include <string>
#include <utility>

#include <gpuplan/require.hpp>

namespace gpuplan::testing {

/// What invalid_input says of a call; "nothing" where it goes through.
template <class Call>
std::string refusal_by(Call&& call) {
  try {
    static_cast<void>(std::forward<Call>(call)());
  } catch (const invalid_input& refused) {
    return refused.what();
  }
  return "nothing";
}

}  // namespace gpuplan::testing
