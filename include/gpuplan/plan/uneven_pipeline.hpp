#pragma once
/// \file
/// The split of layers over pipeline stages that makes a step shortest.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Layers of each stage, and what they come to.
template <class T>
struct basic_uneven_pipeline {
  layer_split split{};  ///< empty: as equal as they can be, the shortest that was found
  basic_estimate<T> what{};
  int tried = 0;  ///< splits that were evaluated

  [[nodiscard]] constexpr bool is_uneven() const { return split.stages() > 0; }
};

using uneven_pipeline = basic_uneven_pipeline<double>;

/// Splits that uneven_pipeline_of evaluates at most, if not told otherwise: a second of work.
inline constexpr int most_splits_tried = 300'000;

namespace detail {

/// Which of the stages between the first and the last hold one layer more than others.
enum class more_layers { early, late };

/// Layers of stages: those of the first and the last, the rest as equal as they can be.
class stage_counts {
 public:
  constexpr stage_counts(int layers, int stages, int first, int last, more_layers at)
      : stages_{static_cast<std::size_t>(stages)} {
    const int between = stages - 2;
    const int rest = layers - first - last;
    for (int i = 0; i < between; ++i) {
      const int place = at == more_layers::early ? i : between - 1 - i;
      layers_[static_cast<std::size_t>(i + 1)] = rest / between + (place < rest % between ? 1 : 0);
    }
    layers_[0] = first;
    layers_[stages_ - 1] = last;
  }
  [[nodiscard]] constexpr layer_split split() const {
    return layer_split{std::span{layers_.data(), stages_}};
  }
  /// One layer moves.  False, and nothing moves, where a stage would hold less than it may.
  constexpr bool move(std::size_t from, std::size_t to) {
    const bool is_end = from == 0 || from == stages_ - 1;
    if (from == to || layers_[from] <= (is_end ? 0 : 1)) return false;
    --layers_[from];
    ++layers_[to];
    return true;
  }
  [[nodiscard]] constexpr std::size_t stages() const { return stages_; }

 private:
  std::array<int, layer_split::most_stages> layers_{};
  std::size_t stages_;
};

/// Tries each split with one layer of `start` in another stage.  Whether one was better.
template <class Improves>
constexpr bool move_layer(const stage_counts& start, const Improves& improves) {
  bool any = false;
  const stage_counts here = start;
  for (std::size_t from = 0; from < here.stages(); ++from)
    for (std::size_t to = 0; to < here.stages(); ++to) {
      stage_counts next = here;
      if (next.move(from, to)) any = improves(next) || any;
    }
  return any;
}

/// The same with two layers, until one is better: neither move alone need be.
template <class Improves>
constexpr bool move_two_layers(const stage_counts& start, const Improves& improves) {
  const stage_counts here = start;
  for (std::size_t from = 0; from < here.stages(); ++from)
    for (std::size_t to = 0; to < here.stages(); ++to) {
      stage_counts next = here;
      if (next.move(from, to) && move_layer(next, improves)) return true;
    }
  return false;
}

/// Whether an estimate is better: it runs, or misses by less; then its step is shorter.
template <class T>
constexpr bool is_better(const basic_estimate<T>& a, const basic_estimate<T>& b,
                         const basic_node<T>& box) {
  if (!a.costed() || !b.costed()) return a.costed() && !b.costed();
  if (a.fits() != b.fits()) return a.fits();
  if (!a.fits()) return miss_of(a, box) < miss_of(b, box);
  return a.time.total() < b.time.total();
}

}  // namespace detail

/// The split of a model's layers over the stages of a pipeline whose step is shortest, where it is
/// shorter than that of equal stages.
///
/// The first stage has the embedding beside its layers, the last one the head, the loss and further
/// predictions, and dense layers before those with experts take less time: equal numbers of layers
/// are no equal times, and a step waits for the slowest stage.  First single layers are moved as
/// long as that shortens the step, or makes it fit: few evaluations.  Then all numbers of layers of
/// the two ends are tried, up to twice the equal share and at most 64 beside it, with the rest as
/// equal as it can be, one more on early or on late stages; then single layers and pairs are moved
/// again.  After most_tried splits the best so far is the answer.  Chunks of a stage share its
/// layers as layers_of_stage says.
///
/// Holds: stages between the ends have a layer at least; up to layer_split::most_layers layers.
/// The shortest of all splits wherever it was compared with all of them (models up to 16 layers);
/// not proved.
///
/// Source: D. Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training",
/// SOSP (2019) 1-15, section 3.1: stages of equal time; here each split is evaluated in full.
///
/// \throws invalid_input as evaluate does, or if cut.pipeline is > layer_split::most_stages or
///         most_tried < 1
template <class T>
constexpr basic_uneven_pipeline<T> uneven_pipeline_of(const transformer& m,
                                                      const basic_cluster<T>& pool,
                                                      const recipe& how, const parallelism& cut,
                                                      const workspace& beside = {},
                                                      int most_tried = most_splits_tried) {
  require(cut.pipeline <= layer_split::most_stages,
          "uneven_pipeline_of: pipeline must be <= layer_split::most_stages");
  require(most_tried >= 1, "uneven_pipeline_of: most_tried must be >= 1");
  recipe changed = how;
  changed.split = {};
  basic_uneven_pipeline<T> best{.what = evaluate(m, pool, changed, cut, beside), .tried = 1};
  if (cut.pipeline == 1 || m.layers < cut.pipeline || m.layers > layer_split::most_layers)
    return best;

  using detail::more_layers;
  using detail::stage_counts;
  constexpr int widest_span = 64;           // layers of an end beside the equal share
  constexpr int most_stages_of_pairs = 16;  // 50 000 evaluations a turn
  const int share = m.layers / cut.pipeline;
  stage_counts shortest{m.layers, cut.pipeline, share, cut.pipeline == 2 ? m.layers - share : share,
                        more_layers::late};
  const auto improves = [&](const stage_counts& counts) {
    if (best.tried >= most_tried) return false;
    changed.split = counts.split();
    const basic_estimate<T> what = evaluate(m, pool, changed, cut, beside);
    ++best.tried;
    if (!detail::is_better(what, best.what, pool.node)) return false;
    best.split = changed.split;
    best.what = what;
    shortest = counts;
    return true;
  };

  while (detail::move_layer(shortest, improves)) continue;

  const int between = cut.pipeline - 2;
  const int least = (std::max)(0, share - widest_span);
  const int most = (std::min)({m.layers - between, 2 * (share + 1), share + 1 + widest_span});
  for (int first = least; first <= most; ++first)
    for (int last = least; last <= most; ++last) {
      const int rest = m.layers - first - last;
      if (rest < between || (between == 0 && rest != 0)) continue;
      improves({m.layers, cut.pipeline, first, last, more_layers::late});
      if (between > 0 && rest % between != 0)
        improves({m.layers, cut.pipeline, first, last, more_layers::early});
    }

  const auto moves = [&] {
    return detail::move_layer(shortest, improves) ||
           (cut.pipeline <= most_stages_of_pairs && detail::move_two_layers(shortest, improves));
  };
  while (moves()) continue;
  return best;
}

}  // namespace gpuplan
