#pragma once
/// \file
/// Activation functions: their values, what they compute and move, and what they cost beside ReLU.

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A function between two products of a feed-forward network.
enum class activation_function {
  relu,
  sigmoid,
  tanh,
  gelu,       ///< exact, with the error function
  gelu_tanh,  ///< its approximation by a hyperbolic tangent
  silu,       ///< also called swish
  swiglu      ///< of a gate and a value: the gate's SiLU times the value
};

/// What a kernel of one function does for each result.  An exponential, a hyperbolic tangent and an
/// error function are special: they run on units of their own, or as many instructions.
struct activation_work {
  activation_function function{};
  std::string_view name;  ///< to print
  int arithmetic = 0;     ///< sums, products, quotients and comparisons
  int special = 0;        ///< exponentials, hyperbolic tangents, error functions
  int read = 1;           ///< values read, forward
  int read_back = 2;      ///< values read, backward: the incoming gradient and what was kept
  int written_back = 1;   ///< values written, backward

  /// Values read and written for each result.
  [[nodiscard]] constexpr int moved() const { return read + 1; }
  [[nodiscard]] constexpr int moved_back() const { return read_back + written_back; }
};

/// Every function, in the order of the enumeration.
///
/// Source: D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units (GELUs)" (2016),
/// arXiv:1606.08415; N. Shazeer, "GLU Variants Improve Transformer" (2020), arXiv:2002.05202; each
/// counted from the expression beside it.
inline constexpr std::array activation_works{
    // max(x, 0)
    activation_work{.function = activation_function::relu, .name = "relu", .arithmetic = 1},
    // 1 / (1 + e^-x)
    activation_work{
        .function = activation_function::sigmoid, .name = "sigmoid", .arithmetic = 3, .special = 1},
    activation_work{.function = activation_function::tanh, .name = "tanh", .special = 1},
    // (x / 2) (1 + erf(x / sqrt 2))
    activation_work{
        .function = activation_function::gelu, .name = "gelu", .arithmetic = 4, .special = 1},
    // (x / 2) (1 + tanh(c x (1 + 0.044715 x x)))
    activation_work{.function = activation_function::gelu_tanh,
                    .name = "gelu_tanh",
                    .arithmetic = 8,
                    .special = 1},
    // x / (1 + e^-x)
    activation_work{
        .function = activation_function::silu, .name = "silu", .arithmetic = 3, .special = 1},
    // g / (1 + e^-g) v
    activation_work{.function = activation_function::swiglu,
                    .name = "swiglu",
                    .arithmetic = 4,
                    .special = 1,
                    .read = 2,
                    .read_back = 3,
                    .written_back = 2}};

/// What a function does for each result.
///
///     relu       1        sigmoid  3 + 1      gelu  4 + 1      swiglu  4 + 1
///     gelu_tanh  8 + 1    silu     3 + 1      tanh  0 + 1      arithmetic + special
///
///     f  function    one of activation_function
///
/// Holds: no instruction is shared between neighbours.
///
/// Source: D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units (GELUs)" (2016),
/// arXiv:1606.08415; N. Shazeer, "GLU Variants Improve Transformer" (2020), arXiv:2002.05202, by
/// counting.
///
/// \throws invalid_input if f is none of activation_function
constexpr const activation_work& activation_work_of(activation_function f) {
  const auto place = static_cast<std::size_t>(f);
  require(place < activation_works.size(),
          "activation_work_of: f must be one of activation_function");
  return activation_works[place];
}

/// Value of a function of one argument.
///
///     relu       max(x, 0)
///     sigmoid    1 / (1 + e^-x)
///     gelu       x/2 (1 + erf(x / sqrt(2)))
///     gelu_tanh  x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
///     silu       x / (1 + e^-x)
///
///     f  function    one of relu sigmoid tanh gelu gelu_tanh silu
///     x  argument    1, any
///
/// Holds: to the rounding of the standard library.
///
/// Source: D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units (GELUs)" (2016),
/// arXiv:1606.08415, sections 2 and 4.
///
/// \throws invalid_input if x is NaN, or f is swiglu or none of activation_function
inline double activated(activation_function f, double x) {
  require(x == x, "activated: x must be a number");
  constexpr double root_half = 0.70710678118654752440;     // 1 / sqrt(2)
  constexpr double root_2_by_pi = 0.79788456080286535588;  // sqrt(2 / pi)
  switch (f) {
    case activation_function::relu: return x > 0 ? x : 0;
    case activation_function::sigmoid: return 1 / (1 + std::exp(-x));
    case activation_function::tanh: return std::tanh(x);
    case activation_function::gelu: return 0.5 * x * (1 + std::erf(x * root_half));
    case activation_function::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(root_2_by_pi * x * (1 + 0.044715 * x * x)));
    case activation_function::silu: return x / (1 + std::exp(-x));
    case activation_function::swiglu: break;
  }
  require(false, "activated: f must be a function of one argument");
  return 0;
}

