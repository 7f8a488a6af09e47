/// \file
/// NCCL among GPUs that are not there, to be loaded as libnccl.so.2: what is sent waits for what is
/// received until the group ends.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "device.hpp"
#include "runtime.hpp"

namespace {

struct rank {
  int index;
  int count;
  int device;
  void* transports = nullptr;
};

struct call {
  char what;
  const float* from;
  float* to;
  std::size_t count;
  int peer;
  rank* own;
  void* stream;
};

std::vector<call> group;

void copy(float* to, const float* from, std::size_t count) {
  std::memcpy(to, from, count * sizeof(float));
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) {
  return *version = 22707, 0;
}
const char* ncclGetErrorString(int) {
  return "a simulated fault";
}
int ncclCommInitAll(void** communicators, int count, const int* devices) {
  // As the real one does where NCCL_DEBUG is set.
  std::puts("NCCL version 2.27.7, a line of its log");
  std::fflush(stdout);
  for (int i = 0; i < count; ++i) communicators[i] = new rank{i, count, devices[i]};
  return 0;
}
int ncclCommDestroy(void* communicator) {
  const auto* own = static_cast<rank*>(communicator);
  if (own->transports != nullptr) cudaFree(own->transports);
  delete own;
  return 0;
}
int ncclGroupStart() {
  group.clear();
  return 0;
}
int ncclAllReduce(const void* from, void* to, std::size_t count, int, int, void* own,
                  void* stream) {
  if (count > (1 << 20) && simulated::has_fault("large all-reduce")) return 1;
  group.push_back({'r', static_cast<const float*>(from), static_cast<float*>(to), count, 0,
                   static_cast<rank*>(own), stream});
  return 0;
}
int ncclAllGather(const void* from, void* to, std::size_t count, int, void* own, void* stream) {
  group.push_back({'g', static_cast<const float*>(from), static_cast<float*>(to), count, 0,
                   static_cast<rank*>(own), stream});
  return 0;
}
int ncclReduceScatter(const void* from, void* to, std::size_t count, int, int, void* own,
                      void* stream) {
  if (simulated::has_fault("ncclReduceScatter")) return 1;
  group.push_back({'s', static_cast<const float*>(from), static_cast<float*>(to), count, 0,
                   static_cast<rank*>(own), stream});
  return 0;
}
int ncclSend(const void* from, std::size_t count, int, int peer, void* own, void* stream) {
  group.push_back({'>', static_cast<const float*>(from), nullptr, count, peer,
                   static_cast<rank*>(own), stream});
  return 0;
}
int ncclRecv(void* to, std::size_t count, int, int peer, void* own, void* stream) {
  group.push_back(
      {'<', nullptr, static_cast<float*>(to), count, peer, static_cast<rank*>(own), stream});
  return 0;
}
int ncclGroupEnd() {
  for (const call& one : group) {
    if (one.own->transports != nullptr) continue;
    cudaSetDevice(one.own->device);
    if (cudaMalloc(&one.own->transports, static_cast<std::size_t>(simulated::nccl_bytes)) !=
        cudaSuccess)
      return 1;
  }
  for (const call& one : group) {
    const auto own = static_cast<std::size_t>(one.own->index);
    simulated::send(static_cast<cudaStream_t>(one.stream),
                    simulated::copy_time +
                        static_cast<double>(one.count * sizeof(float)) / simulated::peer_rate,
                    "a collective");
    for (const call& other : group) {
      const auto index = static_cast<std::size_t>(other.own->index);
      switch (one.what) {
        case 'g': copy(one.to + index * one.count, other.from, one.count); break;
        case 'r':
        case 's': {
          const std::size_t begin = one.what == 's' ? own * one.count : 0;
          for (std::size_t i = 0; i < one.count; ++i)
            one.to[i] = (index == 0 ? 0 : one.to[i]) + other.from[begin + i];
          break;
        }
        case '<':
          if (other.what == '>' && other.own->index == one.peer && other.peer == one.own->index) {
            if (other.count != one.count) return 5;
            copy(one.to, other.from, one.count);
          }
          break;
        default: break;
      }
    }
  }
  return 0;
}

}  // extern "C"
