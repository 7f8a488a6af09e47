#pragma once
/// \file
/// Rows of erlang.json that name a law of service.

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>

#include "queue/vector_rows.hpp"

namespace gpuplan::testing {

inline seconds time_of(const nlohmann::json& row, const char* name) {
  return number(row, name) * units::second;
}
inline per_second rate_of(const nlohmann::json& row) {
  return number(row, "lambda") / units::second;
}

/// Calls `with` with the law of service that a row names.
/// \throws std::runtime_error naming the law if there is none of that name
template <class With>
void with_law(const nlohmann::json& row, With with) {
  const std::string law = row.at("dist");
  const nlohmann::json& of = row.at("params");
  if (law == "exponential") {
    with(exponential_service(time_of(of, "mean")));
  } else if (law == "deterministic") {
    with(deterministic_service{time_of(of, "value")});
  } else if (law == "erlang") {
    with(erlang_service{of.at("k"), time_of(of, "mean")});
  } else if (law == "uniform") {
    with(uniform_service{time_of(of, "a"), time_of(of, "b")});
  } else if (law == "hyperexponential2") {
    with(hyperexponential_service{number(of, "p"), 1 / number(of, "mu1") * units::second,
                                  1 / number(of, "mu2") * units::second});
  } else if (law == "lognormal") {
    with(lognormal_service{std::exp(number(of, "mu")) * units::second, number(of, "sigma")});
  } else if (law == "weibull") {
    with(weibull_service{number(of, "shape"), time_of(of, "scale")});
  } else {
    if (law != "bounded_pareto") throw std::runtime_error{"no law of service: " + law};
    with(bounded_pareto_service{number(of, "alpha"), time_of(of, "L"), time_of(of, "H")});
  }
}

inline std::vector<seconds> times_of(const nlohmann::json& list) {
  std::vector<seconds> times;
  for (const nlohmann::json& time : list) times.push_back(number(time) * units::second);
  return times;
}

}  // namespace gpuplan::testing
