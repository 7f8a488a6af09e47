/// \file
/// Requests as JSON.

#include "request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/text/json_fields.hpp>

#include "idle_choice.hpp"
#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

struct field {
  std::string_view name;
};

constexpr std::array request_fields{field{"model"}, field{"cluster"}, field{"recipe"},
                                    field{"parallelism"}, field{"workspace"}};
constexpr std::array workspace_fields{
    field{"cublas_bytes"},       field{"transformer_engine_bytes"},
    field{"cuda_context_bytes"}, field{"communicator_bytes"},
    field{"fragmentation"},      field{"update_temporary_bytes"}};
constexpr std::array cluster_fields{field{"gpu"},
                                    field{"gpus"},
                                    field{"gpus_per_node"},
                                    field{"fabric"},
                                    field{"gpu_memory_bytes"},
                                    field{"slowest"},
                                    field{"host_memory_bytes"},
                                    field{"host_update_bytes_per_s"}};
constexpr std::array fabric_fields{field{"latency_s"}, field{"bandwidth_bytes_per_s"}};
constexpr std::array recipe_fields{field{"sequence_length"},
                                   field{"encoder_sequence_length"},
                                   field{"global_batch_size"},
                                   field{"precision"},
                                   field{"optimizer"},
                                   field{"gradient_dtype"},
                                   field{"zero"},
                                   field{"recompute"},
                                   field{"recompute_every"},
                                   field{"sequence_parallel"},
                                   field{"attention"},
                                   field{"dropout"},
                                   field{"schedule"},
                                   field{"layer_split"},
                                   field{"loss"},
                                   field{"weights"},
                                   field{"gradients_live"},
                                   field{"interleave_group"},
                                   field{"expert_imbalance"},
                                   field{"expert_dispatch"},
                                   field{"expert_messages"},
                                   field{"adapter_rank"},
                                   field{"adapter_place"},
                                   field{"offload"},
                                   field{"offloaded_activations"},
                                   field{"framework"}};
constexpr std::array parallelism_fields{field{"data"},
                                        field{"tensor"},
                                        field{"pipeline"},
                                        field{"context"},
                                        field{"expert"},
                                        field{"interleave"},
                                        field{"micro_batch_size"},
                                        field{"expert_tensor"},
                                        field{"shard_group"},
                                        field{"context_exchange"},
                                        field{"group_order"}};

/// The value of a field that is there and not null.
const nlohmann::json* find(const json_fields& fields, std::string_view name) {
  const auto found = fields.value().find(name);
  return found != fields.value().end() && !found->is_null() ? &*found : nullptr;
}

/// A quantity in base units, between two bounds.
double number(const json_fields& fields, std::string_view name, double least, double most) {
  const nlohmann::json* found = find(fields, name);
  if (found == nullptr) fields.refuse(name, "is missing");
  if (!found->is_number()) fields.refuse(name, "must be a number, not " + shown(*found));
  const double value = found->get<double>();
  if (!(value >= least && value <= most))
    fields.refuse(name, "must be " + shown(nlohmann::json(least)) + " to " +
                            shown(nlohmann::json(most)) + ", not " + shown(*found));
  return value;
}

template <class Table, class T>
T named_choice(const json_fields& fields, std::string_view name, const Table& table, T otherwise) {
  const nlohmann::json* found = find(fields, name);
  if (found == nullptr) return otherwise;
  return choice(fields.text(name), table, fields.where() + ": " + std::string(name));
}

cluster_request read_cluster(const json_fields& fields) {
  fields.refuse_unknown(cluster_fields);
  cluster_request asked;
  asked.gpu = fields.text_or("gpu", default_gpu);
  asked.gpus = fields.integer_or("gpus", 0, 1);
  asked.gpus_per_node = fields.integer_or("gpus_per_node", default_gpus_per_node, 1);
  if (fields.has("gpu_memory_bytes"))
    asked.memory = number(fields, "gpu_memory_bytes", 1, 1e18) * units::byte;
  if (fields.has("slowest")) asked.slowest = number(fields, "slowest", 1, 1e6);
  if (fields.has("host_memory_bytes"))
    asked.host_memory = number(fields, "host_memory_bytes", 0, 1e18) * units::byte;
  if (fields.has("host_update_bytes_per_s"))
    asked.host_update =
        number(fields, "host_update_bytes_per_s", 1, 1e18) * (units::byte / units::second);
  const nlohmann::json* fabric = find(fields, "fabric");
  if (fabric == nullptr) return asked;
  if (fabric->is_string()) {
    asked.fabric = fabric->get_ref<const std::string&>();
    return asked;
  }
  const json_fields link{*fabric, fields.where() + ": fabric"};
  link.refuse_unknown(fabric_fields);
  asked.fabric.clear();
  asked.link = {
      .latency = number(link, "latency_s", 0, 1e3) * units::second,
      .bandwidth = number(link, "bandwidth_bytes_per_s", 1, 1e18) * (units::byte / units::second)};
  return asked;
}

