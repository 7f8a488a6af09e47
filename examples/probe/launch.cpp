/// \file
/// Section launch: what the host needs to start work that takes no time.
#include <optional>

#include "part.hpp"

namespace gpuplan::probe {
namespace {

/// A graph of empty kernels, one after the other.
class empty_graph {
 public:
  empty_graph(int nodes, const work_stream& stream) {
    check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < nodes && error == cudaSuccess; ++i) error = launch_empty(stream.get());
    const cudaError_t end = cudaStreamEndCapture(stream.get(), &graph_);
    check(error, "a launch into a graph");
    check(end, "cudaStreamEndCapture");
    const cudaError_t made = cudaGraphInstantiateWithFlags(&launchable_, graph_, 0);
    if (made != cudaSuccess) (void)cudaGraphDestroy(graph_);
    check(made, "cudaGraphInstantiateWithFlags");
    check(cudaGraphUpload(launchable_, stream.get()), "cudaGraphUpload");
    stream.wait();
  }
  ~empty_graph() {
    (void)cudaGraphExecDestroy(launchable_);
    (void)cudaGraphDestroy(graph_);
  }
  empty_graph(const empty_graph&) = delete;
  empty_graph& operator=(const empty_graph&) = delete;

  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(launchable_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t launchable_ = nullptr;
};

std::optional<measured_time> time_of(const timing& all) {
  if (all.empty()) return std::nullopt;
  return all.time();
}

}  // namespace

void measure_launch(part& p) {
  stopwatch watch{p.monitor, p.budget, p.how()};
  const work_stream& stream = watch.stream();
  watch.warm_up([](cudaStream_t to, std::size_t) { check(launch_empty(to), "empty kernel"); },
                seconds{0.2}, seconds{0.5});
  const auto empty = [&] { check(launch_empty(stream.get()), "empty kernel"); };
  const auto wait = [&] { stream.wait(); };
  sampling how = p.how();
  how.samples = 15;
  // Of many that are sent together: fewer than the driver queues, so that none waits for room.
  sampling many = how;
  many.length = seconds{5e-3};
  many.most_works = 500;

  probe_launch& launch = p.device().launch;
  launch.queued = time_of(watch.measure_on_host(empty, wait, many));
  launch.synchronized = time_of(watch.measure_on_host(
      [&] {
        empty();
        wait();
      },
      [] {}, how));
  moment event;
  launch.event = time_of(watch.measure_on_host([&] { event.record(stream.get()); }, wait, many));

  // A graph is launched and waited for, as a step of a training is.
  const auto graph_time = [&](int nodes) {
    const empty_graph graph{nodes, stream};
    return time_of(watch.measure_on_host(
        [&] {
          graph.launch(stream.get());
          wait();
        },
        [] {}, how));
  };
  launch.graph_of_1 = graph_time(1);
  launch.graph_of_20 = graph_time(20);
  if (!launch.graph_of_20) p.miss("no time for graphs");
}

}  // namespace gpuplan::probe
