#pragma once
/// \file
/// One collective on its own: what is asked, and what NCCL would take for it.

#include <optional>
#include <string>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/nccl_fabric.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/units/units.hpp>

#include "request.hpp"

namespace gpuplan::cli {

/// The question.
struct collective_question {
  collective what{};
  bytes message{};
  cluster_request asked{};  ///< as the catalogue names its parts
  cluster pool{};
  std::optional<seconds> hop{};  ///< of a short message between nodes, where it is given
  double level = usual_level;

  /// What NCCL calls nodes: GPUs that NVLink joins are in one.
  [[nodiscard]] int ranks() const { return static_cast<int>(pool.gpus()); }
};

/// The answer.
struct collective_answer {
  lone_collective found{};
  error_band band{};
  bytes_per_second algorithm{};  ///< bandwidth, as nccl-tests count it
  bytes_per_second bus{};

  /// The ends of the band; the low end is no less than the ports allow.
  [[nodiscard]] seconds low() const { return larger(band.low * found.total(), found.least); }
  [[nodiscard]] seconds high() const { return larger(band.high * found.total(), found.least); }
};

/// \throws bad_usage of what no formula speaks of here
collective_answer answer_of(const collective_question& asked);

}  // namespace gpuplan::cli
