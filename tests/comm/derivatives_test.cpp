// Every templated time of comm/: its derivative with respect to a bandwidth, by autodiff and by a
// difference quotient.
#include <array>
#include <functional>
#include <span>

#include <boost/math/differentiation/autodiff.hpp>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/broadcast.hpp>
#include <gpuplan/comm/contention.hpp>
#include <gpuplan/comm/double_tree.hpp>
#include <gpuplan/comm/eager_rendezvous.hpp>
#include <gpuplan/comm/fastest.hpp>
#include <gpuplan/comm/hierarchical.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/comm/in_switch.hpp>
#include <gpuplan/comm/loggp.hpp>
#include <gpuplan/comm/lower_bound.hpp>
#include <gpuplan/comm/max_rate.hpp>
#include <gpuplan/comm/overlap.hpp>
#include <gpuplan/comm/pipelined_broadcast.hpp>
#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/comm/prefetch.hpp>
#include <gpuplan/comm/reduce.hpp>
#include <gpuplan/comm/reduce_scatter.hpp>
#include <gpuplan/comm/synchronization.hpp>
#include <gpuplan/comm/torus.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;
using autodiff = boost::math::differentiation::autodiff_fvar<double, 1>;

/// Sum of many times, each a function of a link's bandwidth: in base units.
template <class T>
T some_times(const T& bandwidth) {
  const basic_interconnect<T> link{.latency = 5 * us,
                                   .bandwidth = basic_bytes_per_second<T>{bandwidth}};
  const basic_bytes<T> m = 300 * MB;
  const basic_two_level<T> group{.inside = {4 * us, 600 * GB / second},
                                 .between = link,
                                 .node_ranks = 8,
                                 .nodes = 3,
                                 .ports = 2};
  const std::array<basic_torus_dimension<T>, 2> torus{{{4, link}, {3, link}}};
  const std::span<const basic_torus_dimension<T>> grid{torus};
  const auto sent = [&](const basic_bytes<T>& size) { return message_time(link, size).total(); };
  const basic_seconds<T> each = sent(m);

  basic_seconds<T> sum = each;
  for (const auto a : all_reduce_algorithms) sum += all_reduce(a, link, 12, m).total();
  sum += reduce_scatter(reduce_scatter_algorithm::circulant, link, 12, m).total();
  sum += all_gather(all_gather_algorithm::bruck, link, 12, m).total();
  for (const auto a : all_to_all_algorithms) sum += all_to_all(a, link, 12, m).total();
  for (const auto a : broadcast_algorithms) sum += broadcast(a, link, 12, m).total();
  for (const auto a : reduce_algorithms) sum += reduce(a, link, 12, m).total();
  for (const auto s : {pipeline_shape::chain, pipeline_shape::two_tree}) {
    sum += pipelined_broadcast(s, link, 12, m, 16).total();
    sum += pipelined_broadcast_unrounded(s, link, 12, m).total();
  }
  sum += double_tree_all_reduce(link, 12, m, 16).total();
  sum += nvls_all_reduce(link, 12, m).total() + nvls_all_gather(link, 12, m).total();
  sum += sharp_all_reduce(link, 12, m).total() +
         sharp_all_reduce(link, 12, m, {.hops = 3, .each = 300 * ns}).total();
  sum += lower_bound(collective::all_reduce, link, 12, m).total();
  sum += fastest_all_reduce(link, 12, m).time.total();
  sum += hierarchical_all_reduce(group, m).serial() + hierarchical_all_reduce(group, m).pipelined();
  sum += flat_ring_all_reduce(group, m).total();
  sum += two_level_all_to_all(group, m, aggregation::rail).serial();
  sum += torus_all_reduce(grid, m).total() + concurrent_torus_all_reduce(grid, m).total();
  sum += max_rate_message_time(link, 4, 3.0 * link.bandwidth, m).total();
  sum += message_time(
             basic_eager_rendezvous<T>{.limit = 8 * KiB, .eager = link, .rendezvous = link}, m)
             .total();
  sum +=
      loggp_message_time(basic_loggp<T>{.latency = 5 * us, .gap_per_byte = 1.0 / link.bandwidth}, m)
          .total();
  sum +=
      pipelined_time(
          basic_pipelined_link<T>{.latency = 5 * us, .fill = 1 * ms, .bandwidth = link.bandwidth},
          m)
          .total();
  sum += overlapped_uniform_buckets(4, basic_seconds<T>{1 * ms}, each).exposed;
  sum += overlapped_gradients(basic_seconds<T>{1 * ms}, m, 70 * MB, sent).exposed;
  const basic_sharded_layer<T> layer{
      .gather = each, .forward = 1 * ms, .backward = 2 * ms, .reduce_scatter = each};
  sum += prefetched_forward(layer, 5) + prefetched_backward(layer, 5);
  sum += beside_each_other(basic_seconds<T>{1 * ms}, each, {T(1.1), T(1.2)});
  sum +=
      compressed_time_of(cost_of(all_reduce_algorithm::ring, 12), link, m, {.ratio = T(2)}).total();
  return sum.in_base_units() +
         bus_bandwidth(collective::all_reduce, 12, m, each).in_base_units() * T(1e-12) +
         synchronization_efficiency(3, basic_seconds<T>{1 * ms}, each);
}

TEST_CASE("times differentiate as they differ", "[comm][autodiff]") {
  const double at = 5.3e10;
  const double step = 1e5;
  const double quotient = (some_times(at + step) - some_times(at - step)) / (2 * step);
  const auto exact = some_times(boost::math::differentiation::make_fvar<double, 1>(at));
  CHECK_THAT(exact.derivative(0), WithinRel(some_times(at), 1e-12));
  CHECK_THAT(exact.derivative(1), WithinRel(quotient, 1e-6));
}

}  // namespace
}  // namespace gpuplan
