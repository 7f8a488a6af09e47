/// \file
/// Options that subcommands share.

#include "options.hpp"

#include <string_view>

#include <CLI/CLI.hpp>

#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/model/recipe_names.hpp>

#include "assertion.hpp"
#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

/// A number, or what stands for one where the option is absent.
int number_or(const std::string& typed, const char* option, int otherwise, int least = 1) {
  if (typed.empty()) return otherwise;
  return static_cast<int>(whole_number(typed, option, least, most_ranks));
}

template <class Table, class T>
T choice_or(const std::string& typed, const Table& table, const char* option, T otherwise) {
  return typed.empty() ? otherwise : choice(typed, table, option);
}

bool switch_or(const std::string& typed, const char* option, bool otherwise) {
  static constexpr std::array switches{named<bool>{"on", true}, named<bool>{"off", false},
                                       named<bool>{"true", true}, named<bool>{"false", false}};
  return choice_or(typed, switches, option, otherwise);
}

layer_split split_of(const std::string& typed) {
  if (typed.empty()) return {};
  std::vector<std::int64_t> layers;
  std::string_view rest = typed;
  for (;;) {
    const auto comma = rest.find(',');
    layers.push_back(whole_number(rest.substr(0, comma), "--layer-split: each stage", 0, 65535));
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  return layer_split{layers};
}

cluster_request cluster_asked(const job_options& typed) {
  cluster_request asked;
  if (!typed.gpu.empty()) asked.gpu = find_gpu(typed.gpu, "--gpu").name;
  asked.gpus = number_or(typed.gpus, "--gpus", 0);
  asked.gpus_per_node = number_or(typed.gpus_per_node, "--gpus-per-node", default_gpus_per_node);
  if (!typed.memory.empty()) {
    asked.memory = quantity_of<bytes>(typed.memory, "--memory");
    require(asked.memory >= bytes{1}, "--memory must be >= 1 B");
  }
  const bool is_rate = !typed.fabric.empty() && parse<bytes_per_second>(typed.fabric);
  if (is_rate) {
    asked.fabric.clear();
    asked.link.bandwidth = quantity_of<bytes_per_second>(typed.fabric, "--fabric");
    require(asked.link.bandwidth >= bytes_per_second{1}, "--fabric must be >= 1 B/s");
    asked.link.latency = 5 * units::us;
  } else if (!typed.fabric.empty()) {
    asked.fabric = find_fabric(typed.fabric, "--fabric").name;
  }
  if (!typed.profile.empty())
    asked.measured = {typed.profile, read_profile(read_file(typed.profile), typed.profile)};
  if (!typed.slowest.empty()) asked.slowest = plain_number(typed.slowest, "--slowest", 1, 1e6);
  if (!typed.host_memory.empty())
    asked.host_memory = quantity_of<bytes>(typed.host_memory, "--host-memory");
  if (typed.latency.empty()) return asked;
  if (!is_rate) throw bad_usage{"--latency goes with a --fabric given as a rate, such as 400Gb/s"};
  asked.link.latency = quantity_of<seconds>(typed.latency, "--latency");
  require(asked.link.latency <= seconds{1e3}, "--latency must be <= 1000 s");
  return asked;
}

/// What few recipes ask for.
void add_seldom_to(recipe& how, const job_options& typed) {
  how.offload = choice_or(typed.offload, offload_names, "--offload", how.offload);
  if (!typed.offloaded_activations.empty())
    how.offloaded_activations =
        plain_number(typed.offloaded_activations, "--offload-activations", 0, 1);
  how.adapters.rank = number_or(typed.adapter_rank, "--adapter-rank", how.adapters.rank, 0);
  how.adapters.place =
      choice_or(typed.adapter_place, adapter_place_names, "--adapter-place", how.adapters.place);
  if (!typed.expert_imbalance.empty())
    how.expert_imbalance = plain_number(typed.expert_imbalance, "--expert-imbalance", 1, 1e6);
  how.dispatch =
      choice_or(typed.expert_dispatch, dispatch_names, "--expert-dispatch", how.dispatch);
  how.messages =
      choice_or(typed.expert_messages, expert_message_names, "--expert-messages", how.messages);
}

/// A workspace, but for what is typed.
workspace workspace_asked(const job_options& typed, workspace beside) {
  if (!typed.cuda_context.empty())
    beside.cuda_context = quantity_of<bytes>(typed.cuda_context, "--cuda-context");
  if (!typed.communicator.empty())
    beside.communicator = quantity_of<bytes>(typed.communicator, "--communicator");
  if (!typed.fragmentation.empty())
    beside.fragmentation = plain_number(typed.fragmentation, "--fragmentation", 0, 10);
  return beside;
}

}  // namespace

void job_options::add_model(CLI::App& command) {
  command.add_option("MODEL", model, "Name of the catalogue, or path of a config.json")->required();
}

