/// \file
/// A plan by a profile beside the same plan by datasheets.

#include "profile_effect.hpp"

#include <utility>

#include <fmt/format.h>

#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

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

}  // namespace

datasheet_choice choice_by_datasheets(const plan& best, const job& asked, const plan& chosen) {
  return {
      .best = best,
      .measured =
          evaluate(asked.model, asked.pool, best.recipe(), best.parallelism(), asked.workspace),
      .is_same = gpuplan::json_of(best.recipe()) == gpuplan::json_of(chosen.recipe()) &&
                 gpuplan::json_of(best.parallelism()) == gpuplan::json_of(chosen.parallelism())};
}

report_json json_of(const std::optional<datasheet_choice>& choice) {
  if (!choice) return nullptr;
  return {{"same", choice->is_same},
          {"datasheet", api::brief_json_of(choice->best.what)},
          {"measured", api::brief_json_of(choice->measured)},
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
    text += rows.text_within(width_of_output(), style) + "\n";
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
  return text + rows.text_within(width_of_output(), style);
}

}  // namespace gpuplan::cli
