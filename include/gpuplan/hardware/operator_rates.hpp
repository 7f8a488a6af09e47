#pragma once
/// \file
/// What the operators of a training step reach on a device, each measured alone.

#include <type_traits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Cores of attention.  Rates count the scores that a mask leaves, and both products.
template <class T>
struct basic_attention_rates {
  basic_flop_per_second<T> forward_64{};    ///< heads of 64 values, long sequences
  basic_flop_per_second<T> forward_128{};   ///< of 128
  basic_flop_per_second<T> forward_256{};   ///< of 256
  basic_flop_per_second<T> forward_512{};   ///< of 512
  basic_flop_per_second<T> backward_128{};  ///< of 128; all five products counted
  basic_flop_per_second<T> backward_192{};  ///< of queries of 192 and values of 128
  T half_length{};           ///< tokens: a causal sequence as long reaches half of the rate; >= 0
  basic_seconds<T> start{};  ///< of one core, whatever its size; >= 0
};

/// NCCL's collectives between accelerators of one node or NVLink domain: a protocol for small
/// messages (LL) with a low start, and one for large messages (Simple) with a high rate.
template <class T>
struct basic_collective_rates {
  basic_bytes_per_second<T> gather{};      ///< bus bandwidth of all-gather and reduce-scatter
  basic_bytes_per_second<T> all_reduce{};  ///< bus bandwidth
  basic_bytes_per_second<T> all_to_all{};  ///< bus bandwidth
  T small_share{};                         ///< of these rates, by the protocol for small messages
  basic_seconds<T> base{};                 ///< small messages: start
  basic_seconds<T> hop{};                  ///< small messages: a step of the ring
  basic_seconds<T> simple_base{};          ///< large messages
  basic_seconds<T> simple_hop{};
  T exchange_small_share{};          ///< all-to-all has its own: its pairs do not wait
  basic_seconds<T> exchange_base{};  ///< small messages
  basic_seconds<T> exchange_simple_base{};
  basic_bytes_per_second<T> own_copy{};  ///< of a rank's own piece, where it is copied too
};

/// Kernels that send a token once to each rank of its experts, and bring the results back.
template <class T>
struct basic_dispatcher_rates {
  basic_bytes_per_second<T> deep_ep_dispatch{};  ///< DeepEP in a node, 24 multiprocessors
  basic_bytes_per_second<T> deep_ep_combine{};
  basic_seconds<T> deep_ep_start{};             ///< of one call
  basic_seconds<T> deep_ep_token{};             ///< of each token, wherever it goes
  T port_share{};                               ///< of a network port, between nodes
  basic_bytes_per_second<T> hybrid_dispatch{};  ///< one-sided kernels, in an NVLink domain
  basic_bytes_per_second<T> hybrid_combine{};
  basic_seconds<T> hybrid_start{};
};

/// What the operators of a device reach.  Zero: nobody measured it.
template <class T>
struct basic_operator_rates {
  T product_memory{};      ///< share of memory_bandwidth at which products stream; 0 to 1
  T elementwise_memory{};  ///< elementwise kernels and casts; 0 to 1
  T permutation_memory{};  ///< tokens in the order of experts and back, and activations; 0 to 1
  T grouped_memory{};      ///< weights of grouped products; 0 to 1
  T product_steady{};      ///< of the sustained rate, in a training framework's loop; 0 to 1
  basic_seconds<T> product_start{};       ///< of one product, whatever its size; >= 0
  basic_seconds<T> quantization_start{};  ///< of one kernel that casts to a narrow format; >= 0
  basic_seconds<T> grouped_start{};       ///< of a layer of experts; >= 0
  basic_seconds<T> group_start{};         ///< of each group, where they are launched one by one
  basic_attention_rates<T> attention{};
  basic_collective_rates<T> collectives{};
  basic_dispatcher_rates<T> dispatchers{};
};

using attention_rates = basic_attention_rates<double>;
using collective_rates = basic_collective_rates<double>;
using dispatcher_rates = basic_dispatcher_rates<double>;
using operator_rates = basic_operator_rates<double>;

/// Calls visit(name, value) for each rate, share and time; the name as written in code:
/// "attention.forward_64".
template <class Rates, class Visit>
constexpr void each_rate(Rates& of, Visit visit) {
  visit("product_memory", of.product_memory);
  visit("elementwise_memory", of.elementwise_memory);
  visit("permutation_memory", of.permutation_memory);
  visit("grouped_memory", of.grouped_memory);
  visit("product_steady", of.product_steady);
  visit("product_start", of.product_start);
  visit("quantization_start", of.quantization_start);
  visit("grouped_start", of.grouped_start);
  visit("group_start", of.group_start);
  auto& core = of.attention;
  visit("attention.forward_64", core.forward_64);
  visit("attention.forward_128", core.forward_128);
  visit("attention.forward_256", core.forward_256);
  visit("attention.forward_512", core.forward_512);
  visit("attention.backward_128", core.backward_128);
  visit("attention.backward_192", core.backward_192);
  visit("attention.half_length", core.half_length);
  visit("attention.start", core.start);
  auto& ring = of.collectives;
  visit("collectives.gather", ring.gather);
  visit("collectives.all_reduce", ring.all_reduce);
  visit("collectives.all_to_all", ring.all_to_all);
  visit("collectives.small_share", ring.small_share);
  visit("collectives.base", ring.base);
  visit("collectives.hop", ring.hop);
  visit("collectives.simple_base", ring.simple_base);
  visit("collectives.simple_hop", ring.simple_hop);
  visit("collectives.exchange_small_share", ring.exchange_small_share);
  visit("collectives.exchange_base", ring.exchange_base);
  visit("collectives.exchange_simple_base", ring.exchange_simple_base);
  visit("collectives.own_copy", ring.own_copy);
  auto& experts = of.dispatchers;
  visit("dispatchers.deep_ep_dispatch", experts.deep_ep_dispatch);
  visit("dispatchers.deep_ep_combine", experts.deep_ep_combine);
  visit("dispatchers.deep_ep_start", experts.deep_ep_start);
  visit("dispatchers.deep_ep_token", experts.deep_ep_token);
  visit("dispatchers.port_share", experts.port_share);
  visit("dispatchers.hybrid_dispatch", experts.hybrid_dispatch);
  visit("dispatchers.hybrid_combine", experts.hybrid_combine);
  visit("dispatchers.hybrid_start", experts.hybrid_start);
}

/// \throws invalid_input if a rate, a time or a share is < 0, or a share > 1
template <class T>
constexpr void require_valid(const basic_operator_rates<T>& of) {
  each_rate(of, [](const char*, const auto& value) {
    require(value >= std::remove_cvref_t<decltype(value)>{},
            "operator_rates: every rate, share and time must be >= 0");
  });
  require(of.product_memory <= 1 && of.elementwise_memory <= 1 && of.permutation_memory <= 1 &&
              of.grouped_memory <= 1 && of.product_steady <= 1 && of.collectives.small_share <= 1 &&
              of.collectives.exchange_small_share <= 1 && of.dispatchers.port_share <= 1,
          "operator_rates: every share must be <= 1");
}

}  // namespace gpuplan
