// What no estimate may break, however strange the request: DESIGN calls them invariants.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/search.hpp>

#include "support/catch.hpp"
#include "support/random_request.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::random_request;
using testing::random_request_of;

constexpr double rounding = 1e-12;

bool sensible(double x) {
  return std::isfinite(x) && x >= 0;
}

/// Memory of all ranks and of their hosts, of weights alone.
bytes weights_everywhere(const random_request& r, const footprint& memory) {
  bytes sum{0};
  const double ranks = static_cast<double>(r.parallelism.gpus()) / r.parallelism.pipeline;
  for (int i = 0; i < memory.stages(); ++i) {
    const stage_footprint at = memory.stage(i);
    sum += ranks * (at.states.weights + (r.recipe.uses_host() ? at.host : bytes{0}));
  }
  return sum;
}

/// What is wrong with the terms of a stage; nothing if nothing is.
std::string fault_of(const stage_footprint& at) {
  const bytes terms[]{at.states.weights,
                      at.states.gradients,
                      at.states.master_weights,
                      at.states.optimizer,
                      at.deferred_gradient,
                      at.buffers,
                      at.framework,
                      at.whole_gradients,
                      at.gathered_parameters,
                      at.batch,
                      at.activations,
                      at.embedding,
                      at.head,
                      at.deferred_head,
                      at.logits,
                      at.head_gradients,
                      at.recomputed,
                      at.layer_gradients,
                      at.gradient_copy,
                      at.optimizer_temporaries,
                      at.fragmentation,
                      at.host};
  for (const bytes term : terms)
    if (!sensible(term.in(byte))) return "a term of memory is negative or not finite";
  if (!sensible(at.total().in(byte))) return "memory is negative or not finite";
  for (const moment when : moments)
    if (at.at(when) > (1 + rounding) * at.peak()) return "a moment is above the peak";
  return {};
}

/// What is wrong with an estimate; nothing if nothing is.
std::string fault_of(const random_request& r, const estimate& e) {
  if (!sensible(e.refusal.needed) || !std::isfinite(e.refusal.available))
    return "a refusal is not finite";
  if (!e.costed()) return e.refusal ? "" : "neither refused nor costed";

  const seconds step = e.time.total();
  if (!sensible(step.in(second))) return "time is negative or not finite";
  for (const step_term term : step_terms) {
    if (!sensible(e.time[term].in(second))) return "a term of time is negative or not finite";
    if (e.time[term] > step) return "a term is above its sum";
  }

  const double all = static_cast<double>(e.gpus);
  const flop again = recomputed_step_flop(r.model, r.recipe);
  const flop_per_second reached = e.model_flop / step;
  if (!sensible(reached.in(FLOP / second))) return "work is negative or not finite";
  if (reached > (1 + rounding) * (all * e.peak)) return "above the peak";
  if (!r.recipe.adapts() && (e.model_flop + again) / step > (1 + rounding) * (all * e.peak))
    return "above the peak with what is computed again";
  if (!(e.model_flop_utilization() <= 1 + rounding)) return "MFU above 1";

  const tokens batch =
      static_cast<double>(r.recipe.global_batch_size) * r.recipe.sequence_length * token;
  if (e.tokens_per_step != batch) return "tokens are not the batch";
  if (std::abs(e.throughput() * step / batch - 1) > rounding)
    return "throughput x time is not the batch";

  // Each layer's weights are read for each micro-batch by forward and backward pass.
  const stage_footprint first = e.memory.stage(0);
  const double value = bytes_per_activation(r.recipe.precision).operand.in(byte);
  const rank_parameters layer = e.memory.layers.dense.parameters;
  const double layers =
      static_cast<double>(layers_of_stage(r.model, r.recipe, r.parallelism, 0).dense);
  const double rounds = r.recipe.global_batch_size /
                        (static_cast<double>(r.parallelism.data) * r.parallelism.micro_batch_size);
  const bytes read = 2 * rounds * layers * (layer.matrices * value) * byte;
  if (read / step > (1 + rounding) * r.pool.gpu().memory_bandwidth)
    return "above the memory's bandwidth";

  if (auto fault = fault_of(first); !fault.empty()) return fault;
  if (auto fault = fault_of(e.memory.stage(r.parallelism.pipeline - 1)); !fault.empty())
    return fault;
  if (!(e.needed >= first.total())) return "the worst stage is not the worst";
  const bytes copy = parameters_of(r.model).total() * e.memory.rates.per.weight;
  if (weights_everywhere(r, e.memory) < (1 - 1e-9) * copy) return "less than one copy of weights";
  return {};
}

