// Numbers of a profile against what a device can have.
#include <gpuplan/calibrate/device_limits.hpp>

#include <string>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

const accelerator& h100 = catalog::h100_sxm5_80gb;

std::vector<std::string> names_beyond(const cluster_profile& profile) {
  std::vector<std::string> names;
  for (const device_excess& one : beyond_device(h100, profile)) names.push_back(one.name);
  return names;
}

std::string words_of(const cluster_profile& profile) {
  return in_words(beyond_device(h100, profile).at(0), "H100-SXM5-80GB");
}

TEST_CASE("numbers that a device cannot have are named", "[calibrate][errors]") {
  using names = std::vector<std::string>;
  CHECK(names_beyond({}).empty());
  CHECK(names_beyond({.memory_bandwidth = 1.01 * h100.memory_bandwidth,
                      .products = {.bf16 = 1.01 * h100.peak.bf16},
                      .memory = 1.09 * h100.memory})
            .empty());
  // A slice of a GPU has an eighth.
  CHECK(names_beyond({.memory_bandwidth = h100.memory_bandwidth / 8, .memory = h100.memory / 8})
            .empty());
  CHECK(names_beyond({.memory_bandwidth = 1.03 * h100.memory_bandwidth,
                      .products = {.bf16 = 1.03 * h100.peak.bf16, .fp4 = 1 * TFLOP / second},
                      .memory = 1.11 * h100.memory}) ==
        names{"memory_bandwidth", "products_bf16", "products_fp4", "memory"});
  CHECK(names_beyond({.memory_bandwidth = 1000 * byte / second, .memory = 80 * MB}) ==
        names{"memory_bandwidth", "memory"});
  CHECK(names_beyond({.products = {.bf16 = -1 * TFLOP / second}}) == names{"products_bf16"});
}

TEST_CASE("a number that a device cannot have is told with what it can", "[calibrate][errors]") {
  CHECK(
      words_of({.memory = bytes{1e15}}) ==
      "memory_bytes is 9.313e+05 GiB; allowed on H100-SXM5-80GB: 0.7911 to 87.02 GiB, 0.01 to 1.1 "
      "times its datasheet's");
  CHECK(words_of({.memory_bandwidth = 9 * TB / second}) ==
        "memory_bandwidth_bytes_per_s is 9000 GB/s; allowed on H100-SXM5-80GB: 33.5 to 3417 GB/s, "
        "0.01 to 1.02 times its datasheet's");
  CHECK(words_of({.products = {.bf16 = 2000 * TFLOP / second}}) ==
        "products_flop_per_s.bf16 is 2000 TFLOP/s; allowed on H100-SXM5-80GB: > 0 and <= 1009 "
        "TFLOP/s, 1.02 times its datasheet's");
  CHECK(
      words_of({.products = {.fp4 = 2000 * TFLOP / second}}) ==
      "products_flop_per_s.fp4 is 2000 TFLOP/s; allowed on H100-SXM5-80GB: none, as its datasheet "
      "has no such products");
  CHECK_THROWS_WITH(
      require_possible_device(h100, "H100-SXM5-80GB", {.memory = bytes{1e15}}, "p.json"),
      Catch::Matchers::StartsWith("p.json: memory_bytes is "));
}

TEST_CASE("what drivers show of a device is never beyond it", "[calibrate]") {
  for (const catalog::accelerator_entry& entry : catalog::accelerators) {
    INFO(entry.name);
    CHECK(beyond_device(*entry.gpu, {.memory_bandwidth = entry.gpu->memory_bandwidth,
                                     .products = entry.gpu->peak,
                                     .memory = entry.gpu->label_memory})
              .empty());
  }
  // Without ECC: 24564 MiB of an L4, 48305 MiB of an A40.
  CHECK(beyond_device(catalog::l4, {.memory = 24564 * MiB}).empty());
  CHECK(beyond_device(catalog::a40, {.memory = 48305 * MiB}).empty());
}

}  // namespace
}  // namespace gpuplan
