#pragma once
/// \file
/// Properties by RapidCheck inside a test of Catch2.

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include <rapidcheck.h>

#include "support/catch.hpp"

namespace gpuplan::testing {

/// Checks that `property` holds for random arguments, and fails the test with the smallest
/// counterexample found if it does not.
///
///     check_property("more layers never take less memory", [](...) { RC_ASSERT(...); });
///
/// Every run takes the same 100 cases, so that a test is green or red, never both.  RC_PARAMS in
/// the environment chooses others: RC_PARAMS="seed=7 max_success=10000".
template <class Property>
void check_property(const std::string& description, Property&& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  const char* chosen = std::getenv("RC_PARAMS");
  if (chosen == nullptr || std::string(chosen).find("seed") == std::string::npos) params.seed = 1;

  const auto result = rc::detail::checkTestable(
      std::forward<Property>(property), rc::detail::TestMetadata{description, description}, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  INFO(description << ": " << text.str());
  REQUIRE(result.template is<rc::detail::SuccessResult>());
}

}  // namespace gpuplan::testing
