/// \file
/// The options of gpuplan place that the framework alone reads, and what it says of its moves.

#include "place/framework.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/placement/framework.hpp>
#include <gpuplan/text/decimal_number.hpp>

#include "comma_list.hpp"
#include "inputs.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

struct named_weight {
  std::string_view name;
  double match_weights::*value;
};
constexpr std::array all_weights{named_weight{"fit", &match_weights::fit},
                                 named_weight{"fragmentation", &match_weights::fragmentation},
                                 named_weight{"balance", &match_weights::balance}};

match_weights weights_of(std::string_view text) {
  match_weights weights{.fit = 0, .fragmentation = 0, .balance = 0};
  for (const std::string_view part : list_parts(text, "--match-weights")) {
    const std::size_t equals = part.find('=');
    bool known = false;
    for (const named_weight& each : all_weights) {
      if (equals == part.npos || part.substr(0, equals) != each.name) continue;
      const std::string_view number = part.substr(equals + 1);
      double value = -1;
      const auto [end, problem] =
          decimal_from_chars(number.data(), number.data() + number.size(), value);
      known = problem == std::errc{} && end == number.data() + number.size() && value >= 0 &&
              value <= 1e6;
      weights.*each.value = value;
    }
    if (!known)
      throw bad_usage{
          fmt::format("--match-weights: cannot read '{}'; write NAME=NUMBER with fit, "
                      "fragmentation or balance and a "
                      "number from 0 to 1e6, or learned; a weight not named is 0",
                      part)};
  }
  if (weights.fit + weights.fragmentation + weights.balance > 0) return weights;
  throw bad_usage{"--match-weights: one weight must be > 0"};
}

}  // namespace

void framework_typed::add(CLI::App& command) {
  command.add_option("--improve", improve,
                     "Of the framework: running jobs that may move for one that finds no node, and "
                     "for even load at the end; 0: none [16]");
  command.add_option("--patience", patience,
                     "Of the framework with --leave: how long a job waits for a node [0s]");
  command.add_option("--ageing", ageing,
                     "Of the framework with --patience: a wait so long counts as one more priority "
                     "[never]");
  command.add_option("--match-weights", weights,
                     "Of the framework: fit=, fragmentation=, balance= in the score of a node, or "
                     "learned: from rounds of the jobs [fit=1,fragmentation=100,balance=1]");
}

framework_terms terms_of(const framework_typed& typed, bool used, bool leave) {
  for (const auto& [option, text] : std::array<std::pair<const char*, std::string_view>, 4>{
           {{"--improve", typed.improve},
            {"--patience", typed.patience},
            {"--ageing", typed.ageing},
            {"--match-weights", typed.weights}}})
    if (!used && !text.empty())
      throw bad_usage{fmt::format("{} has no effect without --policy framework", option)};
  framework_terms terms;
  if (!typed.improve.empty())
    terms.options.moves = static_cast<int>(whole_number(typed.improve, "--improve", 0, 1000));
  terms.learns = typed.weights == "learned";
  if (!typed.weights.empty() && !terms.learns) terms.weights = weights_of(typed.weights);
  if (!typed.patience.empty()) {
    if (!leave) throw bad_usage{"--patience has no effect without --leave"};
    terms.options.patience = quantity_of<seconds>(typed.patience, "--patience");
    if (!(terms.options.patience >= seconds{0} && terms.options.patience < seconds{1e15}))
      throw bad_usage{"--patience must be >= 0 s and < 1e15 s"};
  }
  if (!typed.ageing.empty()) {
    if (typed.patience.empty()) throw bad_usage{"--ageing has no effect without --patience"};
    terms.options.ageing = quantity_of<seconds>(typed.ageing, "--ageing");
    if (!(terms.options.ageing > seconds{0} && terms.options.ageing < seconds{1e15}))
      throw bad_usage{"--ageing must be > 0 s and < 1e15 s"};
  }
  return terms;
}

framework_effect effect_of(const framework_result& result) {
  framework_effect effect{
      .moved = result.moved, .given_room = result.given_room, .levelled = result.levelled};
  for (const seconds wait : result.wait) {
    if (wait > seconds{0}) ++effect.waited;
    effect.wait += wait;
  }
  return effect;
}

report_json json_of(const framework_effect& effect) {
  report_json mean = nullptr;
  if (effect.waited > 0)
    mean = json_number((effect.wait / static_cast<double>(effect.waited)).in_base_units());
  return {{"moves_to_make_room", effect.moved},
          {"jobs_given_room", effect.given_room},
          {"moves_for_even_load", effect.levelled},
          {"jobs_that_waited", effect.waited},
          {"mean_wait_of_these_s", std::move(mean)}};
}

namespace {

report_json learned_json(const std::optional<learned_candidates>& learned) {
  if (!learned) return nullptr;
  report_json shares = report_json::array();
  for (const double share : learned->share) shares.push_back(json_number(share));
  return {{"shares", std::move(shares)},
          {"loss", json_number(learned->loss)},
          {"loss_of_the_best", json_number(learned->best_loss)}};
}

}  // namespace

report_json json_of(const framework_terms& terms) {
  report_json weights = report_json::object();
  for (const named_weight& each : all_weights) weights[each.name] = terms.weights.*each.value;
  const seconds patience = terms.options.patience;
  const bool ages = terms.options.ageing < seconds{1e15};
  return {
      {"order", name_of(terms.options.order)},
      {"improve", terms.options.moves},
      {"patience_s", patience < endless_patience ? report_json(patience.in_base_units()) : nullptr},
      {"learned", learned_json(terms.learned)},
      {"ageing_s", ages ? report_json(terms.options.ageing.in_base_units()) : nullptr},
      {"weights", std::move(weights)}};
}

std::string words_of(const framework_terms& terms) {
  if (!terms.learned) return {};
  return fmt::format(
      "framework: learned fit={:g}, fragmentation={:g}, balance={:g} of {} "
      "candidates; lost {:.3f} while learning, the best {:.3f}.\n",
      terms.weights.fit, terms.weights.fragmentation, terms.weights.balance,
      terms.learned->share.size(), terms.learned->loss, terms.learned->best_loss);
}

std::string words_of(const framework_effect& effect) {
  std::string text;
  const auto count = [](std::int64_t number, const char* what) {
    return grouped(static_cast<double>(number)) + " " + what + (number == 1 ? "" : "s");
  };
  if (effect.moved > 0)
    text += fmt::format("framework: {} of running jobs made room for {}.\n",
                        count(effect.moved, "move"), count(effect.given_room, "job"));
  if (effect.levelled > 0)
    text += fmt::format("framework: {} evened out the load.\n", count(effect.levelled, "move"));
  if (effect.waited > 0)
    text += fmt::format("framework: {} waited, {:.0f} s on average.\n", count(effect.waited, "job"),
                        (effect.wait / static_cast<double>(effect.waited)).in_base_units());
  return text;
}

}  // namespace gpuplan::cli
