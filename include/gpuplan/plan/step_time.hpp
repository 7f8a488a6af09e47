#pragma once
/// \file
/// How long one optimizer step takes, term by term.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The terms of a step, in the order of basic_step_time.
enum class step_term {
  products,
  attention,
  elementwise,
  recompute,
  ends,
  launch,
  tensor,
  context,
  expert,
  gather,
  pipeline,
  bubble,
  stragglers,
  data,
  optimizer
};

inline constexpr std::array step_terms{
    step_term::products,   step_term::attention, step_term::elementwise, step_term::recompute,
    step_term::ends,       step_term::launch,    step_term::tensor,      step_term::context,
    step_term::expert,     step_term::gather,    step_term::pipeline,    step_term::bubble,
    step_term::stragglers, step_term::data,      step_term::optimizer};

/// Time of one optimizer step: what the slowest stage is busy with, and what it waits for.  Each
/// term is what is left of it after overlap, so they add up.
template <class T>
struct basic_step_time {
  basic_busy_time<T> busy{};      ///< of the slowest stage, all micro-batches
  basic_seconds<T> pipeline{};    ///< activations and their gradients sent between stages
  basic_seconds<T> bubble{};      ///< waiting for the pipeline to fill and drain
  basic_seconds<T> stragglers{};  ///< waiting for the slowest replica
  basic_seconds<T> data{};        ///< gradients reduced and weights gathered, once a step
  basic_seconds<T> optimizer{};   ///< the update: memory traffic

  [[nodiscard]] constexpr basic_seconds<T> operator[](step_term term) const {
    switch (term) {
      case step_term::products: return busy.products;
      case step_term::attention: return busy.attention;
      case step_term::elementwise: return busy.elementwise;
      case step_term::recompute: return busy.recompute;
      case step_term::ends: return busy.ends;
      case step_term::launch: return busy.launch;
      case step_term::tensor: return busy.tensor;
      case step_term::context: return busy.context;
      case step_term::expert: return busy.expert;
      case step_term::gather: return busy.gather;
      case step_term::pipeline: return pipeline;
      case step_term::bubble: return bubble;
      case step_term::stragglers: return stragglers;
      case step_term::data: return data;
      case step_term::optimizer: return optimizer;
    }
    require(false, "step_time: term must be one of step_terms");
    return {};
  }
  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return busy.total() + pipeline + bubble + stragglers + data + optimizer;
  }
  /// The largest term; of equals the first.
  [[nodiscard]] constexpr step_term binding() const {
    step_term largest = step_term::products;
    for (const step_term term : step_terms)
      if ((*this)[term] > (*this)[largest]) largest = term;
    return largest;
  }
};

using step_time = basic_step_time<double>;

/// "products", "attention", ... as the terms are called.
constexpr std::string_view name_of(step_term term) {
  constexpr std::array<std::string_view, step_terms.size()> names{
      "products", "attention", "elementwise", "recompute", "ends",
      "launch",   "tensor",    "context",     "expert",    "gather",
      "pipeline", "bubble",    "stragglers",  "data",      "optimizer"};
  return names[static_cast<std::size_t>(term)];
}

/// The share of a step that a pipeline waits, relative to the step without waiting.
///
///     b = (p - 1) / (v m)
///
///     p  stages          count, >= 1
///     m  micro-batches   count, >= 1
///     v  chunks a stage  count, >= 1
///
/// Relative to the whole step it is b / (1 + b).  Holds for GPipe and 1F1B with equal stages; for
/// the zero-bubble schedules it is an upper bound.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 2.2, arXiv:2104.04473.
///
/// \throws invalid_input if one of them is < 1
constexpr double pipeline_bubble(int stages, double micro_batches, int chunks = 1) {
  require(stages >= 1, "pipeline_bubble: stages must be >= 1");
  require(micro_batches >= 1, "pipeline_bubble: micro_batches must be >= 1");
  require(chunks >= 1, "pipeline_bubble: chunks must be >= 1");
  return (stages - 1.0) / (chunks * micro_batches);
}

