#pragma once
/// \file
/// Properties by RapidCheck inside a test of Catch2.

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "support/catch.hpp"

namespace gpuplan::testing {

/// Why `property` does not hold, with the smallest case found; nothing if it held every time.
///
/// Every run takes the same 100 cases, so that a test is green or red, never both.  RC_PARAMS in
/// the environment chooses others: RC_PARAMS="seed=7 max_success=10000".
template <class Property>
std::string counterexample(const std::string& description, Property&& property) {
  rc::detail::Configuration chosen;
  chosen.testParams.seed = 1;
  if (const char* parameters = std::getenv("RC_PARAMS"))
    chosen = rc::detail::configFromString(parameters, chosen);

  rc::detail::TestListenerAdapter silent;
  const auto result = rc::detail::checkProperty(
      rc::detail::toProperty(std::forward<Property>(property)), {description, description},
      chosen.testParams, silent, chosen.reproduce);
  if (result.template is<rc::detail::SuccessResult>()) return {};
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  return description + "\n" + text.str();
}

/// Fails the test, saying the counterexample, unless `property` holds for random arguments.
///
///     check_property("more layers never take less memory", [] {
///       const int layers = *rc::gen::inRange(1, 200);
///       RC_ASSERT(memory(layers + 1) >= memory(layers));
///     });
template <class Property>
void check_property(const std::string& description, Property&& property) {
  const std::string why = counterexample(description, std::forward<Property>(property));
  INFO(why);
  CHECK(why.empty());
}

}  // namespace gpuplan::testing
