#pragma once
/// \file
/// Numbers of versions as people write them, and names that tell devices apart without naming them.

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuplan::probe {

namespace detail {

inline std::string dotted(std::size_t major, std::size_t minor, std::size_t patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace detail

/// 12040 is "12.4".
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// 120304 is "12.3.4".
inline std::string cublas_version_text(std::size_t version) {
  return detail::dotted(version / 10000, version / 100 % 100, version % 100);
}

/// 22707 is "2.27.7"; below 10000, before 2.9, thousands count: 2804 is "2.8.4".
inline std::string nccl_version_text(int version) {
  const auto v = static_cast<std::size_t>(version);
  if (v < 10000) return detail::dotted(v / 1000, v / 100 % 10, v % 100);
  return detail::dotted(v / 10000, v / 100 % 100, v % 100);
}

/// Sixteen digits that stay the same for the same bytes, and do not tell them.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, "FNV hash" (1991), the 64-bit form 1a.
inline std::string hash_text(const char* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < size; ++i) {
    hash ^= static_cast<unsigned char>(data[i]);
    hash *= 0x100000001b3;
  }
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = "0123456789abcdef"[hash >> (4 * i) & 15];
  return text;
}

}  // namespace gpuplan::probe
