/// \file
/// Defaults and checks of a job.

#include "resolved_job.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/job_defaults.hpp>

#include "field_words.hpp"
#include "job_fields.hpp"

namespace gpuplan::scheduler {
namespace {

/// The usual fabric of each accelerator, looked up as the library is loaded.
const auto usual_fabrics = [] {
  std::array<const network_fabric*, catalog::accelerators.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = catalog::find_fabric(default_fabric(*catalog::accelerators[i].gpu))->net;
  return all;
}();

template <class Table>
bool is_one_of(std::int64_t number, const Table& table) {
  return number >= 0 && number < static_cast<std::int64_t>(table.size());
}

/// Takes what a job declares of a table; false, and why, where a value is not allowed.
template <class Owner>
bool take(const gpuplan_job& job, const job_table<Owner>& table, Owner& to, words& why) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto [given, x] = declared(job, table, i);
    if (!given) continue;
    const field<Owner>& row = table.rows[i];
    if (row.value.kind == field_kind::layers_of_stages) {
      if (job.others.stages < 0 || job.others.stages > layer_split::most_stages) {
        why << row.key << " must be left to gpuplan_declare";
        return false;
      }
      to.*row.value.stages = layer_split{
          std::span{job.others.layers_of_stage}.first(static_cast<std::size_t>(job.others.stages))};
      continue;
    }
    if (!is_allowed(row.value, x)) {
      why << row.key << " ";
      say_allowed(row.value, why);
      if (is_choice(row.value.kind)) why << ", as gpuplan_choice numbers them";
      return false;
    }
    row.value.set(to, x);
  }
  return true;
}

/// Refuses what is declared, other than the usual value, and has no effect.
template <class Owner>
bool has_effects(const resolved_job& q, const job_table<Owner>& table, const Owner& chosen,
                 words& why) {
  recipe how = q.recipe;
  how.recompute = recompute::full;
  const training_setup fixed{*q.model, q.recipe, q.parallelism};
  const training_setup recomputed{*q.model, how, q.parallelism};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const field<Owner>& row = table.rows[i];
    const field_effect& effect = row.effect;
    if (effect.where == nullptr || effect.idle == idle_value::accepted) continue;
    if (!declared(q.declared, table, i).given) continue;
    if (row.value.get(chosen) == row.value.get(Owner{}) || effect.where(fixed)) continue;
    if (q.vary.recompute && effect.where(recomputed)) continue;
    why << row.key << " has no effect: " << effect.idle_because;
    return false;
  }
  return true;
}

bool take_cluster(const gpuplan_job& job, words& why) {
  for (const cluster_row& row : cluster_rows) {
    const double x = row.value.get(job);
    if (x == 0 || is_allowed(row.value, x)) continue;
    why << row.key << " ";
    say_allowed(row.value, why);
    return false;
  }
  const bool is_rate = job.fabric_bandwidth > 0;
  const std::int64_t fabric = std::int64_t{job.fabric} - GPUPLAN_CHOICE;
  if (job.fabric != GPUPLAN_NOT_DECLARED && !is_one_of(fabric, catalog::fabrics))
    why << "fabric must be one of the catalogue, as gpuplan_choice numbers them";
  else if (job.fabric != GPUPLAN_NOT_DECLARED && is_rate)
    why << "fabric and fabric_bandwidth must not both be declared";
  else if (job.fabric_latency > 0 && !is_rate)
    why << "fabric_latency goes with fabric_bandwidth";
  else if ((job.stored_sample > 0) != (job.storage > 0))
    why << "stored_sample and storage need each other";
  else if (job.loader_workers > 0 && !(job.preprocessing > 0))
    why << "loader_workers has no effect without preprocessing";
  else
    return true;
  return false;
}

