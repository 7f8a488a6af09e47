#include <gpuplan/hardware/price.hpp>

#include <array>
#include <string>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_prices.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array offers{
    price{"X", "one", price_kind::on_demand, 3 * dollar / hour, "2026", "s", fact_status::verified},
    price{"X", "two", price_kind::on_demand, 2 * dollar / hour, "2026", "s", fact_status::verified},
    price{"X", "one", price_kind::spot, 1 * dollar / hour, "2026", "s", fact_status::verified}};
static_assert(lowest_price(offers, "x", price_kind::on_demand)->provider == "two");
static_assert(lowest_price(offers, "x", price_kind::spot)->rate == 1 * dollar / hour);
static_assert(lowest_price(offers, "x", price_kind::reserved) == nullptr);
static_assert(lowest_price(offers, "y", price_kind::spot) == nullptr);
static_assert(3600 * dollar / hour == 1 * dollar / second);

template <class Rate>
concept asks = requires(Rate rate) {
  price{"X", "one", price_kind::spot, rate, "", "", {}};
};
static_assert(asks<dollars_per_second>);
static_assert(!asks<double>, "dollars an hour or a second?");
static_assert(!asks<dollars>, "for how long?");

TEST_CASE("every price has its day, its source, and an accelerator that is known or named",
          "[hardware]") {
  for (const price& one : catalog::prices) {
    INFO(std::string(one.accelerator) << " at " << std::string(one.provider));
    CHECK(one.rate > 0 * dollar / hour);
    CHECK(one.rate < 20 * dollar / hour);
    CHECK_FALSE(one.date.empty());
    CHECK_FALSE(one.source.empty());
    CHECK(catalog::find_accelerator(one.accelerator) != nullptr);
  }
  CHECK(catalog::prices.size() == 23);
}

TEST_CASE("what can be taken back costs less than what cannot", "[hardware]") {
  for (const price& one : catalog::prices)
    if (one.kind == price_kind::spot)
      for (const price& kept : catalog::prices)
        if (kept.kind != price_kind::spot && kept.accelerator == one.accelerator &&
            kept.provider == one.provider)
          CHECK(one.rate < kept.rate);
}

}  // namespace
}  // namespace gpuplan
