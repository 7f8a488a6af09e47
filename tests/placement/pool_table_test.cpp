#include <gpuplan/placement/pool_table.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("nodes as the open trace writes them", "[placement]") {
  name_list types;
  const node_table read = read_nodes(
      "sn,cpu_milli,memory_mib,gpu,model\n"
      "node-0,64000,262144,2,P100\r\n"
      "\n"
      "node-1,96000,393216,8,G2\n"
      "node-2,96000,393216,8,P100",
      types);
  CHECK(read.faults.count == 0);
  REQUIRE(read.nodes.size() == 3);
  CHECK(read.nodes[0] == empty_node(2, 64000, 256 * GiB, 0));
  CHECK(read.nodes[1] == empty_node(8, 96000, 384 * GiB, 1));
  CHECK(read.nodes[2].type == 0);
  CHECK(types.names()[1] == "G2");
}

TEST_CASE("tasks as the open trace writes them", "[placement]") {
  name_list types;
  name_list users;
  CHECK(types.number_of("P100", 64) == 0);
  const task_table read = read_tasks(
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n"
      "pod-0,12000,16384,1,460,V100M16|P100,LS,10,20\n"
      "pod-1,4000,8192,0,0,,BE,5,\n",
      types, users, {.user = "qos"});
  CHECK(read.faults.count == 0);
  REQUIRE(read.tasks.size() == 2);
  CHECK(read.tasks[0].task == gpu_task{.gpus = 1,
                                       .gpu_thousandths = 460,
                                       .core_thousandths = 12000,
                                       .memory = 16 * GiB,
                                       .accepted_types = 0b11});
  CHECK(read.tasks[0].arrival == 10 * second);
  CHECK(read.tasks[0].departure == 20 * second);
  CHECK(read.tasks[1].task.gpus == 0);
  CHECK(read.tasks[1].departure == arriving_task{}.departure);
  CHECK(read.tasks[1].user == 1);
  CHECK(users.names()[0] == "LS");
}

TEST_CASE("columns by other names, and columns that are not there", "[placement]") {
  name_list types;
  name_list users;
  const node_table nodes = read_nodes("G\tC\tR\n8\t128\ta\n8\t128\tb\n", types,
                                      {.gpus = "G", .cores = "C", .rack = "R"});
  REQUIRE(nodes.nodes.size() == 2);
  CHECK(nodes.rack_of == std::vector{0, 1});
  CHECK(can_host(nodes.nodes[0], {.memory = 1 * EB}));  // nothing is said of memory
  const task_table tasks = read_tasks("num_gpu\n4\n", types, users);
  REQUIRE(tasks.tasks.size() == 1);
  CHECK(tasks.tasks[0].task == gpu_task{.gpus = 4});
}

TEST_CASE("a column that is named must be there, none may be there twice", "[placement][errors]") {
  name_list types;
  name_list users;
  const task_table tasks = read_tasks("num_gpu\n4\n", types, users, {.share = "gpu_mili"});
  CHECK(tasks.tasks.empty());
  REQUIRE(tasks.faults.count == 1);
  CHECK(description_of(tasks.faults.first[0]) == "line 1: gpu_mili is not a column of the header");
  const node_table nodes = read_nodes("gpu,cpu_milli,gpu\n8,1,4\n", types);
  CHECK(nodes.nodes.empty());
  REQUIRE(nodes.faults.count == 1);
  CHECK(description_of(nodes.faults.first[0]) == "line 1: gpu is twice in the header");
  CHECK(read_nodes("\xEF\xBB\xBFgpu,cpu_milli\n8,1\n", types).nodes.size() == 1);
}

