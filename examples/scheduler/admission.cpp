/// \file
/// The C functions of admission.h: the whole of what a scheduler includes.

#include "admission.h"

#include <cstdio>
#include <exception>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

namespace {

using namespace gpuplan;

template <class Table>
bool is_one_of(int32_t number, const Table& table) {
  return number >= 0 && static_cast<std::size_t>(number) < table.size();
}

int32_t answered(const struct gpuplan_job& job, struct gpuplan_answer& answer, char* reason,
                 std::size_t room) {
  const accelerator& gpu = *catalog::accelerators[static_cast<std::size_t>(job.gpu)].gpu;
  const transformer& model = catalog::models[static_cast<std::size_t>(job.model)].model;
  const cluster pool = cluster_of(
      node_of(gpu, job.gpus_per_node, interconnect_of(catalog::infiniband_ndr)), job.gpus);
  const recipe how{.global_batch_size = job.global_batch,
                   .sequence_length = job.sequence,
                   .zero = zero_stage::optimizer};
  const parallelism cut{.data = job.data,
                        .tensor = job.tensor,
                        .pipeline = job.pipeline,
                        .micro_batch_size = job.micro_batch};
  const estimate found = evaluate(model, pool, how, cut);
  answer.bytes_needed = found.needed.in_base_units();
  answer.bytes_available = gpu.memory.in_base_units();
  if (!found.fits()) {
    const reject& why = found.refusal;
    const double unit = why.in_bytes() ? 1e9 : 1;
    std::snprintf(reason, room,
                  why.in_bytes() ? "%s: %.1f GB needed, %.1f GB there are" : "%s: %.0f and %.0f",
                  describe(why.reason).data(), why.needed / unit, why.available / unit);
    return GPUPLAN_DOES_NOT_FIT;
  }
  answer.step_seconds = found.time.total().in_base_units();
  answer.score = found.model_flop_utilization();
  return GPUPLAN_FITS;
}

}  // namespace

int32_t gpuplan_model(const char* name) {
  for (std::size_t i = 0; name != nullptr && i < catalog::models.size(); ++i)
    if (same_name(catalog::models[i].name, name)) return static_cast<int32_t>(i);
  return -1;
}

int32_t gpuplan_gpu(const char* name) {
  const auto* found = name == nullptr ? nullptr : catalog::find_accelerator(name);
  return found == nullptr ? -1 : static_cast<int32_t>(found - catalog::accelerators.data());
}

int32_t gpuplan_admit(const struct gpuplan_job* job, struct gpuplan_answer* answer, char* reason,
                      size_t room) {
  if (reason == nullptr) room = 0;
  if (room > 0) reason[0] = '\0';
  if (answer != nullptr) *answer = {};
  const char* wrong = nullptr;
  if (job == nullptr || answer == nullptr || job->size < sizeof *job)
    wrong = "job and answer must be given, and job.size be its size";
  else if (!is_one_of(job->model, catalog::models))
    wrong = "model must be as gpuplan_model says";
  else if (!is_one_of(job->gpu, catalog::accelerators))
    wrong = "gpu must be as gpuplan_gpu says";
  else if (job->gpus < 1 || job->gpus_per_node < 1 || job->gpus_per_node > 1024)
    wrong = "gpus must be >= 1 and gpus_per_node 1 .. 1024";
  else if (job->data < 1 || job->tensor < 1 || job->pipeline < 1)
    wrong = "data, tensor and pipeline must be >= 1";
  else if (job->micro_batch < 1 || job->global_batch < 1 || job->sequence < 1)
    wrong = "micro_batch, global_batch and sequence must be >= 1";
  if (wrong == nullptr) try {
      return answered(*job, *answer, reason, room);
    } catch (const std::exception& refused) {  // what the checks above do not know
      std::snprintf(reason, room, "%s", refused.what());
      return GPUPLAN_INVALID;
    } catch (...) {
      wrong = "the job cannot be understood";
    }
  std::snprintf(reason, room, "%s", wrong);
  return GPUPLAN_INVALID;
}
