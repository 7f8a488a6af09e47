#pragma once
/// \file
/// Searches the best layouts of a model on a cluster; each is evaluated or proved to be worse.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/detail/search_bound.hpp>
#include <gpuplan/plan/detail/search_found.hpp>
#include <gpuplan/plan/detail/search_request.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/plan/step_time.hpp>

namespace gpuplan {

namespace detail {

/// One search: what it tries, in what order.
class searcher {
 public:
  explicit searcher(const search_request& asked) : asked_{asked}, found_{asked.vary} {}

  search_result run() {
    for (const alike_layouts& group : all_groups(asked_)) try_group(group);
    return found_.sorted();
  }

 private:
  void try_group(const alike_layouts& group) {
    parallelism cut = group.cut;
    const transformer& m = asked_.model;
    const space& vary = asked_.vary;
    const std::int64_t left = asked_.pool.gpus() / (std::int64_t{cut.tensor} * cut.context);
    const std::int64_t most = m.encoder_layers > 0 ? 1 : (std::min)(left, std::int64_t{m.layers});
    const int sequences = asked_.recipe.global_batch_size / cut.micro_batch_size;
    const std::vector<int> replicas = asked_.chosen(vary.data, asked_.start.data, [&] {
      return searched_divisors((std::max)(sequences, 1), left);
    });
    for (const auto& [p, chunks] : asked_.pipelines) {
      if (vary.pipeline && p > most) break;
      cut.pipeline = p;
      // The most replicas first: they may be the best, and where they are hopeless fewer are.
      for (auto d = replicas.rbegin(); d != replicas.rend(); ++d) {
        if (vary.data && std::int64_t{p} * *d > left) continue;
        cut.data = *d;
        if (found_.hopeless(least_of(asked_, group, std::int64_t{p} * *d)))
          found_.dominate(static_cast<std::int64_t>(chunks.size()) * asked_.recipes_of(cut));
        else
          for (const int v : chunks) {
            cut.interleave = v;
            try_recipes(cut, group);
          }
      }
    }
  }

  void try_recipes(const parallelism& cut, const alike_layouts& group) {
    recipe how = asked_.recipe;
    how.sequence_parallel = group.sequence_parallel;
    how.zero = asked_.zero_of(cut);
    const std::size_t schedules = asked_.schedules(cut);
    for (std::size_t i = 0; i < schedules; ++i) {
      if (asked_.varies_schedule(cut)) how.schedule = searched_schedules[i];
      // No rule of layout_fault reads what varies below, but that of the stages of ZeRO, which
      // try_zero tries.
      if (const reject no = layout_fault(asked_.model, asked_.pool.gpus(), how, cut)) {
        found_.refuse(no.reason, asked_.recipes_of(cut) / static_cast<std::int64_t>(schedules));
        continue;
      }
      for (std::size_t k = 0; k < asked_.recomputes.size(); ++k) {
        how.recompute = asked_.recomputes[k];
        if (found_.hopeless(least_of(asked_, cut, how.schedule, group.busy[k])))
          found_.dominate(asked_.zero_stages(cut));
        else
          try_zero(how, cut);
      }
    }
  }

  /// A lower stage divides less and needs no less memory, of GPU and host, so below one that does
  /// not fit none does.
  void try_zero(recipe& how, const parallelism& cut) {
    if (!asked_.varies_zero(cut)) {
      consider(how, cut);
      return;
    }
    for (int stage = 3; stage >= 0; --stage) {
      how.zero = static_cast<zero_stage>(stage);
      if (const reject no = sharding_fault(how, cut)) {
        found_.refuse(no.reason, 1);
        continue;
      }
      const reject no = consider(how, cut);
      if (!no) continue;
      found_.refuse(no.reason, stage);
      break;
    }
    how.zero = asked_.zero_of(cut);
  }

  /// Why the layout does not fit, if it does not.  Only the closest of such layouts is costed.
  reject consider(const recipe& how, const parallelism& cut) {
    const estimate what = evaluate_within(asked_.model, asked_.pool, how, cut, asked_.beside,
                                          asked_.terms, found_.closest_miss());
    if (what.refusal) {
      found_.refuse(what.refusal.reason, 1);
      if (what.costed()) found_.keep_miss({what}, miss_of(what, asked_.pool.node));
      return what.refusal;
    }
    found_.count_fitting();
    const double reached =
        asked_.vary.by == objective::memory
            ? what.needed.in_base_units()
            : asked_.objective_of(what.time.total(), static_cast<double>(what.gpus));
    if (!found_.hopeless(reached)) found_.keep({what});
    return {};
  }

  const search_request& asked_;
  search_found found_;
};

}  // namespace detail

/// The best layouts of all that `vary` names.  Every layout is costed, refused with a reason, or
/// proved to be worse than those kept: the time of a step is at least that of its busy stages, of
/// its bubble and of its slowest replica, with nothing gathered or reduced.  Layouts may leave GPUs
/// idle.  Equal plans come in one order whatever the machine.  Of a model of more than 256 layers
/// not every length of the pipeline is tried, nor every divisor of a number that has more
/// than 64, as search_space.hpp says: the work is bounded whatever the model and the cluster.
///
/// A plan fits if it is predicted to fill no more than memory_share of a GPU, which is what it must
/// leave free so that it fits but for vary.risk; so does what a refusal calls available.
///
/// A device without units for the recipe's format, or without a link to the host that the recipe
/// needs, is one refusal.
///
/// \throws invalid_input if a description is invalid, vary.keep < 1, vary.within is not > 0 s, or
///     vary.risk or vary.headroom is out of its range
inline search_result search(const transformer& m, const cluster& pool, const recipe& how,
                            const space& vary = {}, const parallelism& start = {},
                            const workspace& beside = {}) {
  require_valid(m);
  require_valid(pool);
  require_valid(how);
  require_valid(start);
  require(vary.keep >= 1, "search: space.keep must be >= 1");
  require(vary.within > seconds{0}, "search: space.within must be > 0 s");
  const cluster planned = planned_pool(pool, m, how, vary);
  if (const reject no = detail::device_fault(pool.gpu(), how)) {
    search_result none;
    none.candidates = none.rejected[static_cast<std::size_t>(no.reason)] = 1;
    return none;
  }
  const detail::search_request asked{m, planned, how, vary, start, beside};
  return detail::searcher{asked}.run();
}

}  // namespace gpuplan
