#pragma once
/// \file
/// Laws of service by their names, a mean and a variation.

#include <array>
#include <variant>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/units/units.hpp>

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

}  // namespace gpuplan::cli
