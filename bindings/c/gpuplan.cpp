/// \file
/// The functions of libgpuplan.

#include "gpuplan.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "answer.hpp"

namespace {

/// A copy that free() takes; null where there is no memory.
char* copy_of(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

extern "C" {

char* gpuplan_answer(const char* request) {
  // No exception leaves: the caller may not know what one is.
  try {
    return copy_of(gpuplan::answer(request != nullptr ? request : ""));
  } catch (...) {
    return nullptr;
  }
}

void gpuplan_free(char* answer) {
  std::free(answer);
}

const char* gpuplan_version(void) {
  return GPUPLAN_VERSION;
}
}
