#pragma once
/// \file
/// The roofline: a kernel is bound by arithmetic or by the bytes that it moves.

#include <algorithm>
#include <type_traits>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The share of its datasheet bandwidth that device memory gives a streaming kernel, where nobody
/// measured the device: between the copy and the triad of published runs, 0.82 to 0.905.
///
/// Source: S. Bekman, "Machine Learning Engineering Open Book", compute/accelerator/README.md,
/// github.com/stas00/ml-engineering (2025), measured memory bandwidth.
inline constexpr double streaming_share = 0.85;

/// The bandwidth of device memory that a streaming kernel can count on: the best measured, else
/// streaming_share of the datasheet's.
///
/// Source: S. Bekman, "Machine Learning Engineering Open Book", compute/accelerator/README.md,
/// github.com/stas00/ml-engineering (2025).
template <class T>
constexpr basic_bytes_per_second<T> streaming_bandwidth(const basic_accelerator<T>& gpu) {
  if (gpu.achieved_memory_bandwidth > bytes_per_second{0}) return gpu.achieved_memory_bandwidth;
  return T(streaming_share) * gpu.memory_bandwidth;
}

/// What a kernel can reach: the roofline.
///
///     P = min(P_max, I W)
///
///     P_max  peak                                         FLOP/s, >= 0
///     I      operations for each byte moved: intensity    FLOP/B, >= 0
///     W      bandwidth of a level of memory               B/s, >= 0
///
/// A bound, not an estimate: it holds whatever overlaps.  The level is the one whose bytes are
/// counted; a kernel has one roof for each, of which hierarchical_roofline takes the lowest.
///
/// Holds: a bound, whatever overlaps.
///
/// Source: S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance
/// Model for Multicore Architectures", Commun. ACM 52 (2009) 65-76.
///
/// \throws invalid_input if an argument is < 0
template <class T>
constexpr basic_flop_per_second<T> roofline(
    const basic_flop_per_second<T>& peak,
    const std::type_identity_t<basic_bytes_per_second<T>>& bandwidth,
    const std::type_identity_t<basic_flop_per_byte<T>>& intensity) {
  require(peak >= flop_per_second{0}, "roofline: peak must be >= 0 FLOP/s");
  require(bandwidth >= bytes_per_second{0}, "roofline: bandwidth must be >= 0 B/s");
  require(intensity >= flop_per_byte{0}, "roofline: intensity must be >= 0 FLOP/B");
  const basic_flop_per_second<T> fed = intensity * bandwidth;
  return fed < peak ? fed : peak;
}

/// The intensity above which arithmetic binds: the ridge, P_max / W.
///
///     P_max / W
///
///     P_max  peak                              FLOP/s, >= 0
///     W      bandwidth of a level of memory    B/s, > 0
///
/// Holds: of the level whose bytes are counted.
///
/// Source: as roofline.
///
/// \throws invalid_input if peak < 0 or bandwidth <= 0
template <class T>
constexpr basic_flop_per_byte<T> ridge(
    const basic_flop_per_second<T>& peak,
    const std::type_identity_t<basic_bytes_per_second<T>>& bandwidth) {
  require(peak >= flop_per_second{0}, "ridge: peak must be >= 0 FLOP/s");
  require(bandwidth > bytes_per_second{0}, "ridge: bandwidth must be > 0 B/s");
  return peak / bandwidth;
}

}  // namespace gpuplan
