#include <gpuplan/trace/job_trace.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::check_property;

/// The first fault of a table, in words.
std::string fault_in(const std::string& text, const trace_options& options = {}) {
  const job_trace read = read_trace(text, options);
  return read.faults.empty() ? "" : description_of(read.faults.front());
}

/// The fault of a table of one job.
std::string fault_of(const std::string& submit, const std::string& gpus,
                     const std::string& duration) {
  return fault_in("submit_s,gpus,duration_s\n" + submit + "," + gpus + "," + duration + "\n");
}

TEST_CASE("a table of jobs is read by its header, in the order of submission", "[queue][trace]") {
  const job_trace read = read_trace(
      "vc,submit_s,gpus,duration_s\n"
      "a,60,8,3600\n"
      "b,0,1,2.5\n"
      "c,60,2.0,+7e1\n");
  REQUIRE(read.jobs.size() == 3);
  CHECK(read.jobs[0].submit == 0 * second);
  CHECK(read.jobs[0].duration == 2.5 * second);
  CHECK(read.jobs[1].submit == 1 * minute);
  CHECK(read.jobs[1].gpus == 8);
  CHECK(read.jobs[1].duration == 1 * hour);
  CHECK(read.jobs[2].gpus == 2);
  CHECK(read.jobs[2].duration == 70 * second);
  CHECK(read.jobs[2].finished);
  CHECK(read.counts.jobs == 3);
  CHECK(read.counts.total() == 3);
  CHECK(read.faults.empty());
}

TEST_CASE("columns have the names that somebody gives them", "[queue][trace]") {
  const std::string text =
      "id\tNGPU\tAsked\tBegan\tEnded\n"
      "1\t4\t2020-04-01 00:00:10\t2020-04-01 00:01:00\t2020-04-02T01:01:00\n";
  const auto columns = parse_trace_columns("submit=Asked,gpus=NGPU,start=Began,end=Ended");
  REQUIRE(columns);
  const job_trace read = read_trace(text, {.columns = columns.value});
  REQUIRE(read.jobs.size() == 1);
  CHECK(read.jobs[0].submit == 1585699210 * second);
  CHECK(read.jobs[0].duration == 25 * hour);
  CHECK(read.jobs[0].gpus == 4);

  const auto ranked = parse_trace_columns("priority=rank");
  CHECK(read_trace("rank,submit_s,gpus,duration_s\n-3,0,1,1", {.columns = ranked.value})
            .jobs.at(0)
            .priority == -3);
}

TEST_CASE("times of a trace are all dates or all seconds", "[queue][trace][errors]") {
  const std::string text =
      "submit_s,gpus,duration_s\n2024-01-01,1,5\n10,1,5\n2024-01-02,1,5\n20,1,5\n";
  for (const std::size_t kept : {std::size_t{0}, std::size_t{100}}) {
    const job_trace read = read_trace(text, {.faults_kept = kept});
    CHECK(read.counts.jobs == 2);
    CHECK(read.counts.faulty == 2);
    REQUIRE(read.other_clock);
    CHECK(description_of(*read.other_clock) ==
          "line 3: submit_s '10' is in seconds, where a time before it is a date; allowed: dates "
          "for all times of the table, or seconds for all");
  }
  // The difference of a start and an end is one of a clock of its own.
  const auto columns = parse_trace_columns("start=start,end=end");
  const auto read = [&](const std::string& times) {
    return read_trace("submit_s,gpus,start,end\n" + times, {.columns = columns.value});
  };
  CHECK(read("2024-01-01,1,10,20\n2024-01-01,1,10,20\n").counts.jobs == 2);
  CHECK(read("5,1,10,2024-01-01\n").other_clock->column == "end");
  CHECK(read("5,1,10,20\n5,1,2024-01-01,2024-01-01\n").other_clock->column == "start");
  CHECK_FALSE(read("5,1,10,20\nx,1,10,20\n").other_clock);
}

