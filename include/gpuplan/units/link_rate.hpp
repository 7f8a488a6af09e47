#pragma once
/// \file
/// Rates of a link, so that one direction is not mistaken for both.

#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The rate of a link that carries as much each way.  Datasheets print the sum of both directions
/// for NVLink (900 GB/s of an H100), one direction for Ethernet and InfiniBand (400 Gbit/s); so a
/// link_rate is made, and read, only by a function that says which:
///
///     constexpr link_rate nvlink4 = both_directions(900 * GB / second);
///     constexpr bytes_per_second out = nvlink4.per_direction();  // 450 GB/s
///
/// A sum of links is a link, and so is a share of one.
template <class T>
class basic_link_rate {
 public:
  constexpr basic_link_rate() = default;

  [[nodiscard]] constexpr basic_bytes_per_second<T> per_direction() const { return one_way_; }
  [[nodiscard]] constexpr basic_bytes_per_second<T> both_directions() const { return 2 * one_way_; }

  friend constexpr basic_link_rate operator+(const basic_link_rate& a, const basic_link_rate& b) {
    return basic_link_rate{a.one_way_ + b.one_way_};
  }
  friend constexpr basic_link_rate operator*(const T& k, const basic_link_rate& link) {
    return basic_link_rate{k * link.one_way_};
  }
  friend constexpr bool operator==(const basic_link_rate&, const basic_link_rate&) = default;

  template <class U>
  friend constexpr basic_link_rate<U> per_direction(const basic_bytes_per_second<U>& rate);
  template <class U>
  friend constexpr basic_link_rate<U> both_directions(const basic_bytes_per_second<U>& rate);

 private:
  constexpr explicit basic_link_rate(const basic_bytes_per_second<T>& one_way)
      : one_way_{one_way} {}

  basic_bytes_per_second<T> one_way_{};
};

using link_rate = basic_link_rate<double>;

/// A link that carries `rate` each way, both ways at once.
///
///     2 W
///
///     W  one direction    B/s, >= 0
///
/// Holds: a link that is as fast each way.
///
/// Source: by definition.
template <class U>
constexpr basic_link_rate<U> per_direction(const basic_bytes_per_second<U>& rate) {
  return basic_link_rate<U>{rate};
}

/// A link whose two directions together carry `rate`.
///
///     W / 2
///
///     W  both directions together    B/s, >= 0
///
/// Holds: a link that is as fast each way.
///
/// Source: as per_direction.
template <class U>
constexpr basic_link_rate<U> both_directions(const basic_bytes_per_second<U>& rate) {
  return basic_link_rate<U>{rate / 2};
}

}  // namespace gpuplan
