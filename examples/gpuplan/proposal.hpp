#pragma once
/// \file
/// What makes a job fit that does not, as commands that were tried.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/plan/levers.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/plan/what_fits.hpp>

#include "command_words.hpp"
#include "program.hpp"
#include "request.hpp"

namespace gpuplan::cli {

/// A command that fits.
struct proposal {
  lever_cost cost{};
  command_words words{};
  std::string options{};  ///< that it changes, as "--offload all"
  job asked{};
  plan best{};
  double fits_probability = 0;
  std::optional<dollars> price{};  ///< of the run, where it is known
  bool searched_all = true;        ///< false where a larger micro-batch may be faster
};

struct proposals {
  std::vector<proposal> list;  ///< what costs the training least first, then the fastest
  bool searched_all = true;
};

/// What a command line answers: its plan, where one fits.
using words_answer = std::function<std::optional<proposal>(const command_words&)>;
/// The words that ask for a change.
using words_for = std::function<command_words(const fitting_change&)>;

/// Those of the changes whose words fit when they are asked, a few of each cost.
void add_proposals(proposals& to, const fitting_changes& found, const command_words& typed,
                   const words_for& asks, const words_answer& answer);
/// Adds one command, where it fits.
void add_proposal(proposals& to, lever_cost cost, const command_words& words,
                  const command_words& typed, const words_answer& answer);
void sort_by_cost(proposals& all);

/// Names of the types with more memory, those with the least first.
std::vector<std::string> larger_types(const job& asked);
/// Names another type, and takes out what was said of this one.
void set_type(command_words& words, const std::string& gpu);

/// The table of what fits, with its commands below; nothing of an empty list.
std::string proposals_in_words(const proposals& all, std::size_t most, text_style style);
report_json json_of(const proposals& all);
/// "risk alone", "time alone", "other number formats", ...
std::string_view cost_in_words(lever_cost cost);

}  // namespace gpuplan::cli
