#include <cstdlib>
#include <string>
#include <vector>

#include <probe/options.hpp>
#include <probe/process.hpp>
#include <probe/report.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::probe;

probe_options read(const std::vector<const char*>& words) {
  return read_options(words);
}

TEST_CASE("the command line of the probe", "[probe]") {
  const probe_options none = read({});
  CHECK((!none.help && none.devices.empty() && !none.part));
  CHECK(none.wants(section::gemm));

  const probe_options some = read({"--device", "2", "--sections", "hbm,launch", "-o", "x.json"});
  CHECK(some.devices == std::vector<int>{2});
  CHECK((some.wants(section::hbm) && some.wants(section::launch) && !some.wants(section::gemm)));
  CHECK(some.output == "x.json");
  CHECK(none.time_scale() == 1);
  CHECK(read({"--seconds", "90"}).time_scale() == 2);
  CHECK(read({"-h"}).help);
  CHECK(read({"--version"}).version);
}

TEST_CASE("a wrong word of the command line is named", "[probe]") {
  CHECK_THROWS_WITH(read({"--device", "-1"}), "--device must be a whole number >= 0, not \"-1\"");
  CHECK_THROWS_WITH(read({"--device", "1x"}), ContainsSubstring("\"1x\""));
  CHECK_THROWS_WITH(read({"--seconds", "0"}), "--seconds must be a whole number >= 1, not \"0\"");
  CHECK_THROWS_WITH(read({"--device"}), "--device needs a value");
  CHECK_THROWS_WITH(read({"--sections", "hbm,"}), ContainsSubstring("\"\" is none of identity"));
  CHECK_THROWS_WITH(read({"--sections", "ram"}), ContainsSubstring("\"ram\""));
  CHECK_THROWS_WITH(read({"-o", ""}), "-o needs the name of a file");
  CHECK_THROWS_WITH(read({"extra"}), ContainsSubstring("\"extra\" is no option"));
  CHECK_THROWS_AS(read({"--part", "hbm"}), bad_usage);
  CHECK_THROWS_AS(read({"--part", "ram 0 1 1000 0"}), bad_usage);
  CHECK_THROWS_AS(read({"--part", "hbm 0 1 0 0"}), bad_usage);
}

TEST_CASE("a part is asked for in a word that is read back", "[probe]") {
  const part_request wanted{.what = section::collectives,
                            .device = 3,
                            .ranks = 5,
                            .time = 2.5 * units::second,
                            .busy_too = true};
  const std::string word = word_of(wanted);
  CHECK(read({"--part", word.c_str()}).part == wanted);
}

TEST_CASE("sections have names, times that fit into those of a device, and a line of help",
          "[probe]") {
  seconds of_device{};
  double count = 0;
  for (const section_facts& facts : section_table) {
    CHECK(section_named(facts.name) == facts.what);
    CHECK(facts_of(facts.what).name == facts.name);
    CHECK(help_text().find("  " + std::string{facts.name} + " ") != std::string::npos);
    if (facts.what == section::collectives) continue;
    of_device = of_device + facts.time;
    count += 1;
  }
  // A second of rest, and a start, for each.
  CHECK(of_device + count * units::second < seconds{seconds_of_device});
  CHECK_FALSE(section_named("Hbm"));
  CHECK_THROWS_WITH(sections_of("ram"), ContainsSubstring("none of identity, launch, hbm"));
}

TEST_CASE("collectives are measured among 2, 4 and all devices", "[probe]") {
  CHECK(team_sizes(1).empty());
  CHECK(team_sizes(2) == std::vector<int>{2});
  CHECK(team_sizes(4) == std::vector<int>{2, 4});
  CHECK(team_sizes(8) == std::vector<int>{2, 4, 8});
}

TEST_CASE("a budget tells what is left of it", "[probe]") {
  // Of thirty years, so that no machine is too slow for what is left.
  const time_budget budget{seconds{1e9}};
  CHECK(budget.left() <= seconds{1e9});
  CHECK(budget.left() > seconds{0.9e9});
  CHECK(budget.has(seconds{0.9e9}));
  CHECK_FALSE(budget.has(seconds{1.1e9}));
  CHECK(time_budget{seconds{0}}.left() == seconds{0});
}

