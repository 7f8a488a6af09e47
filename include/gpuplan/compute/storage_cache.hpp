#pragma once
/// \file
/// Storage behind a cache that holds a part of the samples.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Share of the bytes of an epoch that a cache delivers, once it is full.
///
///     h = min(1, C / D)
///
///     C  size of the cache      B, >= 0
///     D  size of the samples    B, > 0
///
/// Holds: each sample is read once an epoch in random order, and what is cached stays; a cache that
/// throws out what was used longest ago does worse where C < D.
///
/// Source: J. Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training", PVLDB 14
/// (2021), arXiv:2007.06775.
///
/// \throws invalid_input if cache < 0 B or samples <= 0 B
constexpr double cache_hits(bytes cache, bytes samples) {
  require(cache >= bytes{0}, "cache_hits: cache must be >= 0 B");
  require(samples > bytes{0}, "cache_hits: samples must be > 0 B");
  return cache < samples ? cache / samples : 1;
}

/// Bytes per second of storage behind a cache, where one reader takes hits and misses in turn.
///
///     W = 1 / (h / W_c + (1 - h) / W_s)
///
///     h    share of the bytes that the cache delivers    1, 0 to 1
///     W_c  bandwidth of the cache                        B/s, > 0
///     W_s  bandwidth of the storage behind it            B/s, > 0
///
/// Misses bind soon: with 90 % hits of a cache a hundred times as fast, the whole is nine times as
/// fast, not ninety.
///
/// Holds: hits and misses one after the other; readers side by side may overlap them.
///
/// Source: definition, the harmonic mean by bytes.
///
/// \throws invalid_input if hits is not 0 to 1, or a bandwidth is <= 0 B/s
constexpr bytes_per_second cached_bandwidth(double hits, bytes_per_second cache,
                                            bytes_per_second storage) {
  require(hits >= 0 && hits <= 1, "cached_bandwidth: hits must be 0 to 1");
  require(cache > bytes_per_second{0}, "cached_bandwidth: cache must be > 0 B/s");
  require(storage > bytes_per_second{0}, "cached_bandwidth: storage must be > 0 B/s");
  return 1 / (hits / cache + (1 - hits) / storage);
}

}  // namespace gpuplan
