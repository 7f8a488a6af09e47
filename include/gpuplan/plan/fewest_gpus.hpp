#pragma once
/// \file
/// The fewest GPUs on which a job fits.

#include <cstdint>

#include <gpuplan/require.hpp>

namespace gpuplan {
namespace detail {

/// The least divisor of `whole` that is larger than `part`, which is less than `whole`.
constexpr std::int64_t next_part(std::int64_t whole, std::int64_t part) {
  do ++part;
  while (whole % part != 0);
  return part;
}

}  // namespace detail

/// The fewest GPUs, more than those on which a job does not fit, on which it fits; 0 where it fits
/// on no number that was tried up to `most`.  Within a node its equal parts are tried, above it
/// whole nodes.
///
///     n_0     = g
///     n_(i+1) = least divisor of d above n_i   where n_i < d
///               d ceil(2 n_i / d)              else, until the job fits, then by bisection
///
///     g  gpus            those that are too few            count, 1 to 2^40
///     d  gpus_per_node                                     count, 1 to 2^20
///        most            numbers from there on are not doubled   count, 1 to 2^40
///        fits_on(n)      whether the job fits on n GPUs; then it has to fit on more
///        ended()         whether enough was tried: what was found so far is the answer
///
/// Tries the divisors of d above g and about log2(n / d) numbers upwards, then at most log2(n / d)
/// below the one that fits.
///
/// Source: ours; galloping search of J. L. Bentley and A. C. Yao, "An almost optimal algorithm for
/// unbounded searching", Information Processing Letters 5 (1976) 3.
///
/// \throws invalid_input if gpus, gpus_per_node or most are out of range
template <class FitsOn, class Ended>
std::int64_t fewest_gpus(std::int64_t gpus, std::int64_t gpus_per_node, std::int64_t most,
                         const FitsOn& fits_on, const Ended& ended) {
  require(gpus >= 1 && gpus <= std::int64_t{1} << 40, "fewest_gpus: gpus must be in [1, 2^40]");
  require(gpus_per_node >= 1 && gpus_per_node <= std::int64_t{1} << 20,
          "fewest_gpus: gpus_per_node must be in [1, 2^20]");
  require(most >= 1 && most <= std::int64_t{1} << 40, "fewest_gpus: most must be in [1, 2^40]");
  std::int64_t too_few = gpus;
  std::int64_t enough = gpus;
  do {
    if (enough >= most || ended()) return 0;
    too_few = enough;
    enough = enough < gpus_per_node
                 ? detail::next_part(gpus_per_node, enough)
                 : (2 * enough + gpus_per_node - 1) / gpus_per_node * gpus_per_node;
  } while (!fits_on(enough));
  while (enough - too_few > gpus_per_node && !ended()) {
    const std::int64_t middle = (too_few + enough) / 2 / gpus_per_node * gpus_per_node;
    if (middle <= too_few) break;
    (fits_on(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace gpuplan
