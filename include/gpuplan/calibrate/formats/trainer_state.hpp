#pragma once
/// \file
/// What the Trainer of Hugging Face writes of its state: trainer_state.json.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/formats/training_log.hpp>
#include <gpuplan/text/finite_json.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>

namespace gpuplan {

/// Longest state that is read, in bytes: a history of some three million entries.
inline constexpr std::size_t longest_trainer_state = std::size_t{1} << 28;

namespace detail {

/// The fields that are looked at, of the state and of an entry of its history.
inline bool keeps_of_trainer_state(std::string_view field) {
  constexpr std::array<std::string_view, 5> fields{
      "log_history", "step", "train_runtime", "train_steps_per_second", "train_samples_per_second"};
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// A number > 0 of an entry; 0 where it has none.
inline double trainer_number(const nlohmann::json& entry, const char* name) {
  const auto found = entry.find(name);
  if (found == entry.end() || !found->is_number()) return 0;
  const double value = found->get<double>();
  return value > 0 && std::isfinite(value) ? value : 0;
}

/// The row of log_patterns for a figure of the Trainer.
inline const log_pattern* trainer_pattern(log_figure figure) {
  for (const log_pattern& one : log_patterns)
    if (one.software == "Hugging Face Trainer" && one.figure == figure) return &one;
  return nullptr;
}

}  // namespace detail

/// Reads the state that the Trainer leaves in its folder. When training ends it adds an entry to
/// the history with the time of all steps; a state saved with a checkpoint before has no times, and
/// no pattern is returned.
///
///     steps / train_runtime     where train_steps_per_second was rounded from it, else that
///     train_samples_per_second  where there are no steps a second
///
/// The Trainer rounds to 3 decimals: 10 % of a step of 200 s.  A mean over all steps, the first and
/// evaluations among them; of a run that was taken up again the Trainer divides all steps by the
/// time of the last part.  Losses that are no number stand there as NaN, and are passed over.
///
/// Source: Hugging Face, "Transformers", trainer_callback.py, TrainerState, and trainer_utils.py,
/// speed_metrics (4.x).
///
/// \throws invalid_input as parse_json does, of more than longest_trainer_state, or if log_history
///         is not a list
inline training_log read_trainer_state(std::string_view text, std::string_view name) {
  const nlohmann::json whole =
      parse_json(finite_json(text), name,
                 {.longest = longest_trainer_state, .keeps = detail::keeps_of_trainer_state});
  const nlohmann::json* history = json_fields{whole, std::string(name)}.array("log_history");
  training_log log;
  if (history == nullptr) return log;
  training_log of_samples{.pattern = detail::trainer_pattern(log_figure::samples)};
  for (const nlohmann::json& entry : *history) {
    const double runtime = detail::trainer_number(entry, "train_runtime");
    const double printed = detail::trainer_number(entry, "train_steps_per_second");
    const double samples = detail::trainer_number(entry, "train_samples_per_second");
    if (samples > 0) of_samples.figures.push_back(samples);
    if (!(runtime > 0) && !(printed > 0)) continue;
    const double counted = runtime > 0 ? detail::trainer_number(entry, "step") / runtime : 0;
    constexpr double rounding = 0.0005 + 1e-9;  // half of the last decimal, and of a double's
    const bool agree = std::abs(counted - printed) <= rounding;
    const double figure = counted > 0 && agree ? counted : printed;
    if (!(figure > 0)) continue;
    log.pattern = detail::trainer_pattern(log_figure::steps);
    log.figures.push_back(figure);
  }
  return log.pattern != nullptr || of_samples.figures.empty() ? log : of_samples;
}

}  // namespace gpuplan