zero_stage read_zero(const json_fields& fields) {
  const nlohmann::json* found = find(fields, "zero");
  if (found == nullptr) return zero_stage::none;
  if (found->is_string()) return named_choice(fields, "zero", zero_names, zero_stage::none);
  const int stage = fields.integer("zero", 0);
  if (stage > 3) fields.refuse("zero", "must be 0 to 3, not " + shown(*found));
  return static_cast<zero_stage>(stage);
}

/// true or false; or the probability to drop, of which only whether it is zero matters here.
bool read_dropout(const json_fields& fields) {
  const nlohmann::json* found = find(fields, "dropout");
  if (found != nullptr && found->is_number()) return number(fields, "dropout", 0, 1) > 0;
  return fields.flag_or("dropout", false);
}

layer_split read_split(const json_fields& fields) {
  const nlohmann::json* stages = fields.array("layer_split");
  if (stages == nullptr) return {};
  std::vector<std::int64_t> layers;
  for (const nlohmann::json& count : *stages) {
    if (layers.size() == layer_split::most_stages)
      fields.refuse("layer_split",
                    "must name at most " + std::to_string(layer_split::most_stages) + " stages");
    if (!count.is_number_integer() || count < 0 || count > 65535)
      fields.refuse("layer_split", "must hold integers from 0 to 65535, not " + shown(count));
    layers.push_back(count.get<std::int64_t>());
  }
  return layer_split{layers};
}

recipe read_recipe(const json_fields& fields, const parallelism& cut, const transformer& model,
                   precision usual) {
  fields.refuse_unknown(recipe_fields);
  recipe how;
  how.sequence_length = fields.integer_or("sequence_length", default_sequence(model));
  how.encoder_sequence_length = fields.integer_or("encoder_sequence_length", 0, 0);
  how.global_batch_size =
      fields.has("global_batch_size") ? fields.integer("global_batch_size") : filling_batch(cut);
  how.precision = named_choice(fields, "precision", precision_names, usual);
  how.optimizer = named_choice(fields, "optimizer", optimizer_names, how.optimizer);
  how.gradient = named_choice(fields, "gradient_dtype", gradient_names, how.gradient);
  how.zero = read_zero(fields);
  how.recompute = named_choice(fields, "recompute", recompute_names, how.recompute);
  how.recompute_every = fields.integer_or("recompute_every", how.recompute_every);
  how.sequence_parallel = fields.flag_or("sequence_parallel", how.sequence_parallel);
  how.attention = named_choice(fields, "attention", attention_names, how.attention);
  how.dropout = read_dropout(fields);
  how.schedule = named_choice(fields, "schedule", schedule_names, how.schedule);
  if (fields.has("schedule") && same_name(fields.text("schedule"), "interleaved") &&
      cut.interleave < 2)
    fields.refuse("schedule", "'interleaved' needs a parallelism.interleave of 2 or more");
  how.split = read_split(fields);
  how.loss = named_choice(fields, "loss", loss_names, how.loss);
  how.weights = named_choice(fields, "weights", weight_storage_names, how.weights);
  how.gradients_live =
      named_choice(fields, "gradients_live", gradient_lifetime_names, how.gradients_live);
  how.framework = named_choice(fields, "framework", framework_names, how.framework);
  how.interleave_group = fields.integer_or("interleave_group", how.interleave_group, 0);
  if (fields.has("expert_imbalance"))
    how.expert_imbalance = number(fields, "expert_imbalance", 1, 1e6);
  how.dispatch = named_choice(fields, "expert_dispatch", dispatch_names, how.dispatch);
  how.messages = named_choice(fields, "expert_messages", expert_message_names, how.messages);
  how.adapters.rank = fields.integer_or("adapter_rank", how.adapters.rank, 0);
  how.adapters.place =
      named_choice(fields, "adapter_place", adapter_place_names, how.adapters.place);
  how.offload = named_choice(fields, "offload", offload_names, how.offload);
  if (fields.has("offloaded_activations"))
    how.offloaded_activations = number(fields, "offloaded_activations", 0, 1);
  return how;
}

constexpr std::size_t most_kinds = 16;

