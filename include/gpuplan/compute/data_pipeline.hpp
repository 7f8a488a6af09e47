#pragma once
/// \file
/// Feeding a GPU: storage, preprocessing and transfer, all in samples per second.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The stages a sample passes, in their order.
enum class data_stage { storage, preprocessing, transfer, compute };

inline constexpr std::array data_stages{data_stage::storage, data_stage::preprocessing,
                                        data_stage::transfer, data_stage::compute};

/// "storage", ... as the values are called.
constexpr std::string_view name_of(data_stage stage) {
  constexpr std::array<std::string_view, data_stages.size()> names{"storage", "preprocessing",
                                                                   "transfer", "compute"};
  return names[static_cast<std::size_t>(stage)];
}

/// What each stage takes for one batch.
struct data_stage_times {
  seconds storage{};
  seconds preprocessing{};
  seconds transfer{};
  seconds compute{};

  [[nodiscard]] constexpr seconds operator[](data_stage stage) const {
    switch (stage) {
      case data_stage::storage: return storage;
      case data_stage::preprocessing: return preprocessing;
      case data_stage::transfer: return transfer;
      case data_stage::compute: return compute;
    }
    require(false, "data_stage_times: stage must be one of data_stages");
    return {};
  }

  /// What the GPU waits for if nothing is fetched ahead.
  [[nodiscard]] constexpr seconds load() const { return storage + preprocessing + transfer; }
  /// Time of an iteration in which one stage follows the other.
  [[nodiscard]] constexpr seconds sequential() const { return load() + compute; }
  /// Time of an iteration in which all stages work at once, each on another batch.
  [[nodiscard]] constexpr seconds overlapped() const { return (*this)[binding()]; }
  /// The slowest stage; of equals the last, so that compute binds where it is no faster.
  [[nodiscard]] constexpr data_stage binding() const {
    data_stage slowest = data_stage::storage;
    for (const data_stage stage : data_stages)
      if ((*this)[stage] >= (*this)[slowest]) slowest = stage;
    return slowest;
  }
  /// Share of the overlapped iteration in which the GPU computes.
  [[nodiscard]] constexpr double gpu_utilization() const { return compute / overlapped(); }
};

/// Batches to be under way so that loading hides behind computing, by Little's law.
///
///     d = ceil(t_load / t_iteration)
///
///     t_load       times.load(): one batch, from storage to the device   s
///     t_iteration  times.overlapped(): between two batches               s
///
/// It evens nothing out: where times vary, or one worker makes a whole batch, more are needed.
///
/// Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9
/// (1961) 383-387.
///
/// \throws invalid_input if times.compute <= 0 s or another time is < 0 s
constexpr double prefetch_depth(const data_stage_times& times) {
  require(times.compute > seconds{0}, "prefetch_depth: compute must be > 0 s");
  for (const data_stage stage : data_stages)
    require(times[stage] >= seconds{0}, "prefetch_depth: times must be >= 0 s");
  return rounded_up(times.load() / times.overlapped());
}

/// Bytes per second that storage delivers.
///
///     W = min(W_disk, W_network) F
///
///     W_disk, W_network  disk, network                      B/s, > 0
///     F                  what the order of access leaves    1, > 0, <= 1; 1 if in sequence
///
/// Random access of small files leaves a tenth and less.  Half of what is advertised is a coarse
/// rule for all losses together: access_factor = 0.5.
///
/// Holds: large files in sequence: F = 1; small ones at random a tenth and less.
///
/// Source: definition; for F see D. G. Murray et al., "tf.data: A Machine Learning Data Processing
/// Framework", PVLDB 14 (2021), arXiv:2101.12127.
///
/// \throws invalid_input if a rate is <= 0 B/s, or access_factor is not 0 to 1, or is 0
constexpr bytes_per_second storage_bandwidth(bytes_per_second disk, bytes_per_second network,
                                             double access_factor = 1) {
  require(disk > bytes_per_second{0}, "storage_bandwidth: disk must be > 0 B/s");
  require(network > bytes_per_second{0}, "storage_bandwidth: network must be > 0 B/s");
  require(access_factor > 0 && access_factor <= 1,
          "storage_bandwidth: access_factor must be above 0 and at most 1");
  return smaller(disk, network) * access_factor;
}

/// Bytes per second along storage, host memory and device memory: those of the slowest.
///
///     min(W_storage, W_host, W_device)
///
///     W_storage  storage          B/s, > 0
///     W_host     host memory      B/s, > 0
///     W_device   device memory    B/s, > 0
///
/// A bound on what may flow; whether it is enough depends on the bytes of a sample in each place,
/// for which see data_stage_times_of.
///
/// Holds: a bound; samples differ in size from place to place.
///
/// Source: by definition.
///
/// \throws invalid_input if a rate is <= 0 B/s
constexpr bytes_per_second memory_path_bandwidth(bytes_per_second storage, bytes_per_second host,
                                                 bytes_per_second device) {
  require(storage > bytes_per_second{0}, "memory_path_bandwidth: storage must be > 0 B/s");
  require(host > bytes_per_second{0}, "memory_path_bandwidth: host must be > 0 B/s");
  require(device > bytes_per_second{0}, "memory_path_bandwidth: device must be > 0 B/s");
  return smaller(smaller(storage, host), device);
}

