// How often should a 405B model on 2048 nodes save its state, and what do failures cost?
#include <cstdio>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/checkpoint_size.hpp>
#include <gpuplan/plan/failures.hpp>
#include <gpuplan/plan/run_with_failures.hpp>

int main() {
  using namespace gpuplan;
  // Llama 3 405B: 419 interruptions in 54 days on 2048 nodes (Grattafiori et al. 2024, table 5).
  const seconds of_node = observed_mtbf(54 * units::day, 2048, 419);
  const seconds mtbf = job_mtbf(of_node, 2048);
  const bytes state = checkpoint_size(catalog::llama_3_1_405b, {});
  std::printf("a failure every %.1f h, a checkpoint of %.2f TB\n", mtbf / units::hour,
              state / units::TB);
  for (const double rate : {0.1, 0.5, 2.0}) {
    const seconds write = checkpoint_time(state, rate * units::TB / units::second);
    const checkpoint_policy best = best_checkpoint_policy(write, 10 * units::minute, mtbf);
    const failing_run run = run_with_failures(54 * units::day, best);
    std::printf("%.1f TB/s: save every %4.1f min, training %.1f %% of the time\n", rate,
                best.interval / units::minute, 100 * run.effective_training_time());
  }
}