void job_options::add_cluster(CLI::App& command) {
  constexpr const char* group = "Cluster";
  command.add_option("--gpu", gpu, "Name of the catalogue, as H100 or A100-40GB")
      ->required()
      ->group(group);
  command.add_option("--gpus", gpus, "How many in all")->group(group);
  command.add_option("--gpus-per-node", gpus_per_node, "The last node may have fewer [8]")
      ->group(group);
  command.add_option("--memory", memory, "Of one GPU, as 80GiB, in place of the catalogue's")
      ->group(group);
  command
      .add_option("--fabric", fabric,
                  "Between nodes: a name of the catalogue, or a rate for each GPU and direction, "
                  "as 400Gb/s [InfiniBand of the GPU's time]")
      ->group(group);
  command.add_option("--latency", latency, "Of a --fabric given as a rate [5us]")->group(group);
  command
      .add_option("--slowest", slowest, "Time of the slowest GPU's kernels over the others' [1]")
      ->group(group);
  command
      .add_option(
          "--profile", profile,
          "Measured rates and links in the place of the catalogue's, as gpuplan calibrate writes "
          "them")
      ->group(group);
  command.add_option("--host-memory", host_memory, "Of a node, as 2TB, for what is offloaded")
      ->group(group);
}

void job_options::add_recipe(CLI::App& command) {
  constexpr const char* group = "Recipe";
  const auto add = [&](const char* name, std::string& typed, const char* what) {
    command.add_option(name, typed, what)->group(group);
  };
  add("--batch", batch, "Sequences of one optimizer step");
  add("--sequence", sequence, "Tokens of one sequence [2048, or the model's positions]");
  add("--encoder-sequence", encoder_sequence, "Tokens of an encoder's sequence [as --sequence]");
  add("--precision", precision,
      "fp32, tf32, fp16, bf16, fp8 (mixed) or pure_bf16 [bf16, or what the GPU "
      "has]");
  add("--optimizer", optimizer,
      "adamw, adam, adam_8bit, sgd, momentum, adafactor, lion, ... [adamw]");
  add("--gradients", gradient, "fp32, fp16 or bf16 [by precision]");
  add("--zero", zero, "0, 1, 2 or 3: optimizer states, gradients, weights divided");
  add("--recompute", recompute, "none, selective or full");
  add("--recompute-every", recompute_every, "Layers of one block of full recompute [1]");
  add("--attention", attention, "flash or unfused [flash]");
  add("--schedule", schedule, "gpipe, 1f1b, zb_h1, zb_h2, zb_v or dualpipe [1f1b]");
  add("--sequence-parallel", sequence_parallel, "on or off");
  add("--dropout", dropout, "on or off [off]");
  add("--framework", framework,
      "transformer_engine, megatron_2021, megatron_deepspeed, fsdp or fsdp2 [transformer_engine]");
  add("--loss", loss, "in_place, compiled, eager, chunked or none [in_place]");
  add("--layer-split", split, "Layers of each pipeline stage, as 9,8,8,7 [equal]");
  add_seldom(command);
}

void job_options::add_seldom(CLI::App& command) {
  constexpr const char* group = "Recipe: offloading, adapters, experts, long sequences";
  const auto add = [&](const char* name, std::string& typed, const char* what) {
    command.add_option(name, typed, what)->group(group);
  };
  add("--offload", offload, "States on the host: none, optimizer or all [none]");
  add("--offload-activations", offloaded_activations, "Part of them on the host, 0 to 1 [0]");
  add("--adapter-rank", adapter_rank, "LoRA beside frozen weights [0: all is trained]");
  add("--adapter-place", adapter_place, "attention or attention_and_ffn [attention]");
  add("--context-exchange", context_exchange, "ring or all_to_all (Ulysses) [ring]");
  add("--group-order", group_order,
      "What follows tensor, context and expert in the numbers of ranks: data_then_pipeline or "
      "pipeline_then_data, the last farthest apart [data_then_pipeline]");
  add("--expert-imbalance", expert_imbalance, "Tokens of the fullest rank over the mean [1]");
  add("--expert-dispatch", expert_dispatch, "to_each_expert or to_each_node [to_each_expert]");
  add("--expert-messages", expert_messages, "by_schedule or overlapped [by_schedule]");
}

void job_options::add_workspace(CLI::App& command) {
  constexpr const char* group = "Memory beside the model";
  const auto add = [&](const char* name, std::string& typed, const char* what) {
    command.add_option(name, typed, what)->group(group);
  };
  add("--cuda-context", cuda_context, "Of the CUDA context, as 500MB [500MB]");
  add("--communicator", communicator, "Of NCCL, for each axis that is cut, as 600MB [600MB]");
  add("--fragmentation", fragmentation, "Part of its peak that the allocator loses [0.04]");
}