/// What feeds one GPU.
struct data_pipeline {
  bytes stored_sample{};               ///< as it is read; >= 0
  bytes device_sample{};               ///< as it is sent to the GPU; >= 0
  bytes_per_second storage{};          ///< this GPU's share of storage_bandwidth; > 0
  double workers = 1;                  ///< that preprocess at the same time; > 0
  seconds preprocessing_per_sample{};  ///< of one worker; >= 0
  bytes_per_second transfer{};         ///< host to device; > 0
  per_second compute{};                ///< samples that the GPU could train on; > 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const data_pipeline& feed) {
  require(feed.stored_sample >= bytes{0}, "data_pipeline.stored_sample must be >= 0 B");
  require(feed.device_sample >= bytes{0}, "data_pipeline.device_sample must be >= 0 B");
  require(feed.storage > bytes_per_second{0}, "data_pipeline.storage must be > 0 B/s");
  require(feed.workers > 0, "data_pipeline.workers must be > 0");
  require(feed.preprocessing_per_sample >= seconds{0},
          "data_pipeline.preprocessing_per_sample must be >= 0 s");
  require(feed.transfer > bytes_per_second{0}, "data_pipeline.transfer must be > 0 B/s");
  require(feed.compute > per_second{0}, "data_pipeline.compute must be > 0 samples/s");
}

/// Time of each stage for a batch; its inverse, times the batch, is the stage's rate.
///
///     storage        B m_s / W_s      preprocessing  B t_p / N
///     transfer       B m_d / W_t      compute        B / R
///
///     B         batch: samples of one iteration on this GPU               count, > 0
///     m_s, m_d  feed.stored_sample, feed.device_sample                    B
///     t_p, N    feed.preprocessing_per_sample, feed.workers               s; count
///     W_s, W_t  feed.storage, feed.transfer                               B/s
///     R         feed.compute                                              samples/s
///
/// Rates in samples per second and in bytes per second cannot be compared before this: they differ
/// by the bytes of a sample, which differ before and after preprocessing.
///
/// Source: J. Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training", PVLDB 14
/// (2021), section 3, arXiv:2007.06775.
///
/// \throws invalid_input if feed is invalid or batch <= 0
constexpr data_stage_times data_stage_times_of(const data_pipeline& feed, double batch) {
  require_valid(feed);
  require(batch > 0, "data_stage_times_of: batch must be > 0 samples");
  return {.storage = batch * feed.stored_sample / feed.storage,
          .preprocessing = batch * feed.preprocessing_per_sample / feed.workers,
          .transfer = batch * feed.device_sample / feed.transfer,
          .compute = batch / feed.compute};
}

/// Samples per second of the whole: those of its slowest stage.
///
/// Source: J. Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training", PVLDB 14
/// (2021), arXiv:2007.06775.
///
/// \throws invalid_input if feed is invalid
constexpr per_second pipeline_rate(const data_pipeline& feed) {
  return 1 / data_stage_times_of(feed, 1).overlapped();
}

/// Share of its time that a GPU is busy.
///
///     min(1, R_pipeline / R_GPU)
///
///     R_pipeline  samples a second that arrive    1/s, >= 0
///     R_GPU       that the GPU could train on     1/s, > 0
///
/// Holds: batches fetched ahead.
///
/// Source: as pipeline_rate.
///
/// \throws invalid_input if fed < 0 or compute <= 0 samples/s
constexpr double fed_utilization(per_second fed, per_second compute) {
  require(fed >= per_second{0}, "fed_utilization: fed must be >= 0 samples/s");
  require(compute > per_second{0}, "fed_utilization: compute must be > 0 samples/s");
  return smaller(fed, compute) / compute;
}

/// The least whole number of workers that keeps preprocessing from binding, where R is the rate of
/// the slowest other stage; 1 where preprocessing takes no time.
///
///     ceil(R t_p)
///
///     t_p  preprocessing of a sample by one worker         s, >= 0
///     R    samples a second that the GPU could train on    1/s, > 0
///
/// More of them help nothing, though the GPU may still wait for storage or transfer.
///
/// Holds: R of the slowest other stage.
///
/// Source: the preprocessing stage of data_stage_times_of, solved for N.
///
/// \throws invalid_input if feed is invalid; feed.workers plays no part
constexpr double workers_needed(const data_pipeline& feed) {
  data_pipeline others = feed;
  others.preprocessing_per_sample = seconds{0};
  const double busy = pipeline_rate(others) * feed.preprocessing_per_sample;
  require(busy >= 0, "data_pipeline.preprocessing_per_sample must be >= 0 s");
  return busy > 1 ? rounded_up(busy) : 1;
}

}  // namespace gpuplan