/// What a schedule leaves of the bubble of 1F1B, with forward, input-gradient and weight-gradient
/// passes of equal length.
///
///     gpipe, one_forward_one_backward   1
///     zero_bubble_h1                    1/3
///     zero_bubble_h2, zero_bubble_v     0
///     dualpipe                          2 (p/2 - 1) / (3 (p - 1)), at least 0
///
/// Source: P. Qi et al., "Zero Bubble Pipeline Parallelism", ICLR (2024), arXiv:2401.10241;
/// DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), table 2, arXiv:2412.19437, a forward and a
/// backward pass run beside each other counted as long as both.
///
/// \throws invalid_input if stages < 1
constexpr double bubble_share(pipeline_schedule schedule, int stages) {
  require(stages >= 1, "bubble_share: stages must be >= 1");
  switch (schedule) {
    case pipeline_schedule::gpipe:
    case pipeline_schedule::one_forward_one_backward: return 1;
    case pipeline_schedule::zero_bubble_h1: return 1.0 / 3;
    case pipeline_schedule::zero_bubble_h2:
    case pipeline_schedule::zero_bubble_v: return 0;
    case pipeline_schedule::dualpipe:
      return stages > 2 ? 2 * (stages / 2.0 - 1) / (3 * (stages - 1.0)) : 0;
  }
  require(false, "bubble_share: schedule must be one of pipeline_schedule");
  return 0;
}

namespace detail {

/// Square roots of 0 to 63.
inline constexpr auto small_roots = [] {
  std::array<double, 64> table{};
  for (std::size_t i = 1; i < table.size(); ++i) {
    double root = 8;
    for (int round = 0; round < 60; ++round) root = (root + static_cast<double>(i) / root) / 2;
    table[i] = root;
  }
  return table;
}();

}  // namespace detail

/// The expected largest of n normal draws, in deviations: sqrt(2 ln 2 i) with i = ceil(log2 n), an
/// upper bound that is close for many draws.
///
/// Source: H. David and H. Nagaraja, "Order Statistics", 3rd ed., Wiley (2003), section 10.5.
///
/// \throws invalid_input if draws < 1
constexpr double largest_draw(std::int64_t draws) {
  require(draws >= 1, "largest_draw: draws must be >= 1");
  constexpr double root_of_2_ln_2 = 1.1774100225154747;
  return root_of_2_ln_2 *
         detail::small_roots[std::bit_width(static_cast<std::uint64_t>(draws - 1))];
}

/// Bytes that an update moves for each parameter: three passes over the gradient (its norm, its
/// scaling, the update), states and master copy read and written, the working weight written.
///
///     3 g + 2 (k + o) + w        without a master copy 3 g + 2 (w + o)
///
///     w, g, k, o  per.weight, per.gradient, per.master, per.optimizer   B, >= 0
///
/// 38 B for Adam beside BF16 weights and FP32 gradients.  Holds for fused kernels; optimizers that
/// also multiply matrices (Muon) take longer.
///
/// Source: NVIDIA, "Apex", csrc/multi_tensor_adam.cu and multi_tensor_l2norm_kernel.cu (2024), by
/// counting.
constexpr bytes bytes_per_update(const parameter_bytes& per) {
  const bytes kept = per.master > bytes{0} ? per.master : per.weight;
  const bytes copy = per.master > bytes{0} ? per.weight : bytes{0};
  return 3 * per.gradient + 2 * (kept + per.optimizer) + copy;
}

namespace detail {

/// What is left of traffic that runs beside a pass: with v chunks the last has one micro-batch's
/// pass to hide behind, the others p of them.
template <class T>
constexpr basic_seconds<T> unhidden(const basic_seconds<T>& traffic, const basic_seconds<T>& pass,
                                    const T& exposed, const parallelism& cut) {
  const double v = cut.interleave;
  const basic_seconds<T> left = (traffic - pass) / v;
  const basic_seconds<T> more = traffic - double(cut.pipeline) * pass;
  const basic_seconds<T> others = more > seconds{0} ? (v - 1) / v * more : basic_seconds<T>{};
  return later<T>(exposed * traffic, left + others);
}

/// Seconds of reducing gradients and of bringing the weights back, over all groups of a rank.
template <class T>
struct data_traffic {
  basic_seconds<T> gradients{};
  basic_seconds<T> weights{};
};

template <class T>
constexpr void add_traffic(data_traffic<T>& sum, const basic_interconnect<T>& ring, double n,
                           double parameters, bytes gradient, bytes weight) {
  if (n <= 1 || parameters == 0) return;
  const double share = parameters * (n - 1) / n;
  sum.gradients += share * gradient / ring.bandwidth;
  sum.weights += share * weight / ring.bandwidth;
}

template <class T>
constexpr data_traffic<T> data_traffic_of(const rank_parameters& held, const recipe& how,
                                          const parallelism& cut, const basic_rank_links<T>& links,
                                          const basic_framework_profile<T>& software) {
  const bytes weight = limits_of(formats_of(how.precision).weight).storage;
  const bytes gradient = how.gradient == gradient_format::by_precision
                             ? software.gradient_on_wire
                             : limits_of(gradient_storage(how.gradient, how.precision)).storage;
  const bytes back = how.zero == zero_stage::none ? gradient : weight;
  const double replicas = static_cast<double>(cut.replicas());
  const double shards =
      static_cast<double>(how.zero == zero_stage::none ? cut.replicas() : cut.shards());
  data_traffic<T> sum;
  if (how.zero != zero_stage::parameters)
    add_traffic(sum, links.data, shards, held.dense(), gradient, back);
  if (shards < replicas)  // across shard groups each piece is reduced whole
    add_traffic(sum, links.replicas, replicas / shards, held.dense() / shards, 2 * gradient,
                bytes{0});
  add_traffic(sum, links.expert_data, static_cast<double>(cut.expert_replicas()), held.experts,
              gradient, back);
  return sum;
}

/// What the parameters of every stage are made from, on one rank.
struct stage_holdings {
  rank_parameters dense{};
  rank_parameters moe{};
  rank_parameters table{};
  bool tied = true;

