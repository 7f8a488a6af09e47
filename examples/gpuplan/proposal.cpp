/// \file
/// What makes a job fit, as commands.

#include "proposal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "fitted_table.hpp"
#include "plan/run.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Changes of one cost that are asked as commands: each is a search.
constexpr std::size_t most_of_a_cost = 4;

seconds time_of_token(const proposal& one) {
  return seconds{1 / one.best.what.throughput().in_base_units()};
}

/// Dollars where all have a price, else the time of a token on all GPUs together.
double dearness(const proposal& one, bool priced) {
  if (one.cost != lever_cost::hardware) return time_of_token(one).in_base_units();
  return priced ? one.price->in_base_units()
                : time_of_token(one).in_base_units() * static_cast<double>(one.best.what.gpus);
}

/// What is offloaded to the memory of a node.
bytes host_memory_of(const proposal& one) {
  return host_memory_of_node(one.best.what.memory, one.asked);
}

/// The words without options of the host that have no effect on what was found: asked alone, they
/// would be refused.
command_words with_effect(command_words words, const proposal& one) {
  const training_setup setup{one.asked.model, one.best.recipe(), one.best.parallelism()};
  for (const field<cluster_request>& row : api::cluster_fields)
    if (row.effect.where != nullptr && !row.effect.where(setup)) words.erase(row.main_option());
  return words;
}

}  // namespace

std::string_view cost_in_words(lever_cost cost) {
  constexpr std::array<std::string_view, lever_costs.size()> words{
      "risk alone", "time alone", "other number formats", "other training", "other hardware"};
  return words[static_cast<std::size_t>(cost)];
}

void add_proposal(proposals& to, lever_cost cost, const command_words& words,
                  const command_words& typed, const words_answer& answer) {
  try {
    std::optional<proposal> one = answer(words);
    if (!one) return;
    one->cost = cost;
    one->words = with_effect(words, *one);
    one->options = added_words(one->words, typed);
    const bool known = std::any_of(to.list.begin(), to.list.end(), [&](const proposal& other) {
      return other.options == one->options;
    });
    if (!known) to.list.push_back(std::move(*one));
  } catch (const invalid_input&) {
    return;  // another option that was typed has no effect beside the change
  } catch (const bad_usage&) {
    return;
  }
}

void add_proposals(proposals& to, const fitting_changes& found, const command_words& typed,
                   const words_for& asks, const words_answer& answer) {
  to.searched_all = to.searched_all && found.searched_all;
  std::array<std::size_t, lever_costs.size()> asked{};
  for (const fitting_change& one : found.list) {
    const lever_cost cost = one.levers.cost();
    if (asked[static_cast<std::size_t>(cost)]++ < most_of_a_cost)
      add_proposal(to, cost, asks(one), typed, answer);
  }
}

void sort_by_cost(proposals& all) {
  const bool priced = std::all_of(all.list.begin(), all.list.end(), [](const proposal& one) {
    return one.cost != lever_cost::hardware || one.price;
  });
  std::stable_sort(all.list.begin(), all.list.end(), [&](const proposal& a, const proposal& b) {
    return std::tuple{a.cost, dearness(a, priced)} < std::tuple{b.cost, dearness(b, priced)};
  });
}

std::vector<std::string> larger_types(const job& asked) {
  std::vector<const catalog::accelerator_entry*> larger;
  for (const auto& entry : catalog::accelerators)
    if (entry.gpu->memory > asked.pool.gpu().memory) larger.push_back(&entry);
  std::stable_sort(larger.begin(), larger.end(),
                   [](const auto* a, const auto* b) { return a->gpu->memory < b->gpu->memory; });
  std::vector<std::string> names;
  for (const auto* entry : larger) names.emplace_back(entry->name);
  return names;
}

void set_type(command_words& words, const std::string& gpu) {
  words.set("--gpu", gpu);
  for (const char* of_type : {"--memory", "--profile", "--price", "--reserved-price",
                              "--spot-price", "--term", "--reclaim"})
    words.erase(of_type);
  if (!has_listed_price(gpu)) words.erase("--provider");
}

std::string proposals_in_words(const proposals& all, std::size_t most, text_style style) {
  if (all.list.empty()) return {};
  const bool priced = std::any_of(all.list.begin(), all.list.end(),
                                  [](const proposal& one) { return one.price.has_value(); });
  std::vector<column> heads{{"", column_side::right}, {"It costs"}};
  const bool offloads = std::any_of(all.list.begin(), all.list.end(), [](const proposal& one) {
    return host_memory_of(one) > bytes{0};
  });
  heads.push_back({"Memory", column_side::right});
  if (offloads) heads.push_back({"Host, a node", column_side::right});
  for (const char* head : {"Fits", "Step"}) heads.push_back({head, column_side::right});
  if (priced) heads.push_back({"Run", column_side::right});
  heads.push_back({"Change"});
  fitted_table rows{heads, last_column::beside_or_below};
  std::string commands;
  for (std::size_t i = 0; i < all.list.size() && i < most; ++i) {
    const proposal& one = all.list[i];
    std::vector<std::string> cells{std::to_string(i + 1), std::string(cost_in_words(one.cost)),
                                   sized(one.best.what.needed)};
    if (offloads) cells.push_back(host_memory_of(one) > bytes{0} ? sized(host_memory_of(one)) : "");
    cells.push_back(chance_in_cell(one.fits_probability));
    cells.push_back((one.searched_all ? "" : "<= ") + format_duration(one.best.what.time.total()));
    if (priced) cells.push_back(one.price ? money(*one.price) : "unknown");
    cells.push_back(one.options);
    rows.row(std::move(cells));
    commands += fmt::format("{:>2}  {}\n", i + 1, one.words.text());
  }
  constexpr std::array<std::string_view, 2> spare{"Fits", "Step"};
  return rows.text(spare, width_of_output(), style) + "\n" + commands;
}

report_json json_of(const proposals& all) {
  report_json list = report_json::array();
  for (const proposal& one : all.list) {
    const estimate& what = one.best.what;
    list.push_back({{"costs", name_of(one.cost)},
                    {"options", one.options},
                    {"command", one.words.text()},
                    {"gpu", one.asked.asked.gpu},
                    {"gpus", one.asked.asked.gpus},
                    {"fits_probability", json_number(one.fits_probability)},
                    {"worst_stage_bytes", json_number(what.needed)},
                    {"host_memory_bytes", json_number(host_memory_of(one))},
                    {"step_time_s", json_number(what.time.total())},
                    {"searched_all", one.searched_all},
                    {"tokens_per_s", json_number(what.throughput())},
                    {"run_cost_dollars", one.price ? json_number(*one.price) : nullptr},
                    {"recipe", gpuplan::json_of(one.best.recipe())},
                    {"parallelism", gpuplan::json_of(one.best.parallelism())}});
  }
  return list;
}

}  // namespace gpuplan::cli
