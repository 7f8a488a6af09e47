#pragma once
/// \file
/// The best ways to cut a model over a cluster, found by trying them all.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>

namespace gpuplan {

/// What makes one plan better than another.
enum class objective {
  time,      ///< the shortest step
  gpu_time,  ///< the fewest GPU hours, so the cheapest at one price an hour
  memory     ///< the most room left on the fullest GPU
};

/// What a search varies; all else stays as the recipe and the layout it starts from say.
struct space {
  bool tensor = true;  ///< divisors of the heads, up to the GPUs of a node
  bool pipeline = true;
  bool data = true;  ///< divisors of the global batch; with fewer than all GPUs, too
  bool context = false;
  bool expert = true;
  bool interleave = false;
  bool micro_batch = true;
  bool zero = true;
  bool recompute = true;
  bool sequence_parallel = true;
  objective by = objective::time;
  int keep = 10;  ///< plans to return; >= 1
};

/// What a search tries where it varies recompute.
inline constexpr std::array searched_recompute{recompute::none, recompute::selective,
                                               recompute::full};

/// One way to train: the recipe and the layout that were tried, and what came out.
struct plan {
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  estimate what{};
};

/// What a search found, and how much it looked at.
struct search_result {
  std::vector<plan> plans;   ///< that fit, best first
  std::vector<plan> misses;  ///< the one that needs least memory, where none fits
  std::array<std::int64_t, reject_reasons> rejected{};
  std::int64_t candidates = 0;  ///< fitting + rejected
  std::int64_t fitting = 0;

  /// The best plan, or nullptr where none fits.
  [[nodiscard]] const plan* best() const { return plans.empty() ? nullptr : &plans.front(); }
};

namespace detail {

/// Divisors of n from 1 to most, in order; n >= 1.
inline std::vector<int> divisors(int n, std::int64_t most) {
  std::vector<int> found;
  for (int i = 1; i <= n / i; ++i)
    if (n % i == 0) {
      if (i <= most) found.push_back(i);
      if (i != n / i && n / i <= most) found.push_back(n / i);
    }
  std::sort(found.begin(), found.end());
  return found;
}

inline std::vector<int> up_to(int most) {
  std::vector<int> all;
  for (int i = 1; i <= most; ++i) all.push_back(i);
  return all;
}

/// The order of plans: by the objective, then by what else one would like, then by the layout, so
/// that equal plans always come in one order.
inline auto rank_of(const plan& p, objective by) {
  const double time = p.what.time.total().in_base_units();
  const double gpu_time = time * static_cast<double>(p.what.gpus);
  const double memory = p.what.memory.worst_stage().total().in_base_units();
  const double first = by == objective::time ? time : by == objective::gpu_time ? gpu_time : memory;
  const auto& cut = p.parallelism;
  return std::tuple{first,
                    time,
                    p.what.gpus,
                    memory,
                    p.recipe.zero,
                    p.recipe.recompute,
                    !p.recipe.sequence_parallel,
                    cut.tensor,
                    cut.pipeline,
                    cut.context,
                    cut.expert,
                    cut.interleave,
                    cut.data,
                    cut.micro_batch_size};
}

struct better_plan {
  objective by{};
  bool operator()(const plan& a, const plan& b) const { return rank_of(a, by) < rank_of(b, by); }
};

/// One search: its inputs, and what it has found so far.
class searcher {
 public:
  searcher(const transformer& m, const cluster& pool, const recipe& how, const space& vary,
           const parallelism& start, const workspace& beside)
      : model_{m}, pool_{pool}, recipe_{how}, vary_{vary}, start_{start}, beside_{beside} {}

  search_result run() {
    parallelism cut = start_;
    const std::int64_t gpus = pool_.gpus();
    const auto most_tensor = (std::min)(gpus, std::int64_t{pool_.node.gpus});
    for (const int t : chosen(vary_.tensor, start_.tensor,
                              [&] { return divisors(model_.attention_heads, most_tensor); })) {
      cut.tensor = t;
      for (const int p : chosen(vary_.pipeline, start_.pipeline, [&] {
             const std::int64_t most = model_.encoder_layers > 0 ? 1 : gpus / t;
             return up_to(static_cast<int>((std::min)(most, std::int64_t{model_.layers})));
           })) {
        cut.pipeline = p;
        with_context(cut);
      }
    }
    std::sort(found_.plans.begin(), found_.plans.end(), better());
    return std::move(found_);
  }

 private:
  template <class Values>
  static std::vector<int> chosen(bool varies, int fixed, const Values& values) {
    return varies ? values() : std::vector<int>{fixed};
  }

  [[nodiscard]] better_plan better() const { return {vary_.by}; }