TEST_CASE("priorities are read where the header has them", "[queue][trace]") {
  const std::string text = "submit_s,gpus,duration_s,priority\n0,1,1,-3\n1,1,1,7\n2,1,1,high\n";
  const job_trace read = read_trace(text);
  CHECK(read.jobs.at(0).priority == -3);
  CHECK(read.jobs.at(1).priority == 7);
  REQUIRE(read.faults.size() == 1);
  CHECK(description_of(read.faults[0]) ==
        "line 4: priority 'high' is not understood; allowed: a whole number from -2147483648 to "
        "4294967295");
  const job_trace without = read_trace(text, {.priorities = trace_priorities::ignored});
  CHECK(without.jobs.size() == 3);
  CHECK(without.jobs.at(1).priority == 0);

  const std::string slurm =
      "JobID|Submit|Elapsed|AllocTRES|Priority\n1|0|1|gres/gpu=1|4294901757\n";
  CHECK(read_trace(slurm).jobs.at(0).priority == 4294901757);
  CHECK(read_trace("submit_s,gpus,duration_s\n0,1,1\n").jobs.at(0).priority == 0);
  CHECK(fault_in("submit_s,gpus,duration_s\n0,1,1\n", {.priorities = trace_priorities::required}) ==
        "line 1: priority is not a column of the header");
}

TEST_CASE("quotes, blank lines, CRLF and a byte order mark are taken as such", "[queue][trace]") {
  const job_trace read = read_trace(
      "\xEF\xBB\xBF\r\n"
      "name,\"submit_s\",gpus,\"a \"\"b\"\"\",duration_s\r\n"
      "\"x, y\",\"10\",1,,\"5\"\r\n"
      "   \r\n"
      "\r\n"
      "\"two\nlines, and a \"\"quote\"\"\" , 20 ,2,,6\r\n"
      "plain,30,3,,7",
      {.only = {"a \"b\"", ""}});
  REQUIRE(read.jobs.size() == 3);
  CHECK(read.counts.total() == 3);
  CHECK(read.jobs[0].duration == 5 * second);
  CHECK(read.jobs[1].submit == 20 * second);
  CHECK(read.jobs[2].gpus == 3);
  // Lines within quotes count.
  CHECK(fault_in("submit_s,gpus,duration_s,name\n0,1,1,\"a\nb\nc\"\n0,1,x,\"d\ne\"\n") ==
        "line 5: duration_s 'x' is not understood; allowed: seconds from 0 to 1e12, or "
        "D-HH:MM:SS");
}

TEST_CASE("a state tells jobs that run and jobs that wait", "[queue][trace]") {
  const auto columns = parse_trace_columns("state=status");
  const job_trace read = read_trace(
      "submit_s,gpus,duration_s,status\n0,1,9,RUNNING\n1,1,0,PENDING\n2,1,8,SUSPENDED\n"
      "3,1,7,COMPLETED\n4,1,6,\n",
      {.columns = columns.value});
  CHECK(read.counts.jobs == 4);
  CHECK(read.counts.unfinished == 2);
  CHECK(read.counts.not_started == 1);
  CHECK_FALSE(read.jobs.at(0).finished);
  CHECK_FALSE(read.jobs.at(1).finished);
  CHECK(read.jobs.at(2).finished);
}

TEST_CASE("rows of another value are counted, not read", "[queue][trace]") {
  const std::string text =
      "submit_s,gpus,duration_s,vc\n"
      "0,1,1,5\n"
      "1,x,1,6\n"
      "2,1,1, 5 \n"
      "3,1,1,55\n";
  const job_trace read = read_trace(text, {.only = parse_trace_filter("vc=5")});
  CHECK(read.counts.jobs == 2);
  CHECK(read.counts.filtered == 2);
  CHECK(read.counts.faulty == 0);
  CHECK(fault_in(text, {.only = {"cluster", "5"}}) ==
        "line 1: cluster is not a column of the header");
}

