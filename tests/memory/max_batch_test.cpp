#include <gpuplan/memory/max_batch.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::check_property;

// A 16 GB GPU, 12 GB of states, 1.6 GB reserved, 50 MB a sample.
static_assert(max_batch({16 * GB, 1.6 * GB}, {12 * GB, 50 * MB}).samples == 48);
static_assert(max_batch({16 * GB, 1.6 * GB}, {12 * GB, 50 * MB}).limit == batch_limit::next_sample);
// The same model with 16 bytes a parameter: 0, and never negative.
static_assert(max_batch({16 * GB, 1.6 * GB}, {24 * GB, 50 * MB}).samples == 0);
static_assert(!max_batch({16 * GB, 1.6 * GB}, {24 * GB, 50 * MB}).fits());
static_assert(max_batch({16 * GB, 1.6 * GB}, {24 * GB, 50 * MB}).limit == batch_limit::states);
static_assert(max_batch({16 * GB, 1.6 * GB}, {14.39 * GB, 50 * MB}).limit ==
              batch_limit::first_sample);
static_assert(linear_memory{12 * GB, 50 * MB}.at(48) == 14.4 * GB);

template <class... Args>
concept batch_accepts = requires(Args... args) {
  max_batch(args...);
};
static_assert(!batch_accepts<double, linear_memory>, "a budget is in bytes");

TEST_CASE("the largest batch is the inverse of the straight line", "[memory][property]") {
  check_property("M(B_max) <= budget < M(B_max + 1)", [] {
    const memory_budget budget{*rc::gen::inRange(1, 1000) * GB, *rc::gen::inRange(0, 50) * GB};
    const linear_memory line{*rc::gen::inRange(0, 500) * GB, *rc::gen::inRange(1, 5000) * MB};
    const largest_batch answer = max_batch(budget, line);
    RC_ASSERT(answer.samples >= 0);
    RC_ASSERT(answer.needed > budget.available() * (1 - 1e-12));
    if (answer.fits())
      RC_ASSERT(line.at(static_cast<double>(answer.samples)) <= budget.available() * (1 + 1e-12));
  });
}

TEST_CASE("the largest micro-batch of a model is the inverse of its memory", "[memory][property]") {
  check_property("M(b) <= capacity < M(b + 1)", [] {
    const testing::random_job at = testing::random_job_any();
    const footprint job = memory_footprint(at.model, at.recipe, at.parallelism);
    const bytes capacity = *rc::gen::inRange(1, 300) * GiB;
    const largest_batch answer = max_micro_batch(job, capacity);
    const int samples = static_cast<int>(answer.samples);
    RC_ASSERT(memory_of_micro_batch(job, samples + 1) > capacity);
    RC_ASSERT(answer.needed == memory_of_micro_batch(job, samples + 1));
    if (answer.fits()) RC_ASSERT(memory_of_micro_batch(job, samples) <= capacity);
    if (answer.limit == batch_limit::states)
      RC_ASSERT(resized(job, 1).worst_stage().at(moment::optimizer_step) > capacity);
  });
}

TEST_CASE("the largest micro-batch of pairs holds whole pairs", "[memory][property]") {
  check_property("M(2 p) <= capacity < M(2 p + 2)", [] {
    testing::random_job at = testing::random_job_any();
    at.recipe.sequences_per_sample = 2;
    const footprint job = memory_footprint(at.model, at.recipe, at.parallelism);
    const bytes capacity = *rc::gen::inRange(1, 300) * GiB;
    const largest_batch answer = max_micro_batch(job, capacity);
    const int size = static_cast<int>(answer.samples);
    RC_ASSERT(size % 2 == 0);
    RC_ASSERT(answer.needed == memory_of_micro_batch(job, size + 2));
    RC_ASSERT(answer.needed > capacity);
    if (answer.fits()) RC_ASSERT(memory_of_micro_batch(job, size) <= capacity);
  });
}

TEST_CASE("max_batch refuses what its documentation refuses", "[memory][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const linear_memory line{1 * GB, 1 * MB};
  CHECK_THROWS_AS(max_batch({0 * GB, 0 * GB}, line), invalid_input);
  CHECK_THROWS_AS(max_batch({bytes{nan}, 0 * GB}, line), invalid_input);
  CHECK_THROWS_AS(max_batch({1 * GB, -1 * GB}, line), invalid_input);
  CHECK_THROWS_AS(max_batch({1 * GB, 0 * GB}, {-1 * GB, 1 * MB}), invalid_input);
  CHECK_THROWS_AS(max_batch({1 * GB, 0 * GB}, {1 * GB, 0 * MB}), invalid_input);
  CHECK_THROWS_AS(max_batch({1 * GB, 0 * GB}, {1 * GB, bytes{nan}}), invalid_input);
  CHECK_THROWS_AS(max_batch({1 * GB, 0 * GB}, {0 * GB, bytes{1e-300}}), invalid_input);
  const footprint job = memory_footprint(
      {.layers = 1, .hidden_size = 64, .attention_heads = 1, .ffn_size = 64, .vocabulary_size = 64},
      {}, {});
  CHECK_THROWS_AS(max_micro_batch(job, 0 * GB), invalid_input);
  CHECK_THROWS_AS(memory_of_micro_batch(job, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
