#pragma once
/// \file
/// What operators reach on a device where nobody measured one or the other.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/operator_rates.hpp>
#include <gpuplan/hardware/physical_link.hpp>
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
                    .hybrid_start = 15.7 * units::us,
                    .hybrid_token = 54.3 * units::ns}};

/// The same for rates, over those of a datasheet.
struct usual_shares {
  double attention_64 = 0.385;  ///< of the 16-bit peak
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
  double hybrid_dispatch = 0.801;
  double hybrid_combine = 0.638;
};

namespace detail {

template <class X>
constexpr void fill(X& measured, const X& usual) {
  if (!(measured > X{})) measured = usual;
}

template <class T>
constexpr void fill_attention(basic_attention_rates<T>& core, const basic_accelerator<T>& gpu,
                              const usual_shares& of) {
  const auto peak = gpu.peak.bf16 > flop_per_second{0}   ? gpu.peak.bf16
                    : gpu.peak.fp16 > flop_per_second{0} ? gpu.peak.fp16
                                                         : gpu.peak.fp32;
  fill(core.forward_64, T(of.attention_64) * peak);
  fill(core.forward_128, T(of.attention_128) * peak);
  fill(core.forward_256, T(of.attention_256) * peak);
  fill(core.forward_512, T(of.attention_512) * peak);
  fill(core.backward_128, T(of.attention_backward_128) * peak);
  fill(core.backward_192, T(of.attention_backward_192) * peak);
  fill(core.half_length, T(usual_operators.attention.half_length));
  fill(core.start, basic_seconds<T>(usual_operators.attention.start));
}

template <class T>
constexpr void fill_links(basic_operator_rates<T>& rates, const basic_accelerator<T>& gpu,
                          const usual_shares& of) {
  const auto links = gpu.scale_up.all_peers.advertised.per_direction();
  const auto link = links > bytes_per_second{0} ? links : gpu.host.advertised.per_direction();
  basic_collective_rates<T>& in = rates.collectives;
  const collective_rates& usual = usual_operators.collectives;
  fill(in.gather, T(of.gather) * link);
  fill(in.all_reduce, T(of.all_reduce) * link);
  fill(in.all_to_all, T(of.all_to_all) * link);
  fill(in.own_copy, T(of.own_copy) * gpu.memory_bandwidth);
  fill(in.small_share, T(usual.small_share));
  fill(in.exchange_small_share, T(usual.exchange_small_share));
  fill(in.base, basic_seconds<T>(usual.base));
  fill(in.hop, basic_seconds<T>(usual.hop));
  fill(in.simple_base, basic_seconds<T>(usual.simple_base));
  fill(in.simple_hop, basic_seconds<T>(usual.simple_hop));
  fill(in.exchange_base, basic_seconds<T>(usual.exchange_base));
  fill(in.exchange_simple_base, basic_seconds<T>(usual.exchange_simple_base));

  basic_dispatcher_rates<T>& experts = rates.dispatchers;
  const dispatcher_rates& also = usual_operators.dispatchers;
  fill(experts.deep_ep_dispatch, T(of.deep_ep_dispatch) * link);
  fill(experts.deep_ep_combine, T(of.deep_ep_combine) * link);
  fill(experts.deep_ep_start, basic_seconds<T>(also.deep_ep_start));
  fill(experts.deep_ep_token, basic_seconds<T>(also.deep_ep_token));
  fill(experts.port_share, T(also.port_share));
  fill(experts.hybrid_dispatch, T(of.hybrid_dispatch) * link);
  fill(experts.hybrid_combine, T(of.hybrid_combine) * link);
  fill(experts.hybrid_start, basic_seconds<T>(also.hybrid_start));
  fill(experts.hybrid_token, basic_seconds<T>(also.hybrid_token));
}

}  // namespace detail

/// What the operators of a device reach: as measured, else usual_operators, and usual_shares of
/// its own peak, bandwidth and links.  Entries of the catalog hold the shares of a measured
/// relative already; this is for a device that someone describes.
template <class T>
constexpr basic_operator_rates<T> operator_rates_of(const basic_accelerator<T>& gpu) {
  basic_operator_rates<T> rates = gpu.operators;
  const operator_rates& usual = usual_operators;
  constexpr usual_shares shares{};
  detail::fill(rates.product_memory, T(usual.product_memory));
  detail::fill(rates.elementwise_memory, T(usual.elementwise_memory));
  detail::fill(rates.permutation_memory, T(usual.permutation_memory));
  detail::fill(rates.grouped_memory, T(usual.grouped_memory));
  detail::fill(rates.product_steady, T(usual.product_steady));
  detail::fill(rates.product_start, basic_seconds<T>(usual.product_start));
  detail::fill(rates.quantization_start, basic_seconds<T>(usual.quantization_start));
  detail::fill(rates.grouped_start, basic_seconds<T>(usual.grouped_start));
  detail::fill(rates.group_start, basic_seconds<T>(usual.group_start));
  detail::fill_attention(rates.attention, gpu, shares);
  detail::fill_links(rates, gpu, shares);
  return rates;
}

}  // namespace gpuplan
