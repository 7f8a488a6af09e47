#pragma once
/// \file
/// A queue that is described by numbers: a rate of arrival, a time of service, GPUs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/units/units.hpp>

#include "queue/queue.hpp"
#include "queue/service_shape.hpp"

namespace gpuplan::cli {

/// The question.
struct queue_numbers {
  per_second arrival_rate{};
  seconds mean_service{};
  std::int64_t gpus = 0;  ///< 0: as many as the targets ask for
  std::int64_t gpus_per_job = 1;
  variability spread{};
  service_shape shape = service_shape::exponential;
  std::vector<wait_target> targets{};
  std::vector<std::int64_t> sizes{};     ///< empty: around the GPUs
  std::vector<queue_policy> policies{};  ///< to compare
  double level = usual_level;            ///< of ranges

  [[nodiscard]] double offered_gpus() const {
    return arrival_rate * mean_service * static_cast<double>(gpus_per_job);
  }
};

/// Whose formula it is.
std::string_view formula_in_words(wait_formula formula);

/// \throws invalid_input or bad_usage
queue_answer answer_of(const queue_numbers& asked);

}  // namespace gpuplan::cli
