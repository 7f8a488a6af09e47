#pragma once
/// \file
/// What operators reach on a device where nobody measured one or the other.

#include <type_traits>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/operator_rates.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What measured GPUs reach, the median over them: shares of a rate that the datasheet
/// prints, and times.  benchmarks/operators prints them with the rows that they rest on.
///
/// Source: NVIDIA, "aiconfigurator", measured operators of seven GPUs, github.com/ai-dynamo/
/// aiconfigurator, commit 095f58a (2026); MooreThreads, "SimuMax", github.com/MooreThreads/SimuMax,
/// commit 4dcaae5 (2025).
inline constexpr operator_rates usual_operators{
    .product_memory = 0.655,
    .elementwise_memory = 0.614,
    .permutation_memory = 0.425,
    .grouped_memory = 0.902,
    .product_steady = 1,  // what one machine loses is not known of another
    .product_start = 2.42 * units::us,
    .quantization_start = 3.62 * units::us,
    .grouped_start = 39.8 * units::us,
    .group_start = 3.69 * units::us,
    .attention = {.half_length = 570, .start = 23.3 * units::us},
    .collectives = {.small_share = 0.36,
                    .base = 8.04 * units::us,
                    .hop = 1.01 * units::us,
                    .simple_base = 20.7 * units::us,
                    .simple_hop = 1.11 * units::us,
                    .exchange_small_share = 0.0846,
                    .exchange_base = 9.98 * units::us,
                    .exchange_simple_base = 16.3 * units::us},
    .dispatchers = {.deep_ep_start = 36.4 * units::us,
                    .deep_ep_token = 39.1 * units::ns,
                    .port_share = 0.847,
                    .hybrid_start = 14.3 * units::us}};

/// The same for rates, over those of a datasheet.
struct usual_shares {
  double product = 0.666;       ///< of the 16-bit peak, kept up
  double attention_64 = 0.385;  ///< likewise
  double attention_128 = 0.532;
  double attention_256 = 0.633;
  double attention_512 = 0.402;
  double attention_backward_128 = 0.488;
  double attention_backward_192 = 0.389;
  double gather = 0.759;  ///< of the links' advertised rate, one direction
  double all_reduce = 0.717;
  double all_to_all = 0.618;
  double own_copy = 0.177;          ///< of the memory bandwidth
  double deep_ep_dispatch = 0.643;  ///< of the links' advertised rate
  double deep_ep_combine = 0.594;
  double hybrid_dispatch = 0.575;
  double hybrid_combine = 0.638;
};

/// What the best product of a device reaches of its peak, over what is usual; at most 1, and 1
/// where none was measured.  Cores of attention are as much slower: what holds the one back (power,
/// clock, software) holds the other.
///
///     min(1, a B / (u P))
///
///     a  sustained_share          of the best product, kept up
///     B  achieved.bf16            FLOP/s
///     u  usual_shares.product     of the peak
///     P  peak.bf16                FLOP/s
///
/// Source: this library's, in no fit.
template <class T>
constexpr T product_share_of_usual(const basic_accelerator<T>& gpu) {
  if (!(gpu.achieved.bf16 > flop_per_second{0}) || !(gpu.peak.bf16 > flop_per_second{0}))
    return T(1);
  const T share = sustained_share / usual_shares{}.product * (gpu.achieved.bf16 / gpu.peak.bf16);
  return share < T(1) ? share : T(1);
}

