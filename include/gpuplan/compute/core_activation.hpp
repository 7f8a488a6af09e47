#pragma once
/// \file
/// Activation functions on one core of a CPU: measured, and from what a core does in a cycle.

#include <array>
#include <cstddef>

#include <gpuplan/compute/activation_function.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A function, and how long one value of it takes.
struct core_activation {
  activation_function function{};
  seconds time{};
};

/// Every function of one argument, in the order of the enumeration.
///
/// Source: benchmarks/speed/activation_bench.cpp on one core of an AMD EPYC of family 26, g++ 12.2
/// -O2, glibc 2.36, double precision, 2048 values of -4 to 4 in the first cache, one run; with two
/// cores shared, so to 10 %.
inline constexpr std::array core_activations{
    core_activation{activation_function::relu, 0.467 * units::ns},
    core_activation{activation_function::sigmoid, 2.757 * units::ns},
    core_activation{activation_function::tanh, 8.14 * units::ns},
    core_activation{activation_function::gelu, 7.92 * units::ns},
    core_activation{activation_function::gelu_tanh, 8.87 * units::ns},
    core_activation{activation_function::silu, 3.01 * units::ns}};

/// Measured time of one value of a function on one core of a CPU.
///
///     relu 0.467, sigmoid 2.757, tanh 8.14, gelu 7.92, gelu_tanh 8.87, silu 3.01 ns
///
///     f  function    one of relu sigmoid tanh gelu gelu_tanh silu
///
/// An exponential is cheaper than a hyperbolic tangent or an error function of the C library.
/// Libraries of vectors turn both into polynomials of like cost, and single precision takes fewer
/// terms: there sigmoid and tanh come nearer.
///
/// Holds: the C library, one thread, values in the first cache; `gpuplan_speed` measures others.
///
/// Source: benchmarks/speed/activation_bench.cpp on one core of an AMD EPYC of family 26, g++ 12.2
/// -O2, glibc 2.36.
///
/// \throws invalid_input if f is swiglu or none of activation_function
constexpr seconds core_activation_time(activation_function f) {
  const auto place = static_cast<std::size_t>(f);
  require(place < core_activations.size(),
          "core_activation_time: f must be a function of one argument");
  return core_activations[place].time;
}

/// What a core of a CPU does in a cycle.
struct processor_core {
  per_second clock{};            ///< > 0
  double arithmetic = 1;         ///< sums and products a cycle: lanes times pipes; > 0
  double cycles_of_special = 1;  ///< of one exponential, hyperbolic tangent or error function; > 0
  bytes_per_second memory{};     ///< that one core streams; > 0
};

/// Rates at which a core of a CPU runs activation functions.
///
///     R = f a,   R_s = f / c,   W
///
///     f  clock                  1/s, > 0
///     a  sums a cycle           1, > 0
///     c  cycles of a special    1, > 0
///     W  bandwidth of a core    B/s, > 0
///
/// A core without units for exponentials takes tens of cycles for one, so that arithmetic binds
/// where memory does on a GPU.
///
/// Holds: large tensors; specials and sums beside each other.
///
/// Source: S. Williams, A. Waterman and D. Patterson, "Roofline", Commun. ACM 52 (2009) 65-76.
///
/// \throws invalid_input if one of them is <= 0
constexpr activation_rates core_rates(const processor_core& core) {
  require(core.clock > per_second{0}, "processor_core.clock must be > 0 /s");
  require(core.arithmetic > 0, "processor_core.arithmetic must be > 0");
  require(core.cycles_of_special > 0, "processor_core.cycles_of_special must be > 0");
  require(core.memory > bytes_per_second{0}, "processor_core.memory must be > 0 B/s");
  return {.arithmetic = core.arithmetic * units::FLOP * core.clock,
          .special = units::FLOP / core.cycles_of_special * core.clock,
          .memory = core.memory};
}

}  // namespace gpuplan
