#pragma once
/// \file
/// One question: model, cluster, recipe, layout; from JSON or from options.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/job_defaults.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/plan/training_task.hpp>
#include <gpuplan/report/json.hpp>

namespace gpuplan::cli {

inline constexpr std::string_view default_gpu = "H100-SXM5-80GB";
/// The most of a count that a request or an option may ask for; products are checked against it.
inline constexpr int most_ranks = largest_count;
/// The longest pipeline that is answered stage by stage.
inline constexpr int most_stages = most_searched_stages;
/// The most chunks of all stages that are answered one by one.
inline constexpr int most_pieces = 1 << 17;

/// What was measured of a cluster, and the file that says so; empty: nothing.
struct measured_cluster {
  std::string file;
  cluster_profile profile{};
};

/// Reads a profile.
/// \throws bad_usage or invalid_input
measured_cluster read_measured(const std::string& path);

/// A cluster as it is asked for.
struct cluster_request {
  std::string gpu{default_gpu};
  int gpus = 0;           ///< 0: as many as the layout uses
  int gpus_per_node = 0;  ///< of a host; 0: default_gpus_per_node
  int nvlink_domain = 0;  ///< that links join; 0: default_nvlink_domain
  std::string fabric;     ///< a name; empty: `link` says what it is, or default_fabric
  interconnect link{};
  bytes memory{};                  ///< of a GPU, where the catalogue's is not meant
  double slowest = 1;              ///< cluster.slowest
  bytes host_memory{};             ///< of a node; 0: not known
  bytes_per_second host_update{};  ///< of a node; 0: usual_host_update
  bytes stored_sample{};           ///< node_feed; 0: feeding is not looked at
  bytes_per_second storage{};      ///< of a host
  seconds preprocessing{};         ///< node_feed
  int loader_workers = 0;          ///< of a host; 0: usual_loader_workers of each GPU
  measured_cluster measured{};     ///< in the place of what datasheets say, where it says more
};

/// The cluster, every name found.  On return `asked` has the names as the catalogue writes them.
/// \throws invalid_input
cluster cluster_of(cluster_request& asked);
report_json json_of(const cluster_request& asked);

/// A part of a pool of several kinds of GPU.
struct pool_part {
  cluster_request asked{};
  cluster pool{};
};

/// What a launch that was read leaves open, and what of it no field stands for.
struct launch_echo {
  std::string file{};  ///< empty: none was read
  std::string framework{};
  std::vector<std::string> assumed{};
  std::vector<std::string> not_modelled{};
};

/// A task, and those of its defaults that nothing typed replaced.
struct task_choice {
  training_task task{};
  std::vector<const task_default*> taken{};
};

/// A question, resolved.
struct job {
  std::string model_name{};   ///< or the path of the file that described it
  nlohmann::json model_echo;  ///< a name, or the object that described it
  transformer model{};
  cluster_request asked{};
  cluster pool{};
  std::vector<pool_part> others{};  ///< kinds of GPU beside those of `pool`
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};         ///< that of the GPU's generation, unless asked otherwise
  gpuplan::workspace listed_workspace{};  ///< likewise, but for what a profile says of it
  std::optional<task_choice> task{};      ///< whose defaults were taken
  launch_echo launch{};                   ///< what a launch said that was read
};

/// Reads a request.  Absent fields take defaults, unknown ones are refused; of a cluster that was
/// measured, what `measured` says of it.
/// \throws invalid_input of one line
job read_request(nlohmann::json request, const measured_cluster& measured = {});

/// What a job was made of, names and defaults resolved: itself a request.
report_json json_of(const job& asked);

/// Refuses a layout of more ranks than can be counted.
/// \throws invalid_input
void require_countable(const parallelism& cut, const transformer& m);

/// The batch that fills a layout's pipeline once: data x micro_batch_size x pipeline.
/// \throws invalid_input if it is above most_ranks
int filling_batch(const parallelism& cut);

}  // namespace gpuplan::cli