TEST_CASE("a type asked for by name is none of nodes without types", "[placement]") {
  name_list types;
  name_list users;
  const node_table nodes = read_nodes("gpu,cpu_milli\n8,1\n", types);
  const task_table tasks = read_tasks("num_gpu,gpu_spec\n1,V100\n1,\n", types, users);
  REQUIRE(nodes.nodes.size() == 1);
  REQUIRE(tasks.tasks.size() == 2);
  CHECK_FALSE(can_host(nodes.nodes[0], tasks.tasks[0].task));
  CHECK(can_host(nodes.nodes[0], tasks.tasks[1].task));
}

TEST_CASE("priorities and deadlines where their columns are named", "[placement]") {
  name_list types;
  name_list users;
  const task_table read = read_tasks("num_gpu,rank,due\n1,7,90\n1,0,\n1,-1,3\n", types, users,
                                     {.priority = "rank", .deadline = "due"});
  REQUIRE(read.tasks.size() == 2);
  CHECK(read.faults.count == 1);
  CHECK(read.tasks[0].priority == 7);
  CHECK(read.tasks[0].deadline == 90 * second);
  CHECK(read.tasks[1].deadline == arriving_task{}.deadline);
}

TEST_CASE("times of tasks are all dates or all seconds", "[placement][errors]") {
  name_list types;
  name_list users;
  const std::string head = "num_gpu,creation_time,deletion_time\n";
  const std::string dates = "1,2024-01-01 00:00:00,2024-01-01 01:00:00\n";
  const task_table mixed =
      read_tasks(head + dates + "1,10,20\n" + dates + "1,2024-01-02,\n1,30,\n", types, users);
  CHECK(mixed.tasks.size() == 3);
  CHECK(mixed.faults.count == 2);
  REQUIRE(mixed.faults.other_clock);
  CHECK(
      description_of(*mixed.faults.other_clock) ==
      "line 3: creation_time '10' is in seconds, where a time before it is a date; allowed: dates "
      "for all times of the table, or seconds for all");
  const task_table within = read_tasks(head + "1,10,2024-01-01\n", types, users);
  CHECK(within.faults.other_clock->column == "deletion_time");
  CHECK(within.faults.other_clock->problem == field_problem::date_among_seconds);
  CHECK_FALSE(read_tasks(head + dates + dates, types, users).faults.other_clock);
  CHECK_FALSE(read_tasks(head + "1,1,2\n1,x,2\n", types, users).faults.other_clock);
  // Other faults do not hide it, however many there are.
  std::string many = head + dates;
  for (int row = 0; row < 200; ++row) many += "1,x,\n";
  const task_table late = read_tasks(many + "1,10,20\n", types, users);
  CHECK(late.faults.first.size() == 100);
  CHECK(late.faults.other_clock->line == 203);
}

TEST_CASE("rules and facts where their columns are named", "[placement]") {
  name_list types;
  name_list users;
  const node_table nodes = read_nodes(
      "gpu,cpu_milli,name,w,net,m\n4,1,a,400,80,81920\n4,1,b,,,\n"
      "4,1,c,-1,,\n4,1,d,,x,\n",
      types, {.power = "w", .network = "net", .gpu_memory = "m"});
  REQUIRE(nodes.facts.size() == 2);
  CHECK(nodes.nodes.size() == 2);
  CHECK(nodes.faults.count == 2);
  CHECK(nodes.facts[0].name == "a");
  CHECK(*nodes.facts[0].gpu_power == 400 * watt);
  CHECK(*nodes.facts[0].network == 10 * GB / second);  // 80 Gbit/s
  CHECK(*nodes.facts[0].gpu_memory == 80 * GiB);
  CHECK_FALSE(nodes.facts[1].gpu_power);
  CHECK_FALSE(nodes.facts[1].network);
  CHECK_FALSE(nodes.facts[1].gpu_memory);

  const task_table read = read_tasks(
      "num_gpu,j,d,most,net,m\n1,x,a|b,2,8,1024\n1,,,,,\n1,x,a|b,,,\n1,y,,0,,\n1,y,,1.5,,\n", types,
      users, {.job = "j", .data = "d", .max_nodes = "most", .network = "net", .gpu_memory = "m"});
  REQUIRE(read.tasks.size() == 3);
  CHECK(read.faults.count == 2);
  CHECK(read.tasks[0].job == 0);
  CHECK(read.tasks[2].job == 0);
  CHECK(read.tasks[1].job == -1);
  CHECK(read.tasks[0].data == 0);
  CHECK(read.tasks[1].data == -1);
  REQUIRE(read.data_lists.names().size() == 1);
  CHECK(read.data_lists.names()[0] == "a|b");
  CHECK(read.tasks[0].most_nodes == 2);
  CHECK(read.tasks[1].most_nodes == 0);
  CHECK(*read.tasks[0].network == 1 * GB / second);
  CHECK(*read.tasks[0].gpu_memory == 1 * GiB);
  CHECK_FALSE(read.tasks[1].gpu_memory);
}

