#pragma once
/// \file
/// A pool of GPUs that others use, too, and what a job of so many GPUs waits in it.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/units/units.hpp>

#include "command_words.hpp"

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// The wait of a job; infinite where it never starts.
struct pool_wait {
  double probability = 0;  ///< that it waits at all
  seconds mean{};
  seconds low{};  ///< between these the wait of one job is, with the probability of the bands; a
                  ///< mean can be above both
  seconds high{};
  std::vector<seconds> equally_likely{};  ///< waits that stand for all; none where it never starts
  std::optional<error_band> mean_band{};  ///< of the mean, where the formula's errors were measured
};

/// What waits rest on.
struct pool_basis {
  answer_origin origin = answer_origin::formula;
  named_policy policy{};
  std::int64_t gpus = 0;
  std::optional<double>
      offered_gpus{};                ///< that the jobs of the pool keep busy; none without a rate
  std::optional<double> capacity{};  ///< GPUs that the policy can keep busy, by formula
  std::optional<double> error_factor{};  ///< of the mean, by formula
  std::int64_t jobs = 0;                 ///< of the trace
  int times = 0;                         ///< at which the job is put into the trace
  std::string load{};                    ///< "4/h x 10 h: 40 GPUs busy"
  std::string how{};                     ///< in words
  std::string overload{};                ///< why the queue grows; empty where it does not
  std::string unknown{};                 ///< why it is not known whether it does
};

/// A pool with its jobs.
class shared_pool {
 public:
  explicit shared_pool(pool_basis basis) : basis_{std::move(basis)} {}
  shared_pool(const shared_pool&) = delete;
  shared_pool& operator=(const shared_pool&) = delete;
  virtual ~shared_pool() = default;

  [[nodiscard]] const pool_basis& basis() const { return basis_; }
  /// What a job waits that then runs so long; the ends hold a share `level` of such waits.
  [[nodiscard]] virtual pool_wait wait_of(int gpus, seconds run, double level) const = 0;

 private:
  pool_basis basis_;
};

/// The options of the pool as typed; empty where not given.
struct pool_options {
  std::string trace, columns, filter, bad_rows;
  std::string arrivals, service, service_variation, gpus_per_job;
  std::string gpus, policy;

  void add(CLI::App& command);
  /// Is there a pool?
  /// \throws bad_usage if options of a pool are given, and none says what jobs it has
  [[nodiscard]] bool given() const;
  /// Paths that are read.
  [[nodiscard]] std::vector<std::string> files() const;
  /// GPUs of the pool.
  /// \throws bad_usage
  [[nodiscard]] std::int64_t size() const;
  /// Sizes of jobs to try: one node, 2, 4, ... and all nodes of the pool.
  /// \throws bad_usage if the pool has no whole node
  [[nodiscard]] std::vector<std::int64_t> sizes(std::int64_t node) const;
  /// The pool, for jobs of these sizes.
  /// \throws bad_usage or invalid_input, too where a size is larger than the pool
  [[nodiscard]] std::shared_ptr<const shared_pool> read(std::span<const std::int64_t> sizes) const;

  /// Words without the options of the pool.
  static void erase_from(command_words& words);
};

}  // namespace gpuplan::cli
