// A batch of 1024 is wanted and 6 sequences fit a GPU: how many steps of accumulation is that?
#include <cstdio>

#include <gpuplan/memory/accumulation.hpp>

int main() {
  using namespace gpuplan;
  constexpr int wanted = 1024;
  constexpr int largest = 6;
  for (const int replicas : {8, 64, 128, 256}) {
    const accumulation how = accumulate(wanted, largest, replicas);
    std::printf("%3d replicas: %2lld steps of %lld sequences, a batch of %lld\n", replicas,
                static_cast<long long>(how.steps), static_cast<long long>(how.micro_batch_size),
                static_cast<long long>(how.effective_batch()));
  }
  std::printf("without accumulation: %lld replicas\n",
              static_cast<long long>(replicas_without_accumulation(wanted, largest)));
  static_assert(accumulate(wanted, largest, 64).steps == 3, "ceil(1024 / (6 x 64))");
}
