#include <gpuplan/memory/reference_memory.hpp>

#include <cmath>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr recipe preference{.global_batch_size = 64,
                            .sequence_length = 1024,
                            .reference = reference_model::frozen,
                            .sequences_per_sample = 2};

constexpr bytes held(const recipe& how, const parallelism& cut) {
  return memory_footprint(catalog::llama_3_8b, how, cut).worst_stage().reference_model;
}

constexpr recipe with_zero(recipe how, zero_stage stage) {
  how.zero = stage;
  return how;
}

constexpr parallelism eight{.data = 8, .micro_batch_size = 2};

static_assert(held(preference, {.micro_batch_size = 2}) ==
                  2 * parameters_of(catalog::llama_3_8b).total() * byte,
              "16 bits of each weight, no gradient, no state");
static_assert(held(with_zero(preference, zero_stage::gradients), eight) ==
                  held(preference, {.micro_batch_size = 2}),
              "below ZeRO 3 every rank holds it whole, as it does its own weights");
static_assert(8 * held(with_zero(preference, zero_stage::parameters), eight) ==
                  held(preference, {.micro_batch_size = 2}),
              "ZeRO 3 divides it");

constexpr recipe adapted = [] {
  recipe how = preference;
  how.adapters.rank = 16;
  return how;
}();
static_assert(held(adapted, eight) == bytes{0}, "the base is the reference");
static_assert(adapted.runs_reference() && !adapted.keeps_reference());

template <class... Args>
concept weighed = requires(Args... args) {
  reference_weights_on_rank(args...);
};
static_assert(weighed<rank_parameters, recipe, state_rates>);
static_assert(!weighed<double, recipe, state_rates>, "parameters of a rank are told apart by kind");
static_assert(!weighed<rank_parameters, state_rates>, "the recipe says in which format");

TEST_CASE("the reference model of Llama 3 8B", "[memory][reference]") {
  // 8,030,261,248 parameters of 2 bytes: 16.06 GB on each GPU that does not share it.
  CHECK(std::abs(held(preference, {.micro_batch_size = 2}).in(GB)-16.06) <= 0.005);
  CHECK(std::abs(held(with_zero(preference, zero_stage::parameters), eight).in(GB)-2.01) <= 0.005);
  // Tensor ranks cut all but the norms: (8,030,261,248 - 266,240) / 8 + 266,240.
  CHECK(held(preference, {.tensor = 8, .micro_batch_size = 2}).in(byte) ==
        2 * ((8030261248.0 - 266240) / 8 + 266240));
}

TEST_CASE("a reference model adds its weights alone to what stays", "[memory]") {
  recipe without = preference;
  without.reference = reference_model::none;
  for (const zero_stage stage :
       {zero_stage::none, zero_stage::optimizer, zero_stage::gradients, zero_stage::parameters}) {
    const auto at = [&](const recipe& how) {
      return memory_footprint(catalog::llama_3_8b, with_zero(how, stage), eight).worst_stage();
    };
    const stage_footprint with = at(preference);
    CHECK(with.resident() - at(without).resident() == with.reference_model);
    CHECK(with.peak() - at(without).peak() == with.reference_model);
    CHECK(with.reference_model > bytes{0});
  }
}

TEST_CASE("a reference model lies on the host where the weights do", "[memory]") {
  recipe how = with_zero(preference, zero_stage::parameters);
  how.offload = offloaded_states::all;
  const auto at = [&](const recipe& asked) {
    return memory_footprint(catalog::llama_3_8b, asked, eight).worst_stage();
  };
  recipe without = how;
  without.reference = reference_model::none;
  CHECK(at(how).reference_model == bytes{0});
  CHECK((at(how).host - at(without).host).in(byte) == 2 * 8030261248.0 / 8);
  how.offload = offloaded_states::optimizer;
  CHECK(at(how).reference_model.in(byte) == 2 * 8030261248.0 / 8);
}

TEST_CASE("a reference in FP32 computes in FP32", "[memory]") {
  recipe how = preference;
  how.precision = precision::fp32;
  CHECK(held(how, {.micro_batch_size = 2}).in(byte) == 4 * 8030261248.0);
}

TEST_CASE("more ranks under ZeRO 3 hold no more of a reference model", "[memory][property]") {
  testing::check_property("reference_model of a stage", [] {
    testing::random_job job = testing::random_job_any();
    job.recipe.reference = reference_model::frozen;
    job.recipe.zero = zero_stage::parameters;
    const auto worst = [&] {
      return memory_footprint(job.model, job.recipe, job.parallelism).stage(0).reference_model;
    };
    const bytes few = worst();
    job.parallelism.data *= 2;
    job.recipe.global_batch_size *= 2;
    RC_ASSERT(worst() <= few);
  });
}

TEST_CASE("a reference model never makes a job smaller", "[memory][property]") {
  testing::check_property("needed memory", [] {
    testing::random_job job = testing::random_job_any();
    const auto needed = [&] {
      return memory_footprint(job.model, job.recipe, job.parallelism).worst_stage().total();
    };
    const bytes without = needed();
    job.recipe.reference = reference_model::frozen;
    RC_ASSERT(needed() > without);
  });
}

TEST_CASE("the reference weights refuse an unknown precision", "[memory][errors]") {
  recipe how = preference;
  how.precision = precision{99};
  CHECK_THROWS_AS(reference_weights_on_rank({.matrices = 1}, how, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
