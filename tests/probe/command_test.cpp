#include <cstdlib>
#include <string>
#include <vector>

#include <probe/assembly.hpp>
#include <probe/environment.hpp>
#include <probe/left_out.hpp>
#include <probe/options.hpp>
#include <probe/process.hpp>
#include <probe/sections.hpp>
#include <probe/version_text.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::probe;

probe_options read(const std::vector<const char*>& words) {
  return read_options(words);
}

TEST_CASE("the command line of the probe", "[probe]") {
  const probe_options none = read({});
  CHECK((!none.quick && !none.help && none.devices.empty() && !none.part));
  CHECK(none.wants(section::gemm));

  const probe_options some =
      read({"--device", "2", "--quick", "--sections", "hbm,power", "-o", "x.json"});
  CHECK(some.quick);
  CHECK(some.devices == std::vector<int>{2});
  CHECK((some.wants(section::hbm) && some.wants(section::power) && !some.wants(section::gemm)));
  CHECK(some.output == "x.json");
  CHECK(none.time_scale() == 1);
  CHECK(some.time_scale() == 0.4);
  CHECK(read({"--quick", "--seconds", "90"}).time_scale() == 1.5);
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
  CHECK_THROWS_AS(read({"--part", "hbm", "--device", "0"}), bad_usage);
}

TEST_CASE("a part is asked for in words that are read back", "[probe]") {
  const part_request wanted{.what = section::peers,
                            .device = 3,
                            .peer = 5,
                            .ranks = 8,
                            .time = 2.5 * units::second,
                            .quick = true,
                            .beside_others = true};
  std::vector<const char*> words;
  const std::vector<std::string> texts = words_of(wanted);
  for (const std::string& text : texts) words.push_back(text.c_str());
  const auto part = read(words).part;
  REQUIRE(part);
  CHECK(part->what == wanted.what);
  CHECK(part->device == 3);
  CHECK(part->peer == 5);
  CHECK(part->ranks == 8);
  CHECK(part->time == wanted.time);
  CHECK(part->quick);
  CHECK(part->beside_others);
}

TEST_CASE("sections have names, times that fit into a minute, and a line of help", "[probe]") {
  seconds of_device{};
  double count = 0;
  for (const section_facts& facts : section_table) {
    CHECK(section_named(facts.name) == facts.what);
    CHECK(facts_of(facts.what).name == facts.name);
    CHECK(help_text().find("  " + std::string{facts.name} + " ") != std::string::npos);
    if (!facts.of_each_device) continue;
    of_device = of_device + facts.time;
    count += 1;
  }
  // A second of rest, and a start, for each.
  CHECK(of_device + count * units::second < 58 * units::second);
  CHECK_FALSE(section_named("Hbm"));
  CHECK(section_names().find("identity, memory") == 0);
}

TEST_CASE("parts of the whole machine have time of their own", "[probe]") {
  CHECK(team_sizes(1).empty());
  CHECK(team_sizes(2) == std::vector<int>{2});
  CHECK(team_sizes(4) == std::vector<int>{2, 4});
  CHECK(team_sizes(8) == std::vector<int>{2, 4, 8});
  CHECK(time_of_probe(1, 1) == 60 * units::second);
  CHECK(time_of_probe(2, 1) == (120 + 6 + 30) * units::second);
  CHECK(time_of_probe(8, 1) == (480 + 28 * 6 + 3 * 30) * units::second);
  // A process starts no faster where it measures less.
  CHECK(time_of_probe(2, 0.4) / units::second == Approx(48 + 4.2 + 21));
}