/// A cluster, or a list of them that are one pool: the first in `asked`, the others beside it.
void read_pool(job& asked, const json_fields& request, const measured_cluster& measured) {
  const auto resolve = [&](const json_fields& fields) {
    pool_part part{.asked = read_cluster(fields)};
    part.asked.measured = measured;
    if (part.asked.gpus == 0) part.asked.gpus = static_cast<int>(asked.parallelism.gpus());
    part.pool = cluster_of(part.asked);
    return part;
  };
  static const nlohmann::json empty = nlohmann::json::object();
  const nlohmann::json* found = find(request, "cluster");
  std::vector<pool_part> parts;
  if (found != nullptr && found->is_array()) {
    if (found->empty() || found->size() > most_kinds)
      request.refuse("cluster", "must be a cluster, or a list of 1 to " +
                                    std::to_string(most_kinds) + " of them");
    if (!measured.file.empty())
      request.refuse("cluster", "must be one cluster beside --profile, which is of one");
    for (const nlohmann::json& one : *found) {
      const json_fields fields{one, "cluster[" + std::to_string(parts.size()) + "]"};
      if (!fields.has("gpus")) fields.refuse("gpus", "is missing, as of each of a list");
      parts.push_back(resolve(fields));
    }
  } else {
    parts.push_back(resolve(json_fields{found != nullptr ? *found : empty, "cluster"}));
  }
  asked.asked = parts.front().asked;
  asked.pool = parts.front().pool;
  asked.others.assign(parts.begin() + 1, parts.end());
}

/// The precision that every GPU of a pool multiplies, as default_precision has it of each.
precision default_precision_of(const job& asked) {
  precision common = default_precision(asked.pool.gpu());
  for (const pool_part& part : asked.others)
    common = (std::min)(common, default_precision(part.pool.gpu()));
  return common;
}

/// A workspace, but for what is given.
workspace read_workspace(const json_fields& fields, workspace beside) {
  fields.refuse_unknown(workspace_fields);
  const auto read = [&](std::string_view name, bytes& size) {
    if (fields.has(name)) size = number(fields, name, 0, 1e15) * units::byte;
  };
  read("cublas_bytes", beside.cublas);
  read("transformer_engine_bytes", beside.transformer_engine);
  read("cuda_context_bytes", beside.cuda_context);
  read("communicator_bytes", beside.communicator);
  read("update_temporary_bytes", beside.update_temporary);
  if (fields.has("fragmentation")) beside.fragmentation = number(fields, "fragmentation", 0, 10);
  return beside;
}

parallelism read_parallelism(const json_fields& fields) {
  fields.refuse_unknown(parallelism_fields);
  parallelism cut;
  cut.data = fields.integer_or("data", cut.data);
  cut.tensor = fields.integer_or("tensor", cut.tensor);
  cut.pipeline = fields.integer_or("pipeline", cut.pipeline);
  cut.context = fields.integer_or("context", cut.context);
  cut.expert = fields.integer_or("expert", cut.expert);
  cut.interleave = fields.integer_or("interleave", cut.interleave);
  cut.micro_batch_size = fields.integer_or("micro_batch_size", cut.micro_batch_size);
  cut.expert_tensor = fields.integer_or("expert_tensor", cut.expert_tensor, 0);
  cut.shard_group = fields.integer_or("shard_group", cut.shard_group, 0);
  cut.exchange = named_choice(fields, "context_exchange", exchange_names, cut.exchange);
  cut.order = named_choice(fields, "group_order", order_names, cut.order);
  return cut;
}

/// a x b x ..., refused above most_ranks.
std::int64_t bounded_product(std::initializer_list<int> factors, const char* what) {
  std::int64_t product = 1;
  for (const int factor : factors) {
    product *= factor;
    if (product > most_ranks)
      throw invalid_input{std::string(what) + " must be <= " + std::to_string(most_ranks)};
  }
  return product;
}

}  // namespace

void require_countable(const parallelism& cut, const transformer& m) {
  bounded_product({cut.data, cut.tensor, cut.pipeline, cut.context},
                  "parallelism: data x tensor x pipeline x context");
  bounded_product({cut.pipeline, cut.interleave}, "parallelism: pipeline x interleave");
  bounded_product({cut.expert, cut.expert_tensor_ranks()}, "parallelism: expert x expert_tensor");
  if (cut.pipeline > most_stages && cut.pipeline <= m.layers)
    throw invalid_input{"parallelism: pipeline must be <= " + std::to_string(most_stages)};
}

int filling_batch(const parallelism& cut) {
  return static_cast<int>(
      bounded_product({cut.data, cut.micro_batch_size, cut.pipeline},
                      "parallelism: data x micro_batch_size x pipeline, the batch where none is "
                      "given,"));
}

std::string_view default_fabric(const accelerator& gpu) {
  if (gpu.peak.fp8_e4m3 > flop_per_second{0}) return "InfiniBand NDR 4x";
  if (gpu.peak.bf16 > flop_per_second{0}) return "InfiniBand HDR 4x";
  return "InfiniBand EDR 4x";
}

precision default_precision(const accelerator& gpu) {
  if (gpu.peak.bf16 > flop_per_second{0}) return precision::mixed_bf16;
  return gpu.peak.fp16 > flop_per_second{0} ? precision::mixed_fp16 : precision::fp32;
}