void job_options::add_layout(CLI::App& command, const std::string& if_absent) {
  const std::string group = "Layout (" + if_absent + ")";
  const auto add = [&](const char* name, std::string& typed, const char* what) {
    command.add_option(name, typed, what)->group(group);
  };
  add("--data", data, "Replicas that share the batch");
  add("--tensor", tensor, "Ranks that share each matrix");
  add("--pipeline", pipeline, "Stages of layers");
  add("--context", context, "Ranks that share each sequence");
  add("--expert", expert, "Ranks that share the experts of a layer");
  add("--interleave", interleave, "Chunks of layers on each pipeline rank");
  add("--micro-batch", micro_batch, "Sequences of one forward pass");
}

job job_options::resolved(recompute_choice tried) const {
  job asked;
  named_transformer found = find_model_or_file(model);
  asked.model = found.model;
  asked.model_echo = found.name;

  parallelism& cut = asked.parallelism;
  cut.data = number_or(data, "--data", cut.data);
  cut.tensor = number_or(tensor, "--tensor", cut.tensor);
  cut.pipeline = number_or(pipeline, "--pipeline", cut.pipeline);
  cut.context = number_or(context, "--context", cut.context);
  cut.expert = number_or(expert, "--expert", cut.expert);
  cut.interleave = number_or(interleave, "--interleave", cut.interleave);
  cut.micro_batch_size = number_or(micro_batch, "--micro-batch", cut.micro_batch_size);
  require_countable(cut, asked.model);

  asked.asked = cluster_asked(*this);
  if (asked.asked.gpus == 0) asked.asked.gpus = static_cast<int>(cut.gpus());
  asked.pool = cluster_of(asked.asked);
  const gpuplan::workspace listed = workspace_of(asked.pool.gpu());
  asked.listed_workspace = workspace_asked(*this, listed);
  asked.workspace = workspace_asked(*this, calibrated(listed, asked.asked.measured.profile));

  gpuplan::recipe& how = asked.recipe;
  how.sequence_length = number_or(sequence, "--sequence", default_sequence(asked.model));
  how.encoder_sequence_length = number_or(encoder_sequence, "--encoder-sequence", 0, 0);
  how.global_batch_size = batch.empty() ? filling_batch(cut) : number_or(batch, "--batch", 1);
  how.precision =
      choice_or(precision, precision_names, "--precision", default_precision(asked.pool.gpu()));
  how.optimizer = choice_or(optimizer, optimizer_names, "--optimizer", how.optimizer);
  how.gradient = choice_or(gradient, gradient_names, "--gradients", how.gradient);
  how.zero = choice_or(zero, zero_names, "--zero", how.zero);
  how.recompute = choice_or(recompute, recompute_names, "--recompute", how.recompute);
  how.recompute_every = number_or(recompute_every, "--recompute-every", how.recompute_every);
  how.attention = choice_or(attention, attention_names, "--attention", how.attention);
  how.schedule = choice_or(schedule, schedule_names, "--schedule", how.schedule);
  if (same_name(schedule, "interleaved") && cut.interleave < 2)
    throw bad_usage{"--schedule interleaved must come with --interleave 2 or more; 1f1b has both"};
  how.sequence_parallel =
      switch_or(sequence_parallel, "--sequence-parallel", how.sequence_parallel);
  how.dropout = switch_or(dropout, "--dropout", how.dropout);
  how.split = split_of(split);
  how.framework = choice_or(framework, framework_names, "--framework", how.framework);
  how.loss = choice_or(loss, loss_names, "--loss", how.loss);
  add_seldom_to(how, *this);
  cut.exchange = choice_or(context_exchange, exchange_names, "--context-exchange", cut.exchange);
  cut.order = choice_or(group_order, order_names, "--group-order", cut.order);
  require_effects(asked, tried, choice_name::option);
  return asked;
}

void answer_options::add(CLI::App& command) {
  constexpr const char* group = "Answer";
  command.add_flag("--json", as_json, "As JSON, for programs")->group(group);
  command
      .add_option("--assert", assertions,
                  "End with exit code 3 unless this holds of the answer, as 'mfu >= 0.4' or "
                  "'memory.worst_stage_bytes < 70GiB'; may be repeated")
      ->group(group)
      ->expected(1)
      ->take_all();
}

exit_code answer_options::check(const report_json& answer) const {
  bool all_hold = true;
  for (const std::string& text : assertions) {
    const assertion_result result = check_assertion(text, answer);
    if (result.holds) continue;
    all_hold = false;
    std::fprintf(stderr, "gpuplan: --assert failed: %s (it is %s)\n", text.c_str(),
                 result.found.c_str());
  }
  return all_hold ? exit_done : exit_assert_failed;
}

}  // namespace gpuplan::cli
