/// \file
/// The best that each pair of tensor and pipeline parallelism can do.

#include "plan/layout_map.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bands.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr int most_pipelines = 1024;

/// Sorted, each once.
std::vector<int> sorted(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<int> tensors_of(const plan_question& q, const plan_study& study) {
  if (!q.vary.tensor) return {q.asked.parallelism.tensor};
  const int most =
      static_cast<int>((std::min)(q.asked.pool.gpus(), std::int64_t{q.asked.pool.node.gpus}));
  std::vector<int> values;
  for (int t = 1; t <= most; t *= 2) values.push_back(t);
  for (int t = 1; t <= (std::min)(most, 16); ++t)
    if (q.asked.model.attention_heads % t == 0) values.push_back(t);
  if (study.shown) values.push_back(study.shown->parallelism().tensor);
  return sorted(std::move(values));
}

std::vector<int> pipelines_of(const plan_question& q, const plan_study& study) {
  if (!q.vary.pipeline) return {q.asked.parallelism.pipeline};
  const auto most = (std::min)(
      {q.asked.pool.gpus(), std::int64_t{q.asked.model.layers}, std::int64_t{most_pipelines}});
  std::vector<int> values;
  for (int p = 1; p <= most; p *= 2) values.push_back(p);
  if (study.shown) values.push_back(study.shown->parallelism().pipeline);
  return sorted(std::move(values));
}

/// The rule that keeps a pair from fitting; memory where that is what misses.
std::string reason_of(const search_result& found, const accelerator& gpu) {
  if (!found.misses.empty() && found.misses.front().what.refusal.reason == reject_reason::memory)
    return found.misses.front().what.needed > gpu.memory ? "needs more memory than a GPU has"
                                                         : "is not sure enough to fit";
  return std::string(describe(found.candidates > 0 ? commonest(found) : reject_reason::gpus));
}

/// The answer of plan where both are given.
heat_cell cell_of(const plan_question& q, int tensor, int pipeline) {
  plan_question one = q;
  one.vary.tensor = one.vary.pipeline = false;
  one.asked.parallelism.tensor = tensor;
  one.asked.parallelism.pipeline = pipeline;
  const search_result found = search_layouts(one);
  heat_cell cell;
  if (const plan* best = found.best()) {
    const seconds step = best->what.time.total();
    switch (q.vary.by) {
      case objective::time: cell.value = step; break;
      case objective::gpu_time: cell.value = static_cast<double>(best->what.gpus) * step; break;
      case objective::memory: cell.value = best->what.needed; break;
    }
    cell.tip = fmt::format("{}, {}", layout_in_words(best->recipe(), best->parallelism()),
                           recipe_in_words(best->recipe(), best->parallelism()));
    if (best->recipe().split.stages() > 0) cell.tip += ", " + stages_in_words(*best);
    return cell;
  }
  const accelerator& gpu = q.asked.pool.gpu();
  cell.reason = reason_of(found, gpu);
  if (!found.misses.empty()) cell.tip = miss_in_words(found.misses.front().what, q.asked);
  return cell;
}

std::string value_title(objective by) {
  switch (by) {
    case objective::time: return "Step";
    case objective::gpu_time: return "GPU time of a step";
    case objective::memory: return "Memory of a GPU";
  }
  return "";
}

}  // namespace

heat_map layout_map(const plan_question& q, const plan_study& study) {
  heat_map chart{
      .words = {"Layouts",
                "The best plan of each pair of tensor and pipeline parallelism; the search "
                "chooses all else.  Hatched where nothing fits."},
      .row_title = "Tensor parallel",
      .column_title = "Pipeline stages",
      .value_title = value_title(q.vary.by),
      .rows = {},
      .columns = {},
      .cells = {}};
  const std::vector<int> pipelines = pipelines_of(q, study);
  for (const int pipeline : pipelines) chart.columns.push_back(std::to_string(pipeline));
  for (const int tensor : tensors_of(q, study)) {
    chart.rows.push_back(std::to_string(tensor));
    for (const int pipeline : pipelines) chart.cells.push_back(cell_of(q, tensor, pipeline));
  }
  return chart;
}

}  // namespace gpuplan::cli
