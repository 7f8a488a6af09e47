#pragma once
/// \file
/// Requests drawn by number, a million a second: models, devices, recipes and layouts from tiny to
/// far beyond what exists.  Most keep the rules; the rest ask for what cannot be.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan::testing {

/// Random numbers by splitmix64, the same on every machine.
///
/// Source: G. Steele, D. Lea and C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// (2014).
class draws {
 public:
  explicit constexpr draws(std::uint64_t seed) : state_{seed} {}

  constexpr std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// From low to high, both among them.
  constexpr int between(int low, int high) {
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  constexpr bool one_in(int n) { return between(1, n) == 1; }
  /// From 1 to 2^most.
  constexpr int power_of_two(int most) { return 1 << between(0, most); }
  template <class Values>
  constexpr auto one_of(const Values& values) {
    return *(std::begin(values) + between(0, static_cast<int>(std::size(values)) - 1));
  }
  constexpr int one_of(std::initializer_list<int> values) { return one_of<>(values); }
  /// One of the first n values of an enumeration.
  template <class Enumeration>
  constexpr Enumeration first_of(int n) {
    return static_cast<Enumeration>(between(0, n - 1));
  }

 private:
  std::uint64_t state_;
};

struct random_request {
  std::uint64_t number = 0;
  transformer model{};
  cluster pool{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
};

inline std::ostream& operator<<(std::ostream& out, const random_request& r) {
  const auto& cut = r.parallelism;
  return out << "request " << r.number << ": layers " << r.model.layers << " hidden "
             << r.model.hidden_size << " experts " << r.model.moe.experts << "; data " << cut.data
             << " tensor " << cut.tensor << " pipeline " << cut.pipeline << " context "
             << cut.context << " expert " << cut.expert << " interleave " << cut.interleave
             << " micro-batch " << cut.micro_batch_size << "; batch " << r.recipe.global_batch_size
             << " sequence " << r.recipe.sequence_length << " schedule "
             << static_cast<int>(r.recipe.schedule) << " zero " << static_cast<int>(r.recipe.zero);
}

/// Up to 1e15 parameters in dense layers, more in experts.
inline transformer random_shape(draws& any, int tensor) {
  transformer m;
  m.layers = any.one_of({1, 2, 8, 24, 30, 62, 96, 126, 1000, 4096});
  m.attention_heads = tensor * any.power_of_two(7);
  m.head_dim = any.one_of({1, 64, 80, 128, 256});
  m.kv_heads = any.one_of({0, m.attention_heads, tensor});
  m.hidden_size = any.one_of({tensor, 128 * tensor, m.attention_heads * m.head_dim, 262144});
  m.ffn_size = tensor * any.one_of({1, 96, 1376, 28672, 65536});
  m.vocabulary_size = any.one_of({1, 50257, 128256, 1000003});
  m.embedding_size = any.one_in(8) ? 128 : 0;
  m.gated_ffn = any.one_in(2);
  m.tied_embeddings = any.one_in(2);
  m.parallel_residual = any.one_in(4);
  m.norms_per_layer = any.between(0, 4);
  m.mask = any.one_in(4) ? attention_mask::full : attention_mask::causal;
  if (any.one_in(4)) m.sliding_window = any.one_of({1, 128, 4096});
  if (any.one_in(8)) m.multi_token_prediction_layers = any.between(1, 3);
  if (any.one_in(8)) m.head_transform = true;
  if (any.one_in(3)) {
    m.moe.experts = any.power_of_two(10);
    m.moe.experts_per_token = any.between(1, m.moe.experts < 9 ? m.moe.experts : 9);
    m.moe.ffn_size = tensor * any.one_of({1, 64, 2048});
    m.moe.shared_ffn_size = any.one_in(2) ? tensor * 512 : 0;
    m.moe.dense_layers = m.moe.first_dense_layers = any.between(0, m.layers < 3 ? m.layers : 3);
  }
  if (any.one_in(8))
    m.latent = {.query_rank = any.one_in(2) ? 1536 : 0,
                .kv_rank = 512,
                .rope_head_dim = 64,
                .content_head_dim = 128,
                .value_head_dim = 128};
  return m;
}

/// The request of that number: up to a million GPUs, sequences of 1 to 1e7 tokens.
inline random_request random_request_of(std::uint64_t number) {
  using namespace units;
  draws any{number};
  random_request r{.number = number};
  auto& cut = r.parallelism;
  cut.tensor = any.power_of_two(any.one_in(2) ? 3 : 6);
  r.model = any.one_in(2) ? any.one_of(catalog::models).model : random_shape(any, cut.tensor);
  const transformer& m = r.model;
  if (m.attention_heads % cut.tensor != 0 && !any.one_in(16)) cut.tensor = 1;

  auto& how = r.recipe;
  how.precision = any.one_of(precisions);
  how.optimizer = any.one_of(optimizers);
  how.zero = any.first_of<zero_stage>(4);
  how.recompute = any.first_of<recompute>(4);
  how.recompute_every = any.one_of({1, 1, 4});
  how.attention = any.first_of<attention_kernel>(2);
  how.schedule = any.first_of<pipeline_schedule>(6);
  how.sequence_parallel = any.one_in(2);
  how.dropout = any.one_in(3);
  how.loss = any.first_of<loss_kernel>(5);
  how.gradients_live = any.first_of<gradient_lifetime>(2);
  how.weights = any.first_of<weight_storage>(2);
  how.framework = any.one_of(frameworks);
  if (any.one_in(8)) how.expert_imbalance = any.one_of({1, 2, 30});
  if (any.one_in(8)) how.adapters.rank = any.one_of({1, 16, 512});
  if (any.one_in(8)) how.offload = any.first_of<offloaded_states>(3);
  if (any.one_in(8)) how.offloaded_activations = 0.25 * any.between(0, 4);

  const bool whole = m.encoder_layers > 0;  // an encoder beside a decoder is not cut into stages
  const int most = m.layers < 128 ? m.layers : 128;
  cut.pipeline = whole || any.one_in(3) ? 1 : any.between(1, most);
  if (cut.pipeline > 1 && m.layers % (2 * cut.pipeline) == 0 && any.one_in(2)) {
    cut.interleave = 2;
    how.schedule = pipeline_schedule::one_forward_one_backward;
  }
  cut.context = any.one_in(2) ? 1 : any.power_of_two(5);
  cut.data = any.one_in(2) ? any.power_of_two(5) : any.power_of_two(20);
  while (cut.gpus() > 1'000'000 && cut.data > 1) cut.data /= 2;
  if (m.moe.experts > 0 && any.one_in(2)) {
    cut.expert = any.power_of_two(6);
    cut.expert_tensor = 1;
  }
  if (any.one_in(16)) cut.shard_group = any.power_of_two(4);
  cut.micro_batch_size = any.one_of({1, 1, 2, 7, 64});
  const int rounds = any.one_in(4) ? 1 : any.between(1, 16);
  how.global_batch_size =
      cut.data * cut.micro_batch_size * (cut.interleave > 1 ? cut.pipeline * rounds : rounds);
  const int piece = 2 * cut.context * cut.tensor;
  const bool few = any.one_in(2);
  how.sequence_length = any.one_in(8)    ? any.one_of({1, 10'000'000})
                        : few            ? piece
                        : piece > 10'000 ? piece
                                         : piece * any.between(1, 10'000'000 / piece);

  auto& box = r.pool.node;
  box.gpu = *any.one_of(catalog::accelerators).gpu;
  box.gpus = any.one_of({1, 2, 4, 8, 16, 72});
  box.scale_up = {any.between(0, 20) * us, any.between(10, 1800) * GB / second};
  box.fabric = {any.between(0, 50) * us, any.between(1, 100) * GB / second};
  if (any.one_in(4)) box.host_memory = any.one_of({1, 512, 4096}) * GiB;
  const bool few_gpus = any.one_in(16);
  r.pool = cluster_of(box, few_gpus ? 1 : static_cast<int>(cut.gpus()));
  return r;
}

}  // namespace gpuplan::testing
