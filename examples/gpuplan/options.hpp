#pragma once
/// \file
/// The options that subcommands share, and the job they describe.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/recipe_fields.hpp>

#include "field_options.hpp"
#include "inputs.hpp"
#include "program.hpp"
#include "request.hpp"

namespace gpuplan::cli {

/// Takes the network between nodes as typed, a name or a rate with its latency; empty where not given.
/// \throws bad_usage or invalid_input
void read_fabric(cluster_request& asked, const std::string& fabric, const std::string& latency);

/// A field that a subcommand searches: where it is absent, or only where it is "any".
struct searched_field {
  std::string_view key;
  bool where_absent = true;
};

/// Options of model, cluster, recipe and layout, as typed.
struct job_options {
  std::string model, latency, profile;
  std::string model_said_by = "MODEL";           ///< for error lines: where `model` was given
  std::string from;                              ///< path of a launch that is read
  std::optional<task_choice> task{};             ///< whose defaults were taken: see task.hpp
  std::optional<launch_framework> emit{};        ///< whose usual recipe is taken
  measured_cluster measured{};                   ///< in the place of `profile`, where that is empty
  std::optional<named_transformer> described{};  ///< in the place of what `model` names
  typed_fields<cluster_request> cluster{api::cluster_fields};
  typed_fields<gpuplan::recipe> recipe{recipe_fields};
  typed_fields<parallelism> layout{parallelism_fields};
  typed_fields<gpuplan::workspace> workspace{workspace_fields};

  void add_model(CLI::App& command);
  /// Likewise, and --from, whose file may describe the model.
  void add_model_or_launch(CLI::App& command);
  void add_cluster(CLI::App& command);
  /// Options of recipe and layout; those of `searched` also take "any".
  void add_training(CLI::App& command, std::span<const searched_field> searched = {});
  void add_workspace(CLI::App& command);

  /// Refuses options of recipe, layout and workspace that change nothing of a job whose layout is
  /// the one to answer for; and of the cluster.
  /// \throws invalid_input
  void refuse_idle(const job& asked) const;
  void refuse_idle_of_cluster(const job& asked) const;
  /// Refuses options that only several GPUs give an effect, where there is one.
  /// \throws invalid_input
  void refuse_idle_of_one_gpu(const job& asked) const;
  /// Paths that resolved() reads.
  [[nodiscard]] std::vector<std::string> files() const;
  /// The job, defaults for all that is absent: one rank of everything.
  /// \throws bad_usage or invalid_input, of options that have no effect too
  [[nodiscard]] job resolved(recompute_choice tried = recompute_choice::fixed) const;
  /// The same of a model that was found before.
  [[nodiscard]] job resolved(named_transformer found,
                             recompute_choice tried = recompute_choice::fixed) const;

 private:
  [[nodiscard]] job resolved_launch() const;
};

/// --json and --assert, and how the answer goes out.
struct answer_options {
  bool as_json = false;
  std::vector<std::string> assertions;

  /// \param examples  comparisons of the command's own answer, for the help of --assert
  void add(CLI::App& command, const std::string& examples =
                                  "'mfu >= 0.4' or 'memory.worst_stage_bytes < 70GiB', or 4 where "
                                  "nothing fits");
  /// exit_done, or exit_assert_failed after a line on standard error for each that fails.
  /// \throws bad_usage if one cannot be read or names what the answer does not hold
  [[nodiscard]] exit_code check(const report_json& answer) const;
};

}  // namespace gpuplan::cli