TEST_CASE("what sacct prints is read as it is", "[queue][trace]") {
  const job_trace read = read_trace(
      "JobID|JobName|Submit|Start|End|Elapsed|State|AllocTRES|ReqTRES\n"
      "10|a \"b|2024-05-01T08:00:00|2024-05-01T08:10:00|2024-05-03T08:10:00|2-00:00:00|COMPLETED|"
      "billing=64,cpu=64,gres/gpu:a100=8,gres/gpu=8,gres/gpumem=640G,node=1|gres/gpu=8\n"
      "10.batch|batch|2024-05-01T08:10:00|2024-05-01T08:10:00|2024-05-03T08:10:00|2-00:00:00|"
      "COMPLETED|cpu=64,gres/gpu=8|\n"
      "11_3|b|2024-05-01T09:00:00|2024-05-01T09:00:01|Unknown|01:30:00|RUNNING|"
      "gres/gpu:h100=2,gres/gpu:a100=1|gres/gpu=3\n"
      "12|c|2024-05-01T09:00:00|Unknown|Unknown|00:00:00|PENDING||gres/gpu=4\n"
      "13|d|2024-05-01T07:00:00|2024-05-01T07:30:00|2024-05-01T07:30:00|00:00:00|"
      "CANCELLED by 1000||gres/gpu=4\n"
      "14|e|2024-05-01T07:00:00|2024-05-01T07:30:00|2024-05-01T07:30:59|00:00:59|FAILED|cpu=4|cpu="
      "4\n"
      "15|f|2024-05-01T07:00:00|2024-05-01T07:30:00|2024-05-01T07:31:01|00:01:01|TIMEOUT||"
      "gres/gpu=16\n"
      "16|g|2024-05-01T07:00:00|2024-05-01T07:30:00|2024-05-01T07:30:59|INVALID|FAILED|gres/"
      "gpu=1|\n");
  CHECK(read.counts.jobs == 3);
  CHECK(read.counts.unfinished == 1);
  CHECK(read.counts.steps == 1);
  CHECK(read.counts.not_started == 2);
  CHECK(read.counts.without_gpus == 1);
  CHECK(read.counts.faulty == 1);
  CHECK(read.counts.total() == 8);
  REQUIRE(read.jobs.size() == 3);
  CHECK(read.jobs[0].gpus == 16);
  CHECK(read.jobs[0].duration == 61 * second);
  CHECK(read.jobs[1].submit == 1714550400 * second);
  CHECK(read.jobs[1].duration == 2 * day);
  CHECK(read.jobs[1].gpus == 8);
  CHECK(read.jobs[1].finished);
  CHECK(read.jobs[2].gpus == 3);
  CHECK(read.jobs[2].duration == 1.5 * hour);
  CHECK_FALSE(read.jobs[2].finished);
  REQUIRE(read.faults.size() == 1);
  CHECK(description_of(read.faults[0]) ==
        "line 9: Elapsed 'INVALID' is not understood; allowed: seconds from 0 to 1e12, or "
        "D-HH:MM:SS");
}

TEST_CASE("steps are told by either identifier of sacct", "[queue][trace]") {
  const std::string rows =
      "Submit|Elapsed|AllocTRES|\n"
      "1|2024-05-01T07:00:00|01:00:00|gres/gpu=1|\n"
      "1.0|2024-05-01T07:00:00|01:00:00|gres/gpu=1|\n";
  for (const std::string id : {"JobID", "JobIDRaw"}) {
    const job_trace read = read_trace(id + "|" + rows);
    CHECK(read.counts.jobs == 1);
    CHECK(read.counts.steps == 1);
  }
}

TEST_CASE("times as people and schedulers write them", "[queue][trace]") {
  const auto instant = [](std::string_view text) { return instant_in(text).value; };
  const auto duration = [](std::string_view text) { return duration_in(text).value; };
  CHECK(instant("2017-10-07 01:11:39") == 1507338699);
  CHECK(instant("2017-10-07T01:11:39Z") == 1507338699);
  CHECK(instant("2017-10-07T01:11:39.25+02:00") == 1507338699.25 - 7200);
  CHECK(instant("2017-10-07 01:11:39-05:30") == 1507338699 + 19800);
  CHECK(instant("2017-10-07 01:11") == 1507338660);
  CHECK(instant("2017-10-07") == 1507334400);
  CHECK(instant("1507338699.5") == 1507338699.5);
  CHECK(instant("1969-12-31T23:59:59") == -1);
  CHECK(duration("1-02:03:04") == 93784);
  CHECK(duration("100:00:00") == 360000);
  CHECK(duration("05:30") == 330);
  CHECK(duration("00:00:01.5") == 1.5);
  CHECK(duration("12.5") == 12.5);
  for (const std::string_view wrong :
       {"2017-10-7x", "2017-02-30", "2017-10-07 24:00:00", "2017-10-07 01:61:00", "10/07/2017",
        "2017-10-07T", "2017-10-07 01:11:39 PM", "2017-10-07 01:11:39+", "-", "T", "0x10", "1,5"}) {
    INFO(wrong);
    CHECK(instant_in(wrong).problem == field_problem::not_understood);
  }
  for (const std::string_view wrong : {"1-", "1-2", "1:2:3:4", "1:", ":1", "-1:00", "1:99:00", "1d",
                                       "99999999999:00:00", "1.5:00", "00:00:01.5e3"}) {
    INFO(wrong);
    CHECK(duration_in(wrong).problem == field_problem::not_understood);
  }
}

