// measured_gemm.json, measured_products.json, measured_attention.json, measured_moe.json and
// measured_collectives_aic.json: the laws of operators with the rates of the catalogue.
#include <cstddef>
#include <string>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>

#include "operators/all_devices.hpp"
#include "operators/error_table.hpp"
#include "operators/measured_rows.hpp"
#include "support/catch.hpp"

namespace gpuplan::operators {
namespace {

/// Fewer rows say little of a median.
constexpr std::size_t least_rows = 8;

std::vector<judged_row> by_catalogue() {
  return judge(read_measured_operators(),
               [](const measured_row& row) { return &detail::described(row.gpu); });
}

std::string of_operation(const judged_row& row) {
  return row.usual ? row.operation : "";
}

TEST_CASE("measured operators: each law is as near as it promises", "[vectors]") {
  std::size_t held = 0;
  for (const class_errors& one : classes_of(by_catalogue(), of_operation)) {
    if (one.errors.count() < least_rows) continue;
    for (const operator_goal& goal : operator_goals) {
      if (goal.operation != one.name) continue;
      INFO(one.name << ": " << one.errors.count() << " rows, median " << one.errors.median()
                    << ", p90 " << one.errors.p90());
      CHECK(one.errors.median() <= goal.median);
      if (goal.p90 > 0) CHECK(one.errors.p90() <= goal.p90);
      ++held;
    }
  }
  CHECK(held > 0);
}

TEST_CASE("measured operators: products are near on every kind of GPU", "[vectors]") {
  // The goal for a kind that no fit has seen.
  constexpr double farthest = 0.12;
  std::size_t kinds = 0;
  const auto product_on = [](const judged_row& row) {
    return row.usual && row.operation == "product" ? row.gpu : std::string{};
  };
  for (const class_errors& one : classes_of(by_catalogue(), product_on)) {
    if (one.errors.count() < least_rows) continue;
    INFO(one.name << ": " << one.errors.count() << " rows, median " << one.errors.median());
    CHECK(one.errors.median() <= farthest);
    ++kinds;
  }
  CHECK(kinds > 0);
}

TEST_CASE("measured operators: the rates of the catalogue are those of its fit", "[vectors]") {
  // The rows of tests/data alone: another folder may hold others, and gives other fits.
  const measured_operators all = read_measured_operators();
  if (all.products.size() != 5657) return;
  for (const device_rates& device : rates_of_all(all, [](const measured_row&) { return true; })) {
    CAPTURE(device.name);
    std::vector<double> fitted;
    std::vector<double> kept;
    each_rate(device.fit.gpu.operators,
              [&](const char*, const auto& value) { fitted.push_back(detail::in_base(value)); });
    each_rate(detail::described(device.name).operators,
              [&](const char*, const auto& value) { kept.push_back(detail::in_base(value)); });
    for (std::size_t i = 0; i < fitted.size(); ++i) CHECK_THAT(kept[i], WithinRel(fitted[i], 0.01));
  }
}

}  // namespace
}  // namespace gpuplan::operators
