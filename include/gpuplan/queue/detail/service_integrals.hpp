#pragma once
/// \file
/// Integrals over a distribution of durations: sums for data, quadrature for densities.

#include <array>

#include <gpuplan/queue/service.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

struct quadrature_node {
  double x;       ///< and -x, on (-1, 1)
  double weight;  ///< of each
};

/// Gauss and Legendre's rule of 24 points: exact for polynomials of degree 47.
inline constexpr std::array<quadrature_node, 12> legendre_24{
    {{0.064056892862605626085, 0.12793819534675215697},
     {0.19111886747361630916, 0.12583745634682829612},
     {0.31504267969616337439, 0.1216704729278033912},
     {0.43379350762604513849, 0.11550566805372560135},
     {0.54542147138883953566, 0.10744427011596563478},
     {0.64809365193697556925, 0.09761865210411388827},
     {0.74012419157855436424, 0.086190161531953275917},
     {0.82000198597390292195, 0.073346481411080305734},
     {0.88641552700440103421, 0.059298584915436780746},
     {0.93827455200273275852, 0.044277438817419806169},
     {0.9747285559713094982, 0.028531388628933663181},
     {0.99518721999702136018, 0.012341229799987199547}}};

/// The integral of g from one size to another.
template <class G>
auto panel_integral(seconds from, seconds to, G g) {
  const seconds middle = (from + to) / 2;
  const seconds half = (to - from) / 2;
  auto sum = 0.0 * g(middle);
  for (const auto& [x, weight] : legendre_24)
    sum += weight * (g(middle - x * half) + g(middle + x * half));
  return sum * half;
}

/// Calls panel(from, to) for panels between which a law is smooth, up to a size: geometric from the
/// least size on, and towards an abrupt end.
template <class Panel>
void for_each_panel(const service_range& range, seconds end, Panel panel) {
  end = smaller(end, range.most);
  const seconds turn = range.ends ? (range.least + range.most) / 2 : range.most;
  seconds from = range.least;
  while (from < end) {
    seconds to = smaller(from * range.ratio, turn);
    if (!(from < turn)) {
      const seconds left = range.most - from;
      to = left > 1e-12 * range.most ? from + left / 2 : range.most;
    }
    to = smaller(to, end);
    panel(from, to);
    from = to;
  }
}

/// E g(S)
template <service_law Law, class G>
auto expectation(const Law& law, G g) {
  auto sum = 0.0 * g(mean_service(law));
  if constexpr (discrete_service_law<Law>) {
    for (const auto& [size, probability] : law.atoms()) sum += probability * g(size);
  } else {
    const service_range range = law.range();
    for_each_panel(range, range.most, [&](seconds from, seconds to) {
      sum += panel_integral(from, to, [&](seconds x) { return law.density(x) * g(x); });
    });
  }
  return sum;
}

/// The integral of g from 0 to a size, where g changes only with the sums over a law: it is
/// constant below all sizes, above them, and between sizes that have whole shares.
template <service_law Law, class G>
seconds integral_up_to(const Law& law, seconds end, G g) {
  seconds sum{};
  if constexpr (discrete_service_law<Law>) {
    seconds from{};
    for (const auto& [size, probability] : law.atoms()) {
      if (!(from < end)) return sum;
      const seconds to = smaller(size, end);
      sum += (to - from) * g((from + to) / 2);
      from = to;
    }
    if (from < end) sum += (end - from) * g(end);
  } else {
    const service_range range = law.range();
    sum += smaller(end, range.least) * g(seconds{0});
    for_each_panel(range, end,
                   [&](seconds from, seconds to) { sum += panel_integral(from, to, g); });
    if (end > range.most) sum += (end - range.most) * g(end);
  }
  return sum;
}

/// A size above all.
template <service_law Law>
seconds longest(const Law& law) {
  if constexpr (discrete_service_law<Law>) {
    const auto& atoms = law.atoms();
    return atoms[atoms.size() - 1].size;
  } else {
    return law.range().most;
  }
}

}  // namespace gpuplan::detail
