/// \file
/// What more GPUs buy, in pictures.

#include "scale/page.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/report/xy_chart.hpp>

#include "bands.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

figure_table sizes_of(const scaling_curve& curve) {
  figure_table rows{{{"GPUs", column_side::right},
                     {"Step", column_side::right},
                     {"Throughput", column_side::right},
                     {"Efficiency", column_side::right},
                     {"MFU", column_side::right},
                     {"Messages", column_side::right},
                     {"Waiting", column_side::right},
                     {"Regime"},
                     {"Layout"}}};
  for (const scaling_point& point : curve.points) {
    const std::string regime{in_words(point.regime)};
    if (!point.best) {
      rows.row({point.gpus, "", "", "", "", "", "", regime, ""});
      continue;
    }
    const plan& best = *point.best;
    rows.row({point.gpus, point.step(), best.what.throughput(),
              share_cell(point.efficiency.value()), share_cell(best.what.model_flop_utilization()),
              share_cell(point.communication()), share_cell(point.waiting()), regime,
              layout_in_words(best.recipe(), best.parallelism())});
  }
  return rows;
}

figure throughput_of(const scaling_curve& curve, const job& asked, double level) {
  xy_series ideal{"ideal: each GPU does as much as on the best size", series_kind::guide, {}};
  xy_series best{"best plan", series_kind::line, {}};
  for (const scaling_point& point : curve.points) {
    if (!point.best) continue;
    const tokens_per_second each = curve.points[*curve.most_efficient].of_gpu();
    ideal.points.push_back({point.gpus, static_cast<double>(point.gpus) * each, "", ""});
    const estimate& what = point.best->what;
    const error_band step = bands_of(what, asked, level).step;
    best.points.push_back(
        {.x = point.gpus,
         .y = what.throughput(),
         .tip = fmt::format("{}: {}, {}", counted(point.gpus, "GPU"), text_of(what.throughput()),
                            layout_in_words(point.best->recipe(), point.best->parallelism())),
         .low = what.throughput() / step.high,
         .high = what.throughput() / step.low});
  }
  xy_chart chart{{"Throughput by size",
                  "The best plan of each number of GPUs, against a line on which each GPU does as "
                  "much as on the size where it does most.  Whiskers: between what it is in " +
                      level_in_words(level) + "."},
                 {"GPUs", axis_scale::doubling},
                 {"Throughput", axis_scale::logarithmic},
                 {std::move(ideal), std::move(best)},
                 sizes_of(curve)};
  return figure_of("throughput", chart);
}

figure efficiency_of(const scaling_curve& curve) {
  xy_series efficiency{"efficiency", series_kind::line, {}};
  xy_series mfu{"MFU", series_kind::line, {}};
  xy_series messages{"share of messages in a step", series_kind::line, {}};
  xy_series waiting{"share of waiting", series_kind::line, {}};
  for (const scaling_point& point : curve.points) {
    if (!point.best) continue;
    const auto add = [&](xy_series& to, double share) {
      to.points.push_back({point.gpus, share, "",
                           fmt::format("{}: {}", counted(point.gpus, "GPU"), percent(share))});
    };
    add(efficiency, point.efficiency.value());
    add(mfu, point.best->what.model_flop_utilization());
    add(messages, point.communication());
    add(waiting, point.waiting());
  }
  xy_chart chart{
      {"Efficiency by size",
       "Throughput of a GPU over that on the smallest size that fits, and the shares of a "
       "step that are not computing."},
      {"GPUs", axis_scale::doubling},
      {"Share", axis_scale::linear, value_reading::percent},
      {std::move(efficiency), std::move(mfu), std::move(messages), std::move(waiting)},
      {}};
  return figure_of("efficiency", chart);
}

}  // namespace

html_page page_of(const scaling_curve& curve, const job& asked, double level) {
  const bool weak = curve.batch.kind == scaling_kind::weak;
  html_page page{
      .title = "Scaling of " + name_of_model(asked),
      .lead = {job_in_words(asked), fmt::format("{} scaling: {} sequences a step{} on every size.",
                                                weak ? "Weak" : "Strong", curve.batch.sequences,
                                                weak ? " for each GPU," : "")}};
  if (!curve.smallest)
    page.lead.push_back(fmt::format("Nothing fits on any of these sizes: {}.",
                                    describe(curve.points.back().refusal.reason)));
  page.figures.push_back(throughput_of(curve, asked, level));
  page.figures.push_back(efficiency_of(curve));
  if (const std::string risks = risks_in_words(curve); !risks.empty()) page.notes.push_back(risks);
  if (const std::string warning = warning_of_experts(asked); !warning.empty())
    page.notes.push_back(warning);
  return page;
}

}  // namespace gpuplan::cli
