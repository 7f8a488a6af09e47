#pragma once
/// \file
/// Few constants that come closest to measured times: coordinate descent on logarithms.

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace gpuplan::operators {

/// A constant to fit, in base units.
struct free_constant {
  double start = 1;  ///< > 0
  std::function<void(double)> set;
};

/// Sets the constants to where `loss` is least, each multiplied and divided by ever smaller
/// factors: 1.35 down to 1.002.  They are > 0 throughout.
///
/// Robust, for a loss that is a mean of absolute values has corners that gradients do not see.
///
/// Source: R. Hooke and T. A. Jeeves, "Direct search solution of numerical and statistical
/// problems", J. ACM 8 (1961) 212-229.
inline void descend(const std::vector<free_constant>& constants,
                    const std::function<double()>& loss) {
  std::vector<double> at;
  for (const free_constant& one : constants) {
    at.push_back(one.start);
    one.set(one.start);
  }
  double best = loss();
  constexpr double first = 0.3;
  constexpr double last = 0.002;
  for (int again = 0; again < 2; ++again) {
    for (double step = first; step > last;) {
      bool better = false;
      for (std::size_t i = 0; i < constants.size(); ++i) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          constants[i].set(at[i] * factor);
          const double tried = loss();
          if (tried < best - 1e-9) {
            best = tried;
            at[i] *= factor;
            better = true;
            break;
          }
          constants[i].set(at[i]);
        }
      }
      if (!better) step /= 2;
    }
  }
}

}  // namespace gpuplan::operators
