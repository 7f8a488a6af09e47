#pragma once
/// \file
/// Time slicing on a GPU, as in Gandiva: round robin, and the cost of a switch.

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/queue/detail/linear_equations.hpp>
#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Turns of a fixed length.
struct time_slice {
  seconds quantum{};   ///< q, of a job's own work in each turn; > 0
  seconds overhead{};  ///< o, to suspend one job and resume the next, before each turn; >= 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const time_slice& slice) {
  require(slice.quantum > seconds{0}, "time_slice.quantum must be > 0 s");
  require(slice.overhead >= seconds{0}, "time_slice.overhead must be >= 0 s");
}

namespace detail {

/// The largest size that takes so many turns, by rounded_up: what is above it by more than rounding
/// takes one more.
inline seconds served_in(int turns, const time_slice& slice) {
  return turns * slice.quantum / (1 - quotient_rounding);
}

}  // namespace detail

/// How many turns a job takes on average.
///
///     E ceil(S / q) = sum_(k >= 0) P(S > k q)
///
///     S  of law;  q  slice.quantum
///
/// Of exponential jobs 1 / (1 - e^(-q / E S)).  Beyond 10 000 turns the sum goes on as an integral.
///
/// Source: by definition.
///
/// \throws invalid_input if law or slice are invalid
template <service_law Law>
double mean_turns(const Law& law, const time_slice& slice) {
  require_valid(law);
  require_valid(slice);
  double sum = 0;
  if constexpr (discrete_service_law<Law>) {
    for (const auto& [size, probability] : law.atoms())
      sum += probability * rounded_up(size / slice.quantum);
    return sum;
  } else {
    for (int k = 0; k < 10000; ++k) {
      const double longer = law.tail(k * slice.quantum);
      sum += longer;
      if (longer < 1e-18) return sum;
    }
    const seconds end = 10000 * slice.quantum;
    const seconds beyond = mean_service(law) - truncated_moment<1>(law, end);
    return sum + larger(beyond, seconds{0}) / slice.quantum + law.tail(end) / 2;
  }
}

namespace detail {

/// Waits before the first, second, ... turn of a job; beyond the last kept they are all as long as
/// those of a job without end.
struct turn_waits {
  static constexpr int kept = 256;
  std::array<seconds, kept> wait{};
  seconds limit{};  ///< h rho / (1 - rho)

  [[nodiscard]] seconds before(int turn) const { return turn < kept ? wait[index(turn)] : limit; }
  static constexpr std::size_t index(int turn) { return static_cast<std::size_t>(turn); }
};

/// The length of a job's turns, 0 for those that it does not need.
template <service_law Law>
struct turn_work {
  const Law& law;
  time_slice slice;

  /// E X_i^2 of turn i, counted from 0.
  [[nodiscard]] square_seconds square(int i) const {
    const seconds from = served_in(i, slice);
    const seconds to = served_in(i + 1, slice);
    const seconds full = slice.quantum + slice.overhead;
    const seconds shift = slice.overhead - from;
    const auto between = [&]<int K>() {
      return law.template moment_up_to<K>(to) - law.template moment_up_to<K>(from);
    };
    return law.tail(to) * (full * full) + between.template operator()<2>() +
           2 * (shift * between.template operator()<1>()) +
           between.template operator()<0>() * (shift * shift);
  }
};

/// The waits of round robin, which depend on each other linearly.
template <service_law Law>
turn_waits waits_of_turns(const Law& law, per_second arrival_rate, const time_slice& slice,
                          double turns) {
  constexpr int n = turn_waits::kept;
  const seconds full = slice.quantum + slice.overhead;
  const seconds all = mean_service(law) + turns * slice.overhead;
  const double rho = arrival_rate * all;
  turn_waits waits;
  waits.limit = full * (rho / (1 - rho));
  waits.wait.fill(waits.limit);

  const turn_work<Law> work{law, slice};
  std::array<double, std::size_t{2} * n> busy{};    // lambda u_i
  std::array<double, std::size_t{2} * n> beyond{};  // lambda (u_(i+1) + ...)
  square_seconds squares{};
  double counted = 0;
  seconds before{};
  for (int i = 0; i < 2 * n; ++i) {
    counted += law.tail(served_in(i, slice));
    const seconds sum =
        truncated_moment<1>(law, served_in(i + 1, slice)) + counted * slice.overhead;
    busy[turn_waits::index(i)] = arrival_rate * (sum - before);
    beyond[turn_waits::index(i)] = rho - arrival_rate * sum;
    squares += work.square(i);
    before = sum;
  }
  // Turns beyond: whole ones, and last ones of which any part is as likely.
  const double last = law.tail(served_in(2 * n, slice));
  squares += (turns - counted - last) * (full * full) +
             last * (slice.quantum * slice.quantum / 3 + slice.quantum * slice.overhead +
                     slice.overhead * slice.overhead);

  linear_equations balance(n);  // unknown are the waits, s
  for (int k = 0; k < n; ++k) {
    // Behind jobs of every turn that were waiting or running; then those that came since.
    const std::size_t row = turn_waits::index(k);
    const seconds more = k == 0 ? seconds{0} : full;
    seconds known = k == 0 ? arrival_rate * squares / 2 : seconds{0};
    balance.at(row, row) += 1;
    const auto behind = [&](int turn, double share, seconds beside) {
      balance.at(row, turn_waits::index(turn)) -= share;
      known += share * beside;
    };
    for (int m = 0; m < n; ++m) behind(m, busy[turn_waits::index(m + k)], more);
    for (int m = 0; m < k; ++m) behind(m, busy[turn_waits::index(k - 1 - m)], full);
    known += (waits.limit + more) * beyond[turn_waits::index(n + k - 1)];
    balance.right(row) = known / seconds{1};
  }
  const std::vector<double> solved =
      balance.solve("round robin: no waits solve the equations of its turns");
  for (int k = 0; k < n; ++k)
    waits.wait[turn_waits::index(k)] = solved[turn_waits::index(k)] * seconds{1};
  return waits;
}

}  // namespace detail