/// Value of SwiGLU: silu(g) v.
///
///     v g / (1 + e^-g)
///
///     g  gate     1, any
///     v  value    1, any
///
/// Holds: without its matrices, which are products of the layer.
///
/// Source: N. Shazeer, "GLU Variants Improve Transformer" (2020), arXiv:2002.05202, equation 6.
///
/// \throws invalid_input if an argument is NaN
inline double swiglu(double gate, double value) {
  require(value == value, "swiglu: value must be a number");
  return activated(activation_function::silu, gate) * value;
}

/// The largest distance between GELU and its approximation by a hyperbolic tangent, at arguments of
/// +-2.69894.  Half a step of BF16 near there is 7.8e-3, of FP16 9.8e-4: training in 16 bits does
/// not see it.
///
/// Source: by search over 0 to 6 in steps of 1e-5.
inline constexpr double largest_gelu_difference = 4.732355e-4;
inline constexpr double largest_gelu_difference_at = 2.69894;

/// Rates at which a device runs activation functions.
struct activation_rates {
  flop_per_second arithmetic{};  ///< sums and products outside of matrix units; > 0
  flop_per_second special{};     ///< exponentials and the like, a quarter on NVIDIA GPUs; > 0
  bytes_per_second memory{};     ///< streaming; > 0
};

/// \throws invalid_input if a rate is <= 0
constexpr void require_valid(const activation_rates& rates) {
  require(rates.arithmetic > flop_per_second{0}, "activation_rates.arithmetic must be > 0 FLOP/s");
  require(rates.special > flop_per_second{0}, "activation_rates.special must be > 0 FLOP/s");
  require(rates.memory > bytes_per_second{0}, "activation_rates.memory must be > 0 B/s");
}

/// Time of a forward kernel of one function: of its arithmetic, its special functions or its bytes,
/// whichever takes longest.
///
///     max(n a / R, n s / R_s, n (r + 1) b / W)
///
///     f    function                         one of activation_function
///     n    results                          count, >= 0
///     b    bytes of a value                 B, > 0
///     R    rate of arithmetic               FLOP/s, > 0
///     R_s  rate of special functions        FLOP/s, > 0
///     W    bandwidth of memory              B/s, > 0
///     a    arithmetic for each result
///     s    special functions for each result
///     r    values read for each result
///
/// On GPUs memory binds in 16 bits, so that GELU costs what ReLU does; SwiGLU costs 1.5 times that,
/// as it reads two values.
///
/// Holds: large tensors, a kernel that fuses nothing else; units that work beside each other.
///
/// Source: S. Williams, A. Waterman and D. Patterson, "Roofline", Commun. ACM 52 (2009) 65-76.
///
/// \throws invalid_input if results < 0, value <= 0 B, a rate is <= 0, or f is none of
///         activation_function
constexpr seconds activation_time(activation_function f, double results, bytes value,
                                  const activation_rates& rates) {
  require(results >= 0, "activation_time: results must be >= 0");
  require(value > bytes{0}, "activation_time: value must be > 0 B");
  require_valid(rates);
  const activation_work& work = activation_work_of(f);
  const seconds computed = results * work.arithmetic * units::FLOP / rates.arithmetic;
  const seconds special = results * work.special * units::FLOP / rates.special;
  const seconds moved = results * work.moved() * value / rates.memory;
  const seconds units = computed > special ? computed : special;
  return units > moved ? units : moved;
}

/// Time of a function over that of ReLU, both forward.
///
///     T_f / T_relu, each an activation_time
///
///     f    function                     one of activation_function
///     b    bytes of a value             B, > 0
///     R    rate of arithmetic           FLOP/s, > 0
///     R_s  rate of special functions    FLOP/s, > 0
///     W    bandwidth of memory          B/s, > 0
///
/// Holds: as activation_time.
///
/// Source: as activation_time.
///
/// \throws invalid_input as activation_time
constexpr double activation_over_relu(activation_function f, bytes value,
                                      const activation_rates& rates) {
  return activation_time(f, 1, value, rates) /
         activation_time(activation_function::relu, 1, value, rates);
}

/// A range of ratios.
struct cost_range {
  double least{};
  double most{};
};

/// Cost of a function over ReLU's, as a textbook's chapter has it: of arithmetic alone, without
/// saying on which device.
///
///     relu 1, sigmoid 2 to 3, gelu 3 to 4, gelu_tanh 1.5
///
///     f  function    one of relu sigmoid gelu gelu_tanh
///
/// A GPU sees none of it where memory binds, as the same chapter says: see activation_over_relu.
///
/// Holds: at best on a processor without units for special functions.
///
/// Source: a textbook's chapter on training.
///
/// \throws invalid_input if f is none of these four
constexpr cost_range coarse_activation_cost(activation_function f) {
  switch (f) {
    case activation_function::relu: return {1, 1};
    case activation_function::sigmoid: return {2, 3};
    case activation_function::gelu: return {3, 4};
    case activation_function::gelu_tanh: return {1.5, 1.5};
    default: break;
  }
  require(false, "coarse_activation_cost: f must be relu, sigmoid, gelu or gelu_tanh");
  return {};
}

}  // namespace gpuplan
