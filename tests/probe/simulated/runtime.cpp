/// \file
/// The CUDA runtime of a GPU that is not there.  Work is done at once, in the order it is sent, and
/// takes the time that its constants say; and whatever would be an error, a dead lock or a leak on
/// a real one ends the process.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <cuda_runtime_api.h>

#include <probe/kernels.hpp>

#include "device.hpp"
#include "runtime.hpp"

struct CUstream_st {
  int device;
  double ready = 0;  ///< when all that was sent to it is done
  bool captures = false;
  int captured = 0;
};
struct CUevent_st {
  int device;
  double time = -1;
};
struct CUgraph_st {
  int nodes;
};
struct CUgraphExec_st {
  int nodes;
};

namespace simulated {
namespace {

struct allocation {
  std::size_t size;
  int device;  ///< -1: of the host, pinned
};

struct machine {
  int current = 0;
  bool has_context = false;
  std::map<char*, allocation> allocations;
  int streams = 0;
  int events = 0;
  int graphs = 0;
  const gpuplan::probe::gate_words* gate = nullptr;
  std::uint32_t ticket = 0;
  int queued = 0;
  const void* last_read = nullptr;
  std::string kernel;  ///< the last one
  std::set<std::tuple<const void*, const void*, std::size_t>> done;

  ~machine() {
    if (has_context) has_fault("the end");
    if (!allocations.empty() || streams != 0 || events != 0 || graphs != 0) {
      std::fprintf(stderr, "simulated: leaked %zu allocations, %d streams, %d events, %d graphs\n",
                   allocations.size(), streams, events, graphs);
      std::_Exit(99);
    }
  }
} here;

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "simulated: %s\n", what.c_str());
  std::abort();
}

bool gate_is_shut() {
  if (here.gate == nullptr) return false;
  if (here.gate->opened < here.ticket) return true;
  here.gate = nullptr;
  here.queued = 0;
  return false;
}

/// A call of which nobody has said for which device it is.
void selected(const char* call) {
  if (!here.has_context) wrong(std::string{call} + " before a device is selected");
}

/// A call that waits for the device.
void waits(const char* call) {
  if (gate_is_shut()) wrong(std::string{call} + " waits behind a gate: a dead lock");
}

const allocation* holder(const void* data, std::size_t size) {
  auto* at = static_cast<char*>(const_cast<void*>(data));
  auto found = here.allocations.upper_bound(at);
  if (found == here.allocations.begin()) return nullptr;
  --found;
  return at + size <= found->first + found->second.size ? &found->second : nullptr;
}

/// Whether the same work has gone over the same memory since another one was done: then it changes
/// nothing, and need not be done again.
bool is_done(const char* name, const void* to, const void* from, std::size_t bytes) {
  if (here.kernel != name) here.done.clear();
  here.kernel = name;
  constexpr std::size_t worth_it = 1 << 16;  // and the host looks at what is smaller, in between
  return !here.done.insert({to, from, bytes}).second && bytes >= worth_it;
}

}  // namespace

void on_device(const void* data, std::size_t size, const char* call) {
  const allocation* found = holder(data, size);
  if (found == nullptr || found->device < 0)
    wrong(std::string{call} + " reaches past device memory");
}

bool is_pinned(const void* data, std::size_t size) {
  const allocation* found = holder(data, size);
  return found != nullptr && found->device < 0;
}

bool has_context() {
  return here.has_context;
}

void send(cudaStream_t stream, double seconds, const char* call) {
  if (stream == nullptr) wrong(std::string{call} + " on the default stream");
  if (gate_is_shut() && ++here.queued > 1000)
    wrong(std::string{call} + " is one of more than 1000 behind a gate: a dead lock");
  if (stream->captures)
    ++stream->captured;
  else
    stream->ready += seconds;
}

void of_current_device(cudaStream_t stream, const char* call) {
  if (stream == nullptr || stream->device != here.current)
    wrong(std::string{call} + " on a stream of another device");
}

}  // namespace simulated

