#include <gpuplan/memory/trainable.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(partly_frozen_states(1e9, 1).total() == 16 * GB);
static_assert(partly_frozen_states(1e9, 0).total() == 2 * GB, "weights alone");
static_assert(partly_frozen_states(1e9, 0.5).total() == 9 * GB);

static_assert(lora_parameters({4096, 4096}, 8) == 65536);
static_assert(adapter_states(1e9, 1e7, 2 * byte).total() == (2 + 0.16) * GB);
static_assert(adapter_states(1e9, 1e7, 0.5 * byte).weights == 520 * MB, "a base of 4 bits");

static_assert(galore_values({4096, 11008}, 128, 2) == 128.0 * 4096 + 2.0 * 128 * 11008,
              "J. Zhao et al. (2024), table 1: m r + 2 n r");
static_assert(galore_values({11008, 4096}, 128, 2) == galore_values({4096, 11008}, 128, 2));

TEST_CASE("LoRA of GPT-3 has the parameters its paper prints", "[memory][reference]") {
  // E. Hu et al. (2022), section 4.2: r = 4, queries and values of 96 layers, 35 MB in FP16
  // (18.9e6 parameters), against 350 GB.
  const double adapter = 96 * 2 * lora_parameters({12288, 12288}, 4);
  CHECK(adapter == Approx(18.9e6).epsilon(0.005));
  CHECK((adapter * 2 * byte).in(MiB) == Approx(35).epsilon(0.04));
}

TEST_CASE("training parts refuses what its documentation refuses", "[memory][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(partly_frozen_states(-1, 1), invalid_input);
  CHECK_THROWS_AS(partly_frozen_states(1, 1.5), invalid_input);
  CHECK_THROWS_AS(partly_frozen_states(1, nan), invalid_input);
  CHECK_THROWS_AS(lora_parameters({0, 8}, 1), invalid_input);
  CHECK_THROWS_AS(lora_parameters({8, 8}, 0), invalid_input);
  CHECK_THROWS_AS(lora_parameters({8, 8}, 9), invalid_input);
  CHECK_THROWS_AS(adapter_states(-1, 1, 2 * byte), invalid_input);
  CHECK_THROWS_AS(adapter_states(1, nan, 2 * byte), invalid_input);
  CHECK_THROWS_AS(adapter_states(1, 1, -1 * byte), invalid_input);
  CHECK_THROWS_AS(galore_values({8, 8}, 9, 2), invalid_input);
  CHECK_THROWS_AS(galore_values({8, 8}, 4, -1), invalid_input);
  CHECK_THROWS_AS(galore_values({nan, 8}, 4, 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