namespace detail {

/// A value as measured, else the usual one.
template <class X>
constexpr X known(const X& measured, const std::type_identity_t<X>& usual) {
  return measured > X{} ? measured : usual;
}

/// What the shares of links are of: the advertised rate, of the host's where there are no others.
template <class T>
constexpr basic_bytes_per_second<T> advertised_link(const basic_accelerator<T>& gpu) {
  const auto links = gpu.scale_up.all_peers.advertised.per_direction();
  return links > bytes_per_second{0} ? links : gpu.host.advertised.per_direction();
}

/// What cores of attention reach on a device: as measured, else usual_shares of its 16-bit peak.
template <class T>
constexpr basic_attention_rates<T> attention_rates_of(const basic_accelerator<T>& gpu) {
  constexpr usual_shares of{};
  const basic_attention_rates<T>& core = gpu.operators.attention;
  const attention_rates& usual = usual_operators.attention;
  const auto peak = gpu.peak.bf16 > flop_per_second{0}   ? gpu.peak.bf16
                    : gpu.peak.fp16 > flop_per_second{0} ? gpu.peak.fp16
                                                         : gpu.peak.fp32;
  const auto reached = product_share_of_usual(gpu) * peak;
  return {.forward_64 = known(core.forward_64, T(of.attention_64) * reached),
          .forward_128 = known(core.forward_128, T(of.attention_128) * reached),
          .forward_256 = known(core.forward_256, T(of.attention_256) * reached),
          .forward_512 = known(core.forward_512, T(of.attention_512) * reached),
          .backward_128 = known(core.backward_128, T(of.attention_backward_128) * reached),
          .backward_192 = known(core.backward_192, T(of.attention_backward_192) * reached),
          .half_length = known(core.half_length, T(usual.half_length)),
          .start = known(core.start, usual.start)};
}

/// What collectives reach between devices: as measured, else usual_shares of the links' rate.
template <class T>
constexpr basic_collective_rates<T> collective_rates_of(const basic_accelerator<T>& gpu) {
  constexpr usual_shares of{};
  const basic_collective_rates<T>& in = gpu.operators.collectives;
  const collective_rates& usual = usual_operators.collectives;
  const auto link = advertised_link(gpu);
  return {.gather = known(in.gather, T(of.gather) * link),
          .all_reduce = known(in.all_reduce, T(of.all_reduce) * link),
          .all_to_all = known(in.all_to_all, T(of.all_to_all) * link),
          .small_share = known(in.small_share, T(usual.small_share)),
          .base = known(in.base, usual.base),
          .hop = known(in.hop, usual.hop),
          .simple_base = known(in.simple_base, usual.simple_base),
          .simple_hop = known(in.simple_hop, usual.simple_hop),
          .exchange_small_share = known(in.exchange_small_share, T(usual.exchange_small_share)),
          .exchange_base = known(in.exchange_base, usual.exchange_base),
          .exchange_simple_base = known(in.exchange_simple_base, usual.exchange_simple_base),
          .own_copy = known(in.own_copy, T(of.own_copy) * gpu.memory_bandwidth)};
}

/// What kernels that send tokens to experts reach: as measured, else usual_shares of the links'
/// rate.
template <class T>
constexpr basic_dispatcher_rates<T> dispatcher_rates_of(const basic_accelerator<T>& gpu) {
  constexpr usual_shares of{};
  const basic_dispatcher_rates<T>& experts = gpu.operators.dispatchers;
  const dispatcher_rates& usual = usual_operators.dispatchers;
  const auto link = advertised_link(gpu);
  return {.deep_ep_dispatch = known(experts.deep_ep_dispatch, T(of.deep_ep_dispatch) * link),
          .deep_ep_combine = known(experts.deep_ep_combine, T(of.deep_ep_combine) * link),
          .deep_ep_start = known(experts.deep_ep_start, usual.deep_ep_start),
          .deep_ep_token = known(experts.deep_ep_token, usual.deep_ep_token),
          .port_share = known(experts.port_share, T(usual.port_share)),
          .hybrid_dispatch = known(experts.hybrid_dispatch, T(of.hybrid_dispatch) * link),
          .hybrid_combine = known(experts.hybrid_combine, T(of.hybrid_combine) * link),
          .hybrid_start = known(experts.hybrid_start, usual.hybrid_start)};
}

}  // namespace detail

/// What the operators of a device reach: as measured, else usual_operators, and usual_shares of
/// its own peak, bandwidth and links.  Entries of the catalog hold the shares of a measured
/// relative already; this is for a device that someone describes.
template <class T>
constexpr basic_operator_rates<T> operator_rates_of(const basic_accelerator<T>& gpu) {
  using detail::known;
  const basic_operator_rates<T>& own = gpu.operators;
  const operator_rates& usual = usual_operators;
  return {.product_memory = known(own.product_memory, T(usual.product_memory)),
          .elementwise_memory = known(own.elementwise_memory, T(usual.elementwise_memory)),
          .permutation_memory = known(own.permutation_memory, T(usual.permutation_memory)),
          .grouped_memory = known(own.grouped_memory, T(usual.grouped_memory)),
          .product_steady = known(own.product_steady, T(usual.product_steady)),
          .product_start = known(own.product_start, usual.product_start),
          .quantization_start = known(own.quantization_start, usual.quantization_start),
          .grouped_start = known(own.grouped_start, usual.grouped_start),
          .group_start = known(own.group_start, usual.group_start),
          .attention = detail::attention_rates_of(gpu),
          .collectives = detail::collective_rates_of(gpu),
          .dispatchers = detail::dispatcher_rates_of(gpu)};
}

}  // namespace gpuplan
