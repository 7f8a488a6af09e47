#pragma once
/// \file
/// What a convolutional network of the catalogue consists of.

#include <array>
#include <string_view>

#include <gpuplan/compute/convnet_time.hpp>
#include <gpuplan/model/convnet.hpp>
#include <gpuplan/model/convnet_catalog.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan::api {

/// A convolutional network of the catalogue.
struct named_network {
  std::string_view name;
  const convnet* net = nullptr;
};

inline constexpr std::array named_networks{named_network{"resnet-50", &catalog::resnet_50},
                                           named_network{"resnet-101", &catalog::resnet_101},
                                           named_network{"resnet-152", &catalog::resnet_152},
                                           named_network{"vgg-16", &catalog::vgg_16}};

/// The network of this name, "resnet-50"; null where the catalogue has none.
constexpr const named_network* find_network(std::string_view name) {
  for (const named_network& one : named_networks)
    if (same_name(one.name, name)) return &one;
  return nullptr;
}

/// Parameters, operations and memory of one image.
inline report_json json_of(const named_network& of) {
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

}  // namespace gpuplan::api
