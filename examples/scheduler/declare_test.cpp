/// \file
/// Whatever a request of the program can say, a job of the C interface can declare, and its answer
/// is the library's.

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "field_words.hpp"
#include "job_fields.hpp"

namespace gpuplan::scheduler {
namespace {

int failures = 0;

void check(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  ++failures;
}

/// The functions of the shared object.
struct loaded {
  decltype(&gpuplan_model) model = nullptr;
  decltype(&gpuplan_gpu) gpu = nullptr;
  decltype(&gpuplan_declare) declare = nullptr;
  decltype(&gpuplan_admit) admit = nullptr;
};

loaded load(const char* path) {
  loaded all;
  void* library = dlopen(path, RTLD_NOW);
  const auto find = [&](auto& function, const char* name) {
    void* found = library == nullptr ? nullptr : dlsym(library, name);
    check(found != nullptr, name);
    std::memcpy(&function, &found, sizeof found);
  };
  find(all.model, "gpuplan_model");
  find(all.gpu, "gpuplan_gpu");
  find(all.declare, "gpuplan_declare");
  find(all.admit, "gpuplan_admit");
  return all;
}

/// A value other than the usual one.
template <class Owner>
double other_value(const member_value<Owner>& value) {
  const double usual = value.get(Owner{});
  for (const named<int>& name : value.names)
    if (name.value != usual) return name.value;
  if (is_choice(value.kind)) return usual == 0 ? 1 : 0;
  return usual + 1 <= value.most ? usual + 1 : value.least;
}

template <class Owner>
std::string written(const member_value<Owner>& value, double x) {
  char text[128];
  words to{text, sizeof text};
  write_value(value, x, to);
  return text;
}

/// Every row, by its key, its options and its member: a value is declared, and any other text is
/// refused with what is allowed.
template <class Owner>
void check_table(const loaded& c, const job_table<Owner>& table) {
  char reason[512];
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const field<Owner>& row = table.rows[i];
    const bool stages = row.value.kind == field_kind::layers_of_stages;
    const double x = stages ? 2 : other_value(row.value);
    const std::string text = stages ? "9,7" : written(row.value, x);
    std::string names{row.key};
    names += "," + std::string(row.option);
    const job_member* member = member_of(table.first + i);
    if (member != nullptr) names += "," + std::string(member->name);
    for (std::size_t comma = 0; comma != names.npos;) {
      comma = names.find(',');
      const std::string key = names.substr(0, comma);
      if (comma != names.npos) names.erase(0, comma + 1);
      gpuplan_job job{};
      job.size = sizeof job;
      const int32_t code = c.declare(&job, key.c_str(), text.c_str(), reason, sizeof reason);
      const auto [given, value] = declared(job, table, i);
      check(code == GPUPLAN_FITS && given && value == x, key + "=" + text + ": " + reason);
      const gpuplan_job before = job;
      for (const char* wrong : {"", "no such value", "-1", "nan", "1e400"}) {
        const int32_t refused = c.declare(&job, key.c_str(), wrong, reason, sizeof reason);
        check(refused == GPUPLAN_INVALID && std::string_view{reason}.starts_with(row.key) &&
                  std::string_view{reason}.find(" must be ") != std::string_view::npos &&
                  std::memcmp(&before, &job, sizeof job) == 0,
              key + "=" + wrong + " is refused, not so: " + reason);
      }
    }
  }
}

/// The keys and the options of the program's cluster.
void check_cluster(const loaded& c) {
  char reason[512];
  for (const auto& row : api::cluster_fields) {
    std::string text = "2";
    if (row.value.unit == field_unit::byte) text = "2GB";
    if (row.value.unit == field_unit::byte_per_second) text = "2GB/s";
    if (row.value.unit == field_unit::second) text = "2s";
    if (row.key == "gpu") text = "H100";
    if (row.key == "fabric") text = "InfiniBand NDR 4x";
    for (const std::string_view key : {row.key, row.main_option()}) {
      gpuplan_job job{};
      job.size = sizeof job;
      const gpuplan_job before = job;
      const int32_t code =
          c.declare(&job, std::string(key).c_str(), text.c_str(), reason, sizeof reason);
      check(code == GPUPLAN_FITS && std::memcmp(&before, &job, sizeof job) != 0,
            std::string(key) + "=" + text + ": " + reason);
    }
  }
}

struct setup {
  transformer model{};
  cluster pool{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
};

/// A job that declares all that is searched, and the same for the library.
setup declare_all(const loaded& c, gpuplan_job& job) {
  setup same{.model = catalog::mixtral_8x7b_v0_1,
             .recipe = {.global_batch_size = 256,
                        .sequence_length = 4096,
                        .zero = zero_stage::optimizer,
                        .recompute = recompute::full,
                        .sequence_parallel = true},
             .parallelism = {.data = 8, .tensor = 4, .pipeline = 2, .context = 1, .expert = 8}};
  const node box = node_of(catalog::h100_sxm5_80gb, 8, interconnect_of(catalog::infiniband_ndr));
  same.pool = cluster_of(box, 64);
  same.workspace = workspace_of(catalog::h100_sxm5_80gb, same.recipe.framework);
  job = {};
  job.size = sizeof job;
  job.model = c.model("mixtral-8x7b-v0.1");
  job.gpu = c.gpu("H100");
  job.gpus = 64;
  const auto declare_each = [&](const auto& table, const auto& from) {
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      if (const job_member* member = member_of(table.first + i);
          member != nullptr && table.rows[i].value.get != nullptr)
        declare(job, table, i, table.rows[i].value.get(from));
  };
  declare_each(parallelism_table, same.parallelism);
  declare_each(recipe_table, same.recipe);
  return same;
}

/// The same answer as evaluate's, with each field in turn at another value.
template <class Owner>
void check_answers(const loaded& c, const job_table<Owner>& table, Owner setup::*part) {
  int refused = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const field<Owner>& row = table.rows[i];
    if (row.value.get == nullptr) continue;
    gpuplan_job job;
    setup same = declare_all(c, job);
    const double x = other_value(row.value);
    row.value.set(same.*part, x);
    if (row.key == "framework")
      same.workspace = workspace_of(catalog::h100_sxm5_80gb, same.recipe.framework);
    char reason[512];
    const std::string what = std::string(row.key) + "=" + written(row.value, x);
    c.declare(&job, std::string(row.key).c_str(), written(row.value, x).c_str(), reason,
              sizeof reason);
    gpuplan_answer answer{};
    const int32_t code = c.admit(&job, &answer, reason, sizeof reason);
    if (code == GPUPLAN_INVALID) {
      check(std::string_view{reason}.find("has no effect") != std::string_view::npos,
            what + ": " + reason);
      ++refused;
      continue;
    }
    const estimate found =
        evaluate(same.model, same.pool, same.recipe, same.parallelism, same.workspace);
    check(answer.searched == 0 && (code == GPUPLAN_FITS) == found.fits() &&
              answer.bytes_needed == found.needed.in_base_units() &&
              (!found.fits() || answer.step_seconds == found.time.total().in_base_units()),
          what + " answers as the library does, not so: " + reason);
  }
  check(refused * 2 < static_cast<int>(table.rows.size()), "most fields have an effect");
}

int run(const char* path) {
  const loaded c = load(path);
  if (failures > 0) return 1;
  check_table(c, recipe_table);
  check_table(c, parallelism_table);
  check_table(c, workspace_table);
  check_cluster(c);
  check_answers(c, recipe_table, &setup::recipe);
  check_answers(c, parallelism_table, &setup::parallelism);
  check_answers(c, workspace_table, &setup::workspace);
  std::printf(failures == 0 ? "all as it should be\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuplan::scheduler

int main(int argc, char** argv) {
  return argc > 1 ? gpuplan::scheduler::run(argv[1]) : 1;
}
