#pragma once
/// \file
/// The options that subcommands share, and the job they describe.

#include <optional>
#include <string>
#include <vector>

#include <gpuplan/memory/workspace.hpp>

#include "idle_choice.hpp"
#include "program.hpp"
#include "request.hpp"

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// Options of model, cluster and recipe, as typed; empty where not given.
struct job_options {
  std::string model;
  std::string gpu, gpus, gpus_per_node, memory, fabric, latency, profile, slowest, host_memory;
  std::string batch, sequence, encoder_sequence, precision, optimizer, gradient, zero, recompute,
      recompute_every, attention, schedule, sequence_parallel, dropout, split;
  std::string loss, framework, cuda_context, communicator, fragmentation;
  std::string offload, offloaded_activations, adapter_rank, adapter_place, context_exchange,
      group_order, expert_imbalance, expert_dispatch, expert_messages;
  std::string data, tensor, pipeline, context, expert, interleave, micro_batch;

  void add_model(CLI::App& command);
  void add_cluster(CLI::App& command);
  void add_recipe(CLI::App& command);
  void add_seldom(CLI::App& command);  ///< what few recipes ask for; add_recipe adds it too
  void add_workspace(CLI::App& command);
  void add_layout(CLI::App& command, const std::string& if_absent);

  /// The job, defaults for all that is absent: one rank of everything.
  /// \throws bad_usage or invalid_input, of options that have no effect too
  [[nodiscard]] job resolved(recompute_choice tried = recompute_choice::fixed) const;
};

/// --json and --assert, and how the answer goes out.
struct answer_options {
  bool as_json = false;
  std::vector<std::string> assertions;

  void add(CLI::App& command);
  /// exit_done, or exit_assert_failed after a line on standard error for each that fails.
  /// \throws bad_usage if one cannot be read or names what the answer does not hold
  [[nodiscard]] exit_code check(const report_json& answer) const;
};

}  // namespace gpuplan::cli