TEST_CASE("many names are numbered in the order in which they come", "[placement]") {
  name_list names;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 50000; ++i) REQUIRE(names.number_of(std::to_string(i), 50000) == i);
  CHECK(names.number_of("one more", 50000) == -1);
  CHECK(names.names()[49999] == "49999");
}

TEST_CASE("rows that are no node or task are counted, with line and reason",
          "[placement][errors]") {
  name_list types;
  name_list users;
  const node_table nodes = read_nodes(
      "gpu,cpu_milli,memory_mib\n8,1000,5\n17,1000,5\n8,-1,5\nx,1000,5\n8,1000\n8,1e400,5\n"
      "8,nan,5\n2,3,4\n8,1000,0.5\n",
      types);
  CHECK(nodes.nodes.size() == 2);
  CHECK(nodes.faults.count == 7);
  CHECK(description_of(nodes.faults.first[0]) ==
        "line 3: gpu '17' is too large; allowed: 0 to 16, whole: the most GPUs of a node are 16");
  const task_table tasks = read_tasks(
      "num_gpu,gpu_milli,creation_time,deletion_time\n1,0,0,1\n1,1001,0,1\n1,500,9,1\n1,500,x,1\n"
      "1,500,0,1,\n1,\"500,0,1\n1,500,0,1\n",
      types, users);
  CHECK(tasks.tasks.size() == 1);
  CHECK(tasks.faults.count == 6);
  CHECK(description_of(tasks.faults.first[2]).find("before the start") != std::string::npos);
  for (const std::string_view text : {"", "\n\n", "a,b\n1,2\n", "gpu\n8\n", "\"gpu\n"}) {
    const node_table none = read_nodes(text, types);
    CHECK(none.nodes.empty());
    CHECK(none.faults.count == 1);
  }
}

TEST_CASE("more types or users than there is room for are faults", "[placement][errors]") {
  name_list types;
  std::string text = "gpu,cpu_milli,model\n";
  for (int type = 0; type < 70; ++type) text += "8,1000,type-" + std::to_string(type) + "\n";
  const node_table read = read_nodes(text, types);
  CHECK(read.nodes.size() == 64);
  CHECK(read.faults.count == 6);
}

TEST_CASE("any bytes are read without harm", "[placement][property]") {
  testing::check_property("text of any kind", [] {
    name_list types;
    name_list users;
    const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
        rc::gen::element(',', '\n', '"', '1', '-', '|', '\0', '9'), rc::gen::arbitrary<char>()));
    for (const char* header : {"", "gpu,cpu_milli\n"}) {
      const node_table nodes = read_nodes(header + text, types);
      RC_ASSERT(nodes.nodes.size() <= text.size());
      RC_ASSERT(nodes.faults.first.size() <= 100);
    }
    const task_table tasks = read_tasks("num_gpu,gpu_spec,user\n" + text, types, users);
    for (const arriving_task& each : tasks.tasks) require_valid(each.task);
    RC_ASSERT(types.names().size() <= 64);
  });
}

}  // namespace
}  // namespace gpuplan