  void with_context(parallelism cut) {
    const std::int64_t left = pool_.gpus() / (std::int64_t{cut.tensor} * cut.pipeline);
    for (const int c : chosen(vary_.context, start_.context,
                              [&] { return divisors(recipe_.sequence_length, left); })) {
      cut.context = c;
      for (const int d : chosen(vary_.data, start_.data,
                                [&] { return divisors(recipe_.global_batch_size, left / c); })) {
        cut.data = d;
        with_chunks_and_experts(cut);
      }
    }
  }

  void with_chunks_and_experts(parallelism cut) {
    const bool chunks = vary_.interleave && cut.pipeline > 1 &&
                        recipe_.schedule == pipeline_schedule::one_forward_one_backward;
    const bool experts = vary_.expert && model_.moe.experts > 0;
    const std::int64_t ranks = cut.gpus() / cut.pipeline;
    for (const int v : chosen(chunks, start_.interleave, [&] {
           return divisors(model_.layers, model_.layers / cut.pipeline);
         }))
      for (const int e :
           chosen(experts, start_.expert, [&] { return divisors(model_.moe.experts, ranks); })) {
        cut.interleave = v;
        cut.expert = e;
        with_recipe(cut);
      }
  }

  void with_recipe(const parallelism& cut) {
    const bool shards = vary_.zero && cut.replicas() > 1;
    const bool splits = vary_.sequence_parallel && cut.tensor > 1;
    recipe how = recipe_;
    for (int zero = 0; zero < (shards ? 4 : 1); ++zero) {
      if (shards) how.zero = static_cast<zero_stage>(zero);
      for (const gpuplan::recompute again : searched_recompute) {
        if (vary_.recompute)
          how.recompute = again;
        else if (again != searched_recompute.front())
          break;
        for (int whole = 0; whole < (splits ? 2 : 1); ++whole) {
          if (splits) how.sequence_parallel = whole == 0;
          with_micro_batch(how, cut);
        }
      }
    }
  }

  /// Memory grows with the micro-batch, so past the first that does not fit none does.
  void with_micro_batch(const recipe& how, parallelism cut) {
    const std::vector<int> sizes = chosen(vary_.micro_batch, start_.micro_batch_size, [&] {
      return divisors((std::max)(1, how.global_batch_size / cut.data), how.global_batch_size);
    });
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      cut.micro_batch_size = sizes[i];
      if (consider({how, cut, evaluate(model_, pool_, how, cut, beside_)}) ==
          reject_reason::memory) {
        const auto larger = static_cast<std::int64_t>(sizes.size() - i - 1);
        found_.rejected[static_cast<std::size_t>(reject_reason::memory)] += larger;
        found_.candidates += larger;
        return;
      }
    }
  }

  reject_reason consider(const plan& tried) {
    const reject_reason reason = tried.what.refusal.reason;
    ++found_.candidates;
    if (reason == reject_reason::none) {
      ++found_.fitting;
      found_.misses.clear();
      keep(tried);
      return reason;
    }
    ++found_.rejected[static_cast<std::size_t>(reason)];
    if (reason == reject_reason::memory && found_.fitting == 0) {
      if (found_.misses.empty())
        found_.misses.push_back(tried);
      else if (tried.what.refusal.needed < found_.misses.front().what.refusal.needed)
        found_.misses.front() = tried;
    }
    return reason;
  }

  /// A heap of the best so far, the worst of them on top.
  void keep(const plan& tried) {
    auto& plans = found_.plans;
    if (plans.size() < static_cast<std::size_t>(vary_.keep)) {
      plans.push_back(tried);
      std::push_heap(plans.begin(), plans.end(), better());
    } else if (better()(tried, plans.front())) {
      std::pop_heap(plans.begin(), plans.end(), better());
      plans.back() = tried;
      std::push_heap(plans.begin(), plans.end(), better());
    }
  }

  const transformer& model_;
  const cluster& pool_;
  const recipe& recipe_;
  const space& vary_;
  const parallelism& start_;
  const workspace& beside_;
  search_result found_;
};

}  // namespace detail

/// Tries every layout that `vary` names and returns the best that fit.  Exhaustive: a layout is
/// passed over only where a smaller micro-batch of it has already not fitted.  Layouts may leave
/// GPUs idle.  Equal plans come in one order whatever the machine.
///
/// \throws invalid_input if a description is invalid, or vary.keep < 1
inline search_result search(const transformer& m, const cluster& pool, const recipe& how,
                            const space& vary = {}, const parallelism& start = {},
                            const workspace& beside = {}) {
  require_valid(m);
  require_valid(pool);
  require_valid(how);
  require_valid(start);
  require(vary.keep >= 1, "search: space.keep must be >= 1");
  return detail::searcher{m, pool, how, vary, start, beside}.run();
}

}  // namespace gpuplan