/// GPUs in all and of a node; false, and why, where they contradict each other.
bool count_gpus(gpuplan_job& job, const accelerator& gpu, const parallelism& cut, words& why) {
  const int32_t nodes = job.nodes;
  if (job.gpus_per_node == 0)
    job.gpus_per_node = nodes > 0 && job.gpus > 0
                            ? static_cast<int32_t>((std::int64_t{job.gpus} + nodes - 1) / nodes)
                            : default_gpus_per_node(gpu);
  if (job.gpus_per_node > 1024) {
    why << "gpus_per_node must be 1 to 1024";
    return false;
  }
  std::int64_t gpus = job.gpus;
  if (gpus == 0 && nodes > 0) gpus = std::int64_t{nodes} * job.gpus_per_node;
  if (gpus == 0 && job.data > 0) gpus = cut.gpus();
  if (gpus == 0) {
    why << "gpus must be declared, or nodes, or data, tensor and pipeline";
    return false;
  }
  if (gpus > most_gpus) {
    why << "gpus must be 1 to " << double{most_gpus};
    return false;
  }
  job.gpus = static_cast<int32_t>(gpus);
  const std::int64_t used = (gpus + job.gpus_per_node - 1) / job.gpus_per_node;
  if (nodes == 0 || nodes == used) return true;
  why << "nodes = " << double(nodes) << " does not agree with " << double(job.gpus) << " GPUs, "
      << double(job.gpus_per_node) << " of a node: declare " << double(used) << ", or no nodes";
  return false;
}

/// Refuses layouts of more ranks than can be counted.
bool is_countable(const parallelism& cut, words& why) {
  const auto bounded = [&](std::initializer_list<int> factors, std::string_view what) {
    std::int64_t product = 1;
    for (const int factor : factors) {
      product *= factor;
      if (product <= largest_count) continue;
      why << what << " must be <= " << double{largest_count};
      return false;
    }
    return true;
  };
  return bounded({cut.data, cut.tensor, cut.pipeline, cut.context},
                 "data x tensor x pipeline x context") &&
         bounded({cut.pipeline, cut.interleave}, "pipeline x interleave") &&
         bounded({cut.data, cut.micro_batch_size, cut.pipeline},
                 "data x micro_batch_size x pipeline") &&
         bounded({cut.expert, cut.expert_tensor_ranks()}, "expert x expert_tensor");
}

node node_of_job(const gpuplan_job& job, const accelerator& gpu) {
  const network_fabric& net =
      *(job.fabric == GPUPLAN_NOT_DECLARED
            ? usual_fabrics[static_cast<std::size_t>(job.gpu)]
            : catalog::fabrics[static_cast<std::size_t>(job.fabric - GPUPLAN_CHOICE)].net);
  constexpr seconds usual_latency = 5 * units::us;
  interconnect link{.latency = job.fabric_latency > 0 ? seconds{job.fabric_latency} : usual_latency,
                    .bandwidth = bytes_per_second{job.fabric_bandwidth}};
  if (!(job.fabric_bandwidth > 0)) {
    require(planned_rate(net.port).per_direction() > bytes_per_second{0},
            "fabric has no rate of its own: declare fabric_bandwidth");
    link = interconnect_of(net);
  }
  const int joined = job.nvlink_domain > 0
                         ? job.nvlink_domain
                         : default_nvlink_domain(gpu, job.gpus, job.gpus_per_node);
  const double hosts = static_cast<double>(joined) / job.gpus_per_node;
  node box = node_of(gpu, joined, link);
  box.host_memory = bytes{hosts * job.host_memory};
  if (job.host_update > 0) box.host_update = bytes_per_second{job.host_update};
  box.host_update = hosts * box.host_update;
  const double workers = job.loader_workers > 0 ? double(job.loader_workers)
                                                : double(usual_loader_workers) * job.gpus_per_node;
  box.feed = {.stored_sample = bytes{job.stored_sample},
              .storage = bytes_per_second{hosts * job.storage},
              .preprocessing = seconds{job.preprocessing},
              .workers = hosts * workers};
  return box;
}

