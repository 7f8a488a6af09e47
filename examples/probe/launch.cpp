/// \file
/// Section launch: the host's time to start work that does nothing.
#include <memory>
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
    cudaGraph_t graph = nullptr;
    const cudaError_t end = cudaStreamEndCapture(stream.get(), &graph);
    graph_.reset(graph);
    check(error, "a launch into a graph");
    check(end, "cudaStreamEndCapture");
    cudaGraphExec_t launchable = nullptr;
    check(cudaGraphInstantiateWithFlags(&launchable, graph, 0), "cudaGraphInstantiateWithFlags");
    launchable_.reset(launchable);
    check(cudaGraphUpload(launchable, stream.get()), "cudaGraphUpload");
    stream.wait();
  }

  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(launchable_.get(), stream), "cudaGraphLaunch");
  }

 private:
  std::unique_ptr<CUgraph_st, releaser<cudaGraphDestroy>> graph_{};
  std::unique_ptr<CUgraphExec_st, releaser<cudaGraphExecDestroy>> launchable_{};
};

}  // namespace

void measure_launch(part& p) {
  stopwatch watch{p.monitor, p.budget};
  const work_stream& stream = watch.stream();
  const auto empty = [&] { check(launch_empty(stream.get()), "empty kernel"); };
  const auto wait = [&] { stream.wait(); };
  watch.warm_up([&](cudaStream_t, std::size_t) { empty(); }, seconds{0.2}, seconds{0.5});
  sampling how;
  how.samples = 15;
  // Fewer together than the driver queues, so that none waits for room.
  sampling many = how;
  many.length = seconds{5e-3};
  many.most_runs = 500;
  // Launched and waited for, one by one.
  const auto one_by_one = [&](const auto& launch) {
    return watch.measure_on_host(
        [&] {
          launch();
          wait();
        },
        [] {}, how);
  };

  probe_launch& launch = p.device().launch;
  launch.queued = watch.measure_on_host(empty, wait, many);
  launch.synchronized = one_by_one(empty);
  timing_event event;
  launch.event = watch.measure_on_host([&] { event.record(stream); }, wait, many);
  const auto graph_of = [&](int nodes) {
    const empty_graph graph{nodes, stream};
    return one_by_one([&] { graph.launch(stream.get()); });
  };
  launch.graph_of_1 = graph_of(1);
  launch.graph_of_20 = graph_of(20);
  if (!launch.graph_of_20) p.miss("no time for graphs");
}

}  // namespace gpuplan::probe
