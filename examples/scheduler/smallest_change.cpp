/// \file
/// Changes, by what they cost.

#include "smallest_change.hpp"

#include <cstdint>
#include <optional>

#include <gpuplan/plan/feasibility.hpp>
#include <gpuplan/plan/fewest_gpus.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/repair.hpp>
#include <gpuplan/plan/what_fits.hpp>

#include "bounded_search.hpp"
#include "field_words.hpp"
#include "job_fields.hpp"

namespace gpuplan::scheduler {
namespace {

/// Whether a row is left to a search.
bool is_searched(const resolved_job& q, std::size_t place) {
  const job_member* member = member_of(place);
  if (member == nullptr || member->varies == nullptr) return false;
  return q.vary.*(member->varies) || (member->varies == &space::context && q.varies_context);
}

/// " zero=3": what a changed part of the job has other than the job, searched fields apart.
template <class Owner>
void add_changed(const resolved_job& q, const job_table<Owner>& table, const Owner& before,
                 const Owner& after, words& to) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const member_value<Owner>& value = table.rows[i].value;
    if (value.get == nullptr || is_searched(q, table.first + i)) continue;
    const double x = value.get(after);
    if (x == value.get(before)) continue;
    to << " " << table.rows[i].key << "=";
    write_value(value, x, to);
  }
}

void add_changes(const resolved_job& q, const recipe& how, const parallelism& cut, words& to) {
  to << "; it fits with";
  add_changed(q, parallelism_table, q.parallelism, cut, to);
  add_changed(q, recipe_table, q.recipe, how, to);
}

lever_cost cost_of(repair_kind kind) {
  return kind == repair_kind::gradient_16_bit || kind == repair_kind::adam_8bit
             ? lever_cost::numerics
             : lever_cost::nothing;
}

/// Fields of a repair that are not as the job has them.
int changed_fields(const resolved_job& q, const repair& one) {
  int changed = 0;
  for (const field<parallelism>& row : parallelism_fields)
    if (row.value.get(one.parallelism) != row.value.get(q.parallelism)) ++changed;
  for (const field<recipe>& row : recipe_fields)
    if (row.value.get != nullptr && row.value.get(one.recipe) != row.value.get(q.recipe)) ++changed;
  return changed;
}

bool costs_time_alone(const repair& one) {
  for (int i = 0; i < one.count; ++i)
    if (cost_of(one.changes[static_cast<std::size_t>(i)]) != lever_cost::nothing) return false;
  return true;
}

/// Of a job that declares everything: the fewest fields of one change or two that cost but time, of
/// as few the fastest, without allocating.
bool add_repair(const resolved_job& q, words& to) {
  const cluster planned = planned_pool(q.pool, *q.model, q.recipe, q.vary);
  const repairs found = repairs_of(*q.model, planned, q.recipe, q.parallelism, q.workspace);
  const repair* least = nullptr;
  for (const repair& one : found) {
    if (!one.fits || !costs_time_alone(one)) continue;
    if (least == nullptr || changed_fields(q, one) < changed_fields(q, *least)) least = &one;
  }
  if (least == nullptr) return false;
  add_changes(q, least->recipe, least->parallelism, to);
  return true;
}

search_start start_of(const resolved_job& q) {
  search_start from{q.recipe, q.vary, q.parallelism};
  from.vary.context = q.varies_context;
  return from;
}

/// Up to three changes; their cost, or hardware where there are none.
lever_cost add_levers(const resolved_job& q, words& to) {
  const fitting_changes found =
      what_fits(*q.model, q.pool, start_of(q), q.workspace, most_looked_at);
  if (found.list.empty()) return lever_cost::hardware;
  const fitting_change& least = found.list.front();
  space vary = least.start.vary;
  vary.interleave = vary.interleave && q.declared.interleave > 1;  // chunks make nothing smaller
  const search_start start{least.start.recipe, vary, least.start.parallelism};
  const std::optional<plan> best = best_feasible(*q.model, q.pool, start, q.workspace);
  if (!best) return lever_cost::hardware;
  add_changes(q, best->recipe(), best->parallelism(), to);
  return least.levers.cost();
}

/// The job on other GPUs, if they can be searched and fit.
class other_counts {
 public:
  explicit other_counts(const resolved_job& q) : job_{q.declared} { job_.nodes = 0; }

  bool ended() const { return looked_at_ > most_looked_at; }

  bool fits_on(std::int64_t gpus) {
    job_.gpus = static_cast<int32_t>(gpus);
    resolved_job other;
    words nobody{nullptr, 0};
    if (!resolve(job_, other, nobody)) return false;
    feasibility tried{*other.model, other.pool, other.workspace};
    const bool fits = tried.fits(start_of(other));
    looked_at_ += tried.looked_at();
    return fits;
  }

 private:
  gpuplan_job job_;
  std::int64_t looked_at_ = 0;
};

/// The fewest GPUs on which the job fits; 0 where none were found.
std::int64_t enough_gpus(const resolved_job& q) {
  constexpr std::int64_t most = 1 << 16;
  other_counts tried{q};
  return fewest_gpus(
      q.declared.gpus, q.declared.gpus_per_node, most,
      [&](std::int64_t gpus) { return tried.fits_on(gpus); }, [&] { return tried.ended(); });
}

}  // namespace

void add_smallest_change(const resolved_job& q, words& to) {
  if (!to.wanted()) return;
  if (!q.searches && add_repair(q, to)) return;
  const lever_cost cost = add_levers(q, to);
  if (cost == lever_cost::nothing || cost == lever_cost::numerics) return;
  const std::int64_t gpus = enough_gpus(q);
  const bool changed = cost != lever_cost::hardware;
  if (gpus > 0)
    to << (changed ? ", or on " : "; it fits on ") << static_cast<double>(gpus) << " GPUs";
  else if (!changed)
    to << "; no change that was tried is enough";
}

}  // namespace gpuplan::scheduler