/// The batch where none is declared: what fills the declared layout, the rest of the GPUs as
/// replicas or stages.
int filling_batch(const gpuplan_job& job, const parallelism& cut) {
  const std::int64_t ranks = std::int64_t{cut.tensor} * cut.context;
  const std::int64_t left =
      (std::max<std::int64_t>)(job.gpus / (ranks * cut.data * cut.pipeline), 1);
  const bool closed = job.data > 0 && job.pipeline > 0;
  const std::int64_t batch =
      std::int64_t{cut.data} * cut.pipeline * cut.micro_batch_size * (closed ? 1 : left);
  return static_cast<int>((std::min<std::int64_t>)(batch, largest_count));
}

/// What a search may vary: what is not declared and has more than one value.
void open_space(resolved_job& q) {
  const gpuplan_job& job = q.declared;
  const parallelism& cut = q.parallelism;
  const bool has_room = job.gpus / cut.gpus() >= 2;
  space& vary = q.vary = {.tensor = job.tensor == 0 && has_room,
                          .pipeline = job.pipeline == 0 && has_room,
                          .data = job.data == 0 && has_room,
                          .expert = job.expert == 0 && q.model->moe.experts > 0 && job.gpus > 1,
                          .micro_batch = job.micro_batch == 0 && q.recipe.global_batch_size > 1,
                          .zero = job.zero == 0,
                          .recompute = job.recompute == 0,
                          .keep = 1};
  q.varies_context = job.context == 0 && has_room;
  vary.zero = vary.zero && (vary.data || q.varies_context || cut.replicas() > 1);
  vary.sequence_parallel = job.sequence_parallel == 0 && (vary.tensor || cut.tensor > 1);
  q.searches = q.varies_context;
  for (const job_member& one : job_members)
    if (one.varies != nullptr && vary.*one.varies) q.searches = true;
}

/// Whether gpuplan_declare may have set these: values of rows that no member stands for.
bool is_declared_by_text(const gpuplan_declared& others) {
  constexpr auto known = [] {
    std::array<std::uint64_t, 2> bits{};
    for (std::size_t i = 0; i < rows_in_all; ++i)
      if (member_places[i] == job_members.size()) bits[i / 64] |= std::uint64_t{1} << i % 64;
    const std::size_t split = place_of_field(recipe_fields, "layer_split");
    bits[split / 64] &= ~(std::uint64_t{1} << split % 64);
    return bits;
  }();
  return (others.given[0] & ~known[0]) == 0 && (others.given[1] & ~known[1]) == 0;
}

}  // namespace

bool resolve(const gpuplan_job& job, resolved_job& to, words& why) {
  to.declared = job;
  if (!is_one_of(job.model, catalog::models)) {
    why << "model must be as gpuplan_model says";
    return false;
  }
  if (!is_one_of(job.gpu, catalog::accelerators)) {
    why << "gpu must be as gpuplan_gpu says";
    return false;
  }
  if (!is_declared_by_text(job.others)) {
    why << "others must be left to gpuplan_declare";
    return false;
  }
  if (!take_cluster(job, why)) return false;
  to.model = &catalog::models[static_cast<std::size_t>(job.model)].model;
  accelerator gpu = *catalog::accelerators[static_cast<std::size_t>(job.gpu)].gpu;
  if (job.gpu_memory > 0) gpu = with_memory(gpu, bytes{job.gpu_memory});

  to.parallelism = {};
  to.recipe = {.sequence_length = default_sequence(*to.model), .precision = default_precision(gpu)};
  if (!take(job, parallelism_table, to.parallelism, why)) return false;
  if (!take(job, recipe_table, to.recipe, why)) return false;
  if (!is_countable(to.parallelism, why)) return false;
  to.workspace = workspace_of(gpu, to.recipe.framework);
  if (!take(job, workspace_table, to.workspace, why)) return false;

  if (!count_gpus(to.declared, gpu, to.parallelism, why)) return false;
  to.pool = cluster_of(node_of_job(to.declared, gpu), to.declared.gpus);
  to.pool.slowest = job.slowest > 0 ? job.slowest : 1;
  if (job.global_batch == 0)
    to.recipe.global_batch_size = filling_batch(to.declared, to.parallelism);
  open_space(to);
  return has_effects(to, recipe_table, to.recipe, why) &&
         has_effects(to, parallelism_table, to.parallelism, why);
}

}  // namespace gpuplan::scheduler
