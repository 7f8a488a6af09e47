// How long does a scheduler wait?  For a job that declares all that is searched, microseconds; for
// one that leaves it open, a search.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "gpuplan_admission.h"

namespace {

/// A job that declares nothing but its GPUs and its sequence.
gpuplan_job open_job(const char* model, const char* gpu, int gpus, int sequence) {
  gpuplan_job job{};
  job.size = sizeof job;
  job.model = gpuplan_model(model);
  job.gpu = gpuplan_gpu(gpu);
  job.gpus = gpus;
  job.sequence = sequence;
  return job;
}

/// One that declares all that is searched, as it was found.
gpuplan_job declared_job() {
  const gpuplan_job job = open_job("llama-3-8b", "H100", 64, 8192);
  gpuplan_answer answer{};
  if (gpuplan_admit(&job, &answer, nullptr, 0) != GPUPLAN_FITS)
    throw std::logic_error{"the job must fit"};
  return answer.found;
}

void ask(benchmark::State& state, const gpuplan_job& job, int32_t code, bool with_words) {
  char reason[512];
  gpuplan_answer answer{};
  for (auto _ : state) {
    const int32_t found =
        gpuplan_admit(&job, &answer, with_words ? reason : nullptr, sizeof reason);
    if (found != code) state.SkipWithError("another answer than expected");
    benchmark::DoNotOptimize(answer);
  }
}

void admit_declared(benchmark::State& state) {
  ask(state, declared_job(), GPUPLAN_FITS, true);
}
BENCHMARK(admit_declared);

void refuse_declared(benchmark::State& state) {
  gpuplan_job job = declared_job();
  job.gpu_memory = 20e9;
  ask(state, job, GPUPLAN_DOES_NOT_FIT, false);
}
BENCHMARK(refuse_declared);

void refuse_declared_with_a_change(benchmark::State& state) {
  gpuplan_job job = declared_job();
  job.gpu_memory = 20e9;
  ask(state, job, GPUPLAN_DOES_NOT_FIT, true);
}
BENCHMARK(refuse_declared_with_a_change);

void admit_open(benchmark::State& state) {
  ask(state, open_job("llama-3-8b", "H100", static_cast<int>(state.range(0)), 8192), GPUPLAN_FITS,
      true);
}
BENCHMARK(admit_open)->RangeMultiplier(8)->Range(8, 4096)->Unit(benchmark::kMillisecond);

void admit_open_experts(benchmark::State& state) {
  ask(state, open_job("deepseek-v3", "H100", static_cast<int>(state.range(0)), 4096), GPUPLAN_FITS,
      true);
}
BENCHMARK(admit_open_experts)->RangeMultiplier(8)->Range(512, 4096)->Unit(benchmark::kMillisecond);

// 671e9 parameters on GPUs of 16 GB: nothing fits, and what would do is searched for.
void refuse_open(benchmark::State& state) {
  ask(state, open_job("deepseek-v3", "V100-16GB", static_cast<int>(state.range(0)), 4096),
      GPUPLAN_DOES_NOT_FIT, true);
}
BENCHMARK(refuse_open)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
