#include <gpuplan/calibrate/probe_profile.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <gpuplan/calibrate/probe_report_reader.hpp>
#include <gpuplan/calibrate/probe_report_writer.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/synthetic_probe.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::probe_constants;
using testing::synthetic_probe;

constexpr auto as_it_is = [](seconds exact) { return exact; };

/// Every constant of a profile is the one it was made of, to within `tolerance`.
void recovers(const cluster_profile& found, const probe_constants& of, double tolerance) {
  CHECK_THAT(found.memory_bandwidth / of.memory_bandwidth, WithinRel(1, tolerance));
  CHECK_THAT(found.products.bf16 / of.product.rate, WithinRel(1, tolerance));
  CHECK_THAT(found.scale_up.latency / of.link.latency, WithinRel(1, tolerance));
  CHECK_THAT(found.scale_up.bandwidth / of.link.bandwidth, WithinRel(1, tolerance));
  CHECK_THAT(found.host.latency / of.host.latency, WithinRel(1, tolerance));
  CHECK_THAT(found.host.bandwidth / of.host.bandwidth, WithinRel(1, tolerance));
  CHECK(found.memory == of.memory);
  CHECK(found.cuda_context == of.cuda_context);
  CHECK(found.communicator == of.communicator);
}

TEST_CASE("a fit of products is trusted that is off by a tenth at most", "[calibrate][facts]") {
  const auto rate = [](double off, double above) {
    product_rates rates{.best = 100 * units::TFLOP / units::second};
    rates.fit.quality.median = off;
    rates.fit.rate = above * rates.best;
    return rates.rate() / rates.best;
  };
  CHECK(rate(0.1, 1.09) == 1.09);
  CHECK(rate(0.11, 1.09) == 1);
  CHECK(rate(0.1, 1.11) == 1);
  CHECK(rate(0.01, 0.7) == 0.7);
}

TEST_CASE("a profile of a synthetic probe has the constants it was made from", "[calibrate]") {
  const probe_constants usual;
  recovers(fit_probe(synthetic_probe(usual, 8, as_it_is), "p").profile, usual, 1e-6);
  probe_constants other;
  other.memory_bandwidth = 1.4 * TB / second;
  other.product = {.rate = 240 * TFLOP / second,
                   .bandwidth = 1.3 * TB / second,
                   .streaming_multiprocessors = 108,
                   .start = 5 * us};
  other.link = {.latency = 2.5 * us, .bandwidth = 230 * GB / second};
  other.host = {.latency = 10 * us, .bandwidth = 24 * GB / second};
  recovers(fit_probe(synthetic_probe(other, 4, as_it_is), "p").profile, other, 1e-6);
}

TEST_CASE("noise of half a percent moves no constant by more than one", "[calibrate]") {
  random_numbers random{11};
  const probe_constants of;
  for (int i = 0; i < 5; ++i) {
    const auto noise = [&](seconds exact) { return exact * (1 + 0.005 * random.normal()); };
    const probe_fits fits = fit_probe(synthetic_probe(of, 8, noise), "p");
    recovers(fits.profile, of, 0.01);
    const device_fit& gpu = fits.devices.at(0);
    CHECK(gpu.products.at(number_format::bf16).fit.quality.median < 0.01);
    CHECK_THAT(gpu.products.at(number_format::bf16).fit.start / of.product.start,
               WithinRel(1, 0.05));
    CHECK(fits.sweeps.at(0).fit.bandwidth_bounds.holds(fits.profile.scale_up.bandwidth));
    CHECK(fits.sweeps.at(0).fit.latency_bounds.holds(fits.profile.scale_up.latency));
  }
}

TEST_CASE("wrong rows of a probe move no constant by much", "[calibrate]") {
  const probe_constants of;
  probe_report report = synthetic_probe(of, 2, as_it_is);
  report.devices[0].gemm[3].time.median *= 20;
  report.devices[0].host_copy[5].time.median *= 30;
  report.collectives[0].rows[11].time.median *= 100;
  // All products share one start, which a wrong row moves, and with it the rate by 2.3 %.
  recovers(fit_probe(report, "p").profile, of, 0.025);
}

TEST_CASE("messages of nothing and those without a time are no rows of a sweep", "[calibrate]") {
  const probe_constants of;
  probe_report report = synthetic_probe(of, 2, as_it_is);
  report.collectives[0].rows.push_back({.message = 3 * MB});
  report.collectives[0].rows.push_back({.time = {.median = 5 * us}});
  recovers(fit_probe(report, "p").profile, of, 1e-6);
}

