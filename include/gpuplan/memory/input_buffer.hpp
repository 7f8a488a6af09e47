#pragma once
/// \file
/// Batches of input data in memory between the loader and the GPU.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Counts of batches in the hands of each stage of a data pipeline.
struct batches_held {
  int prefetched = 2;   ///< read and waiting; PyTorch's DataLoader keeps 2 a worker; >= 0
  int processed = 1;    ///< being decoded and augmented; >= 0
  int transferred = 1;  ///< on their way to the GPU; >= 0

  [[nodiscard]] constexpr double total() const {
    return static_cast<double>(prefetched) + processed + transferred;
  }
};

/// Memory of input buffers.
///
///     M = (prefetched + processed + transferred) b
///
///     b  one batch   B, >= 0
///
/// Counts of batches, each the same size: decoded images are larger than the files they come from.
///
/// Source: PyTorch, torch.utils.data.DataLoader, prefetch_factor = 2 (2.x).
///
/// \throws invalid_input if a count is < 0 or batch < 0 B
constexpr bytes input_buffer(const batches_held& held, bytes batch) {
  require(held.prefetched >= 0 && held.processed >= 0 && held.transferred >= 0,
          "input_buffer: counts of batches must be >= 0");
  require(batch >= bytes{0}, "input_buffer: batch must be >= 0 B");
  return held.total() * batch;
}

/// One batch of pictures or of any other tensor of height x width x channels a sample.
struct image_batch {
  int samples = 1;
  int height = 1;
  int width = 1;
  int channels = 3;
};

/// Bytes of a batch of pictures.
///
///     M = B H W C S
///
///     B  samples      count, >= 1
///     H  height       count, >= 1
///     W  width        count, >= 1
///     C  channels     count, >= 1
///     S  one value    B, > 0
///
/// Holds: dense layout.
///
/// Source: by definition.
///
/// \throws invalid_input if a field is < 1 or value <= 0 B
constexpr bytes image_batch_memory(const image_batch& batch, bytes value) {
  require(batch.samples >= 1 && batch.height >= 1 && batch.width >= 1 && batch.channels >= 1,
          "image_batch: fields must be >= 1");
  require(value > bytes{0}, "image_batch_memory: value must be > 0 B");
  return static_cast<double>(batch.samples) * batch.height * batch.width * batch.channels * value;
}

}  // namespace gpuplan
