#include "memory/walk/step.hpp"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/memory/footprint.hpp>

#include "memory/walk/known_faults.hpp"
#include "memory/walk/random_jobs.hpp"
#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;

constexpr double allowed = 0.01;  ///< disagreement of walk and formulas

/// How far the formulas' peak of a rank lies above the walk's, as a part of it.
double disagreement(const walked_job& job, int rank, std::string_view left_out = {}) {
  const footprint formulas =
      memory_footprint(job.model, job.recipe, job.parallelism, job.workspace);
  step_walk walk{job, rank};
  if (!left_out.empty()) walk.leave_out(left_out);
  return formulas.stage(rank).allocator_peak() / walk.run().peak() - 1;
}

/// The known faults that concern a rank.
std::vector<std::string_view> faults_of(const walked_job& job, int rank) {
  const rank_of_job at = rank_of(job, rank);
  std::vector<std::string_view> all;
  for (const known_fault& one : known_faults)
    if (one.concerns(at)) all.push_back(one.what);
  return all;
}

walked_job counted_as_formulas(std::uint64_t seed) {
  walked_job job = random_walked_job(seed);
  job.as_formulas = every_shortcut;
  return job;
}

TEST_CASE("a walk and the formulas agree on 1000 random jobs", "[memory][walk][long]") {
  int whole_jobs = 0;
  int ranks = 0;
  for (std::uint64_t seed = 1; whole_jobs < 1000; ++seed) {
    const walked_job job = counted_as_formulas(seed);
    bool whole = true;
    for (int rank = 0; rank < job.parallelism.pipeline; ++rank) {
      if (!faults_of(job, rank).empty()) {
        whole = false;
        continue;
      }
      ++ranks;
      const double off = disagreement(job, rank);
      if (std::abs(off) > allowed) {
        CAPTURE(seed, rank, off);
        FAIL_CHECK("walk and formulas disagree");
      }
    }
    if (whole) ++whole_jobs;
  }
  CHECK(ranks > 3000);
}

TEST_CASE("each shortcut of the formulas is one: without it a job disagrees", "[memory][walk]") {
  const std::array<bool formula_shortcuts::*, 7> shortcuts{
      &formula_shortcuts::whole_layers,    &formula_shortcuts::early_gradients,
      &formula_shortcuts::units_all_along, &formula_shortcuts::waiting_as_formed,
      &formula_shortcuts::output_again,    &formula_shortcuts::deferred_released,
      &formula_shortcuts::parts_apart};
  static_assert(sizeof(formula_shortcuts) == std::tuple_size_v<decltype(shortcuts)>);
  for (std::size_t i = 0; i < shortcuts.size(); ++i) {
    bool needed = false;
    for (std::uint64_t seed = 1; seed <= 1000 && !needed; ++seed) {
      walked_job job = counted_as_formulas(seed);
      job.as_formulas.*shortcuts[i] = false;
      for (int rank = 0; rank < job.parallelism.pipeline && !needed; ++rank)
        needed = faults_of(job, rank).empty() && std::abs(disagreement(job, rank)) > allowed;
    }
    CAPTURE(i);
    CHECK(needed);
  }
}

TEST_CASE("each known fault is one: a job that it alone concerns disagrees", "[memory][walk]") {
  std::map<std::string_view, int> seen;
  for (std::uint64_t seed = 1; seed <= 12000; ++seed) {
    const walked_job job = counted_as_formulas(seed);
    for (int rank = 0; rank < job.parallelism.pipeline; ++rank) {
      const std::vector<std::string_view> faults = faults_of(job, rank);
      if (faults.size() == 1 && std::abs(disagreement(job, rank)) > allowed) ++seen[faults[0]];
    }
  }
  for (const known_fault& one : known_faults) {
    CAPTURE(one.what);
    CHECK(seen[one.what] > 0);
  }
}

/// Llama 3 8B as it is trained: nothing here needs a shortcut.
const walked_job llama{.model = {.layers = 32,
                                 .hidden_size = 4096,
                                 .attention_heads = 32,
                                 .kv_heads = 8,
                                 .ffn_size = 14336,
                                 .vocabulary_size = 128256,
                                 .gated_ffn = true,
                                 .tied_embeddings = false},
                       .recipe = {.global_batch_size = 64,
                                  .sequence_length = 4096,
                                  .zero = zero_stage::optimizer,
                                  .sequence_parallel = true},
                       .parallelism = {.data = 2, .tensor = 4, .pipeline = 4}};

TEST_CASE("a walk needs no shortcut for a plain job", "[memory][walk]") {
  for (const auto schedule :
       {pipeline_schedule::one_forward_one_backward, pipeline_schedule::zero_bubble_h1,
        pipeline_schedule::zero_bubble_h2, pipeline_schedule::zero_bubble_v}) {
    walked_job job = llama;
    job.recipe.schedule = schedule;
    for (int rank = 0; rank < 4; ++rank) {
      CAPTURE(schedule, rank);
      const bool splits = schedule != pipeline_schedule::one_forward_one_backward;
      CHECK(std::abs(disagreement(job, rank)) < (splits ? 0.005 : 1e-9));
    }
  }
}

TEST_CASE("a walk that forgets a tensor disagrees", "[memory][walk]") {
  step_walk walk{llama, 0};
  const ledger& memory = walk.run();
  int checked = 0;
  for (const alive_tensors& one : memory.at_peak()) {
    if (one.size < 0.02 * memory.peak()) continue;
    ++checked;
    CAPTURE(one.name);
    CHECK(disagreement(llama, 0, one.name) > allowed);
  }
  CHECK(checked >= 10);
}

TEST_CASE("a walk names what is alive at the peak", "[memory][walk][reference]") {
  // V. Korthikanti et al. (2023), section 4.1: s b h (34 + 5 a s / h) for one layer, of which
  // attention keeps 2 a s^2 b of softmax, a s^2 b of its mask, 2 a s^2 b of what was dropped.
  walked_job job{.model = {.layers = 24,
                           .hidden_size = 1024,
                           .attention_heads = 16,
                           .ffn_size = 4096,
                           .vocabulary_size = 512},
                 .recipe = {.sequence_length = 1024,
                            .precision = precision::mixed_fp16,
                            .attention = attention_kernel::unfused,
                            .dropout = true,
                            .loss = loss_kernel::none}};
  step_walk walk{job, 0};
  std::map<std::string, alive_tensors> alive;
  bytes activations{};
  for (const alive_tensors& one : walk.run().at_peak()) {
    alive[one.name] = one;
    if (one.count >= 23) activations += one.size;
  }
  const double tokens = 1024;
  const double pairs = 16 * tokens * tokens;
  CHECK(alive["softmax"].count == 24);
  CHECK(alive["softmax"].size == 24 * 2 * pairs * byte);
  CHECK(alive["mask of the softmax"].size == 24 * pairs * byte);
  CHECK(alive["attention norm input"].size == 24 * 2 * tokens * 1024 * byte);
  CHECK(alive["product"].size / alive["product"].count == 2 * tokens * 4096 * byte);
  CHECK(alive["weights"].size == alive["gradients"].size);
  CHECK(!alive.contains("softmax of logits"));
  // 23 layers whole, and of the last what its backward pass has not freed yet.
  const bytes layer = tokens * 1024 * (34 + 5 * 16 * tokens / 1024) * byte;
  CHECK(activations > 23 * layer);
  CHECK(activations < 24 * layer);
}

}  // namespace
}  // namespace gpuplan::testing