/// The same request with more of something, and what that is.
struct better_request {
  const char* what;
  random_request request;
};

std::array<better_request, 6> with_more(const random_request& r) {
  std::array<better_request, 6> all{{{"twice the memory bandwidth", r},
                                     {"twice the peak", r},
                                     {"twice the fabric's bandwidth", r},
                                     {"twice the bandwidth in the node", r},
                                     {"half the latency", r},
                                     {"twice the memory", r}}};
  const auto box = [&](std::size_t i) -> node& { return all[i].request.pool.node; };
  box(0).gpu.memory_bandwidth *= 2;
  box(0).gpu.achieved_memory_bandwidth *= 2;
  for (auto* rates : {&box(1).gpu.peak, &box(1).gpu.achieved, &box(1).gpu.sustained})
    for (auto* rate : {&rates->fp64, &rates->fp32, &rates->tf32, &rates->fp16, &rates->bf16,
                       &rates->fp8_e4m3, &rates->fp8_e5m2, &rates->fp4, &rates->int8})
      *rate *= 2;
  box(2).fabric.bandwidth *= 2;
  box(3).scale_up.bandwidth *= 2;
  box(4).scale_up.latency *= 0.5;
  box(4).fabric.latency *= 0.5;
  box(5).gpu.memory *= 2;
  return all;
}

/// What makes a step longer, and should not; nothing if nothing does.
std::string fault_with_more(const random_request& r, const estimate& e) {
  for (const auto& [what, more] : with_more(r)) {
    const estimate then = evaluate(more.model, more.pool, more.recipe, more.parallelism);
    if (!then.costed() || then.time.total() > (1 + rounding) * e.time.total())
      return std::string{what} + " makes a step longer";
  }
  return {};
}

struct tally {
  std::int64_t costed = 0;
  std::int64_t fitting = 0;
};

/// Fails at the first request that breaks a limit.
tally check_requests(std::uint64_t first, std::uint64_t count, std::uint64_t more_every) {
  tally seen;
  for (std::uint64_t i = first; i < first + count; ++i) {
    const random_request r = random_request_of(i);
    const estimate e = evaluate(r.model, r.pool, r.recipe, r.parallelism);
    std::string fault = fault_of(r, e);
    if (fault.empty() && e.costed() && i % more_every == 0) fault = fault_with_more(r, e);
    seen.costed += e.costed();
    seen.fitting += e.fits();
    if (fault.empty()) continue;
    INFO(r);
    FAIL(fault);
  }
  return seen;
}

TEST_CASE("no request makes an estimate break a physical limit", "[plan][property][long]") {
  const tally seen = check_requests(0, 100'000, 16);
  CHECK(seen.costed > 30'000);
  CHECK(seen.fitting > 3'000);
}

TEST_CASE("more of a resource never makes the best of all plans worse", "[plan][property]") {
  const space all{.context = true, .interleave = true, .schedule = true, .keep = 1};
  int found = 0;
  for (std::uint64_t i = 0; found < 40; ++i) {
    random_request r = random_request_of(i);
    if (r.model.layers > 32) continue;
    r.pool = cluster_of(r.pool.node, 1 << i % 6);
    r.recipe.global_batch_size = 8;
    r.recipe.sequence_length = 1024;
    const search_result before = search(r.model, r.pool, r.recipe, all);
    if (before.best() == nullptr) continue;
    ++found;
    for (const auto& [what, more] : with_more(r)) {
      INFO(r);
      INFO(what);
      const search_result after = search(more.model, more.pool, more.recipe, all);
      REQUIRE(after.best() != nullptr);
      REQUIRE(after.best()->what.time.total() <= (1 + rounding) * before.best()->what.time.total());
    }
  }
}

TEST_CASE("nor do a million", "[plan][property][.slow]") {
  const tally seen = check_requests(1'000'000, 1'000'000, 4);
  CHECK(seen.costed > 300'000);
}

}  // namespace
}  // namespace gpuplan