  [[nodiscard]] constexpr int tables(const stage_layers& held) const {
    return (held.has_embedding ? 1 : 0) + (held.has_head && !(held.has_embedding && tied) ? 1 : 0);
  }
  [[nodiscard]] constexpr double total(const stage_layers& held) const {
    return held.dense * dense.total() + held.moe * moe.total() + tables(held) * table.total();
  }
  [[nodiscard]] constexpr rank_parameters of(const stage_layers& held) const {
    rank_parameters sum = held.dense * dense;
    if (held.moe > 0) sum = sum + held.moe * moe;
    for (int i = 0; i < tables(held); ++i) sum = sum + table;
    return sum;
  }
};

constexpr stage_holdings holdings_of(const transformer& m, const parallelism& cut) {
  stage_holdings held{.table = table_on_rank(m, cut), .tied = m.tied_embeddings};
  if (m.dense_layers() > 0) held.dense = layer_on_rank(m, layer_kind::dense, cut);
  if (m.moe_layers() > 0) held.moe = layer_on_rank(m, layer_kind::moe, cut);
  return held;
}

/// The longest busy time of a stage, and the most parameters of one: seldom the same stage.
template <class T>
struct stage_extremes {
  basic_busy_time<T> busy{};
  rank_parameters held{};
};

/// Stages of equal layers are alike, so that of a dense model without a split only the first, the
/// second and the last can be extreme.
template <class T>
constexpr stage_extremes<T> extremes_of(const transformer& m, const recipe& how,
                                        const parallelism& cut, const basic_stage_clock<T>& clock,
                                        const stage_holdings& holdings) {
  const bool alike = m.moe_layers() == 0 && how.split.stages() == 0;
  const basic_seconds<T> dense = clock.dense.total();
  const basic_seconds<T> moe = clock.moe.total();
  const basic_seconds<T> first = clock.embedding.total();
  const basic_seconds<T> last = clock.head.total() + clock.prediction.total();
  stage_layers slowest;
  stage_layers fullest;
  basic_seconds<T> longest{};
  double most_held = 0;
  for (int stage = 0; stage < cut.pipeline; ++stage) {
    if (alike && stage == 2 && cut.pipeline > 3) stage = cut.pipeline - 1;
    const stage_layers here = layers_of_stage(m, how, cut, stage);
    basic_seconds<T> total = double(here.dense) * dense + double(here.moe) * moe;
    if (here.has_embedding) total += first;
    if (here.has_head) total += last;
    if (stage == 0 || total > longest) {
      slowest = here;
      longest = total;
    }
    if (const double held = holdings.total(here); held > most_held) {
      fullest = here;
      most_held = held;
    }
  }
  return {.busy = clock.of(slowest), .held = holdings.of(fullest)};
}

/// step_time_of, from the parameters that layers and tables put on a rank.
template <class T>
constexpr basic_step_time<T> step_time_of(const transformer& m, const basic_cluster<T>& pool,
                                          const recipe& how, const parallelism& cut,
                                          const basic_framework_profile<T>& software,
                                          const stage_holdings& holdings) {
  const basic_rank_links<T> links = rank_links_of(pool.node, cut);
  const basic_kernel_rates<T> rates = kernel_rates_of(pool.gpu(), how, software);
  const basic_stage_clock<T> clock = stage_clock_of(m, how, cut, rates, software, links);
  const stage_extremes<T> most = extremes_of(m, how, cut, clock, holdings);

  const double replicas = static_cast<double>(cut.data) * cut.micro_batch_size;
  const double micro_batches = how.global_batch_size / replicas;
  const double p = cut.pipeline;
  const double v = cut.interleave;
  basic_busy_time<T> one = most.busy;
  if (m.encoder_layers > 0) one = one + clock.encoder;
  const basic_seconds<T> longest = one.total();

  basic_step_time<T> step{.busy = micro_batches * one};
  if (cut.pipeline > 1) {
    const basic_seconds<T> round = clock
                                       .of({.dense = m.dense_layers(),
                                            .moe = m.moe_layers(),
                                            .has_embedding = true,
                                            .has_head = true})
                                       .total();
    step.bubble =
        bubble_share(how.schedule, cut.pipeline) / v * later<T>(round - longest, seconds{0});
    const double rows =
        static_cast<double>(how.sequence_length) * cut.micro_batch_size / cut.context;
    const bytes slice = rows * m.hidden_size * rates.value / cut.tensor;
    const basic_seconds<T> hop =
        software.exposed * (2 * (slice / links.pipeline.bandwidth + 2 * start_of(links.pipeline)));
    step.pipeline = (micro_batches + p - 1) * v * hop;
  }
  step.stragglers =
      software.jitter * largest_draw(cut.data) * (step.busy.total() + step.bubble + step.pipeline);

  const auto traffic = data_traffic_of(most.held, how, cut, links, software);
  // A rank that keeps a part of the gradients alone has them reduced after every micro-batch,
  // beside the backward pass of the next.
  const basic_seconds<T> pass = 0.65 * longest;
  const bool each_time = how.zero == zero_stage::gradients;
  basic_seconds<T> gradients = traffic.gradients;
  if (software.hides_data_traffic)
    gradients = each_time ? later<T>(software.exposed * gradients, gradients - pass)
                          : unhidden<T>(gradients, pass, software.exposed, cut);
  if (each_time) gradients = micro_batches * gradients;
  step.data = gradients + (software.hides_data_traffic
                               ? unhidden<T>(traffic.weights, 0.35 * longest, software.exposed, cut)
                               : traffic.weights);
  if (how.zero == zero_stage::parameters && cut.shards() > 1) {
    // Nothing runs before the first layer is gathered, nor after the last gradient is scattered.
    const double table = static_cast<double>(m.vocabulary_size) * m.embedding_width() / cut.tensor;
    const double layer = most.held.dense() / m.layers * p;
    step.data += (2 * layer + 3 * table) * rates.value / gathering(links, software).bandwidth;
  }

  const double divided = how.zero == zero_stage::none ? 1 : static_cast<double>(cut.shards());
  const double expert_divided =
      how.zero == zero_stage::none ? 1 : static_cast<double>(cut.expert_replicas());
  const double updated = most.held.dense() / divided +
                         (most.held.experts > 0 ? most.held.experts / expert_divided : 0);
  step.optimizer = updated * bytes_per_update(bytes_per_parameter(how)) / rates.memory;
  return step;
}

}  // namespace detail

