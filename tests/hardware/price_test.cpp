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

static_assert(last_month_of("2024") == 2024 * 12 + 11);
static_assert(last_month_of("2026 Q1") == 2026 * 12 + 2);
static_assert(last_month_of("until 2025-05") == 2025 * 12 + 4);
static_assert(last_month_of("2024, valid to 2025-01-01") == 2024 * 12 + 11);
static_assert(!last_month_of("undated") && !last_month_of(""));

constexpr price dated(const char* provider, price_kind kind, double hourly, const char* date) {
  return {"X", provider, kind, hourly * dollar / hour, date, "s", fact_status::verified};
}
constexpr std::array aged{dated("old", price_kind::on_demand, 1, "2024-05"),
                          dated("old", price_kind::spot, 0.5, "2024-05"),
                          dated("new", price_kind::on_demand, 4, "2025-06"),
                          dated("new", price_kind::spot, 2, "2025-06"),
                          dated("year", price_kind::on_demand, 3, "2024-06"),
                          dated("none", price_kind::reserved, 2.5, "undated")};
static_assert(is_stale(aged, aged[0]) && is_stale(aged, aged[1]));
static_assert(!is_stale(aged, aged[4]), "a year is not more than a year");
static_assert(!is_stale(aged, aged[5]), "of no date");
static_assert(lowest_price(aged, "x", price_kind::on_demand)->provider == "old");
static_assert(lowest_current_price(aged, "x", price_kind::on_demand)->provider == "year");
static_assert(lowest_current_price(aged, "x", price_kind::spot)->provider == "new");
static_assert(lowest_current_price(aged, "x", price_kind::reserved)->provider == "none");
static_assert(lowest_current_price(aged, "x", price_kind::on_demand, "NE")->provider == "new");
static_assert(lowest_current_price(aged, "x", price_kind::on_demand, "ew") == nullptr);
static_assert(lowest_current_price(aged, "y", price_kind::spot) == nullptr);
static_assert(price_beside(aged, aged[3], price_kind::on_demand) == &aged[2]);
static_assert(price_beside(aged, aged[5], price_kind::on_demand) == nullptr);

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
    CHECK(is_of_provider(one, ""));
    CHECK(is_of_provider(one, one.provider));
    CHECK_FALSE(is_of_provider(one, "  "));
    CHECK_FALSE(is_of_provider(one, "?"));
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
