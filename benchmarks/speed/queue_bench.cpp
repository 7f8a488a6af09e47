// What a wait costs, as servers grow: c by the recursion, sqrt c by the series; by the incomplete
// gamma function no more than that.
#include <cmath>

#include <benchmark/benchmark.h>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/erlang_large.hpp>

namespace {

using namespace gpuplan;

void wait_by_recursion(benchmark::State& state) {
  const int c = static_cast<int>(state.range(0));
  workload jobs{
      .arrival_rate = 0.9 * c / units::hour, .mean_service = 1 * units::hour, .servers = c};
  for (auto _ : state) {
    benchmark::DoNotOptimize(jobs);
    benchmark::DoNotOptimize(wait(jobs));
  }
  state.SetComplexityN(c);
}
BENCHMARK(wait_by_recursion)->RangeMultiplier(8)->Range(8, 32768)->Complexity(benchmark::oN);

/// Erlang C at a load so close to the servers that no series is short.
template <double (*ErlangC)(double, double)>
void erlang_c_near_saturation(benchmark::State& state) {
  const auto c = static_cast<double>(state.range(0));
  double load = c * (1 - 1e-6);
  for (auto _ : state) {
    benchmark::DoNotOptimize(load);
    benchmark::DoNotOptimize(ErlangC(c, load));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(erlang_c_near_saturation<continuous_erlang_c>)
    ->RangeMultiplier(10)
    ->Range(100, 10000000)
    ->Complexity([](benchmark::IterationCount n) { return std::sqrt(static_cast<double>(n)); });
BENCHMARK(erlang_c_near_saturation<erlang_c_large>)
    ->RangeMultiplier(10)
    ->Range(100, 10000000)
    ->Complexity([](benchmark::IterationCount n) { return std::sqrt(static_cast<double>(n)); });

}  // namespace