/// Time of one optimizer step.
///
///     t = (m b + (sum_i b_i - b) s / v + (m + p - 1) v hop) (1 + j z(d)) + data + update
///
///     b_i      busy time of stage i with one micro-batch; b the largest   s
///     m, p, v  micro-batches, stages, chunks a stage                      count
///     s        bubble_share of the schedule                               1
///     hop      2 X (T h x / (t W) + start_of): an activation sent on,     s
///              its gradient sent back, in t slices
///     j, z     the software's jitter; largest_draw over d replicas        1
///     data     gradients and weights over the rings of data x context     s
///     update   bytes_per_update of each parameter that the rank updates,  s
///              over the memory's bandwidth
///
/// Where the software runs data traffic beside forward and backward passes, what is longer than the
/// pass is left of it, and at least the exposed share X.  Gradients that are themselves divided are
/// reduced after every micro-batch.
///
/// Against published runs of dense models the median error is 3 %: benchmarks/accuracy prints the
/// table.  Mixtures of experts are off by a third and more, either way: no imbalance of experts is
/// modelled, nor what software hides of their messages.
///
/// The layout must pass layout_fault and the device must have units for the format.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), sections 2 and 3, arXiv:2104.04473; V. Korthikanti et al.,
/// "Reducing Activation Recomputation in Large Transformer Models", MLSys (2023),
/// arXiv:2205.05198; the parts'.
///
/// \throws invalid_input if a description is invalid
template <class T>
constexpr basic_step_time<T> step_time_of(const transformer& m, const basic_cluster<T>& pool,
                                          const recipe& how, const parallelism& cut,
                                          const basic_framework_profile<T>& software) {
  return detail::step_time_of(m, pool, how, cut, software, detail::holdings_of(m, cut));
}

}  // namespace gpuplan
