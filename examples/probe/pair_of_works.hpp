#pragma once
/// \file
/// Two kinds of work on one device: each alone, and each beside the other.

#include <string>

#include "part.hpp"

namespace gpuplan::probe {

/// Work, and the stopwatch on whose stream it is timed.
struct timed_work {
  std::string name;
  stopwatch& watch;
  stream_work work;
};

/// Adds to the first device's contention, or says that there was no time.
void measure_pair(part& p, const timed_work& first, const timed_work& second);

}  // namespace gpuplan::probe