TEST_CASE("another process is heard, and ended when it is late", "[probe]") {
  const auto shell = [](const char* script, double limit) {
    return run_process({"/bin/sh", "-c", script}, limit * units::second);
  };
  const process_end good = shell("echo hello", 20);
  CHECK(good.output == "hello\n");
  CHECK(good.problem.empty());

  CHECK(shell("echo before; exit 3", 20).problem == "ended with status 3");
  CHECK(shell("kill -SEGV $$", 20).problem.find("ended by signal") == 0);

  const auto begin = std::chrono::steady_clock::now();
  const process_end late = shell("echo early; exec sleep 30", 0.3);
  CHECK(late.output == "early\n");
  CHECK(late.problem == "timed out");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{10});

  // Output that is closed is no end, and no delay either.
  CHECK(shell("exec >&-; sleep 1.3", 20).problem.empty());
  const process_end stays = run_process({"/bin/sh", "-c", "echo all; exec >&-; exec sleep 30"},
                                        0.1 * units::second, 0.2 * units::second);
  CHECK(stays.output == "all\n");
  CHECK(stays.problem == "timed out");

  CHECK(run_process({"/nonexistent"}, 1 * units::second).problem.find("cannot start") == 0);
  CHECK(shell("head -c 300000 /dev/zero", 20).output.size() == 300000);
}

TEST_CASE("what would change the measured is taken out of the environment", "[probe]") {
  CHECK(unset_hindrances().empty());
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
  CHECK(unset_hindrances() ==
        std::vector<std::string>{
            "CUDA_DEVICE_MAX_CONNECTIONS is not heeded: streams would wait for each other"});
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

TEST_CASE("versions as people write them", "[probe]") {
  CHECK(cuda_version_text(12040) == "12.4");
  CHECK(cuda_version_text(13000) == "13.0");
  CHECK(cublas_version_text(120304) == "12.3.4");
  CHECK(nccl_version_text(22707) == "2.27.7");
  CHECK(nccl_version_text(2804) == "2.8.4");
  // G. Fowler, L. C. Noll, K.-P. Vo: the hash of nothing, and of "a".
  CHECK(hash_text("", 0) == "cbf29ce484222325");
  CHECK(hash_text("a", 1) == "af63dc4c8601ec8c");
}

TEST_CASE("parts in any order make one report", "[probe]") {
  probe_report identity;
  identity.software.driver = "580";
  identity.devices.push_back({.index = 1, .name = "one", .multiprocessors = 58});
  probe_report hbm;
  hbm.devices.push_back({.index = 1, .name = "other", .hbm = {probe_hbm_row{}}});
  probe_report memory;
  memory.devices.push_back({.index = 1});
  memory.devices[0].memory.context = 5 * units::MiB;
  probe_report collectives;
  collectives.devices.push_back({.index = 0});
  collectives.devices.push_back({.index = 1});
  collectives.devices[1].memory.nccl = 7 * units::MiB;
  collectives.devices[1].contention.push_back({.second = "all_reduce"});
  collectives.collectives.push_back({.ranks = 2});
  collectives.problems.push_back({.section = "collectives", .reason = "slow"});

  probe_report whole;
  take_part(whole, section::hbm, hbm);
  take_part(whole, section::collectives, collectives);
  take_part(whole, section::identity, identity);
  probe_report silent;
  silent.devices.push_back({.index = 1});
  silent.devices[0].name = "one";
  take_part(whole, section::identity, silent);
  take_part(whole, section::memory, memory);
  probe_report contention;
  contention.devices.push_back({.index = 1, .contention = {{.second = "h2d"}}});
  take_part(whole, section::contention, contention);
  REQUIRE(whole.devices.size() == 2);
  CHECK(whole.devices[0].index == 0);
  const probe_device& device = whole.devices[1];
  CHECK(device.name == "one");
  CHECK(device.hbm.size() == 1);
  CHECK(device.memory.context == 5 * units::MiB);
  CHECK(device.memory.nccl == 7 * units::MiB);
  CHECK(device.contention.size() == 2);
  CHECK(whole.software.driver == "580");
  CHECK(whole.collectives.size() == 1);
  CHECK(whole.problems.size() == 1);
}

}  // namespace
