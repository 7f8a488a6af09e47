/// \file
/// What a model whose layers are of several kinds consists of.

#include "model/layered.hpp"

#include <string>

#include <fmt/format.h>

#include <gpuplan/api/model_parts.hpp>
#include <gpuplan/memory/layered_cache.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Parameters by component, in a table.
std::string table_of_parts(const layered_model& m, const text_style& style) {
  table parts{{{"Component"}, {"Parameters", column_side::right}, {"Share", column_side::right}}};
  const auto add = [&](const std::string& what, double count) {
    if (count != 0)
      parts.row({what, grouped(count), fmt::format("{:.2f} %", 100 * count / m.total())});
  };
  for (const api::model_part& p : api::model_parts(m.beside)) add(std::string(p.name), p.count);
  for (const named_parameters& p : m.further) add(std::string(p.name), p.count);
  for (const api::model_part& p : api::layer_parts(m.common()))
    add(fmt::format("layers: {}", p.name), p.count);
  for (const named_parameters& p : m.further_of_layers())
    add(fmt::format("layers: {}", p.name), p.count);
  parts.line();
  add("total", m.total());
  return parts.text_within(width_of_output(), style);
}

}  // namespace

void print_layered(const named_transformer& of, int sequence_length) {
  const layered_model& m = *of.layered;
  const text_style style = style_of_output();
  std::string title =
      fmt::format("{}: {} parameters", bold(visible(of.name), style), grouped(m.total()));
  if (m.active() != m.total())
    title += fmt::format(", {} of them active for a token", grouped(m.active()));
  print_lines(title + "\n\n");
  print(table_of_parts(m, style));
  if (m.multi_token_prediction > 0)
    print(fmt::format("Training adds {} parameters that predict further tokens.\n",
                      grouped(m.multi_token_prediction)));
  table layers{{{"Kind of layer"},
                {"Layers", column_side::right},
                {"Parameters", column_side::right},
                {"Values kept of a token", column_side::right},
                {"of a sequence", column_side::right}}};
  for (const layer_group& group : m.groups)
    layers.row({group.kind, std::to_string(group.layers), grouped(group.total()),
                grouped(group.cached_values + group.windowed_values),
                grouped(group.state.recurrent + group.state.convolution)});
  print("\n" + layers.text_within(width_of_output(), style));
  const sequence_cache kept = layered_cache(m, sequence_length * units::token);
  print_lines(fmt::format("\nKV cache in BF16: {:.4g} for each token, {:.4g} for a sequence of {}",
                          layered_cache_per_token(m) * units::token, kept.full + kept.windowed,
                          sequence_length) +
              (kept.state > bytes{0}
                   ? fmt::format("; the state of a sequence takes {:.4g} more.\n", kept.state)
                   : ".\n"));
  if (!m.note.empty()) print_lines(fmt::format("Of note: {}.\n", m.note));
}

}  // namespace gpuplan::cli
