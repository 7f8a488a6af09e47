#pragma once
/// \file
/// How often the program has asked for memory: a test takes the difference around what must not.

#include <cstdint>

namespace gpuplan::testing {

/// Calls of operator new, of any form, in this thread so far.
std::int64_t allocations();

}  // namespace gpuplan::testing