TEST_CASE("every fault says its line, what stands there, and what might",
          "[queue][trace][errors]") {
  const std::string times = "; allowed: seconds from -1e12 to 1e12, or YYYY-MM-DD HH:MM:SS";
  const std::string spans = "; allowed: seconds from 0 to 1e12, or D-HH:MM:SS";
  const std::string counts = "; allowed: a whole number from 0 to 1e9, or gres/gpu=N";
  CHECK(fault_of("", "1", "1") == "line 2: submit_s is empty" + times);
  CHECK(fault_of("x", "1", "1") == "line 2: submit_s 'x' is not understood" + times);
  CHECK(fault_of("nan", "1", "1") == "line 2: submit_s 'nan' is not finite" + times);
  CHECK(fault_of("-inf", "1", "1") == "line 2: submit_s '-inf' is not finite" + times);
  CHECK(fault_of("1e308", "1", "1") == "line 2: submit_s '1e308' is too large" + times);
  CHECK(fault_of("-1e13", "1", "1") == "line 2: submit_s '-1e13' is too large" + times);
  CHECK(fault_of("1700000000000", "1", "1") ==
        "line 2: submit_s '1700000000000' is too large" + times);
  CHECK(fault_of("0", "1", "-1") == "line 2: duration_s '-1' is negative" + spans);
  CHECK(fault_of("0", "1", "1e999") == "line 2: duration_s '1e999' is too large" + spans);
  CHECK(fault_of("0", "1", "infinity") == "line 2: duration_s 'infinity' is not finite" + spans);
  CHECK(fault_of("0", "0.5", "1") == "line 2: gpus '0.5' is not whole" + counts);
  CHECK(fault_of("0", "-1", "1") == "line 2: gpus '-1' is negative" + counts);
  CHECK(fault_of("0", "9223372036854775808", "1") ==
        "line 2: gpus '9223372036854775808' is too large" + counts);
  CHECK(fault_of("0", "gres/gpu=x", "1") == "line 2: gpus 'gres/gpu=x' is not understood" + counts);
  CHECK(fault_of("0", "1", std::string("1\0", 2)) ==
        "line 2: duration_s '1\\u0000' is not understood" + spans);
  CHECK(fault_of("0", "1", "\xc3\xa9\x7f") ==
        "line 2: duration_s '\xc3\xa9\\u007f' is not understood" + spans);
  CHECK(fault_of("0", "1", "1,1") ==
        "line 2: the row has more fields than the header; allowed: as many fields as the header "
        "has");
  CHECK(fault_of("0", "1", std::string(1000, '7') + "z").size() < 200);

  const auto ended = parse_trace_columns("submit=a,gpus=g,start=b,end=c").value;
  CHECK(fault_in("a,g,b,c\n0,1,5,4\n", {.columns = ended}) ==
        "line 2: c '4' is before the start; allowed: a time at or after the start");
  CHECK(fault_in("a,g,b,c\n0,1,5,Unknown\n", {.columns = ended}) ==
        "line 2: c 'Unknown' is not understood; allowed: a time; where jobs still run, a column of "
        "durations (Elapsed) beside it");
  CHECK(fault_in("") == "line 1: the header is empty");
  CHECK(fault_in("\n\nsubmit_s,duration_s\n1,1") == "line 3: gpus is not a column of the header");
  CHECK(fault_in("submit_s,gpus,gpus,duration_s\n") == "line 1: gpus is twice in the header");
  CHECK(fault_in("submit_s,gpus,\"duration_s\n1,1,1\n") ==
        "line 1: the header has a quote that is not closed");
  CHECK(fault_in("Submit|Elapsed|State\n") ==
        "line 1: AllocTRES and JobID are not columns of the header");
  CHECK(fault_in("a,b\n1,2\n") ==
        "line 1: submit_s, gpus and duration_s are not columns of the header");
  const auto shared = parse_trace_columns("submit=when,start=when,end=late,priority=rank");
  CHECK(fault_in("gpus,duration_s\n", {.columns = shared.value, .only = {"vc", "5"}}) ==
        "line 1: when, late, vc and rank are not columns of the header");
  CHECK(fault_in("submit_s,gpus,late\n", {.columns = parse_trace_columns("end=late").value}) ==
        "line 1: start is not a column of the header");
  CHECK(fault_in("Submit|Elapsed|AllocTRES\n") == "line 1: JobID is not a column of the header");
  CHECK(fault_in("submit_s,gpus\n") == "line 1: duration_s is not a column of the header");
  CHECK(fault_in("a,g,c\n", {.columns = ended}) == "line 1: b is not a column of the header");
}

