#pragma once
/// \file
/// A library that may be missing when the program runs.

#include <dlfcn.h>

namespace gpuplan::probe {

/// Stays loaded until the program ends: some libraries start threads of their own.
class shared_library {
 public:
  explicit shared_library(const char* name) : handle_{dlopen(name, RTLD_NOW | RTLD_LOCAL)} {}

  /// Sets `function` to the one of that name, or to nullptr.  Returns whether it is there.
  template <class F>
  bool find(F*& function, const char* name) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_;
};

}  // namespace gpuplan::probe
