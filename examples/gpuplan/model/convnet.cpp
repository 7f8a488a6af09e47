/// \file
/// What a convolutional network of the catalogue consists of.

#include "model/convnet.hpp"

#include <utility>

#include <fmt/format.h>

#include <gpuplan/compute/convnet_time.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/format.hpp>

#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
void print_network(const api::named_network& of) {
  const convnet& net = *of.net;
  print_lines(fmt::format("{}: {} parameters in {} layers, images of {} x {} x {}\n\n",
                          bold(of.name, style_of_output()), grouped(parameters_of(net)),
                          net.layers.size(), net.input.height, net.input.width,
                          net.input.channels));
  table rows{{{"One image"}, {"", column_side::right}}};
  rows.row({"multiply-adds, forward", fmt::format("{:.4g}", multiply_adds(net))});
  rows.row({"operations, forward", fmt::format("{:.4g}", forward_flop(net, 1))});
  rows.row({"operations, training", fmt::format("{:.4g}", training_flop(net, 1))});
  for (const auto& [what, format] : {std::pair{"outputs kept, FP32", number_format::fp32},
                                     std::pair{"outputs kept, BF16", number_format::bf16}})
    rows.row({what, fmt::format("{:.4g}", activation_memory(net, 1, format))});
  print(rows.text_within(width_of_output(), style_of_output()));
  print_lines(
      "\nPlans of layouts are of transformers; the library times convolutions: "
      "compute/convnet_time.hpp.\n");
}

}  // namespace gpuplan::cli