TEST_CASE("a stray quote spoils its own row alone", "[queue][trace][errors]") {
  const job_trace read = read_trace(
      "submit_s,gpus,duration_s,name\n"
      "0,1,1,\"open\n"
      "1,1,1,b\n"
      "2,1,1,\"x\"y\n"
      "3,1,1,d\n"
      "4,1,1,\"open\n"
      "5,1,1,f\n");
  CHECK(read.counts.jobs == 3);
  CHECK(read.counts.faulty == 3);
  REQUIRE(read.faults.size() == 3);
  CHECK(description_of(read.faults[0]) == "line 2: the row has text after its closing quote");
  CHECK(description_of(read.faults[1]) == "line 4: the row has text after its closing quote");
  CHECK(description_of(read.faults[2]) == "line 6: the row has a quote that is not closed");
  // What two stray quotes swallow is told from a name by its fields.
  const job_trace swallowed = read_trace(
      "submit_s,gpus,duration_s,name\n"
      "0,1,1,\"a\n"
      "1,1,1,b\n"
      "2,1,1,c\",d\n");
  CHECK(swallowed.counts.jobs == 1);
  CHECK(swallowed.counts.faulty == 2);
}

TEST_CASE("rows whose quotes swallow all that follows are not read again and again",
          "[queue][trace][errors]") {
  // Each line opens a quote that the next one closes and opens again.
  constexpr int lines = 200000;
  std::string text = "submit_s,gpus,duration_s\n";
  for (int i = 0; i < lines; ++i) text += "z\",x,\"\n";
  const job_trace read = read_trace(text);
  CHECK(read.counts.faulty == lines);
  CHECK(description_of(read.faults.front()) == "line 2: the row has a quote that is not closed");

  const auto noted = [](int breaks) {
    return read_trace("submit_s,gpus,duration_s,note\n0,1,1,\"" +
                      std::string(static_cast<std::size_t>(breaks), '\n') + "\"\n");
  };
  CHECK(noted(99).counts.jobs == 1);
  CHECK(noted(100).counts.jobs == 0);
}

TEST_CASE("all faults are counted, the first are kept", "[queue][trace][errors]") {
  std::string text = "submit_s,gpus,duration_s\n";
  for (int i = 0; i < 1000; ++i) text += "0,1,x\n0,1,1\n";
  const job_trace read = read_trace(text, {.faults_kept = 3});
  CHECK(read.counts.faulty == 1000);
  CHECK(read.counts.jobs == 1000);
  REQUIRE(read.faults.size() == 3);
  CHECK(read.faults[2].line == 6);
  CHECK(read_trace(text, {.faults_kept = 0}).faults.empty());
}

