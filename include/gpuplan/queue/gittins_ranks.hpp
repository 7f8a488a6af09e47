#pragma once
/// \file
/// Which of the jobs whose size is not known is most likely to end soon, for the service it asks.

#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The ranks of a law of sizes from data.  The job of least rank runs.
///
///     r(a) = inf_d E[min(S - a, d) | S > a] / P(S - a <= d | S > a)
///
///     a  service that the job has had   s, >= 0
///     S  of the law
///
/// The Gittins index is 1 / r.  Between sizes the rank falls in straight lines; after a size it
/// starts anew.
///
/// Source: J. C. Gittins, "Bandit processes and dynamic allocation indices", J. R. Stat. Soc. B 41
/// (1979) 148-177; S. Aalto, U. Ayesta and R. Righter, "On the Gittins index in the M/G/1 queue",
/// Queueing Systems 63 (2009) 437-458.
class gittins_ranks {
 public:
  explicit gittins_ranks(const empirical_service& law)
      : atoms_(law.atoms().begin(), law.atoms().end()) {
    left_.assign(atoms_.size() + 1, 0.0);
    for (std::size_t i = atoms_.size(); i-- > 0;) left_[i] = left_[i + 1] + atoms_[i].probability;
    for (std::size_t j = 0; j < atoms_.size(); ++j) {
      seconds least = rank_within(j, age_of(j));
      for (const seconds before : starts_)  // what rounding alone tells apart is equal
        if (abs(least - before) <= 1e-12 * before) least = before;
      starts_.push_back(least);
    }
  }

  /// r(a); none is left above the longest job, which is at its end.
  /// \throws invalid_input if age < 0 s
  [[nodiscard]] seconds rank(seconds age) const {
    require(age >= seconds{0}, "gittins_ranks.rank: age must be >= 0 s");
    std::size_t j = 0;
    while (j < atoms_.size() && atoms_[j].size <= age) ++j;
    return j < atoms_.size() ? rank_within(j, age) : seconds{0};
  }

  /// The rank of a job just after it has had 0, and each size but the last.
  [[nodiscard]] std::span<const seconds> starts() const { return starts_; }

  [[nodiscard]] std::span<const service_atom> atoms() const { return atoms_; }

  /// Where stretch j begins: the age 0, or size j - 1.
  [[nodiscard]] seconds age_of(std::size_t j) const {
    return j == 0 ? seconds{0} : atoms_[j - 1].size;
  }

  /// The first age within stretch j, from there to size j, at which the rank is no more than a
  /// limit.
  [[nodiscard]] seconds age_of_rank(std::size_t j, seconds limit) const {
    if (starts_[j] <= limit) return age_of(j);
    seconds first = atoms_[j].size;
    seconds served{};
    for (std::size_t i = j; i < atoms_.size(); ++i) {
      served += atoms_[i].probability * atoms_[i].size;
      const seconds spent = served + left_[i + 1] * atoms_[i].size;
      first = smaller(first, (spent - (left_[j] - left_[i + 1]) * limit) / left_[j]);
    }
    return larger(first, age_of(j));
  }

 private:
  [[nodiscard]] seconds rank_within(std::size_t j, seconds age) const {
    seconds least = detail::for_ever;
    seconds served{};
    double ended = 0;
    for (std::size_t i = j; i < atoms_.size(); ++i) {
      const seconds quantum = atoms_[i].size - age;
      served += atoms_[i].probability * quantum;
      ended += atoms_[i].probability;
      least = smaller(least, (served + left_[i + 1] * quantum) / ended);
    }
    return least;
  }

  std::vector<service_atom> atoms_;
  std::vector<double> left_;     ///< share of the jobs of size i and longer
  std::vector<seconds> starts_;  ///< rank at the beginning of each stretch
};

}  // namespace gpuplan