using simulated::has_fault;
using simulated::here;
using simulated::selected;
using simulated::waits;
using simulated::wrong;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = simulated::device_count();
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= simulated::device_count()) return cudaErrorInvalidDevice;
  here.current = device;
  if (!here.has_context && has_fault("slow start"))
    std::this_thread::sleep_for(std::chrono::seconds{11});
  here.has_context = true;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device >= simulated::device_count()) return cudaErrorInvalidDevice;
  *properties = {};
  std::strcpy(properties->name, "NVIDIA L4");
  std::memset(properties->uuid.bytes, device + 1, sizeof properties->uuid.bytes);
  properties->major = 8;
  properties->minor = 9;
  properties->multiProcessorCount = simulated::multiprocessors;
  properties->l2CacheSize = static_cast<int>(simulated::l2_bytes);
  properties->totalGlobalMem = std::size_t{24} << 30;
  properties->maxThreadsPerMultiProcessor = simulated::most_threads;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02x:00.0", device + 1);
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "a simulated fault";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  double used = 0;
  for (const auto& [data, one] : here.allocations)
    if (one.device == here.current) used += static_cast<double>(one.size);
  *free = static_cast<std::size_t>(simulated::free_bytes - used);
  *total = static_cast<std::size_t>(simulated::free_bytes + simulated::context_bytes);
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** data, std::size_t size) {
  waits("cudaMalloc");
  selected("cudaMalloc");
  if (has_fault("cudaMalloc")) return cudaErrorMemoryAllocation;
  std::size_t free = 0;
  std::size_t total = 0;
  cudaMemGetInfo(&free, &total);
  if (size > free) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (size + 255) / 256 * 256);
  here.allocations[static_cast<char*>(*data)] = {size, here.current};
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t size, unsigned) {
  waits("cudaHostAlloc");
  *data = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  here.allocations[static_cast<char*>(*data)] = {size, -1};
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  waits("cudaFree");
  if (data == nullptr) return cudaSuccess;
  if (here.allocations.erase(static_cast<char*>(data)) != 1) wrong("cudaFree of what is not held");
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  return cudaFree(data);
}
cudaError_t cudaHostGetDevicePointer(void** there, void* data, unsigned) {
  if (!simulated::is_pinned(data, 1)) wrong("cudaHostGetDevicePointer of what is not pinned");
  *there = data;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  selected("cudaStreamCreateWithFlags");
  if (flags != cudaStreamNonBlocking) wrong("a stream that waits for the default one");
  *stream = new CUstream_st{here.current};
  ++here.streams;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  --here.streams;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  waits("cudaStreamSynchronize");
  return has_fault("cudaStreamSynchronize") ? cudaErrorLaunchFailure : cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (event->time < 0) wrong("a stream waits for an event that was not recorded");
  stream->ready = std::max(stream->ready, event->time);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st{here.current};
  ++here.events;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  --here.events;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event->device != stream->device) wrong("an event on a stream of another device");
  simulated::send(stream, 0, "cudaEventRecord");
  event->time = stream->ready;
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  waits("cudaEventElapsedTime");
  if (begin->time < 0 || end->time < begin->time) wrong("a time between events out of order");
  *milliseconds = static_cast<float>((end->time - begin->time) * 1e3);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const bool up = kind == cudaMemcpyHostToDevice;
  if (!up && kind != cudaMemcpyDeviceToHost) wrong("a copy of another kind");
  simulated::on_device(up ? to : from, size, "cudaMemcpyAsync");
  const bool pinned = simulated::is_pinned(up ? from : to, size);
  if (!pinned) waits("a copy of pageable memory");
  const double rate = pinned ? simulated::host_rate : simulated::pageable_rate;
  simulated::send(stream, simulated::copy_time + static_cast<double>(size) / rate,
                  "cudaMemcpyAsync");
  if (!simulated::is_done("copy of the host", to, from, size)) std::memcpy(to, from, size);
  return has_fault("cudaMemcpyAsync") ? cudaErrorLaunchFailure : cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind) {
  waits("cudaMemcpy");
  std::memcpy(to, from, size);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t size, cudaStream_t stream) {
  simulated::on_device(to, size, "cudaMemsetAsync");
  simulated::send(stream, static_cast<double>(size) / simulated::memory_rate, "cudaMemsetAsync");
  here.kernel = "memset";
  std::memset(to, value, size);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->captures = true;
  stream->captured = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  stream->captures = false;
  *graph = new CUgraph_st{stream->captured};
  ++here.graphs;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                          unsigned long long) {
  *made = new CUgraphExec_st{graph->nodes};
  ++here.graphs;
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  simulated::send(stream, graph->nodes * simulated::kernel_time, "cudaGraphLaunch");
  return has_fault("cudaGraphLaunch") ? cudaErrorLaunchFailure : cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  --here.graphs;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  --here.graphs;
  return cudaSuccess;
}

}  // extern "C"

