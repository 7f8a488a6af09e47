#include <gpuplan/model/optimizer.hpp>

#include <algorithm>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(std::ranges::is_sorted(optimizers) && optimizers.back() == optimizer::muon,
              "optimizers follows the enumeration");

static_assert(rule_of(optimizer::muon).name == "muon" && rule_of(optimizer::sgd).name == "sgd");
static_assert(std::ranges::all_of(optimizer_rules,
                                  [](const optimizer_rule& row) {
                                    return &rule_of(row.rule) == &row && !row.name.empty() &&
                                           row.update_operations >= 2;
                                  }),
              "each row is that of its own enumerator");

using enum gradient_format;
static_assert(gradient_storage(by_precision, precision::mixed_bf16) == number_format::fp32);
static_assert(gradient_storage(by_precision, precision::mixed_fp16) == number_format::fp16);
static_assert(gradient_storage(bf16, precision::mixed_bf16) == number_format::bf16);
static_assert(gradient_storage(fp16, precision::mixed_bf16) == number_format::fp16);
static_assert(gradient_storage(fp32, precision::bf16) == number_format::fp32);

TEST_CASE("rule_of refuses what is no optimizer", "[model][errors]") {
  CHECK_THROWS_AS(rule_of(optimizer{99}), invalid_input);
}

TEST_CASE("gradient_storage refuses what is no format or precision", "[model][errors]") {
  CHECK_THROWS_AS(gradient_storage(gradient_format{99}, precision::fp32), invalid_input);
  CHECK_THROWS_AS(gradient_storage(by_precision, precision{99}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
