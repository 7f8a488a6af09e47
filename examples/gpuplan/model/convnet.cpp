/// \file
/// What a convolutional network of the catalogue consists of.

#include "model/convnet.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include <gpuplan/compute/convnet_time.hpp>
#include <gpuplan/model/convnet_catalog.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/format.hpp>

#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::array networks{named_network{"resnet-50", &catalog::resnet_50},
                              named_network{"resnet-101", &catalog::resnet_101},
                              named_network{"resnet-152", &catalog::resnet_152},
                              named_network{"vgg-16", &catalog::vgg_16}};

}  // namespace

const named_network* find_network(std::string_view name) {
  for (const named_network& one : networks)
    if (same_name(one.name, name)) return &one;
  return nullptr;
}

report_json network_answer(const named_network& of) {
  const convnet& net = *of.net;
  return {{"schema_version", report_schema_version},
          {"parameters", json_number(parameters_of(net))},
          {"layers", net.layers.size()},
          {"multiply_adds_of_image", json_number(multiply_adds(net))},
          {"forward_flop_of_image", json_number(forward_flop(net, 1))},
          {"training_flop_of_image", json_number(training_flop(net, 1))},
          {"activation_bytes_of_image",
           {{"fp32", json_number(activation_memory(net, 1, number_format::fp32))},
            {"bf16", json_number(activation_memory(net, 1, number_format::bf16))}}},
          {"inputs",
           {{"model", of.name},
            {"image",
             {{"height", net.input.height},
              {"width", net.input.width},
              {"channels", net.input.channels}}}}}};
}

void print_network(const named_network& of) {
  const convnet& net = *of.net;
  print(fmt::format("{}: {} parameters in {} layers, images of {} x {} x {}\n\n",
                    bold(of.name, style_of_output()), grouped(parameters_of(net)),
                    net.layers.size(), net.input.height, net.input.width, net.input.channels));
  table rows{{{"One image"}, {"", column_side::right}}};
  rows.row({"multiply-adds, forward", fmt::format("{:.4g}", multiply_adds(net))});
  rows.row({"operations, forward", fmt::format("{:.4g}", forward_flop(net, 1))});
  rows.row({"operations, training", fmt::format("{:.4g}", training_flop(net, 1))});
  for (const auto& [what, format] : {std::pair{"outputs kept, FP32", number_format::fp32},
                                     std::pair{"outputs kept, BF16", number_format::bf16}})
    rows.row({what, fmt::format("{:.4g}", activation_memory(net, 1, format))});
  print(rows.text(style_of_output()));
  print(
      "\nPlans of layouts are of transformers; the library times convolutions: "
      "compute/convnet_time.hpp.\n");
}

}  // namespace gpuplan::cli
