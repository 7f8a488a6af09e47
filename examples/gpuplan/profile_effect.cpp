/// \file
/// A plan by a profile beside the same plan by datasheets.

#include "profile_effect.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>
#include <gpuplan/units/number_format.hpp>

#include "summary.hpp"

namespace gpuplan::cli {
namespace {

std::vector<moved_constant> constants_of(const job& asked) {
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

std::string_view unit_of(constant_kind kind) {
  switch (kind) {
    case constant_kind::rate: return "B/s";
    case constant_kind::work_rate: return "FLOP/s";
    case constant_kind::time: return "s";
    case constant_kind::size: return "B";
    case constant_kind::share: return "1";
  }
  return "";
}

std::string in_words(constant_kind kind, double value) {
  switch (kind) {
    case constant_kind::rate: return fmt::format("{:.4g} GB/s", value / 1e9);
    case constant_kind::work_rate: return fmt::format("{:.4g} TFLOP/s", value / 1e12);
    case constant_kind::time: return format_duration(seconds{value});
    case constant_kind::size: return sized(bytes{value});
    case constant_kind::share: return fmt::format("{:.3f}", value);
  }
  return "";
}

/// "+3.2 %"; nothing where there is no ratio.
std::string change(double before, double after) {
  return before > 0 ? fmt::format("{:+.1f} %", 100 * (after / before - 1)) : std::string{};
}

report_json json_of_estimate(const estimate& what) {
  return {{"fits", what.fits()},
          {"step_time_s", what.costed() ? json_number(what.time.total()) : nullptr},
          {"mfu", what.costed() ? json_number(what.model_flop_utilization()) : nullptr},
          {"needed_bytes", what.costed() ? json_number(what.needed) : nullptr},
          {"binding", what.costed() ? report_json(name_of(what.time.binding())) : nullptr}};
}

/// The job without its profile.
job listed_of(const job& asked) {
  job listed = asked;
  listed.asked.measured = {};
  listed.pool = cluster_of(listed.asked);
  listed.workspace = asked.listed_workspace;
  return listed;
}

/// Where the step of a layout lies by the runs of a profile; nothing where it has none, or the
/// layout is not costed.
std::optional<fit_interval<seconds>> band_of(const job& asked, const estimate& what,
                                             const recipe& how, const parallelism& cut) {
  const step_belief& belief = asked.asked.measured.profile.steps;
  if (belief.runs == 0 || !what.costed()) return std::nullopt;
  job without = asked;
  without.asked.measured.profile.steps = {};
  const step_job one{.model = asked.model,
                     .pool = cluster_of(without.asked),
                     .recipe = how,
                     .parallelism = cut,
                     .workspace = asked.workspace};
  return predicted_step(one, belief).band();
}

}  // namespace

std::optional<calibration_effect> effect_of(const job& asked, const recipe& how,
                                            const parallelism& cut) {
  if (asked.asked.measured.file.empty()) return std::nullopt;
  const job listed = listed_of(asked);
  calibration_effect effect{
      .profile = asked.asked.measured.file,
      .datasheet = evaluate(asked.model, listed.pool, how, cut, listed.workspace),
      .measured = evaluate(asked.model, asked.pool, how, cut, asked.workspace),
      .constants = {}};
  effect.band = band_of(asked, effect.measured, how, cut);
  const std::vector<moved_constant> before = constants_of(listed);
  std::vector<moved_constant> after = constants_of(asked);
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i].datasheet = before[i].measured;
    if (after[i].datasheet != after[i].measured) effect.constants.push_back(std::move(after[i]));
  }
  return effect;
}

std::optional<datasheet_choice> choice_by_datasheets(const job& asked, const space& vary,
                                                     const plan& chosen) {
  if (asked.asked.measured.file.empty()) return std::nullopt;
  const job listed = listed_of(asked);
  const search_result found =
      search(listed.model, listed.pool, listed.recipe, vary, listed.parallelism, listed.workspace);
  if (found.plans.empty()) return std::nullopt;
  const plan& best = found.plans.front();
  return datasheet_choice{
      .best = best,
      .measured =
          evaluate(asked.model, asked.pool, best.recipe(), best.parallelism(), asked.workspace),
      .is_same = gpuplan::json_of(best.recipe()) == gpuplan::json_of(chosen.recipe()) &&
                 gpuplan::json_of(best.parallelism()) == gpuplan::json_of(chosen.parallelism())};
}

report_json json_of(const std::optional<datasheet_choice>& choice) {
  if (!choice) return nullptr;
  return {{"same", choice->is_same},
          {"datasheet", json_of_estimate(choice->best.what)},
          {"measured", json_of_estimate(choice->measured)},
          {"recipe", gpuplan::json_of(choice->best.recipe())},
          {"parallelism", gpuplan::json_of(choice->best.parallelism())}};
}

std::string in_words(const datasheet_choice& choice) {
  if (choice.is_same) return "Datasheets alone would choose the same layout.\n";
  const plan& best = choice.best;
  return fmt::format("Datasheets alone would choose {}; {}: {} by them, {} as measured.\n",
                     layout_in_words(best.recipe(), best.parallelism()),
                     recipe_in_words(best.recipe(), best.parallelism()),
                     format_duration(best.what.time.total()),
                     choice.measured.fits() ? format_duration(choice.measured.time.total())
                                            : "more memory than there is");
}

report_json json_of(const std::optional<calibration_effect>& effect) {
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
      {"datasheet", json_of_estimate(effect->datasheet)},
      {"measured", json_of_estimate(effect->measured)},
      {"step_time_bounds_s", effect->band ? report_json::array({json_number(effect->band->low),
                                                                json_number(effect->band->high)})
                                          : report_json(nullptr)},
      {"constants", std::move(constants)}};
}

std::string effect_tables(const calibration_effect& effect, text_style style) {
  const estimate& before = effect.datasheet;
  const estimate& after = effect.measured;
  const auto columns = [](std::string first) {
    return std::vector<column>{{std::move(first)},
                               {"Datasheets", column_side::right},
                               {"Profile", column_side::right},
                               {"Change", column_side::right}};
  };
  std::string text = fmt::format("By {} in the place of datasheets:\n\n", visible(effect.profile));
  if (before.costed() && after.costed()) {
    table rows{columns("The same layout")};
    const seconds was = before.time.total();
    const seconds is = after.time.total();
    rows.row({"Step", format_duration(was), format_duration(is), change(1, is / was)});
    rows.row({"Memory needed", sized(before.needed), sized(after.needed),
              change(1, after.needed / before.needed)});
    const double used = before.model_flop_utilization();
    const double uses = after.model_flop_utilization();
    rows.row({"MFU", percent(used), percent(uses), change(used, uses)});
    if (before.fits() != after.fits())
      rows.row({"Fits", before.fits() ? "yes" : "no", after.fits() ? "yes" : "no", ""});
    text += rows.text(style) + "\n";
  }
  if (effect.band)
    text += fmt::format("By its runs a step takes {} to {} ({:.0f} %).\n\n",
                        format_duration(effect.band->low), format_duration(effect.band->high),
                        100 * fit_level);
  if (effect.constants.empty()) return text + "No constant moved.\n";
  table rows{columns("Constant")};
  for (const moved_constant& one : effect.constants) {
    std::string name = one.name;
    for (char& c : name)
      if (c == '_') c = ' ';
    rows.row({std::move(name), one.datasheet > 0 ? in_words(one.kind, one.datasheet) : "unknown",
              in_words(one.kind, one.measured), change(one.datasheet, one.measured)});
  }
  return text + rows.text(style);
}

}  // namespace gpuplan::cli
