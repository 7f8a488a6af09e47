#pragma once
/// \file
/// What a model whose layers are of several kinds consists of.

#include "inputs.hpp"

namespace gpuplan::cli {

/// Parameters, kind by kind, and what inference keeps of a sequence.
void print_layered(const named_transformer& of, int sequence_length);

}  // namespace gpuplan::cli
