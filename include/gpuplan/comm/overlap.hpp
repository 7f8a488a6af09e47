#pragma once
/// \file
/// Overlap of gradient buckets with the backward pass: the part that remains visible.

#include <span>
#include <type_traits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Communication beside computation.
template <class T>
struct basic_overlap {
  basic_seconds<T> communication{};  ///< all of it
  basic_seconds<T> exposed{};        ///< after the computation has ended

  [[nodiscard]] constexpr basic_seconds<T> hidden() const { return communication - exposed; }
};

using overlap = basic_overlap<double>;

/// Gradients that are sent together.
template <class T>
struct basic_gradient_bucket {
  basic_seconds<T> ready{};     ///< since the backward pass began; >= 0
  basic_seconds<T> duration{};  ///< of its collective; >= 0
};

using gradient_bucket = basic_gradient_bucket<double>;

/// Buckets sent one after another, each when it is ready.
///
///     s_i = max(r_i, e_{i-1}),   e_i = s_i + t_i,   exposed = max(0, e_last - b)
///
///     r_i, t_i   buckets[i].ready, .duration             s
///     s_i, e_i   when its collective begins and ends
///     b          backward: the whole backward pass       s, >= 0
///
/// With gradient accumulation this is the last micro-batch; the others send nothing.
///
/// Holds when one collective runs at a time, and neither slows the other; \see contention.hpp.
///
/// Source: S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training",
/// Proc. VLDB Endowment 13 (2020) 3005-3018.
///
/// \throws invalid_input if a time is < 0 s
template <class T>
constexpr basic_overlap<T> overlapped_buckets(
    std::span<const basic_gradient_bucket<T>> buckets,
    const std::type_identity_t<basic_seconds<T>>& backward) {
  require(backward >= seconds{0}, "overlapped_buckets: backward must be >= 0 s");
  basic_overlap<T> result;
  basic_seconds<T> end;
  for (const auto& bucket : buckets) {
    require(bucket.ready >= seconds{0}, "gradient_bucket.ready must be >= 0 s");
    require(bucket.duration >= seconds{0}, "gradient_bucket.duration must be >= 0 s");
    end = larger(bucket.ready, end) + bucket.duration;
    result.communication += bucket.duration;
  }
  if (end > backward) result.exposed = end - backward;
  return result;
}

/// What shows of gradients sent in equal buckets.
///
///     exposed = m                  if m <= c
///               k m - (k - 1) c    else
///
///     k   buckets                                     count, >= 1
///     c   computation that fills one bucket           s, >= 0
///     m   collective of one bucket                    s, >= 0
///
/// It is never less than m: the last bucket is ready when the backward pass ends.
///
/// Holds: one collective at a time, neither slows the other.
///
/// Source: as overlapped_buckets.
///
/// \throws invalid_input if count < 1 or a time is < 0 s
template <class T>
constexpr basic_overlap<T> overlapped_uniform_buckets(
    int count, const basic_seconds<T>& computation,
    const std::type_identity_t<basic_seconds<T>>& collective) {
  require(count >= 1, "overlapped_uniform_buckets: count must be >= 1");
  require(computation >= seconds{0}, "overlapped_uniform_buckets: computation must be >= 0 s");
  require(collective >= seconds{0}, "overlapped_uniform_buckets: collective must be >= 0 s");
  const double k = count;
  return {
      .communication = k * collective,
      .exposed = collective <= computation ? collective : k * collective - (k - 1) * computation};
}

/// Gradients cut into buckets of a size, ready in proportion to the bytes before them; the last may
/// be smaller.
///
///     `bucket`      size of one; PyTorch's is 25 MiB, but for a first of 1 MiB    B, > 0
///     `collective`  time of the collective of so many bytes: bytes -> seconds
///
/// Without an end, one bucket holds all and all is exposed.
///
/// Source: as overlapped_buckets.
///
/// \throws invalid_input if gradients < 0 B, bucket <= 0 B or backward < 0 s
template <class T, class Collective>
constexpr basic_overlap<T> overlapped_gradients(
    const basic_seconds<T>& backward, const std::type_identity_t<basic_bytes<T>>& gradients,
    const std::type_identity_t<basic_bytes<T>>& bucket, Collective collective) {
  require(backward >= seconds{0}, "overlapped_gradients: backward must be >= 0 s");
  require(gradients >= bytes{0}, "overlapped_gradients: gradients must be >= 0 B");
  require(bucket > bytes{0}, "overlapped_gradients: bucket must be > 0 B");
  basic_overlap<T> result;
  if (!(gradients > bytes{0})) return result;

  // Of the whole buckets, all alike, the last ends at the later of two: when it is ready, or when
  // the first was ready and all followed at once.
  const T parts = gradients / bucket;
  auto whole = static_cast<double>(static_cast<long long>(static_cast<double>(parts)));
  basic_bytes<T> rest = gradients - whole * bucket;
  basic_seconds<T> end;
  if (whole >= 1) {
    const basic_seconds<T> one = collective(bucket);
    const basic_seconds<T> fill = backward / parts;
    end = larger(whole * fill + one, fill + whole * one);
    result.communication = whole * one;
  }
  if (rest > bytes{0}) {
    const basic_seconds<T> last = collective(rest);
    end = larger(backward, end) + last;
    result.communication += last;
  }
  if (end > backward) result.exposed = end - backward;
  return result;
}

}  // namespace gpuplan