TEST_CASE("a trace that is written reads back equal", "[queue][trace][property]") {
  check_property("written and read", [] {
    const auto count = *rc::gen::inRange(0, 40);
    const bool quoted = *rc::gen::arbitrary<bool>();
    const std::string end = *rc::gen::element<std::string>("\n", "\r\n");
    std::vector<trace_job> jobs;
    const char quote = '"';
    std::string text = "note,gpus,submit_s,duration_s" + end;
    double submit = *rc::gen::inRange(-1000000, 1000000);
    for (int i = 0; i < count; ++i) {
      submit += *rc::gen::inRange(0, 1000) / 8.0;
      jobs.push_back({.submit = submit * second,
                      .duration = *rc::gen::inRange(0, 100000000) / 3.0 * second,
                      .gpus = *rc::gen::inRange(1, 100000)});
      char row[128];
      std::snprintf(row, sizeof row, quoted ? "\"%lld\",\"%.17g\",\"%.17g\"" : "%lld,%.17g,%.17g",
                    static_cast<long long>(jobs.back().gpus), jobs.back().submit / second,
                    jobs.back().duration / second);
      const auto note = *rc::gen::container<std::string>(
          rc::gen::element('a', ',', '"', '\n', '\r', ' ', '|', '\t', '\0'));
      text += quote;
      for (const char c : note) text += c == quote ? std::string(2, quote) : std::string(1, c);
      text += quote;
      text += "," + std::string(row) + end;
    }
    const job_trace read = read_trace(text);
    RC_ASSERT(read.counts.faulty == 0);
    RC_ASSERT(read.jobs.size() == jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      RC_ASSERT(read.jobs[i].submit == jobs[i].submit);
      RC_ASSERT(read.jobs[i].duration == jobs[i].duration);
      RC_ASSERT(read.jobs[i].gpus == jobs[i].gpus);
    }
  });
}

TEST_CASE("no text is too strange to read", "[queue][trace][property]") {
  check_property("every line is counted, and every job is valid", [] {
    const auto piece = rc::gen::element<std::string>(
        "0", "1", "-", ".", "e", "9", ":", ",", "|", "\t", "\"", "\n", "\r", " ", "nan", "=",
        "gres/gpu", "2024-01-01", "T", "Unknown", "RUNNING", std::string(1, '\0'), "\xff", "1e308",
        "9223372036854775808");
    const auto header = *rc::gen::element<std::string>(
        "submit_s,gpus,duration_s\n", "JobID|Submit|Elapsed|Start|End|State|AllocTRES|ReqTRES\n",
        "submit_s\tgpus\tduration_s\n", "");
    std::string text = header;
    for (const std::string& each : *rc::gen::container<std::vector<std::string>>(piece))
      text += each;
    const job_trace read = read_trace(text);
    RC_ASSERT(read.counts.jobs == static_cast<std::int64_t>(read.jobs.size()));
    RC_ASSERT(static_cast<std::int64_t>(read.faults.size()) ==
              std::min<std::int64_t>(read.counts.faulty, 100));
    for (const trace_job& job : read.jobs) require_valid(job);
    for (std::size_t i = 1; i < read.jobs.size(); ++i)
      RC_ASSERT(read.jobs[i].submit >= read.jobs[i - 1].submit);
  });
}

/// How often each byte of a table is read, on average.
double readings(const std::string& text) {
  detail::trace_rows rows{text, {}, {}};
  while (rows.readable() && rows.next()) rows.read();
  const auto size = static_cast<double>(text.size());
  return (size + static_cast<double>(rows.read_again())) / size;
}

TEST_CASE("hostile tables take work in proportion to their size", "[queue][trace][errors]") {
  const std::string header = "submit_s,gpus,duration_s,name\n";
  const auto repeated = [](std::string_view piece, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += piece;
    return text;
  };
  for (const std::string_view piece : {"0,1,1,\"x\n", "0,1,1,\"\n\"\"", "\"\n", "\"\"\n", "\n", ",",
                                       "1", "0,gres/gpu=", "\"\"\"\n", "a,\"b\",\n",
                                       "0,1,1,\"a\"\"\n", "gres/gpu:a=1,", "0,\"1\n\",1\n"}) {
    INFO(piece);
    for (const std::string& before : {header, header + "0,1,1,\""}) {
      const std::string text = before + repeated(piece, 200000);
      CHECK(readings(text) <= 3);
      static_cast<void>(read_trace(text));
    }
  }
  // A field of a megabyte is cut when it is quoted.
  const job_trace read = read_trace(header + "0,1," + std::string(1000000, '9') + ",x\n0,1,1,y\n");
  CHECK(read.counts.jobs == 1);
  REQUIRE(read.faults.size() == 1);
  CHECK(read.faults[0].field.size() == 60);
}

}  // namespace
}  // namespace gpuplan