int default_sequence(const transformer& m) {
  constexpr int usual = 2048;
  const bool bounded = m.positions == position_encoding::learned && m.position_rows < usual;
  return bounded ? m.position_rows : usual;
}

cluster cluster_of(cluster_request& asked) {
  const catalog::accelerator_entry& entry = find_gpu(asked.gpu, "cluster: gpu");
  asked.gpu = entry.name;
  accelerator gpu = *entry.gpu;
  if (asked.memory > bytes{0}) gpu.memory = asked.memory;
  interconnect link = asked.link;
  if (asked.fabric.empty() && link.bandwidth == bytes_per_second{0})
    asked.fabric = default_fabric(gpu);
  if (!asked.fabric.empty()) {
    const catalog::fabric_entry& fabric = find_fabric(asked.fabric, "cluster: fabric");
    asked.fabric = fabric.name;
    if (!(planned_rate(fabric.net->port).per_direction() > bytes_per_second{0}))
      throw invalid_input{"cluster: fabric " + asked.fabric +
                          " has no rate of its own; name a link"};
    link = interconnect_of(*fabric.net);
  }
  node box = node_of(gpu, asked.gpus_per_node, link);
  box.host_memory = asked.host_memory;
  if (asked.host_update > bytes_per_second{0}) box.host_update = asked.host_update;
  cluster pool = gpuplan::cluster_of(box, asked.gpus);
  pool.slowest = asked.slowest;
  if (asked.measured.file.empty()) return pool;
  cluster_profile measured = asked.measured.profile;
  if (!measured.gpu.empty() && measured.gpu != asked.gpu)
    throw invalid_input{"--profile is of " + measured.gpu + ", not of " + asked.gpu};
  if (asked.memory > bytes{0}) measured.memory = {};
  return calibrated(pool, measured);
}

report_json json_of(const cluster_request& asked) {
  json_object object{8};
  object.add("gpu", asked.gpu)
      .add("gpus", asked.gpus)
      .add("gpus_per_node", asked.gpus_per_node)
      .add("fabric",
           asked.fabric.empty() ? gpuplan::json_of(asked.link) : report_json(asked.fabric));
  if (asked.memory > bytes{0}) object.add("gpu_memory_bytes", json_number(asked.memory));
  if (asked.slowest > 1) object.add("slowest", asked.slowest);
  if (asked.host_memory > bytes{0}) object.add("host_memory_bytes", json_number(asked.host_memory));
  if (asked.host_update > bytes_per_second{0})
    object.add("host_update_bytes_per_s", json_number(asked.host_update));
  return object.take();
}

job read_request(nlohmann::json request, const measured_cluster& measured) {
  static const nlohmann::json empty = nlohmann::json::object();
  const json_fields fields{request, "request"};
  fields.refuse_unknown(request_fields);
  const auto part = [&](const char* name) {
    const nlohmann::json* found = find(fields, name);
    return json_fields{found != nullptr ? *found : empty, name};
  };

  job asked;
  const nlohmann::json* model = find(fields, "model");
  if (model == nullptr) fields.refuse("model", "is missing");
  if (model->is_string()) {
    const std::string_view name = bounded_name(model->get_ref<const std::string&>());
    const transformer* known = catalog::find_model(name);
    if (known == nullptr)
      throw invalid_input{
          "model must be a name of the catalogue, a config.json object or the "
          "library's own fields, not " +
          shown(*model) + hint_of_model(name)};
    asked.model = *known;
  } else {
    asked.model = model_from_json(*model, "model");
  }

  asked.parallelism = read_parallelism(part("parallelism"));
  require_countable(asked.parallelism, asked.model);
  read_pool(asked, fields, measured);
  asked.recipe =
      read_recipe(part("recipe"), asked.parallelism, asked.model, default_precision_of(asked));
  const workspace listed = workspace_of(asked.pool.gpu());
  asked.listed_workspace = read_workspace(part("workspace"), listed);
  asked.workspace = read_workspace(part("workspace"), calibrated(listed, measured.profile));
  asked.model_echo = std::move(request["model"]);
  require_effects(asked, recompute_choice::fixed, choice_name::field);
  return asked;
}

report_json json_of(const job& asked) {
  report_json pool = json_of(asked.asked);
  if (!asked.others.empty()) {
    pool = report_json::array({std::move(pool)});
    for (const pool_part& part : asked.others) pool.push_back(json_of(part.asked));
  }
  return json_object{5}
      .add("model", asked.model_echo)
      .add("cluster", std::move(pool))
      .add("recipe", gpuplan::json_of(asked.recipe))
      .add("parallelism", gpuplan::json_of(asked.parallelism))
      .add("workspace", gpuplan::json_of(asked.workspace))
      .take();
}

}  // namespace gpuplan::cli
