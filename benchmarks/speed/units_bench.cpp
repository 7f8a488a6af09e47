// What do units cost when a program runs?  Each formula is written once, as a template, and run in
// turn on quantities and on numbers; the counter "ratio" is the first time over the second, and
// should be 1.  tests/units/zero_cost says the same of the machine code, without a clock.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <gpuplan/units/units.hpp>

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

constexpr std::size_t many = 1024;

/// Ring all-reduce, its message and link varied.
struct ring {
  template <class Size, class Rate, class Time>
  static Time of(const Size& m, const Rate& w, const Time& alpha) {
    const double steps = 2.0 * (8 - 1);
    return steps * alpha + steps / 8 * m / w;
  }
};

/// Roofline: the time of work at the slower of two rates.
struct roofline {
  template <class Size, class Rate, class Time>
  static Time of(const Size& m, const Rate& w, const Time& launch) {
    const Time compute = launch * 3;
    const Time memory = m / w;
    return (compute < memory ? memory : compute) + launch;
  }
};

/// A polynomial of several divisions, as fits have them.
struct fit {
  template <class Size, class Rate, class Time>
  static Time of(const Size& m, const Rate& w, const Time& alpha) {
    const double x = m / (m + w * alpha);
    return alpha * (1 + x * (2 + x * (3 + x))) + m / w * x;
  }
};

template <class Size, class Rate, class Time>
struct inputs {
  std::array<Size, many> messages{};
  Rate bandwidth{400e9};
  Time latency{5e-6};
};

template <class Formula, class Size, class Rate, class Time>
double seconds_of(const inputs<Size, Rate, Time>& in) {
  const auto begin = std::chrono::steady_clock::now();
  Time sum{};
  for (const Size& m : in.messages) sum += Formula::of(m, in.bandwidth, in.latency);
  benchmark::DoNotOptimize(sum);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Formula>
void quantities_beside_numbers(benchmark::State& state) {
  inputs<bytes, bytes_per_second, seconds> typed;
  inputs<double, double, double> raw;
  for (std::size_t i = 0; i < many; ++i) {
    raw.messages[i] = 1e3 * static_cast<double>(i);
    typed.messages[i] = bytes{raw.messages[i]};
  }
  benchmark::DoNotOptimize(typed);
  benchmark::DoNotOptimize(raw);

  double ours = 0;
  double theirs = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double time = seconds_of<Formula>(typed);
    theirs += seconds_of<Formula>(raw);
    ours += time;
    state.SetIterationTime(time);
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t{many});
  state.counters["ratio"] = ours / theirs;
}

BENCHMARK_TEMPLATE(quantities_beside_numbers, ring)->UseManualTime();
BENCHMARK_TEMPLATE(quantities_beside_numbers, roofline)->UseManualTime();
BENCHMARK_TEMPLATE(quantities_beside_numbers, fit)->UseManualTime();

}  // namespace
