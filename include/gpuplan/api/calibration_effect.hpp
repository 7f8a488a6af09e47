#pragma once
/// \file
/// What a profile moves: one layout, estimated by it and by datasheets alone.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/api/job_errors.hpp>
#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// What a number of a cluster counts.
enum class constant_kind { rate, work_rate, time, size, share };

/// The base unit of such a number: "B/s".
constexpr std::string_view unit_of(constant_kind kind) {
  switch (kind) {
    case constant_kind::rate: return "B/s";
    case constant_kind::work_rate: return "FLOP/s";
    case constant_kind::time: return "s";
    case constant_kind::size: return "B";
    case constant_kind::share: return "1";
  }
  return "";
}

/// A number that a profile has in the place of the datasheets'.
struct moved_constant {
  std::string name{};  ///< "scale_up_bandwidth"
  constant_kind kind{};
  double datasheet = 0;  ///< in base units
  double measured = 0;
};

/// One layout, estimated twice.
struct calibration_effect {
  std::string profile{};  ///< the file
  estimate datasheet{};
  estimate measured{};
  std::vector<moved_constant> constants{};
  std::optional<fit_interval<seconds>> band{};  ///< of the measured step, where runs tell it
};

namespace detail {

/// The constants of a cluster that a profile may move.
inline std::vector<moved_constant> constants_of(const job& asked) {
  const cluster& pool = asked.pool;
  const accelerator& gpu = pool.gpu();
  std::vector<moved_constant> all;
  const auto add = [&](std::string name, constant_kind kind, auto value) {
    all.push_back({.name = std::move(name), .kind = kind, .measured = value.in_base_units()});
  };
  const auto add_share = [&](std::string name, double value) {
    all.push_back({.name = std::move(name), .kind = constant_kind::share, .measured = value});
  };
  const auto add_link = [&](const std::string& name, const interconnect& link) {
    add(name + "_latency", constant_kind::time, link.latency);
    add(name + "_bandwidth", constant_kind::rate, link.bandwidth);
  };
  add("memory_bandwidth", constant_kind::rate, streaming_bandwidth(gpu));
  for (const number_format format : number_formats)
    add("products_" + std::string(spelled(number_format_names, format)), constant_kind::work_rate,
        sustained_rate(gpu, format));
  add_link("scale_up", pool.node.scale_up);
  add_link("fabric", pool.node.fabric);
  add_link("host",
           {.latency = gpu.host.latency, .bandwidth = planned_rate(gpu.host).per_direction()});
  const operator_rates reached = operator_rates_of(gpu);
  add("attention_128", constant_kind::work_rate, reached.attention.forward_128);
  add_share("elementwise_memory", reached.elementwise_memory);
  add_share("layer_host", pool.node.layer_host);
  add_share("step_host", pool.node.step_host);
  add("memory", constant_kind::size, gpu.memory);
  add("cuda_context", constant_kind::size, asked.workspace.cuda_context);
  add("communicator", constant_kind::size, asked.workspace.communicator);
  return all;
}

}  // namespace detail

/// The job without its profile.
inline job listed_of(const job& asked) {
  job listed = asked;
  listed.asked.measured = {};
  listed.pool = cluster_of(listed.asked);
  listed.workspace = asked.listed_workspace;
  return listed;
}

/// The effect of a job's profile on a layout of it; nothing where it has no profile.
/// \throws invalid_input if the job, the recipe or the layout is invalid
inline std::optional<calibration_effect> effect_of(const job& asked, const recipe& how,
                                                   const parallelism& cut) {
  if (asked.asked.measured.file.empty()) return std::nullopt;
  const job listed = listed_of(asked);
  calibration_effect effect{
      .profile = asked.asked.measured.file,
      .datasheet = gpuplan::evaluate(asked.model, listed.pool, how, cut, listed.workspace),
      .measured = gpuplan::evaluate(asked.model, asked.pool, how, cut, asked.workspace)};
  const step_belief& belief = asked.asked.measured.profile.steps;
  if (belief.runs > 0 && effect.measured.costed())
    effect.band = predicted_step(detail::predicted_job(asked, how, cut), belief).band();
  const std::vector<moved_constant> before = detail::constants_of(listed);
  std::vector<moved_constant> after = detail::constants_of(asked);
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i].datasheet = before[i].measured;
    if (after[i].datasheet != after[i].measured) effect.constants.push_back(std::move(after[i]));
  }
  return effect;
}

/// What two estimates are compared by: fits, step_time_s, mfu, needed_bytes, binding; null where a
/// layout breaks a rule.
inline report_json brief_json_of(const estimate& what) {
  return {{"fits", what.fits()},
          {"step_time_s", what.costed() ? json_number(what.time.total()) : nullptr},
          {"mfu", what.costed() ? json_number(what.model_flop_utilization()) : nullptr},
          {"needed_bytes", what.costed() ? json_number(what.needed) : nullptr},
          {"binding", what.costed() ? report_json(name_of(what.time.binding())) : nullptr}};
}

/// profile, datasheet, measured, step_time_bounds_s, constants; null where there is no effect.
inline report_json json_of(const std::optional<calibration_effect>& effect) {
  if (!effect) return nullptr;
  report_json constants = report_json::array();
  for (const moved_constant& one : effect->constants)
    constants.push_back(
        {{"name", one.name},
         {"unit", unit_of(one.kind)},
         {"datasheet", json_number(one.datasheet)},
         {"measured", json_number(one.measured)},
         {"ratio", one.datasheet > 0 ? json_number(one.measured / one.datasheet) : nullptr}});
  return {
      {"profile", effect->profile},
      {"datasheet", brief_json_of(effect->datasheet)},
      {"measured", brief_json_of(effect->measured)},
      {"step_time_bounds_s", effect->band ? report_json::array({json_number(effect->band->low),
                                                                json_number(effect->band->high)})
                                          : report_json(nullptr)},
      {"constants", std::move(constants)}};
}

}  // namespace gpuplan::api
