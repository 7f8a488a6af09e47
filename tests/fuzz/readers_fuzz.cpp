/// \file
/// Every reader of the library on what libFuzzer makes of the seeds. GPUPLAN_READER names the
/// reader; without it the names are printed.
///
/// Whatever the text holds, a reader ends within the time that libFuzzer is given, refuses in one
/// line that says where and why, and takes no more memory than 10 times the text and 256 KiB; where
/// a row may be shorter than a tenth of what is made of it, as much for each row is allowed
/// besides.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <gpuplan/calibrate/formats/megatron_log.hpp>
#include <gpuplan/calibrate/formats/memory_snapshot.hpp>
#include <gpuplan/calibrate/formats/nccl_tests_json.hpp>
#include <gpuplan/calibrate/formats/nccl_tests_log.hpp>
#include <gpuplan/calibrate/formats/nvbandwidth_report.hpp>
#include <gpuplan/calibrate/formats/nvidia_smi_csv.hpp>
#include <gpuplan/calibrate/formats/torch_memory_trace.hpp>
#include <gpuplan/calibrate/formats/torch_profile.hpp>
#include <gpuplan/calibrate/probe_report_reader.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_layered.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/placement/pool_table.hpp>
#include <gpuplan/registry/symbol_unit.hpp>
#include <gpuplan/report/svg_text.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_pickle.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/trace/job_trace.hpp>
#include <gpuplan/units/parse.hpp>

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*,
                                                                  std::size_t),
                                                         void (*)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void*);

