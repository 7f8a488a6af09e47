/// \file
/// Activation functions on one core of a CPU: nanoseconds a value, by function.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include <gpuplan/compute/activation_function.hpp>

namespace {

using gpuplan::activation_function;

// As many values as stay in the first level of a cache: what is measured is arithmetic.
constexpr std::size_t values = 2048;

std::vector<double> arguments() {
  std::vector<double> all(values);
  for (std::size_t i = 0; i < values; ++i)
    all[i] = -4 + 8.0 * static_cast<double>(i * 1021 % values) / values;
  return all;
}

template <activation_function f>
void activate(benchmark::State& state) {
  const std::vector<double> in = arguments();
  std::vector<double> out(values);
  for (auto _ : state) {
    for (std::size_t i = 0; i < values; ++i) out[i] = gpuplan::activated(f, in[i]);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values));
}

BENCHMARK(activate<activation_function::relu>);
BENCHMARK(activate<activation_function::sigmoid>);
BENCHMARK(activate<activation_function::tanh>);
BENCHMARK(activate<activation_function::gelu>);
BENCHMARK(activate<activation_function::gelu_tanh>);
BENCHMARK(activate<activation_function::silu>);

}  // namespace
