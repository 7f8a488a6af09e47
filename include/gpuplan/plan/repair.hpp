#pragma once
/// \file
/// What to change so that a job fits, and what each change costs.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// One thing that can be changed.
enum class repair_kind {
  micro_batch,        ///< smaller; more of them in a step
  sequence_parallel,  ///< on
  flash_attention,    ///< instead of unfused
  selective_recompute,
  full_recompute,
  data,                ///< more replicas, on idle GPUs: worth it where states are divided
  zero,                ///< a higher stage
  gradient_16_bit,     ///< gradients accumulated in the weights' format
  adam_8bit,           ///< instead of Adam or AdamW
  tensor,              ///< more ranks, fewer replicas
  pipeline,            ///< more stages, fewer replicas
  context,             ///< more ranks, fewer replicas
  expert,              ///< experts over more ranks
  offload_optimizer,   ///< to the host, where the GPU has a link to it
  offload_activations  ///< a quarter of what layers keep, a half, ..., all
};

inline constexpr auto repair_kind_names = std::to_array<named<repair_kind>>({
    {"micro_batch", repair_kind::micro_batch},
    {"sequence_parallel", repair_kind::sequence_parallel},
    {"flash_attention", repair_kind::flash_attention},
    {"selective_recompute", repair_kind::selective_recompute},
    {"full_recompute", repair_kind::full_recompute},
    {"data", repair_kind::data},
    {"zero", repair_kind::zero},
    {"gradient_16_bit", repair_kind::gradient_16_bit},
    {"adam_8bit", repair_kind::adam_8bit},
    {"tensor", repair_kind::tensor},
    {"pipeline", repair_kind::pipeline},
    {"context", repair_kind::context},
    {"expert", repair_kind::expert},
    {"offload_optimizer", repair_kind::offload_optimizer},
    {"offload_activations", repair_kind::offload_activations},
});
inline constexpr std::array repair_kinds = values_of(repair_kind_names);

/// "micro_batch", ... as the values are called.
constexpr std::string_view name_of(repair_kind kind) {
  return spelled(repair_kind_names, kind);
}

/// A changed job and what it takes.
struct repair {
  std::array<repair_kind, 2> changes{};
  int count = 0;  ///< of changes: 1 or 2
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  bytes needed{};       ///< on the worst stage
  double fullness = 0;  ///< part of the device, or of the host where that is the more
  seconds step{};
  bool fits = false;
};

/// Repairs, the best first: those that fit before the others, single changes before pairs, then
/// by time of a step; those that do not fit by how full they leave device or host.
struct repairs {
  static constexpr std::size_t capacity = repair_kinds.size() * (repair_kinds.size() + 1) / 2;
  std::array<repair, capacity> list{};
  std::size_t size = 0;

  [[nodiscard]] constexpr auto begin() const { return list.begin(); }
  [[nodiscard]] constexpr auto end() const {
    return list.begin() + static_cast<std::ptrdiff_t>(size);
  }
  [[nodiscard]] constexpr bool any_fits() const { return size > 0 && list.front().fits; }
};

