#pragma once
/// \file
/// The distribution of measured durations: each value with its share of the jobs.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Sizes from data, sorted, equal ones together; sums are kept, so that a question takes O(log n).
class empirical_service {
 public:
  /// \throws invalid_input if there are no sizes, or one is not > 0 s
  explicit empirical_service(std::span<const seconds> sizes) {
    atoms_.reserve(sizes.size());
    for (const seconds size : sizes) atoms_.push_back({size, 1});
    gather();
  }

  /// Sizes with weights, which need not sum to 1.
  /// \throws invalid_input if there are no sizes, or a size or weight is not > 0
  explicit empirical_service(std::span<const service_atom> weighted)
      : atoms_(weighted.begin(), weighted.end()) {
    gather();
  }

  template <int K>
  [[nodiscard]] seconds_to_the<K> moment() const {
    return sum<K>(atoms_.size());
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> moment_up_to(seconds x) const {
    return sum<K>(count_up_to(x));
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> moment_below(seconds x) const {
    const auto found =
        std::lower_bound(atoms_.begin(), atoms_.end(), x,
                         [](const service_atom& atom, seconds size) { return atom.size < size; });
    return sum<K>(static_cast<std::size_t>(found - atoms_.begin()));
  }
  [[nodiscard]] double tail(seconds x) const {
    const std::size_t count = count_up_to(x);
    return count == atoms_.size() ? 0 : 1 - sum<0>(count);
  }
  [[nodiscard]] std::span<const service_atom> atoms() const { return atoms_; }

 private:
  void gather() {
    require(!atoms_.empty(), "empirical_service: sizes must be >= 1");
    double weight = 0;
    for (const service_atom& atom : atoms_) {
      require(atom.size > seconds{0}, "empirical_service: every size must be > 0 s");
      require(atom.probability > 0, "empirical_service: every weight must be > 0");
      weight += atom.probability;
    }
    std::sort(atoms_.begin(), atoms_.end(),
              [](const service_atom& a, const service_atom& b) { return a.size < b.size; });
    std::size_t distinct = 0;
    for (std::size_t i = 1; i < atoms_.size(); ++i)
      if (atoms_[i].size == atoms_[distinct].size)
        atoms_[distinct].probability += atoms_[i].probability;
      else
        atoms_[++distinct] = atoms_[i];
    atoms_.resize(distinct + 1);

    sums_.assign(1, {});
    for (service_atom& atom : atoms_) {
      atom.probability /= weight;
      std::array<double, 4> next = sums_.back();
      double power = atom.probability;
      for (double& of : next) {
        of += power;
        power *= atom.size / seconds{1};
      }
      sums_.push_back(next);
    }
  }

  [[nodiscard]] std::size_t count_up_to(seconds x) const {
    const auto found =
        std::upper_bound(atoms_.begin(), atoms_.end(), x,
                         [](seconds size, const service_atom& atom) { return size < atom.size; });
    return static_cast<std::size_t>(found - atoms_.begin());
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> sum(std::size_t count) const {
    static_assert(K >= 0 && K < 4, "moments up to the third are kept");
    return seconds_to_the<K>{sums_[count][K]};
  }

  std::vector<service_atom> atoms_;
  std::vector<std::array<double, 4>> sums_;  ///< of p x^K over the first atoms
};

/// \throws invalid_input naming the first field that is out of its range
inline void require_valid(const empirical_service&) {}  // checked when made

}  // namespace gpuplan
