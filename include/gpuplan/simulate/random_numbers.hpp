#pragma once
/// \file
/// Random numbers that are equal on every platform, so that simulations can be repeated.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// The generator xoshiro256**, its state filled by splitmix64.  Streams of one seed do not overlap
/// within 2^128 numbers.  Whole numbers and uniform ones are equal everywhere; the others as far as
/// log, sqrt and cos of the platform are.
///
/// Source: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators", ACM Trans.
/// Math. Softw. 47 (2021) 36; G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA (2014) 453-472.
class random_numbers {
 public:
  constexpr explicit random_numbers(std::uint64_t seed, std::uint64_t stream = 0) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      word = seed;
      word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
      word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
      word ^= word >> 31;
    }
    for (; stream > 0; --stream) jump();
  }
  constexpr explicit random_numbers(const std::array<std::uint64_t, 4>& state) : state_(state) {}

  constexpr std::uint64_t bits() {
    const std::uint64_t result = rotated(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotated(state_[3], 45);
    return result;
  }

  /// Past 2^128 numbers.
  constexpr void jump() {
    std::array<std::uint64_t, 4> sum{};
    constexpr std::array<std::uint64_t, 4> polynomial{0x180ec6d33cfd0aba, 0xd5a61266f0c9392c,
                                                      0xa9582618e03fc9aa, 0x39abdc4529b1661c};
    for (const std::uint64_t word : polynomial)
      for (int bit = 0; bit < 64; ++bit) {
        if ((word >> bit & 1) != 0)
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= state_[i];
        bits();
      }
    state_ = sum;
  }

  /// Between 0 and 1, neither of them.
  constexpr double uniform() {
    const double u = (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
    return u < 1 ? u : 1 - 0x1p-53;  // 2^53 - 1/2 has no double of its own
  }

  /// From 0 to n - 1, each as likely; n from 1 to 2^32 - 1.
  ///
  /// Source: D. Lemire, "Fast random integer generation in an interval", ACM Trans. Model. Comput.
  /// Simul. 29 (2019) 3.
  constexpr std::uint64_t below(std::uint64_t n) {
    constexpr std::uint64_t low = 0xffffffff;
    std::uint64_t product = (bits() >> 32) * n;
    if ((product & low) < n) {
      const std::uint64_t uneven = (low + 1) % n;
      while ((product & low) < uneven) product = (bits() >> 32) * n;
    }
    return product >> 32;
  }

  /// Of mean 1.
  double exponential() { return -std::log(uniform()); }

  /// Of mean 0 and variance 1.
  ///
  /// Source: G. Box and M. Muller, "A note on the generation of random normal deviates", Ann. Math.
  /// Stat. 29 (1958) 610-611.
  double normal() {
    const double length = std::sqrt(2 * exponential());
    return length * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t rotated(std::uint64_t x, int by) {
    return x << by | x >> (64 - by);
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace gpuplan
