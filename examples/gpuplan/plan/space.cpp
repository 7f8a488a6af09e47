/// \file
/// What plan and scale search.

#include "plan/space.hpp"

#include <gpuplan/text/lookup.hpp>

namespace gpuplan::cli {
namespace {

/// True, and the option emptied, where it says "any" or nothing and nothing means any.
bool varies(std::string& typed, bool by_default) {
  if (typed.empty()) return by_default;
  if (!same_name(typed, "any")) return false;
  typed.clear();
  return true;
}

}  // namespace

space space_of(job_options& job) {
  space vary;
  vary.tensor = varies(job.tensor, true);
  vary.pipeline = varies(job.pipeline, true);
  vary.data = varies(job.data, true);
  vary.context = varies(job.context, true);
  vary.expert = varies(job.expert, true);
  vary.interleave = varies(job.interleave, true);
  vary.micro_batch = varies(job.micro_batch, true);
  vary.zero = varies(job.zero, true);
  vary.recompute = varies(job.recompute, true);
  vary.sequence_parallel = varies(job.sequence_parallel, true);
  vary.schedule = varies(job.schedule, false);
  return vary;
}

report_json json_of(const space& vary) {
  return {{"tensor", vary.tensor},
          {"pipeline", vary.pipeline},
          {"data", vary.data},
          {"context", vary.context},
          {"expert", vary.expert},
          {"interleave", vary.interleave},
          {"micro_batch", vary.micro_batch},
          {"zero", vary.zero},
          {"recompute", vary.recompute},
          {"sequence_parallel", vary.sequence_parallel},
          {"schedule", vary.schedule}};
}

}  // namespace gpuplan::cli
