#include <gpuplan/accuracy/error_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

auto key_of(const error_row& row) {
  return std::tuple{row.of, row.kind, row.software, row.launches, row.known_device, row.many_gpus};
}

TEST_CASE("a row of errors rests on runs, and its quantiles do not fall", "[accuracy]") {
  for (const error_row& row : error_rows) {
    CHECK(row.runs >= row.sources);
    CHECK(row.sources >= 1);
    CHECK(std::is_sorted(row.quantiles.begin(), row.quantiles.end()));
    CHECK(row.quantiles.front() < 0);
    CHECK(row.quantiles.back() > 0);
  }
}

TEST_CASE("a class has one row of errors, and a coarser one follows it", "[accuracy]") {
  const auto covers = [](const auto& coarse, const auto& fine) {
    return !coarse || (fine && *coarse == *fine);
  };
  for (std::size_t i = 0; i < error_rows.size(); ++i) {
    const error_row& fine = error_rows[i];
    for (std::size_t k = 0; k < error_rows.size(); ++k) {
      const error_row& coarse = error_rows[k];
      if (i == k) continue;
      CHECK(key_of(fine) != key_of(coarse));
      const bool wider = coarse.of == fine.of && covers(coarse.kind, fine.kind) &&
                         covers(coarse.software, fine.software) &&
                         covers(coarse.launches, fine.launches) &&
                         covers(coarse.known_device, fine.known_device) &&
                         covers(coarse.many_gpus, fine.many_gpus);
      if (!wider) continue;
      CHECK(k > i);
      CHECK(coarse.runs >= fine.runs);
      CHECK(coarse.sources >= fine.sources);
    }
  }
}

TEST_CASE("each quantity has a row of errors for every class", "[accuracy]") {
  using enum prediction;
  for (const prediction of :
       {step, allocated_memory, reserved_memory, device_memory, collective, wait})
    CHECK(std::any_of(error_rows.begin(), error_rows.end(), [&](const error_row& row) {
      return row.of == of && !row.kind && !row.software && !row.launches && !row.known_device &&
             !row.many_gpus;
    }));
}

}  // namespace
}  // namespace gpuplan
