#pragma once
/// \file
/// Power limits that a GPU can be set to.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/api/idle_choice.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// The least power that a GPU can be limited to: a fifth of its design power; 0 where that is not
/// known.
///
/// Source: NVIDIA, "DGX B200 User Guide", "Managing Power Capping",
/// docs.nvidia.com/dgx/dgxb200-user-guide/power-capping.html (2025): AllowableMin 200 W beside
/// AllowableMax 1000 W, the lowest part that was found.
constexpr watts least_power_limit(const accelerator& gpu) {
  return gpu.thermal_design_power / 5;
}

/// Whether a recipe limits a GPU to more than it draws without a limit, which has no effect.
constexpr bool is_idle_power_limit(const accelerator& gpu, const recipe& how) {
  return isfinite(how.power_limit) && gpu.thermal_design_power > watts{0} &&
         how.power_limit > gpu.thermal_design_power;
}

namespace detail {

/// A power as somebody would write it: "140 W".
inline std::string in_watts(watts power) {
  return json_number(power).dump() + " W";
}

inline void require_power_limit_of(const cluster_request& kind, const accelerator& gpu, watts limit,
                                   choice_name made) {
  const watts least = least_power_limit(gpu);
  if (limit >= least) return;
  throw invalid_input{
      std::string(made == choice_name::option ? "--power-limit" : "recipe: power_limit_w") +
      " must be >= " + in_watts(least) + ", a fifth of what " + kind.gpu + " draws at most (" +
      in_watts(gpu.thermal_design_power) + "), not " + in_watts(limit)};
}

}  // namespace detail

/// Refuses a power limit that a GPU of the job cannot be set to.
/// \throws invalid_input
inline void require_power_limit(const job& asked, choice_name made) {
  const watts limit = asked.recipe.power_limit;
  detail::require_power_limit_of(asked.asked, asked.pool.gpu(), limit, made);
  for (const pool_part& part : asked.others)
    detail::require_power_limit_of(part.asked, part.pool.gpu(), limit, made);
}

}  // namespace gpuplan::api