TEST_CASE("products that are cut into smaller tiles tell no rate of large ones", "[calibrate]") {
  const probe_constants of;
  probe_report report = synthetic_probe(of, 2, as_it_is);
  for (probe_device& gpu : report.devices)
    for (probe_gemm_row& row : gpu.gemm)
      if (row.rows >= 256 && row.rows <= 2048) row.time.median *= 0.3;
  recovers(fit_probe(report, "p").profile, of, 1e-6);
  // Where there is nothing else the fit is none, and the best that was measured counts.
  for (probe_device& gpu : report.devices)
    std::erase_if(gpu.gemm, [](const probe_gemm_row& row) {
      return row.rows < 256 || row.rows > 2048 || row.columns > 2048;
    });
  const probe_fits small = fit_probe(report, "p");
  CHECK_FALSE(small.devices[0].products.at(number_format::bf16).fits());
  flop_per_second best;
  for (const probe_gemm_row& row : report.devices[0].gemm)
    best = larger(best, 2.0 * row.rows * row.columns * row.depth * FLOP / row.time.median);
  CHECK(small.profile.products.bf16 == best);
}

TEST_CASE("of several devices the slowest counts", "[calibrate]") {
  probe_constants of;
  probe_report report = synthetic_probe(of, 2, as_it_is);
  of.memory_bandwidth = 2 * TB / second;
  of.product.rate = 500 * TFLOP / second;
  of.host.bandwidth = 40 * GB / second;
  of.cuda_context = 600 * MB;
  of.memory = 70 * GiB;
  report.devices[1] = synthetic_probe(of, 2, as_it_is).devices[1];
  recovers(fit_probe(report, "p").profile, of, 1e-6);
  // But not if it was busy with something else.
  report.devices[1].busy = true;
  recovers(fit_probe(report, "p").profile, probe_constants{}, 1e-6);
  report.devices[0].busy = true;
  recovers(fit_probe(report, "p").profile, of, 1e-6);
}

TEST_CASE("what a probe did not measure stays unknown", "[calibrate][limits]") {
  const cluster_profile none = fit_probe({}, "p").profile;
  CHECK(none.memory_bandwidth == bytes_per_second{0});
  CHECK(none.sources.at(0).what == "probe of 0 devices");
  probe_report one = synthetic_probe(probe_constants{}, 1, as_it_is);
  CHECK(fit_probe(one, "p").profile.scale_up.bandwidth == bytes_per_second{0});
  CHECK(fit_probe(one, "p").profile.communicator == bytes{0});
  one.devices[0].gemm.clear();
  one.devices[0].hbm.clear();
  one.devices[0].host_copy.clear();
  const cluster_profile bare = fit_probe(one, "p").profile;
  CHECK(bare.products.bf16 == flop_per_second{0});
  CHECK(bare.host.bandwidth == bytes_per_second{0});
  CHECK(bare.memory == probe_constants{}.memory);
  CHECK(bare.sources.at(0).device == "NVIDIA H100 80GB HBM3, driver synthetic");
  CHECK(bare.sources.at(0).time_utc == "2026-01-01T00:00:00Z");
  // Nor do buffers that a cache may hold tell the rate of memory.
  probe_report cached = synthetic_probe(probe_constants{}, 1, as_it_is);
  std::erase_if(cached.devices[0].hbm,
                [](const probe_hbm_row& row) { return row.buffer > 300 * MiB; });
  CHECK_FALSE(fit_device(cached.devices[0]).memory.has_value());
  // Rows without times are passed over.
  one.devices[0].gemm.push_back({.rows = 64, .columns = 64, .depth = 64});
  one.devices[0].hbm.push_back({.buffer = 1 * GB});
  one.collectives.push_back({.ranks = 1, .rows = {{1 * MB, {}}, {2 * MB, {}}}});
  CHECK(fit_probe(one, "p").profile.products.bf16 == flop_per_second{0});
}

