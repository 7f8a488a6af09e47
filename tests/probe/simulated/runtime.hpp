#pragma once
/// \file
/// What libraries on top of the simulated runtime ask of it.

#include <cstddef>

#include <cuda_runtime_api.h>

namespace simulated {

/// Work of so many seconds on a stream.
void send(cudaStream_t stream, double seconds, const char* call);
/// Ends the process unless all of it is memory of a device.
void on_device(const void* data, std::size_t size, const char* call);
/// Ends the process unless the stream is one of the device that is selected.
void of_current_device(cudaStream_t stream, const char* call);

/// Whether this process has chosen a device, and so has a context.
bool has_context();

}  // namespace simulated
