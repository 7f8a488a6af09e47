/// \file
/// An estimate as tables for people.

#include "summary.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/api/power_limit.hpp>
#include <gpuplan/memory/reserved.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/plan/reject_sentence.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "parallel_axes.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

/// "master_weights" as "master weights".
std::string in_words(std::string_view name) {
  std::string text{name};
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// What a brief table calls a term of memory together with others.
std::string_view group_of(std::string_view term) {
  struct grouped_term {
    std::string_view term, group;
  };
  constexpr std::array groups{grouped_term{"weights", "weights"},
                              grouped_term{"gathered_parameters", "weights"},
                              grouped_term{"reference_model", "reference model"},
                              grouped_term{"gradients", "gradients"},
                              grouped_term{"deferred_gradient", "gradients"},
                              grouped_term{"unused_gradients", "gradients"},
                              grouped_term{"head_gradients", "gradients"},
                              grouped_term{"whole_gradients", "gradients"},
                              grouped_term{"layer_gradients", "gradients"},
                              grouped_term{"gradient_copy", "gradients"},
                              grouped_term{"master_weights", "optimizer"},
                              grouped_term{"optimizer", "optimizer"},
                              grouped_term{"optimizer_temporaries", "optimizer"},
                              grouped_term{"batch", "activations"},
                              grouped_term{"activations", "activations"},
                              grouped_term{"embedding", "activations"},
                              grouped_term{"recomputed", "activations"},
                              grouped_term{"head", "head and loss"},
                              grouped_term{"deferred_head", "head and loss"},
                              grouped_term{"logits", "head and loss"},
                              grouped_term{"fragmentation", "fragmentation"}};
  for (const grouped_term& one : groups)
    if (one.term == term) return one.group;
  return "buffers, context";
}

/// The first, the worst and the last stage, each once.
std::vector<int> stages_to_show(const footprint& memory) {
  std::vector<int> shown{0, memory.worst(), memory.stages() - 1};
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

}  // namespace

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string sized(bytes size) {
  return fmt::format("{:.2f} GiB", size / units::GiB);
}

std::string grouped(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string name_of_model(const job& asked) {
  return visible(asked.model_name);
}

std::string layout_in_words(const recipe& how, const parallelism& cut) {
  std::string words;
  for (const parallel_axis& axis : parallel_axes)
    if (divides_gpus(axis) && cut.*axis.ranks > 1)
      words += fmt::format("{}{} {}", words.empty() ? "" : " x ", axis.title, cut.*axis.ranks);
  if (words.empty()) words = "one GPU";
  for (const parallel_axis& axis : parallel_axes)
    if (!divides_gpus(axis) && cut.*axis.ranks > 1)
      words += fmt::format(", {} {}", axis.title, cut.*axis.ranks);
  const auto at_once = static_cast<std::int64_t>(cut.data) * cut.micro_batch_size;
  words += fmt::format(", micro-batch {}", cut.micro_batch_size);
  if (how.global_batch_size % at_once == 0)
    words += fmt::format(" x {}", how.global_batch_size / at_once);
  return words;
}

std::string recipe_in_words(const recipe& how, const parallelism& cut) {
  std::string words = fmt::format("ZeRO {}, ", static_cast<int>(how.zero));
  words += how.recompute == recompute::none
               ? "no recompute"
               : fmt::format("{} recompute", spelled(recompute_names, how.recompute));
  if (how.sequence_parallel && cut.tensor > 1) words += ", sequence parallel";
  if (cut.pipeline > 1 && how.schedule != pipeline_schedule::one_forward_one_backward)
    words += fmt::format(", {}", spelled(schedule_names, how.schedule));
  return words;
}

std::string memory_in_words(const accelerator& gpu) {
  const std::string size = sized(gpu.memory);
  switch (gpu.memory_from) {
    case memory_origin::given: return size + ", as given";
    case memory_origin::driver: return size + ", as its driver shows";
    case memory_origin::derived: return size + ", derived from its label";
  }
  return size;
}

std::string host_memory_in_words(const estimate& what, const job& asked) {
  const bytes needed = host_memory_of_node(what.memory, asked);
  if (!(needed > bytes{0})) return {};
  return fmt::format("Host memory for what is offloaded: {} of a node{}.\n", sized(needed),
                     asked.asked.host_memory > bytes{0} ? "'s " + sized(asked.asked.host_memory)
                                                        : ", whose memory --host-memory says");
}

std::string memory_table(const footprint& memory, const accelerator& gpu, text_style style,
                         table_detail detail) {
  const bytes of_gpu = gpu.memory;
  const std::vector<int> shown = stages_to_show(memory);
  const int worst = memory.worst();
  std::vector<column> columns{{"Memory of a GPU"}};
  std::vector<stage_footprint> stages;
  for (const int i : shown) {
    columns.push_back({memory.stages() == 1
                           ? "at its peak"
                           : fmt::format("stage {}{}", i + 1, i == worst ? ", worst" : ""),
                       column_side::right});
    stages.push_back(memory.stage(i));
  }
  table rows{columns};
  const auto add = [&](std::string name, auto&& value) {
    std::vector<std::string> cells{std::move(name)};
    for (const stage_footprint& stage : stages) cells.push_back(value(stage));
    rows.row(std::move(cells));
  };
  std::vector<std::string> names;
  const auto name_in_table = [&](const stage_term& term) {
    return detail == table_detail::full ? in_words(term.name) : std::string(group_of(term.name));
  };
  for (const stage_term& term : stage_terms)
    if (std::find(names.begin(), names.end(), name_in_table(term)) == names.end())
      names.push_back(name_in_table(term));
  for (const std::string& name : names) {
    const auto share = [&](const stage_footprint& stage) {
      bytes sum;
      for (const stage_term& term : stage_terms)
        if (name_in_table(term) == name) sum += share_of_total(stage, term);
      return sum;
    };
    if (std::any_of(stages.begin(), stages.end(),
                    [&](const auto& stage) { return share(stage) != bytes{0}; }))
      add(name, [&](const auto& stage) { return sized(share(stage)); });
  }
  rows.line();
  add("tensors (max_memory_allocated)", [](const auto& stage) { return sized(stage.allocated()); });
  add("reserved (max_memory_reserved)", [](const auto& stage) { return sized(stage.reserved()); });
  add("total (nvidia-smi)", [](const auto& stage) { return sized(stage.total()); });
  add("of the GPU's " + memory_in_words(gpu),
      [&](const auto& stage) { return percent(stage.total() / of_gpu); });
  add("free", [&](const auto& stage) { return sized(of_gpu - stage.total()); });
  add("fullest at", [](const auto& stage) { return in_words(name_of(stage.peak_moment())); });
  return rows.text_within(width_of_output(), style);
}

std::string time_table(const step_time& step, text_style style, table_detail detail) {
  table rows{{{"Time of a step"}, {"", column_side::right}, {"", column_side::right}}};
  constexpr double small = 0.005;  // as a share of the step
  seconds rest;
  std::vector<std::string> left_out;
  for (const step_term term : step_terms) {
    if (!(step[term] > seconds{0})) continue;
    if (detail == table_detail::brief && step[term] < small * step.total()) {
      rest += step[term];
      left_out.emplace_back(title_of(term));
      continue;
    }
    rows.row({std::string(title_of(term)), format_duration(step[term]),
              percent(step[term] / step.total())});
  }
  if (!left_out.empty())
    rows.row({left_out.size() == 1
                  ? left_out.front()
                  : fmt::format("{} others, each below {:.1f} %", left_out.size(), 100 * small),
              format_duration(rest), percent(rest / step.total())});
  rows.line();
  rows.row({"total", format_duration(step.total()),
            fmt::format("bound by {}", title_of(step.binding()))});
  return rows.text_within(width_of_output(), style);
}

namespace {

std::string changes_in_words(const repair& one) {
  std::string words;
  for (int i = 0; i < one.count; ++i) {
    const recipe& how = one.recipe;
    const parallelism& cut = one.parallelism;
    std::string change = in_words(name_of(one.changes[static_cast<std::size_t>(i)]));
    switch (one.changes[static_cast<std::size_t>(i)]) {
      case repair_kind::micro_batch:
        change = fmt::format("micro-batch {}", cut.micro_batch_size);
        break;
      case repair_kind::data: change = fmt::format("DP {}", cut.data); break;
      case repair_kind::zero: change = fmt::format("ZeRO {}", static_cast<int>(how.zero)); break;
      case repair_kind::tensor: change = fmt::format("TP {}", cut.tensor); break;
      case repair_kind::pipeline: change = fmt::format("PP {}", cut.pipeline); break;
      case repair_kind::context: change = fmt::format("CP {}", cut.context); break;
      case repair_kind::expert: change = fmt::format("EP {}", cut.expert); break;
      case repair_kind::gradient_16_bit: change = "gradients of 16 bits"; break;
      case repair_kind::adam_8bit: change = "8-bit Adam"; break;
      default: break;
    }
    words += (i > 0 ? " and " : "") + change;
  }
  return words;
}

}  // namespace

namespace {

/// That a repair makes the job fit; 0 where it fills the memory of the host.
double chance_of(const repair& one, const job& asked) {
  const bool of_device = one.needed / asked.pool.gpu().memory >= one.fullness * (1 - 1e-12);
  return one.fits || of_device ? fits_probability(asked, one.recipe, one.needed) : 0;
}

}  // namespace

std::string repair_table(const repairs& found, const job& asked, bytes planned, seconds before,
                         std::size_t most, text_style style) {
  const bytes of_gpu = asked.pool.gpu().memory;
  table rows{{{"Change"},
              {"Memory", column_side::right},
              {"of the GPU", column_side::right},
              {"Fits", column_side::right},
              {"Step", column_side::right},
              {"against now", column_side::right},
              {""}}};
  std::size_t shown = 0;
  for (const repair& one : found) {
    if (shown++ == most) break;
    rows.row({changes_in_words(one), sized(one.needed), percent(one.needed / of_gpu),
              chance_in_cell(chance_of(one, asked)), format_duration(one.step),
              fmt::format("{:+.1f} %", 100 * (one.step / before - 1)),
              one.fits               ? "fits"
              : one.needed > of_gpu  ? "still too much"
              : one.needed > planned ? "may fit"
                                     : "too much for the host"});
  }
  return rows.text_within(width_of_output(), style);
}

report_json json_of(const repairs& found, const job& asked) {
  report_json list = report_json::array();
  for (const repair& one : found) {
    report_json changes = report_json::array();
    for (int i = 0; i < one.count; ++i)
      changes.push_back(name_of(one.changes[static_cast<std::size_t>(i)]));
    list.push_back({{"changes", changes},
                    {"in_words", changes_in_words(one)},
                    {"fits", one.fits},
                    {"fits_probability", json_number(chance_of(one, asked))},
                    {"needed_bytes", json_number(one.needed)},
                    {"step_time_s", json_number(one.step)},
                    {"recipe", gpuplan::json_of(one.recipe)},
                    {"parallelism", gpuplan::json_of(one.parallelism)}});
  }
  return list;
}

std::string refusal_in_words(const reject& refusal) {
  const auto said = [&](double x) {
    return refusal.in_bytes() ? sized(bytes{x}) : fmt::format("{:.0f}", x);
  };
  if (refusal.reason == reject_reason::format)
    return std::string(sentence_of(refusal.reason)) + ": choose another --precision";
  if (refusal.reason == reject_reason::block_scales)
    return std::string(sentence_of(refusal.reason)) + ": choose another --fp8-recipe";
  if (refusal.reason == reject_reason::experts && refusal.available == 0)
    return fmt::format("expert = {:.0f}, and the model has no experts", refusal.needed);
  return fmt::format(fmt::runtime(sentence_of(refusal.reason)), said(refusal.needed),
                     said(refusal.available));
}

std::string warning_of_lengths(const job& asked) {
  if (!asked.workspace.variable_lengths) return {};
  constexpr std::int64_t steps = 1000;
  return fmt::format(
      "Lengths vary: in {} steps the allocator caches up to {:.1f} times what the longest takes, "
      "while memory is left, and returns it before it runs out.\n",
      steps, cached_growth(steps, 0));
}

std::string warning_of_power_limit(const job& asked) {
  const accelerator& gpu = asked.pool.gpu();
  if (!api::is_idle_power_limit(gpu, asked.recipe)) return {};
  return fmt::format("The power limit of {} is above the board's {}: no effect.\n",
                     asked.recipe.power_limit, gpu.thermal_design_power);
}

std::string warning_of_input(const estimate& what, const job& asked) {
  const seconds waits = what.time[step_term::input];
  if (!(waits > seconds{0})) return {};
  const node_feed& feed = asked.pool.node.feed;
  const parallelism& cut = what.memory.parallelism;
  const double nodes = static_cast<double>(reading_nodes(cut, asked.pool.node.gpus));
  const double batch = what.memory.recipe.global_batch_size / nodes;
  seconds work{};  // the total less the wait would lose the work beside a wait of years
  for (const step_term term : step_terms)
    if (term != step_term::input) work += what.time[term];
  const double workers = gpuplan::ceiling(batch * feed.preprocessing / work);
  const bytes_per_second storage = batch * feed.stored_sample / work;
  std::string needs;
  if (workers > feed.workers) needs += fmt::format("{} workers", workers);
  if (storage > feed.storage)
    needs += fmt::format("{}{:.4g} of storage", needs.empty() ? "" : " and ", storage);
  const std::string where =
      nodes > 1 ? fmt::format("each of {:.0f} nodes", nodes) : std::string("the node");
  return fmt::format("The step waits {} for its samples; {} on {} would hide that.\n",
                     format_duration(waits), needs, where);
}

std::string warning_of_experts(const job& asked) {
  if (asked.model.moe.experts == 0) return {};
  std::string words =
      "Step times of mixtures of experts are off by 10 to 15 % in the median, and one in ten by 23 "
      "to 38 % or more";
  if (asked.recipe.expert_imbalance == 1)
    words += "; --expert-imbalance sets how uneven their loads are";
  return words + ".\n";
}

std::string job_in_words(const job& asked) {
  const recipe& how = asked.recipe;
  const int joined = asked.pool.node.gpus;
  const std::string links =
      joined > asked.asked.gpus_per_node ? fmt::format(", {} joined by links", joined) : "";
  return fmt::format("{} on {} {} ({} a node{}, {}), {} of {}, {}, {}", name_of_model(asked),
                     asked.asked.gpus, asked.asked.gpu, asked.asked.gpus_per_node, links,
                     asked.asked.fabric.empty() ? fmt::format("{:.4g}", asked.asked.link.bandwidth)
                                                : asked.asked.fabric,
                     counted(how.global_batch_size, "sequence"),
                     counted(how.sequence_length, "token"), spelled(precision_names, how.precision),
                     spelled(optimizer_names, how.optimizer));
}

}  // namespace gpuplan::cli
