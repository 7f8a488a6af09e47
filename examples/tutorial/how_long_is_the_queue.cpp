// Four jobs an hour, ten hours each: how long do they wait on 44 servers, and how many would do?
#include <cstdio>

#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/queue/staffing.hpp>

int main() {
  using namespace gpuplan;
  const per_second arrivals = 4 / units::hour;
  const seconds service = 10 * units::hour;
  for (const int servers : {41, 44, 48, 52}) {
    const waiting queue = wait({arrivals, service, servers});
    std::printf("%d servers: %4.1f %% wait, %6.1f min in the mean, 95 %% at most %6.1f min\n",
                servers, 100 * queue.probability, queue.mean / units::minute,
                wait_law_of(queue).percentile(0.95) / units::minute);
  }
  const wait_tail_limit promise{.time = 1 * units::hour, .probability = 0.05};
  std::printf("95 %% within an hour: %d servers\n", fewest_servers({arrivals, service}, promise));
}