/// Round robin with switching: the time that a job of size x takes.
///
///     T(x) = x + n o + W_1 + ... + W_n,   n = ceil(x / q)
///     W_k = lambda sum_m (W_m + h_k) u_(m+k-1) + lambda sum_(m<k) (W_m + q + o) u_(k-m) + R_k
///
///     lambda  arrival_rate                  1/s, >= 0
///     q, o    slice.quantum, .overhead      s, >= 0
///     x       size                          s, >= 0
///     u_i     mean of turn i over all jobs, those that need it not included as 0
///     h_k     0 for k = 1, else q + o
///     R_k     lambda/2 sum_i E X_i^2 of the turns' lengths X_i for k = 1, else 0
///
/// Mean values: a job waits for the turns of those it finds, and of those that came since its last
/// turn.  Exact up to 256 turns a job; later turns wait as those of a job without end,
/// (q + o) rho / (1 - rho).  As q and o tend to 0 it is processor sharing, x / (1 - rho).  Infinite
/// where switches take what is left of the GPU.  Solves 256 equations, in memory that it allocates.
///
/// Source: R. W. Wolff, "Time sharing with priorities", SIAM J. Appl. Math. 19 (1970) 566-574; W.
/// Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI (2018).
///
/// \throws invalid_input if law or slice are invalid, arrival_rate < 0 or size < 0 s
template <service_law Law>
seconds time_slicing_response(const Law& law, per_second arrival_rate, const time_slice& slice,
                              seconds size) {
  const double rho = detail::utilization_of(law, arrival_rate);
  require(size >= seconds{0}, "time_slicing_response: size must be >= 0 s");
  const double turns = mean_turns(law, slice);
  if (!(rho + arrival_rate * (turns * slice.overhead) < 1)) return detail::for_ever;
  const auto waits = detail::waits_of_turns(law, arrival_rate, slice, turns);
  const double own = rounded_up(size / slice.quantum);
  seconds sum = size + own * slice.overhead;
  const int kept =
      own < detail::turn_waits::kept ? static_cast<int>(own) : detail::turn_waits::kept;
  for (int k = 0; k < kept; ++k) sum += waits.before(k);
  return sum + (own - kept) * waits.limit;
}

/// Mean of time_slicing_response over all jobs.
///
///     E T = E S + o E ceil(S / q) + sum_k P(S > (k-1) q) W_k
///
/// Source: as time_slicing_response.
///
/// \throws invalid_input if law or slice are invalid, or arrival_rate < 0
template <service_law Law>
seconds time_slicing_response(const Law& law, per_second arrival_rate, const time_slice& slice) {
  const double rho = detail::utilization_of(law, arrival_rate);
  const double turns = mean_turns(law, slice);
  if (!(rho + arrival_rate * (turns * slice.overhead) < 1)) return detail::for_ever;
  const auto waits = detail::waits_of_turns(law, arrival_rate, slice, turns);
  seconds sum = mean_service(law) + turns * slice.overhead;
  double counted = 0;
  for (int k = 0; k < detail::turn_waits::kept; ++k) {
    const double reached = law.tail(detail::served_in(k, slice));
    counted += reached;
    sum += reached * waits.before(k);
  }
  return sum + std::fmax(0, turns - counted) * waits.limit;
}

}  // namespace gpuplan
