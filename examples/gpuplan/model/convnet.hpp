#pragma once
/// \file
/// What a convolutional network of the catalogue consists of.

#include <gpuplan/api/convnet_answer.hpp>

namespace gpuplan::cli {

/// Parameters, operations and memory of one image.
void print_network(const api::named_network& of);

}  // namespace gpuplan::cli
