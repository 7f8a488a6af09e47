#pragma once
/// \file
/// What brings the samples of a training set into a node.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Storage and workers that feed a node.  Without a sample and without preprocessing, feeding is
/// not looked at.
struct node_feed {
  bytes stored_sample{};       ///< of a sequence, as it is read; >= 0
  bytes_per_second storage{};  ///< that the node reads; > 0 where stored_sample is
  seconds preprocessing{};     ///< of a sequence, by one worker; >= 0
  double workers = 1;          ///< of the node, at the same time; > 0

  [[nodiscard]] constexpr bool is_known() const {
    return stored_sample > bytes{0} || preprocessing > seconds{0};
  }
  friend constexpr bool operator==(const node_feed&, const node_feed&) = default;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const node_feed& feed) {
  require(feed.stored_sample >= bytes{0}, "node_feed.stored_sample must be >= 0 B");
  require(feed.storage >= bytes_per_second{0}, "node_feed.storage must be >= 0 B/s");
  require(feed.stored_sample == bytes{0} || feed.storage > bytes_per_second{0},
          "node_feed.storage must be > 0 B/s where samples are read");
  require(feed.preprocessing >= seconds{0}, "node_feed.preprocessing must be >= 0 s");
  require(feed.workers > 0, "node_feed.workers must be > 0");
}

}  // namespace gpuplan
