#pragma once
/// \file
/// NVIDIA's libraries for management and collectives, which may be missing when the program runs.

#include <array>
#include <cstddef>
#include <optional>
#include <string>

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

/// The library, where it is installed.  Its functions return 0 for success and write their answer
/// to the last argument.
///
/// Source: NVIDIA, "NVML API Reference Guide" (2025).
class management_library {
 public:
  explicit management_library(const char* name = "libnvidia-ml.so.1") : library_{name} {
    int (*start)() = nullptr;
    is_there_ = library_.find(start, "nvmlInit_v2") && start() == 0;
  }
  ~management_library() {
    int (*stop)() = nullptr;
    if (is_there_ && library_.find(stop, "nvmlShutdown")) (void)stop();
  }
  management_library(const management_library&) = delete;
  management_library& operator=(const management_library&) = delete;

  [[nodiscard]] bool is_there() const { return is_there_; }

  /// The answer of a function; nullopt where the library or the function is missing, or refuses.
  template <class Answer, class... Arguments>
  [[nodiscard]] std::optional<Answer> ask(const char* function, Arguments... arguments) const {
    int (*call)(Arguments..., Answer*) = nullptr;
    Answer answer{};
    if (!is_there_ || !library_.find(call, function) || call(arguments..., &answer) != 0)
      return std::nullopt;
    return answer;
  }

  /// As "560.35.03"; empty: unknown.
  [[nodiscard]] std::string driver() const {
    int (*call)(char*, unsigned) = nullptr;
    std::array<char, 96> text{};
    const auto size = static_cast<unsigned>(text.size() - 1);
    if (!is_there_ || !library_.find(call, "nvmlSystemGetDriverVersion") ||
        call(text.data(), size) != 0)
      return {};
    return text.data();
  }

 private:
  shared_library library_;
  bool is_there_ = false;
};

/// 22707 is "2.27.7"; before 2.9 thousands count: 2804 is "2.8.4".
inline std::string nccl_version_text(int version) {
  const int thousands = version < 10000 ? 1000 : 10000;
  return std::to_string(version / thousands) + "." + std::to_string(version % thousands / 100) +
         "." + std::to_string(version % 100);
}

/// The functions that are called; 0 is success.  Either all are there, or none is called.
///
/// Source: NVIDIA, "NCCL API" (2025), docs.nvidia.com/deeplearning/nccl.
class nccl_library {
 public:
  using communicator = void*;
  using stream = void*;  ///< a cudaStream_t
  static constexpr int float32 = 7;
  static constexpr int sum = 0;

  explicit nccl_library(const char* name = "libnccl.so.2") : library_{name} {
    is_there_ =
        library_.find(get_version_, "ncclGetVersion") &&
        library_.find(init_all, "ncclCommInitAll") && library_.find(destroy, "ncclCommDestroy") &&
        library_.find(error_text, "ncclGetErrorString") &&
        library_.find(group_start, "ncclGroupStart") && library_.find(group_end, "ncclGroupEnd") &&
        library_.find(all_reduce, "ncclAllReduce") && library_.find(all_gather, "ncclAllGather") &&
        library_.find(reduce_scatter, "ncclReduceScatter") && library_.find(send, "ncclSend") &&
        library_.find(receive, "ncclRecv");
  }

  [[nodiscard]] bool is_there() const { return is_there_; }
  /// As "2.27.7"; empty: not installed.
  [[nodiscard]] std::string version() const {
    int version = 0;
    if (!is_there_ || get_version_(&version) != 0) return {};
    return nccl_version_text(version);
  }

  int (*init_all)(communicator*, int, const int*) = nullptr;
  int (*destroy)(communicator) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, communicator, stream) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t, int, communicator, stream) = nullptr;
  int (*reduce_scatter)(const void*, void*, std::size_t, int, int, communicator, stream) = nullptr;
  int (*send)(const void*, std::size_t, int, int, communicator, stream) = nullptr;
  int (*receive)(void*, std::size_t, int, int, communicator, stream) = nullptr;

 private:
  shared_library library_;
  int (*get_version_)(int*) = nullptr;
  bool is_there_ = false;
};

}  // namespace gpuplan::probe