TEST_CASE("the link is of an all-reduce of most ranks, else of less, else of copies",
          "[calibrate]") {
  const probe_constants of;
  probe_report report = synthetic_probe(of, 4, as_it_is);
  report.p2p = {{.source = 0, .destination = 0, .one_way = 1 * GB / second},
                {.source = 0, .destination = 1, .one_way = 300 * GB / second, .latency = 2 * us},
                {.source = 1, .destination = 0, .one_way = 280 * GB / second, .latency = 3 * us},
                {.source = 1, .destination = 2, .access = false, .one_way = 9 * GB / second},
                {.source = 2, .destination = 1, .verified = false, .one_way = 9 * GB / second}};
  probe_collective fewer = report.collectives[0];
  fewer.ranks = 2;
  report.collectives.push_back(fewer);
  const probe_fits of_most = fit_probe(report, "p");
  CHECK(of_most.link_of == 0u);
  CHECK_THAT(of_most.profile.scale_up.bandwidth / of.link.bandwidth, WithinRel(1, 1e-6));
  // An all-gather of 4 takes half the steps, each of a quarter of the message.
  report.collectives.resize(1);
  report.collectives[0].what = collective::all_gather;
  for (probe_collective_row& row : report.collectives[0].rows) row.time.median *= 0.5;
  CHECK_THAT(fit_probe(report, "p").profile.scale_up.bandwidth / of.link.bandwidth,
             WithinRel(1, 1e-6));
  CHECK_THAT(fit_probe(report, "p").profile.scale_up.latency / of.link.latency, WithinRel(1, 1e-6));
  report.collectives.clear();
  const probe_fits of_copies = fit_probe(report, "p");
  CHECK(of_copies.link_of_copies);
  CHECK(of_copies.profile.scale_up.bandwidth == 280 * GB / second);
  CHECK(of_copies.profile.scale_up.latency == 3 * us);
}

TEST_CASE("a sweep between nodes tells the fabric of a GPU", "[calibrate][reference]") {
  // 16 ranks on 2 nodes: a ring of 30 steps; the eight ranks of a node share its links.
  std::vector<transfer_sample> samples;
  for (bytes message = 8 * byte; message <= 1 * GiB; message *= 4)
    samples.push_back({message, 60 * us + message / (160 * GB / second)});
  const link_fit fit = fit_link({collective::all_reduce, 16, 2}, samples);
  CHECK_THAT(fit.link.latency / us, WithinRel(2, 1e-6));
  CHECK_THAT(fit.link.bandwidth / (GB / second), WithinRel(160.0 * 30 / 16 / 8, 1e-6));
  CHECK(fit.bandwidth_bounds.holds(fit.link.bandwidth));
  CHECK_THROWS_AS(fit_link({collective::all_reduce, 16, 3}, samples), invalid_input);
  CHECK_THROWS_AS(fit_link({collective::all_reduce, 1, 1}, samples), invalid_input);
  CHECK_THROWS_AS(fit_link({collective::all_reduce, 16, 0}, samples), invalid_input);
}

TEST_CASE("a stored report is read, and its profile has the constants it was made from",
          "[calibrate]") {
  const std::filesystem::path folder = testing::data_folder() / "probe";
  const std::string whole = testing::read_text(folder / "synthetic_two_h100.json");
  const probe_report report = read_probe_report(whole, "whole");
  CHECK(probe_report_json(report) == whole);
  CHECK(report.warnings.at(0) == "synthetic: computed from constants, not measured");
  probe_constants of;
  recovers(fit_probe(report, "whole").profile, of, 0.01);
  const probe_report partial =
      read_probe_report(testing::read_text(folder / "synthetic_partial.json"), "partial");
  CHECK(partial.status == probe_status::partial);
  CHECK(partial.problems.at(0).section == "gemm");
  const cluster_profile profile = fit_probe(partial, "partial").profile;
  CHECK_THAT(profile.memory_bandwidth / (TB / second), WithinRel(1.3, 1e-9));
  CHECK(profile.products.bf16 == flop_per_second{0});
  CHECK(profile.host.bandwidth == bytes_per_second{0});
}

TEST_CASE("a profile of a probe fits the device it names", "[calibrate]") {
  const cluster pool = cluster_of(
      node_of(*catalog::find_accelerator("H100")->gpu, 8, {5 * us, 50 * GB / second}), 64);
  const probe_fits fits = fit_probe(synthetic_probe(probe_constants{}, 8, as_it_is), "p");
  const cluster after = calibrated(pool, fits.profile);
  require_valid(after);
  CHECK(after.node.scale_up.bandwidth == fits.profile.scale_up.bandwidth);
  CHECK(after.gpu().achieved.bf16 == fits.profile.products.bf16);
}

}  // namespace
}  // namespace gpuplan
