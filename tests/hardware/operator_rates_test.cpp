#include <gpuplan/hardware/operator_rates.hpp>

#include <cstddef>
#include <limits>
#include <set>
#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

/// A number of a rate, whatever its unit.
template <class X>
double number_of(const X& value) {
  if constexpr (requires { value.in_base_units(); })
    return value.in_base_units();
  else
    return value;
}

TEST_CASE("each_rate names every field once", "[hardware][facts]") {
  operator_rates rates;
  std::set<std::string> names;
  std::size_t count = 0;
  each_rate(rates, [&](const char* name, auto& value) {
    names.insert(name);
    ++count;
    value = std::remove_cvref_t<decltype(value)>{1};
  });
  CHECK(names.size() == count);
  // Every field is one number: no byte of the aggregate was missed.
  CHECK(count * sizeof(double) == sizeof(operator_rates));
  each_rate(rates, [](const char*, const auto& value) { CHECK(number_of(value) == 1); });
}

TEST_CASE("zero says that nobody measured it", "[hardware][facts]") {
  CHECK_NOTHROW(require_valid(operator_rates{}));
}

TEST_CASE("operator_rates refuses what its documentation refuses", "[hardware][errors]") {
  operator_rates rates;
  each_rate(rates, [&](const char*, auto& value) {
    using value_type = std::remove_cvref_t<decltype(value)>;
    for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
      value = value_type{wrong};
      CHECK_THROWS_AS(require_valid(rates), invalid_input);
    }
    value = value_type{};
  });
  for (double* share :
       {&rates.product_memory, &rates.elementwise_memory, &rates.permutation_memory,
        &rates.grouped_memory, &rates.product_steady, &rates.collectives.small_share,
        &rates.collectives.exchange_small_share, &rates.dispatchers.port_share}) {
    *share = 1.01;
    CHECK_THROWS_AS(require_valid(rates), invalid_input);
    *share = 1;
    CHECK_NOTHROW(require_valid(rates));
  }
}

}  // namespace
}  // namespace gpuplan