// The kernels.

namespace gpuplan::probe {
namespace {

/// A kernel that goes through `bytes` of memory: faster where it does so again and they are few.
cudaError_t streams_through(const void* data, std::size_t bytes, cudaStream_t stream,
                            const char* name) {
  simulated::of_current_device(stream, name);
  const bool cached = data == here.last_read && static_cast<double>(bytes) <= simulated::l2_bytes;
  here.last_read = data;
  const double rate = cached ? simulated::cache_rate : simulated::memory_rate;
  simulated::send(stream, simulated::kernel_time + static_cast<double>(bytes) / rate, name);
  return has_fault(name) ? cudaErrorLaunchFailure : cudaSuccess;
}

/// A grid of more threads than run at once would leave the device half empty at its end.
void runs_at_once(launch_shape shape) {
  if (static_cast<int>(shape.blocks * shape.threads) >
      simulated::multiprocessors * simulated::most_threads)
    wrong("a grid of more threads than the device runs at once");
}

}  // namespace

cudaError_t launch_gate(gate_words* words, std::uint32_t ticket, std::uint64_t,
                        cudaStream_t stream) {
  simulated::of_current_device(stream, "gate");
  waits("a gate behind a gate");
  if (std::getenv("CUDA_LAUNCH_BLOCKING") != nullptr)
    wrong("the host waits for a gate that waits for the host");
  here.gate = words;
  here.ticket = ticket;
  here.queued = 0;
  simulated::send(stream, 0, "gate");
  return cudaSuccess;
}
cudaError_t launch_empty(cudaStream_t stream) {
  return streams_through(nullptr, 0, stream, "empty");
}
cudaError_t launch_fill(void* to, std::size_t count, std::uint32_t first, number_layout layout,
                        cudaStream_t stream) {
  const auto each = static_cast<std::size_t>(layout.size);
  simulated::on_device(to, count * each, "fill");
  here.kernel = "fill";
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = stored_at(first + static_cast<std::uint32_t>(i), layout);
    std::memcpy(static_cast<char*>(to) + i * each, &bits, each);
  }
  return streams_through(to, count * each, stream, "fill");
}
cudaError_t launch_copy(void* to, const void* from, std::size_t bytes, launch_shape shape,
                        cudaStream_t stream) {
  runs_at_once(shape);
  simulated::on_device(to, bytes, "copy");
  simulated::on_device(from, bytes, "copy");
  if (!simulated::is_done("copy", to, from, bytes)) {
    std::memcpy(to, from, bytes);
    if (has_fault("wrong copy")) static_cast<char*>(to)[bytes - 1] ^= 1;
  }
  return streams_through(from, 2 * bytes, stream, "copy");
}
cudaError_t launch_triad(void* a, const void* b, const void* c, float scalar, std::size_t bytes,
                         launch_shape shape, cudaStream_t stream) {
  runs_at_once(shape);
  for (const void* data : {static_cast<const void*>(a), b, c})
    simulated::on_device(data, bytes, "triad");
  if (!simulated::is_done("triad", a, b, bytes)) {
    const auto* first = static_cast<const float*>(b);
    const auto* second = static_cast<const float*>(c);
    for (std::size_t i = 0; i < bytes / 4; ++i)
      static_cast<float*>(a)[i] = first[i] + scalar * second[i];
    if (has_fault("wrong triad")) static_cast<float*>(a)[0] += 1;
  }
  return streams_through(b, 3 * bytes, stream, "triad");
}

}  // namespace gpuplan::probe
