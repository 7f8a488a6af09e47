#pragma once
/// \file
/// What a convolutional network of the catalogue consists of.

#include <string_view>

#include <gpuplan/model/convnet.hpp>
#include <gpuplan/report/json.hpp>

namespace gpuplan::cli {

struct named_network {
  std::string_view name;
  const convnet* net = nullptr;
};

/// The network of this name, "resnet-50"; null where the catalogue has none.
const named_network* find_network(std::string_view name);

/// Parameters, operations and memory of one image.
report_json network_answer(const named_network& of);
void print_network(const named_network& of);

}  // namespace gpuplan::cli
