// Should convolutions and fully connected layers share their GPUs alike?
#include <array>
#include <cstdio>

#include <gpuplan/plan/layer_groups.hpp>

int main() {
  using namespace gpuplan;
  using namespace gpuplan::units;
  // AlexNet in FP32 with momentum, 1024 pictures a step: 3.7 and 58.6 million weights, 666 and 59
  // million multiply-adds a picture, 9216 values between the two groups.
  const std::array groups{group_work{.layers = 5,
                                     .work = 6.0 * 1024 * 666e6 * FLOP,
                                     .weights = 4 * 3.7e6 * byte,
                                     .states = 12 * 3.7e6 * byte},
                          group_work{.layers = 3,
                                     .work = 6.0 * 1024 * 59e6 * FLOP,
                                     .weights = 4 * 58.6e6 * byte,
                                     .states = 12 * 58.6e6 * byte}};
  const group_pool pool{.gpus = 8,
                        .sustained = 10 * TFLOP / second,
                        .link = {.latency = 10 * us, .bandwidth = 12 * GB / second},
                        .memory = 16 * GB};
  const bytes between = 1024 * 9216 * 4.0 * byte;
  for (const int ranks : {1, 8}) {
    seconds all{};
    for (const group_work& each : groups) all += group_time(pool, each, ranks, between);
    std::printf("%d tensor ranks in every layer: %.1f ms\n", ranks, all / ms);
  }
  const auto best = best_group_layouts(pool, groups, between);
  std::printf("%d in convolutions, %d in fully connected layers: %.1f ms\n", best->tensor[0],
              best->tensor[1], best->time / ms);
}
