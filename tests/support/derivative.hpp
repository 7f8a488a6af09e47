#pragma once
/// \file
/// Derivatives of formulas that take any scalar, by automatic differentiation.

#include <boost/math/differentiation/autodiff.hpp>

namespace gpuplan::testing {

/// A number that carries its derivative by one variable.
using dual = boost::math::differentiation::autodiff_fvar<double, 1>;

/// The variable.
inline dual variable(double at) {
  return boost::math::differentiation::make_fvar<double, 1>(at);
}

inline double slope(const dual& y) {
  return y.derivative(1);
}

/// The central difference of f at x, with a step of a millionth of x.
template <class Function>
double difference(const Function& f, double x) {
  const double step = 1e-6 * x;
  return (f(x + step) - f(x - step)) / (2 * step);
}

}  // namespace gpuplan::testing
