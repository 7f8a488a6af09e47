#include <gpuplan/hardware/usual_rates.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_facts.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr accelerator plain{.memory = 40 * GiB,
                            .memory_bandwidth = 2 * TB / second,
                            .peak = {.fp16 = 200 * TFLOP / second, .bf16 = 300 * TFLOP / second},
                            .host = {.advertised = per_direction(32 * GB / second)}};
constexpr auto usual = operator_rates_of(plain);

static_assert(usual.product_start == usual_operators.product_start);
static_assert(usual.attention.forward_128 == usual_shares{}.attention_128 * (300 * TFLOP / second));
static_assert(usual.collectives.gather == usual_shares{}.gather * (32 * GB / second),
              "no links of its own: the host's");
static_assert(operator_rates_of(catalog::h100_sxm5_80gb).product_memory ==
              catalog::h100_sxm5_80gb.operators.product_memory);

template <class... Args>
concept resolves = requires(Args... args) {
  operator_rates_of(args...);
};
static_assert(resolves<accelerator>);
static_assert(!resolves<operator_rates>, "shares need the device they are shares of");

TEST_CASE("every rate of every device is known once it is resolved", "[hardware][property]") {
  for (const catalog::accelerator_entry& entry : catalog::accelerators) {
    CAPTURE(entry.name);
    CHECK_NOTHROW(require_valid(*entry.gpu));
    const operator_rates resolved = operator_rates_of(*entry.gpu);
    CHECK_NOTHROW(require_valid(resolved));
    each_rate(resolved, [](std::string_view field, const auto& value) {
      CAPTURE(field);
      CHECK(value > std::remove_cvref_t<decltype(value)>{});
    });
  }
}

TEST_CASE("the usual share of products is the middle of measured devices", "[hardware][facts]") {
  std::vector<double> shares;
  for (const catalog::accelerator_entry& entry : catalog::accelerators)
    if (entry.gpu->operators_from == operator_origin::measured &&
        entry.gpu->sustained.bf16 > flop_per_second{0})
      shares.push_back(entry.gpu->sustained.bf16 / entry.gpu->peak.bf16);
  REQUIRE(shares.size() >= 7);
  std::sort(shares.begin(), shares.end());
  const std::size_t n = shares.size();
  CHECK_THAT(usual_shares{}.product,
             WithinRel(std::sqrt(shares[(n - 1) / 2] * shares[n / 2]), 0.01));
  CHECK(product_share_of_usual(catalog::h100_sxm5_80gb) == 1);
  CHECK(product_share_of_usual(catalog::mi300x) < 0.75);
}

TEST_CASE("what is usual is what the catalogue derives for a device of no measured kind",
          "[hardware][facts]") {
  const accelerator& gpu = catalog::mi300x;
  accelerator bare = gpu;
  bare.operators = {};
  const operator_rates resolved = operator_rates_of(bare);
  operator_rates kept = gpu.operators;
  kept.product_steady = resolved.product_steady;
  std::vector<double> ours;
  std::vector<double> theirs;
  const auto into = [](std::vector<double>& all) {
    return [&all](const char*, const auto& value) {
      if constexpr (requires { value.in_base_units(); })
        all.push_back(value.in_base_units());
      else
        all.push_back(value);
    };
  };
  each_rate(resolved, into(ours));
  each_rate(kept, into(theirs));
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CAPTURE(i);
    CHECK_THAT(ours[i], WithinRel(theirs[i], 0.01));
  }
}

TEST_CASE("a device says which of its rates were measured on another", "[hardware][facts]") {
  // The catalogue of facts: H800 has the chip of H100, B300 that of GB300.
  for (std::size_t i = 0; i < catalog::accelerators.size(); ++i) {
    const std::string_view name = catalog::accelerators[i].name;
    for (const fact& one : catalog::accelerator_facts[i].facts) {
      if (one.field != "operators.product_start") continue;
      CAPTURE(name);
      if (name == "H100-SXM5-80GB") CHECK(one.note.starts_with("fitted to "));
      if (name == "H800-SXM5-80GB") CHECK(one.note == "derived from H100-SXM5-80GB");
      if (name == "B300-SXM") CHECK(one.note == "derived from GB300 (per GPU)");
      if (name == "MI300X") CHECK(one.note == "derived from the medians of measured GPUs");
    }
  }
}

}  // namespace
}  // namespace gpuplan