namespace {

using namespace gpuplan;

/// Memory in use since a reader began, and the most of it.
struct memory_use {
  bool counted = false;
  std::int64_t now = 0;
  std::int64_t most = 0;
};
memory_use use;

/// What a reader may take besides 10 times the text and 256 KiB.
std::int64_t of_rows = 0;

void require_that(bool holds, const char* what, const std::string& text = {}) {
  if (holds) return;
  std::fprintf(stderr, "%s: '%s'\n", what, text.c_str());
  std::abort();
}

/// A refusal is one line that names the text, a place or the whole of it, and a reason.
void check_line(const std::string& line, std::string_view begin) {
  require_that(line.starts_with(begin), "a refusal must say where", line);
  require_that(line.size() > begin.size() + 8, "a refusal must say why", line);
  require_that(line.size() < 1000, "a refusal must be short", line);
  require_that(gpuplan::visible(line) == line, "a refusal must be one line", line);
}

void check_faults(std::span<const row_fault> faults, std::int64_t count) {
  require_that(faults.size() <= 100, "at most 100 faults are kept");
  require_that(static_cast<std::int64_t>(faults.size()) == std::min<std::int64_t>(count, 100),
               "the first 100 faults are kept");
  for (const row_fault& fault : faults) {
    require_that(fault.line >= 1, "a fault has a line");
    check_line(description_of(fault), "line ");
  }
}

std::int64_t lines_of(std::string_view text) {
  std::int64_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    lines += text[at] != '\n' && (at == 0 || text[at - 1] == '\n');
  return lines;
}

// One function for each reader.

void config(std::string_view text) {
  const nlohmann::json parsed = parse_json(text, "text");
  if (find_layered_family(parsed) != nullptr)
    static_cast<void>(read_layered_model(parsed, "text").total());
  else
    static_cast<void>(read_huggingface(parsed, "text"));
}

void model(std::string_view text) {
  const transformer read = read_transformer(parse_json(text, "text"), "text");
  use.counted = false;  // what follows is the writer's
  require_that(read_transformer(json_of(read), "text") == read, "a transformer is read back");
}

template <class Quantity>
void quantity(std::string_view text) {
  const parsed<Quantity> read = parse<Quantity>(text);
  require_that(read || read.value == Quantity{}, "what is not understood is zero");
  require_that(read.value >= Quantity{} && isfinite(read.value), "a quantity is finite");
  require_that(!problem_of(read.fault).empty(), "a fault has a text");
}

void quantities(std::string_view text) {
  quantity<bytes>(text);
  quantity<seconds>(text);
  quantity<tokens>(text);
  quantity<dollars>(text);
  quantity<bytes_per_second>(text);
  quantity<dollars_per_second>(text);
  static_cast<void>(parse_count(text));
}

void trace(std::string_view text) {
  const trace_options all{
      .columns = {.start = "Start", .end = "End", .state = "State", .priority = "priority"},
      .only = {.column = "vc", .value = "a"}};
  for (const trace_options& options : {trace_options{}, all}) {
    const job_trace read = read_trace(text, options);
    check_faults(read.faults, read.counts.faulty);
    for (const trace_job& job : read.jobs) require_valid(job);
  }
}

void trace_names(std::string_view text) {
  const parsed_trace_columns read = parse_trace_columns(text);
  require_that(read.wrong.size() <= text.size() + 1, "what is wrong is a part of the text");
  static_cast<void>(parse_trace_filter(text));
}

void nodes(std::string_view text) {
  of_rows = lines_of(text) * static_cast<std::int64_t>(sizeof(gpu_node) + sizeof(node_facts));
  name_list types;
  const node_table read = read_nodes(text, types);
  check_faults(read.faults.first, read.faults.count);
}

void tasks(std::string_view text) {
  of_rows = lines_of(text) * static_cast<std::int64_t>(sizeof(arriving_task));
  name_list types;
  name_list users;
  const task_table read = read_tasks(text, types, users);
  check_faults(read.faults.first, read.faults.count);
}

void nccl(std::string_view text) {
  const nccl_tests_log read = read_nccl_tests(text);
  check_faults(read.faults, read.faulty);
  if (!read.rows.empty()) static_cast<void>(collective_of(read));
}

void nccl_json(std::string_view text) {
  const nccl_tests_log read = read_nccl_tests_json(text, "text");
  for (const nccl_tests_row& row : read.rows)
    require_that(row.out_of_place > seconds{}, "a time is > 0");
}

void nvbandwidth(std::string_view text) {
  const nvbandwidth_report read = read_nvbandwidth(text, "text");
  for (const nvbandwidth_test& test : read.tests)
    require_that(test.rows * test.columns == test.bandwidths.size() + test.latencies.size(),
                 "a matrix is whole");
}

void nvidia_smi(std::string_view text) {
  for (const std::string_view query : {"", "name,memory.used,power.draw"}) {
    const nvidia_smi_report read = read_nvidia_smi(text, query);
    check_faults(read.faults, read.faulty);
    for (const nvidia_smi_gpu& gpu : read.gpus)
      require_that(gpu.power.mean <= 1.000001 * gpu.power.most, "a mean is below the most");
  }
}

void memory(std::string_view text) {
  const memory_snapshot read = read_memory_snapshot(text, "text");
  require_that(read.allocated.current >= bytes{}, "memory is >= 0");
}

void torch_profile(std::string_view text) {
  const profiled_step read = read_torch_profile(text, "text");
  require_that(read.time > seconds{} && isfinite(read.time), "a step takes time");
  seconds sum = read.idle + read.unclassified;
  for (const seconds part : read.shown) sum += part;
  require_that(sum <= (1 + 1e-6) * read.time && sum >= (1 - 1e-6) * read.time,
               "terms sum up to the step");
}

void torch_memory(std::string_view text) {
  const memory_peak read = read_torch_memory_trace(text, "text");
  require_that(read.allocated >= bytes{} && read.reserved >= read.reserved_at_peak,
               "a peak is the most");
}

void pickle(std::string_view text) {
  constexpr std::size_t longest = std::size_t{1} << 16;
  // A list of one byte is a vector and the value that holds it.
  of_rows = static_cast<std::int64_t>(128 * text.size() + 4 * longest);
  const std::string json = json_of_pickle(text, "text", {.longest = longest, .numbered = "a"});
  use.counted = false;
  require_that(json.size() <= longest, "the JSON of a pickle is bounded");
  static_cast<void>(nlohmann::json::parse(json));
}

void megatron(std::string_view text) {
  const megatron_log read = read_megatron_log(text);
  check_faults(read.faults, read.faulty);
  if (read.iterations.size() > 3) require_that(read.typical_time() > seconds{}, "a time is > 0");
}

void profile(std::string_view text) {
  const cluster_profile read = read_profile(text, "text");
  use.counted = false;  // what follows is the writer's
  require_that(json_of(read_profile(json_of(read).dump(), "text")) == json_of(read),
               "a profile is read back");
}

void probe(std::string_view text) {
  static_cast<void>(read_probe_report(text, "text"));
}

/// Words that people type, and what a page makes of them.
void words(std::string_view text) {
  using registry::symbol;
  constexpr std::array symbols{
      symbol{"m", "message", "B", ">= 0"}, symbol{"p", "ranks", "count", ">= 1"},
      symbol{"x", "share", "1", "0 to 1"}, symbol{"o", "optimizer", "count", ">= 0", "sgd adam"}};
  for (const symbol& each : symbols) {
    const registry::input_text read = registry::read_input(each, text);
    if (read.fault.empty())
      require_that(std::isfinite(read.value), "an input is finite");
    else
      check_line("text " + read.fault, "text '");
  }
  for (const std::string_view name : closest_names(text, catalog::accelerators))
    require_that(catalog::find_accelerator(name) != nullptr, "what is offered is known");
  static_cast<void>(catalog::find_accelerator(text));
  use.counted = false;  // what follows writes
  require_that(escaped(text).find_first_of("<>\"'\n\r\t") == std::string::npos,
               "markup is taken for letters");
}

struct reader {
  std::string_view name;
  void (*read)(std::string_view);
};
constexpr std::array readers{reader{"config", config},
                             reader{"model", model},
                             reader{"quantities", quantities},
                             reader{"trace", trace},
                             reader{"trace_names", trace_names},
                             reader{"nodes", nodes},
                             reader{"tasks", tasks},
                             reader{"nccl", nccl},
                             reader{"nccl_json", nccl_json},
                             reader{"nvbandwidth", nvbandwidth},
                             reader{"nvidia_smi", nvidia_smi},
                             reader{"memory", memory},
                             reader{"torch_profile", torch_profile},
                             reader{"torch_memory", torch_memory},
                             reader{"pickle", pickle},
                             reader{"megatron", megatron},
                             reader{"profile", profile},
                             reader{"probe", probe},
                             reader{"words", words}};
const reader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("GPUPLAN_READER");
  for (const reader& each : readers)
    if (name != nullptr && each.name == name) chosen = &each;
  if (chosen == nullptr) {
    for (const reader& each : readers) std::puts(std::string(each.name).c_str());
    std::exit(name == nullptr ? 0 : 2);
  }
  __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t size) {
        if (!use.counted) return;
        use.now += static_cast<std::int64_t>(size);
        use.most = std::max(use.most, use.now);
      },
      [](const volatile void* memory) {
        if (use.counted && memory != nullptr)
          use.now -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory));
      });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  of_rows = 0;
  use = {.counted = true};
  try {
    chosen->read(text);
  } catch (const invalid_input& error) {
    use.counted = false;
    const bool of_log = std::string_view{error.what()}.starts_with("collective_of");
    check_line(error.what(), of_log ? "collective_of: " : "text");
  }
  use.counted = false;
  const auto most = static_cast<std::int64_t>(10 * size + (std::size_t{256} << 10)) + of_rows;
  require_that(use.most <= most, "a reader must not take so much memory",
               std::to_string(use.most) + " bytes for " + std::to_string(size));
  return 0;
}
