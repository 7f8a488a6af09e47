#pragma once
/// \file
/// One of the two that explain compares: an answer of the program, or a measurement.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/formats/kernel_names.hpp>
#include <gpuplan/calibrate/formats/torch_memory_trace.hpp>
#include <gpuplan/calibrate/formats/torch_profile.hpp>
#include <gpuplan/report/term_difference.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::cli {

using time_terms = std::vector<named_term<seconds>>;
using size_terms = std::vector<named_term<bytes>>;

/// What a file holds.
enum class side_kind { answer, profile, memory_trace, memory_statistics, measurement };
std::string_view name_of(side_kind kind);

/// The memory of one stage at its peak; what is not known is absent.
struct side_memory {
  int stage = 0;
  std::string peak_moment{};
  size_terms terms{};  ///< sum up to `device`; none of a measurement
  std::optional<bytes> allocated{};
  std::optional<bytes> reserved{};
  std::optional<bytes> device{};
};

/// Where an answer says that a quantity lies, and in what share of runs.
template <class Q>
struct said_range {
  Q low{};
  Q high{};
  double level = 0;
};

/// A file, read.
struct side {
  std::string file;  ///< as messages call it
  side_kind kind = side_kind::answer;
  std::string refusal{};  ///< why an answer does not fit or breaks a rule; empty where it fits
  std::optional<seconds> step{};
  std::optional<said_range<seconds>> step_range{};     ///< of an answer
  std::optional<said_range<bytes>> allocated_range{};  ///< likewise, of its fullest stage
  std::optional<said_range<bytes>> reserved_range{};
  std::optional<said_range<bytes>> device_range{};
  std::string measured_by{};          ///< the profile that an answer was made with; empty: none
  nlohmann::json measured_rates{};    ///< what that profile puts in the place of datasheets
  time_terms step_terms{};            ///< sum up to `step`; none of a measurement without terms
  std::vector<side_memory> stages{};  ///< one of a measurement
  std::size_t fullest = 0;            ///< in `stages`
  nlohmann::json inputs{};            ///< of an answer: model, cluster, recipe, parallelism, ...
  std::optional<profiled_step> profile{};
  std::optional<memory_peak> peak{};

  [[nodiscard]] bool is_answer() const { return kind == side_kind::answer; }
};

/// What the user says of files that do not say it themselves.
struct side_hint {
  std::optional<profiled_layout> layout{};
  std::optional<int> device{};
};

/// The layout of an answer, as far as it tells messages apart; nothing where it has none.
std::optional<profiled_layout> layout_of(const side& answer);

/// Reads a file by what is in it.
/// \throws bad_usage or invalid_input of one line
side read_side(const std::string& path, const side_hint& hint);

}  // namespace gpuplan::cli
