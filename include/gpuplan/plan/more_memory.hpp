#pragma once
/// \file
/// What more memory on each GPU would gain: the next faster plan that would fit.

#include <limits>
#include <optional>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A faster plan that does not fit today.
struct memory_gain {
  bytes available{};     ///< of each GPU
  bytes needed{};        ///< for the plan, on its fullest GPU, with what stays free
  seconds before{};      ///< step of the best plan that fits; infinite where none does
  gpuplan::plan next{};  ///< what fits then

  [[nodiscard]] constexpr bytes more() const { return needed - available; }
  /// Steps done in the time of one; infinite where nothing fits today.
  [[nodiscard]] constexpr double speedup() const { return before / next.what.time.total(); }
};

/// How closely next_with_memory knows how much memory is needed, as a share of what there is.
inline constexpr double memory_resolution = 1.0 / 64;

/// The plan with the shortest step that the least more memory on each GPU would allow; nothing
/// where no memory would make a step shorter.
///
/// Found by searches with other amounts of memory, halving what lies between the most that is known
/// to help nothing and the least that is known to help, until that is memory_resolution of what
/// there is.  A plan that needs less than that more may be missed for a faster one.
///
/// \throws invalid_input as search does, or if vary.by is not objective::time
inline std::optional<memory_gain> next_with_memory(const transformer& m, const cluster& pool,
                                                   const recipe& how, const space& vary = {},
                                                   const parallelism& start = {},
                                                   const workspace& beside = {}) {
  require(vary.by == objective::time, "next_with_memory: space.by must be objective::time");
  space one = vary;
  one.keep = 1;
  const auto best_with = [&](bytes memory) {
    cluster larger = pool;
    larger.node.gpu = with_memory(larger.node.gpu, memory);
    search_result found = search(m, larger, how, one, start, beside);
    return found.plans.empty() ? std::optional<plan>{} : found.plans.front();
  };
  const double share = memory_share(m, how, vary);
  const auto needed_by = [&](const plan& p) { return p.what.memory.worst_stage().total() / share; };

  memory_gain gain{.available = pool.gpu().memory};
  const std::optional<plan> today = best_with(gain.available);
  gain.before = today ? today->what.time.total() : seconds{std::numeric_limits<double>::infinity()};
  one.within = smaller(one.within, gain.before);
  const auto helps = [&](const std::optional<plan>& p) {
    return p && p->what.time.total() < gain.before;
  };
  const std::optional<plan> unlimited = best_with(bytes{std::numeric_limits<double>::max()});
  if (!helps(unlimited)) return {};

  gain.next = *unlimited;
  gain.needed = needed_by(gain.next);
  bytes useless = gain.available;
  while (gain.needed - useless > memory_resolution * gain.available) {
    const bytes middle = useless + (gain.needed - useless) / 2;
    const std::optional<plan> tried = best_with(middle);
    if (helps(tried)) {
      gain.next = *tried;
      gain.needed = needed_by(gain.next);
    } else {
      useless = middle;
    }
  }
  return gain;
}

}  // namespace gpuplan
