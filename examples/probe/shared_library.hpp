#pragma once
/// \file
/// A library that may or may not be there when the program runs.

#include <initializer_list>

#include <dlfcn.h>

namespace gpuplan::probe {

/// Stays loaded until the program ends: some start threads of their own.
class shared_library {
 public:
  /// The first of the names that is there.
  explicit shared_library(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }

  [[nodiscard]] bool is_there() const { return handle_ != nullptr; }

  /// Sets `function` to the one of that name, or to nullptr.
  template <class F>
  void find(F*& function, const char* name) const {
    function = is_there() ? reinterpret_cast<F*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace gpuplan::probe
