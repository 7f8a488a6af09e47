#pragma once
/// \file
/// Errors of the laws by operator, GPU, software, format and size.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <gpuplan/report/table.hpp>

#include "accuracy/statistics.hpp"
#include "operators/predicted.hpp"

namespace gpuplan::operators {

/// One row held against its law.
struct judged_row {
  std::string operation;  ///< product, attention, experts, collective, dispatch
  std::string gpu;
  std::string software;  ///< with format and pass, where there are several
  std::string size;
  double error = 0;   ///< predicted over measured, less one
  bool usual = true;  ///< of kernels that training runs take
};

/// The rates to judge a row by; none: it is left out.
using rates_of_row = std::function<const accelerator*(const measured_row&)>;

namespace detail {

inline std::string format_text(number_format format, const std::optional<quantization>& cast) {
  switch (format) {
    case number_format::fp4: return "nvfp4";
    case number_format::fp8_e4m3: return cast == quantization::blockwise ? "fp8 in blocks" : "fp8";
    default: return "16 bits";
  }
}

inline std::string software_text(const product_row& row) {
  if (row.in_framework) return row.software + (row.grouped ? ", grouped, " : ", ") + row.stage;
  return row.software + ", " + format_text(row.format, row.cast) +
         (row.run == product_run::long_ ? ", hot" : "");
}
inline std::string software_text(const expert_row& row) {
  return row.software + ", " + format_text(row.format, row.cast) + ", " + row.size;
}
inline std::string software_text(const attention_row& row) {
  return row.software + (row.backward ? ", backward" : "");
}
inline std::string software_text(const collective_row& row) {
  return row.software;
}
inline std::string software_text(const dispatch_row& row) {
  return row.size;
}

inline std::string operation_text(const product_row& row) {
  return row.grouped ? "grouped product" : "product";
}
inline std::string operation_text(const attention_row&) {
  return "attention";
}
inline std::string operation_text(const expert_row&) {
  return "experts";
}
inline std::string operation_text(const collective_row&) {
  return "collective";
}
inline std::string operation_text(const dispatch_row&) {
  return "dispatch";
}

template <class Row>
bool is_usual(const Row& row) {
  if constexpr (requires { is_of_tuned_kernel(row); })
    return is_of_tuned_kernel(row);
  else
    return true;
}

template <class Row>
void judge(std::vector<judged_row>& judged, const std::vector<Row>& rows,
           const rates_of_row& rates) {
  for (const Row& row : rows) {
    const accelerator* gpu = rates(row);
    if (gpu == nullptr) continue;
    judged.push_back({.operation = operation_text(row),
                      .gpu = row.gpu,
                      .software = software_text(row),
                      .size = row.size,
                      .error = predicted(row, *gpu) / row.time - 1,
                      .usual = is_usual(row)});
  }
}

}  // namespace detail

/// Whether a device has links of its own: collectives over its host's are another law's.
inline bool has_links(const accelerator& gpu) {
  return gpu.scale_up.joined != wiring::none;
}

inline std::vector<judged_row> judge(const measured_operators& all, const rates_of_row& rates) {
  const rates_of_row with_links = [&](const measured_row& row) {
    const accelerator* gpu = rates(row);
    return gpu != nullptr && has_links(*gpu) ? gpu : nullptr;
  };
  std::vector<judged_row> judged;
  detail::judge(judged, all.products, rates);
  detail::judge(judged, all.cores, rates);
  detail::judge(judged, all.experts, rates);
  detail::judge(judged, all.collectives, with_links);
  detail::judge(judged, all.dispatches, with_links);
  return judged;
}

/// What a law should reach, for the median and the ninth decile of its rows.
struct operator_goal {
  std::string_view operation;
  double median;
  double p90;  ///< 0: none
};

inline constexpr std::array operator_goals{
    operator_goal{"product", 0.09, 0.28}, operator_goal{"attention", 0.12, 0},
    operator_goal{"experts", 0.14, 0}, operator_goal{"collective", 0.07, 0},
    operator_goal{"dispatch", 0.12, 0}};

/// Errors of some rows together.
struct class_errors {
  std::string name;
  accuracy::errors errors{};
  std::vector<double> sides{};  ///< with their signs

  void add(double error) {
    errors.add(std::abs(error));
    sides.push_back(error);
  }
};

/// Rows by a key, in the order of their first appearance.
inline std::vector<class_errors> classes_of(
    const std::vector<judged_row>& rows, const std::function<std::string(const judged_row&)>& key) {
  std::vector<class_errors> classes;
  for (const judged_row& row : rows) {
    const std::string name = key(row);
    if (name.empty()) continue;
    auto found = std::find_if(classes.begin(), classes.end(),
                              [&](const class_errors& one) { return one.name == name; });
    if (found == classes.end()) found = classes.insert(classes.end(), {.name = name});
    found->add(row.error);
  }
  return classes;
}

inline std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

inline std::string text_of(const std::vector<class_errors>& classes, std::string_view heading) {
  const auto right = column_side::right;
  table lines{{{std::string(heading)},
               {"rows", right},
               {"median", right},
               {"p90", right},
               {"signed median", right}}};
  for (const class_errors& one : classes)
    lines.row({one.name, std::to_string(one.errors.count()), percent(one.errors.median()),
               percent(one.errors.p90()),
               fmt::format("{:+.1f} %", 100 * accuracy::median_of(one.sides))});
  return lines.text();
}

/// The tables of one set of predictions.
inline std::string report_of(const std::vector<judged_row>& rows) {
  const auto usual = [](const judged_row& row) { return row.usual ? row.operation : ""; };
  std::string text = text_of(classes_of(rows, usual), "operator, kernels that training takes");
  text += "\n" + text_of(classes_of(rows, [](const judged_row& row) { return row.operation; }),
                         "operator, every row");
  text += "\n" + text_of(classes_of(rows,
                                    [&](const judged_row& row) {
                                      return row.usual ? row.operation + ", " + row.gpu : "";
                                    }),
                         "by GPU");
  text +=
      "\n" +
      text_of(classes_of(rows,
                         [](const judged_row& row) { return row.operation + ", " + row.software; }),
              "by software, format and pass");
  text += "\n" + text_of(classes_of(rows,
                                    [](const judged_row& row) {
                                      return row.usual ? row.operation + ", " + row.size : "";
                                    }),
                         "by size");
  return text;
}

inline nlohmann::ordered_json json_of(const std::vector<class_errors>& classes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const class_errors& one : classes)
    list.push_back({{"class", one.name},
                    {"rows", one.errors.count()},
                    {"median", one.errors.median()},
                    {"p90", one.errors.p90()},
                    {"signed_median", accuracy::median_of(one.sides)}});
  return list;
}

}  // namespace gpuplan::operators
