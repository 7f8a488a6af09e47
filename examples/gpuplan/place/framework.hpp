#pragma once
/// \file
/// The options of gpuplan place that the framework alone reads, and what it says of its moves.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/framework_options.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/match_learning.hpp>
#include <gpuplan/placement/match_score.hpp>
#include <gpuplan/placement/placer_replay.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/units.hpp>

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// The patience of jobs that wait as long as others run.
inline constexpr seconds endless_patience{1e14};

/// As typed.
struct framework_typed {
  std::string improve, patience, ageing, weights;

  void add(CLI::App& command);
};

/// What they ask for.
struct framework_terms {
  framework_options options{};
  match_weights weights{};
  bool learns = false;                        ///< the weights are to be learned from the jobs
  std::optional<learned_candidates> learned;  ///< what was learned: then the weights are the best
};

/// How weights are learned: in each round as many jobs as there are, drawn with replacement.
struct learning_rounds {
  replay_mode mode{};
  framework_options options{};
  std::uint64_t seed = 1;
  int rounds = 16;
};

/// \throws bad_usage if one cannot be read, or has no effect: `used` says whether the framework is
///         among the policies, `leave` whether jobs leave again
framework_terms terms_of(const framework_typed& typed, bool used, bool leave);

/// What the framework improved.
struct framework_effect {
  std::int64_t moved = 0;       ///< moves that made room
  std::int64_t given_room = 0;  ///< jobs placed by them
  std::int64_t levelled = 0;    ///< moves for even load
  std::int64_t waited = 0;      ///< jobs placed later than they came
  seconds wait{};               ///< of these, in all
};

framework_effect effect_of(const framework_result& result);
report_json json_of(const framework_effect& effect);
report_json json_of(const framework_terms& terms);
/// A line of what was learned; empty where nothing was.
std::string words_of(const framework_terms& terms);
/// A line; empty where it moved nothing and nobody waited.
std::string words_of(const framework_effect& effect);

}  // namespace gpuplan::cli
