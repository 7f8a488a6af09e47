#pragma once
/// \file
/// A queue that is described by numbers: a rate of arrival, a time of service, GPUs.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/policy.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/units/units.hpp>

#include "queue/queue.hpp"

namespace gpuplan::cli {

/// A law of service by its name.
enum class service_shape {
  exponential,
  deterministic,
  erlang,
  hyperexponential,
  uniform,
  lognormal,
  weibull
};

inline constexpr std::array service_shapes{
    named<service_shape>{"exponential", service_shape::exponential},
    named<service_shape>{"deterministic", service_shape::deterministic},
    named<service_shape>{"erlang", service_shape::erlang},
    named<service_shape>{"hyperexponential", service_shape::hyperexponential},
    named<service_shape>{"uniform", service_shape::uniform},
    named<service_shape>{"lognormal", service_shape::lognormal},
    named<service_shape>{"weibull", service_shape::weibull}};

using service_time = std::variant<deterministic_service, erlang_service, hyperexponential_service,
                                  uniform_service, lognormal_service, weibull_service>;

/// The law of a shape with a mean and a squared coefficient of variation.
/// \throws bad_usage if the shape has no such variation
service_time service_time_of(service_shape shape, seconds mean, double variation);

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
