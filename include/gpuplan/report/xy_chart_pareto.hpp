#pragma once
/// \file
/// Cost against time, and the Pareto front of the choices.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/report/xy_chart.hpp>

namespace gpuplan {

/// Something one may choose.
struct pareto_choice {
  std::string name;   ///< what it is
  std::string label;  ///< short, for the picture
  plotted_value x{};
  plotted_value y{};
  std::string group{};  ///< of one colour, as a type of GPU; empty: by whether another beats it
};

/// The places of choices that no other one beats in x and y, by x; of equals the first.
///
/// Source: H. Kung, F. Luccio and F. Preparata, "On Finding the Maxima of a Set of Vectors", J. ACM
/// 22 (1975) 469-476.
inline std::vector<std::size_t> pareto_places(const std::vector<pareto_choice>& choices) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i].x.finite() && choices[i].y.finite()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (choices[a].x.base != choices[b].x.base) return choices[a].x.base < choices[b].x.base;
    return choices[a].y.base < choices[b].y.base;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : order)
    if (front.empty() || choices[i].y.base < choices[front.back()].y.base) front.push_back(i);
  return front;
}

namespace detail {

/// The points of each group, in the order in which they first come.
inline std::vector<xy_series> groups_of(const std::vector<pareto_choice>& choices) {
  std::vector<xy_series> groups;
  for (const pareto_choice& one : choices) {
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const xy_series& group) { return group.name == one.group; });
    if (found == groups.end())
      found = groups.insert(groups.end(), {one.group, series_kind::points, {}});
    found->points.push_back({one.x, one.y, "", one.name});
  }
  return groups;
}

}  // namespace detail

/// Every choice, and a line through those that nothing beats, which alone are named.  Groups, where
/// there are any, have a colour each.
inline xy_chart pareto_chart(chart_words words, axis x, axis y,
                             const std::vector<pareto_choice>& choices) {
  xy_series best{"nothing is less in both", series_kind::line, {}};
  xy_series others{"beaten by another", series_kind::points, {}};
  const std::vector<std::size_t> front = pareto_places(choices);
  for (const std::size_t i : front)
    best.points.push_back({choices[i].x, choices[i].y, choices[i].label, choices[i].name});
  figure_table table{
      {{"Choice"}, {x.title, column_side::right}, {y.title, column_side::right}, {""}}};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool on_front = std::find(front.begin(), front.end(), i) != front.end();
    if (!on_front) others.points.push_back({choices[i].x, choices[i].y, "", choices[i].name});
    table.row({choices[i].name, choices[i].x, choices[i].y, on_front ? "nothing is less" : ""});
  }
  xy_chart chart{std::move(words), std::move(x), std::move(y), {std::move(best)}, std::move(table)};
  if (!choices.empty() && !choices.front().group.empty()) {
    chart.series.front().kind = series_kind::guide;
    for (xy_series& group : detail::groups_of(choices)) chart.series.push_back(std::move(group));
  } else if (!others.points.empty()) {
    chart.series.push_back(std::move(others));
  }
  return chart;
}

}  // namespace gpuplan