/// The first end of a process that said all, with more time at each try: how long a busy machine
/// takes to start a shell is not known.
template <class Run>
process_end in_time_to_say(const std::string& all, const Run& run) {
  process_end end;
  for (double limit = 0.25; limit < 300 && end.output != all; limit *= 4) end = run(limit);
  return end;
}

TEST_CASE("another process is heard, and ended when it is late", "[probe]") {
  const auto shell = [](const char* script, double limit) {
    return run_process({"/bin/sh", "-c", script}, limit * units::second);
  };
  const process_end good = shell("echo hello", 100);
  CHECK(good.output == "hello\n");
  CHECK(good.problem.empty());

  CHECK(shell("echo before; exit 3", 100).problem == "ended with status 3");
  CHECK(shell("kill -SEGV $$", 100).problem.find("ended by signal") == 0);

  // This never ends by itself, nor does it look at its output.
  const process_end late = in_time_to_say(
      "early\n", [&](double limit) { return shell("echo early; exec sleep 1000000", limit); });
  CHECK(late.output == "early\n");
  CHECK(late.problem == "timed out");

  // Output that is closed is no end, and no delay either.
  CHECK(shell("exec >&-; sleep 0.3", 100).problem.empty());
  const process_end stays = in_time_to_say("all\n", [](double limit) {
    return run_process({"/bin/sh", "-c", "echo all; exec >&-; exec sleep 1000000"},
                       limit * units::second, 1.1 * limit * units::second);
  });
  CHECK(stays.output == "all\n");
  CHECK(stays.problem == "timed out");

  CHECK(run_process({"/nonexistent"}, 1 * units::second).problem.find("cannot start") == 0);
  CHECK(shell("head -c 300000 /dev/zero", 100).output.size() == 300000);
}

TEST_CASE("what would change the measurements is removed from the environment", "[probe]") {
  CHECK(remove_hindrances().empty());
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
  CHECK(remove_hindrances() ==
        std::vector<std::string>{
            "CUDA_DEVICE_MAX_CONNECTIONS is ignored: streams would wait for each other"});
  CHECK(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS") == nullptr);
}

TEST_CASE("what was not measured is told in a line for each reason", "[probe]") {
  left_out some;
  CHECK(some.lines().empty());
  some.add("no time", "a");
  some.add("no room", "b");
  some.add("no time", "c");
  CHECK(some.lines() == std::vector<std::string>{"no time: a, c", "no room: b"});
  for (int i = 0; i < 9; ++i) some.add("no room", std::to_string(i));
  CHECK(some.lines()[1] == "no room: b, 0, 1, 2, 3, 4 and 4 more");
}

TEST_CASE("parts make one report", "[probe]") {
  probe_report identity;
  identity.software.driver = "580";
  identity.devices.push_back({.index = 1, .name = "one", .multiprocessors = 58});
  identity.devices[0].memory.context = 5 * units::MiB;
  probe_report silent;  // of a device that does not answer
  silent.devices.push_back({.index = 0});
  silent.problems.push_back({.section = "identity", .device = 0, .reason = "no answer"});
  probe_report hbm;
  hbm.devices.push_back({.index = 1, .hbm = {probe_hbm_row{}}});
  probe_report launch;
  launch.devices.push_back({.index = 1});
  launch.devices[0].launch.queued = measured_time{.median = 2 * units::us};
  probe_report collectives;
  collectives.devices = {{.index = 0}, {.index = 1}};
  collectives.devices[1].memory.nccl = 7 * units::MiB;
  collectives.collectives.push_back({.ranks = 2});

  probe_report whole;
  for (const probe_report& part : {identity, silent, hbm, launch, collectives})
    add_part(whole, part);
  REQUIRE(whole.devices.size() == 2);
  CHECK(whole.devices[0] == probe_device{.index = 0});
  const probe_device& device = whole.devices[1];
  CHECK(device.name == "one");
  CHECK(device.multiprocessors == 58);
  CHECK(device.hbm.size() == 1);
  CHECK(device.launch == launch.devices[0].launch);
  CHECK(device.memory == probe_memory{.context = 5 * units::MiB, .nccl = 7 * units::MiB});
  CHECK(whole.software.driver == "580");
  CHECK(whole.collectives.size() == 1);
  CHECK(whole.problems.size() == 1);
}

}  // namespace