namespace detail {

/// Gives an axis `factor` times its ranks: of the replicas, or of GPUs that are idle; false where
/// neither is enough.
constexpr bool widen(parallelism& cut, int& axis, int factor, std::int64_t gpus) {
  const bool idle = cut.gpus() * factor <= gpus;
  if (cut.data % factor == 0)
    cut.data /= factor;
  else if (!idle)
    return false;
  axis *= factor;
  return true;
}

/// The `level`-th largest of the divisors below a size; 0 past the last.  Those above the square
/// root are what the others leave of the size, so that only numbers up to it are tried.
constexpr int smaller_divisor(int size, int level) {
  if (size < 2) return 0;
  int found = 0;
  int root = 1;
  while (root < size / (root + 1)) {
    ++root;
    if (size % root == 0 && ++found == level) return size / root;
  }
  for (int small = root; small >= 1; --small) {
    const bool is_square_root = small == size / small;
    if (size % small == 0 && !is_square_root && ++found == level) return small;
  }
  return 0;
}

/// Gives a field a value that has one strength; false where it has the value already.
template <class T>
constexpr bool switch_to(T& field, T value, int level) {
  if (field == value) return false;
  field = value;
  return level == 1;
}

/// Changes `how` and `cut` to the `level`-th strength of a kind, from 1, on at most `gpus` GPUs;
/// false past the last.
constexpr bool change(repair_kind kind, int level, recipe& how, parallelism& cut,
                      std::int64_t gpus) {
  switch (kind) {
    case repair_kind::micro_batch: {
      const int size = smaller_divisor(cut.micro_batch_size, level);
      if (size > 0) cut.micro_batch_size = size;
      return size > 0;
    }
    case repair_kind::sequence_parallel:
      return cut.tensor != 1 && switch_to(how.sequence_parallel, true, level);
    case repair_kind::flash_attention:
      return switch_to(how.attention, attention_kernel::flash, level);
    case repair_kind::selective_recompute:
      return how.recompute == recompute::none &&
             switch_to(how.recompute, recompute::selective, level);
    case repair_kind::full_recompute: return switch_to(how.recompute, recompute::full, level);
    case repair_kind::data:
      if (level >= 20 || (cut.gpus() << level) > gpus) return false;
      cut.data <<= level;
      return true;
    case repair_kind::zero: {
      const int stage = static_cast<int>(how.zero) + level;
      if (stage > 3 || cut.replicas() == 1) return false;
      how.zero = static_cast<zero_stage>(stage);
      return true;
    }
    case repair_kind::gradient_16_bit: {
      const number_format weight = formats_of(how.precision).weight;
      if (level > 1 || limits_of(weight).storage >= limits_of(gradient_storage(how)).storage)
        return false;
      how.gradient = weight == number_format::fp16 ? gradient_format::fp16 : gradient_format::bf16;
      return true;
    }
    case repair_kind::adam_8bit:
      return (how.optimizer == optimizer::adam || how.optimizer == optimizer::adamw) &&
             switch_to(how.optimizer, optimizer::adam_8bit, level);
    case repair_kind::tensor: return level < 8 && widen(cut, cut.tensor, 1 << level, gpus);
    case repair_kind::pipeline: return level < 8 && widen(cut, cut.pipeline, 1 << level, gpus);
    case repair_kind::context: return level < 8 && widen(cut, cut.context, 1 << level, gpus);
    case repair_kind::expert:
      if (level >= 8) return false;
      cut.expert *= 1 << level;
      return true;
    case repair_kind::offload_optimizer:
      return how.offload == offloaded_states::none &&
             switch_to(how.offload, offloaded_states::optimizer, level);
    case repair_kind::offload_activations:
      how.offloaded_activations += 0.25 * level;
      return how.offloaded_activations <= 1;
  }
  return false;
}

/// Whether one that does not fit is nearer to it than another.
constexpr bool nearer(const repair& a, const repair& b) {
  return a.fullness != b.fullness ? a.fullness < b.fullness : a.needed < b.needed;
}

/// The mildest strength of a kind that fits, or the one that needs least; count 0 where none can
/// run at all.
constexpr repair mildest(const transformer& m, const cluster& pool, const workspace& beside,
                         const repair& from, repair_kind kind) {
  repair best;
  for (int level = 1;; ++level) {
    repair tried = from;
    if (!change(kind, level, tried.recipe, tried.parallelism, pool.gpus())) return best;
    const estimate what = evaluate(m, pool, tried.recipe, tried.parallelism, beside);
    if (!what.costed()) continue;
    tried.changes[static_cast<std::size_t>(tried.count++)] = kind;
    tried.needed = what.memory.worst_stage().total();
    tried.fullness = fullness_of(what.memory, tried.needed, pool.node);
    tried.step = what.time.total();
    tried.fits = what.fits();
    if (tried.fits) return tried;
    if (best.count == 0 || nearer(tried, best)) best = tried;
  }
}

/// Each pair is tried once, and recomputation is of one kind.
constexpr bool may_follow(repair_kind first, repair_kind second) {
  return first < second &&
         !(first == repair_kind::selective_recompute && second == repair_kind::full_recompute);
}

constexpr bool better_repair(const repair& a, const repair& b) {
  if (a.fits != b.fits) return a.fits;
  if (!a.fits && nearer(a, b) != nearer(b, a)) return nearer(a, b);
  if (a.count != b.count) return a.count < b.count;
  if (a.step != b.step) return a.step < b.step;
  return a.changes < b.changes;
}

}  // namespace detail

/// What to change so that a job fits, each kind of change by the least strength that does; where
/// no single change is enough, pairs of them, the first at the strength that needs least memory.
/// GPUs of the cluster that
/// the job leaves idle may be taken.  What leaves device and host as full is not listed.
///
/// \throws invalid_input if a description is invalid
constexpr repairs repairs_of(const transformer& m, const cluster& pool, const recipe& how,
                             const parallelism& cut, const workspace& beside = {}) {
  repairs found;
  const repair start{.recipe = how, .parallelism = cut};
  const estimate now = evaluate(m, pool, how, cut, beside);
  const double fullness = now.costed() ? detail::fullness_of(now.memory, now.needed, pool.node) : 0;
  const auto keep = [&](const repair& one) {
    const bool helps = one.fits || fullness == 0 || one.fullness < fullness;
    if (one.count > 0 && helps) found.list[found.size++] = one;
  };
  for (const repair_kind kind : repair_kinds) keep(detail::mildest(m, pool, beside, start, kind));

  const std::size_t singles = found.size;
  const bool enough =
      std::any_of(found.begin(), found.end(), [](const repair& one) { return one.fits; });
  for (std::size_t i = 0; !enough && i < singles; ++i)
    for (const repair_kind kind : repair_kinds)
      if (detail::may_follow(found.list[i].changes[0], kind))
        keep(detail::mildest(m, pool, beside, found.list[i], kind));

  std::sort(found.list.begin(), found.list.begin() + static_cast<std::ptrdiff_t>(found.size),
            detail::better_repair);
  return found;
}

}  // namespace gpuplan
