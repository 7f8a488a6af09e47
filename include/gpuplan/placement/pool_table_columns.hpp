#pragma once
/// \file
/// Names of the columns of tables of nodes and of tasks.

#include <string_view>

namespace gpuplan {

/// Names of columns of a table of nodes.
struct node_columns {
  std::string_view gpus = "gpu";
  std::string_view cores = "cpu_milli";    ///< thousandths
  std::string_view memory = "memory_mib";  ///< may be missing: unlimited
  std::string_view type = "model";         ///< may be missing: all of one type without a name
  std::string_view rack = "rack";          ///< may be missing: all in one
  std::string_view name = "name";          ///< may be missing: nodes without names
  std::string_view power = "";             ///< W of each GPU; empty: unknown
  std::string_view network = "";           ///< Gbit/s out of the node; empty: unknown
  std::string_view gpu_memory = "";        ///< MiB of each GPU; empty: unknown
};

/// Names of columns of a table of tasks.
struct task_columns {
  std::string_view gpus = "num_gpu";
  std::string_view share = "gpu_milli";    ///< thousandths of each; may be missing: whole GPUs
  std::string_view cores = "cpu_milli";    ///< thousandths; may be missing: none
  std::string_view memory = "memory_mib";  ///< may be missing: none
  std::string_view types = "gpu_spec";     ///< names with | between; may be missing: any
  std::string_view arrival = "creation_time";
  std::string_view departure = "deletion_time";
  std::string_view user = "user";
  std::string_view priority = "";    ///< whole, the larger first; empty: all alike
  std::string_view deadline = "";    ///< empty: none
  std::string_view job = "";         ///< rows of one name are parts of one job; empty: each is one
  std::string_view data = "";        ///< names of nodes with its data, with | between; empty: none
  std::string_view max_nodes = "";   ///< most nodes of the job; empty: no limit
  std::string_view network = "";     ///< Gbit/s out of the node; empty: unknown
  std::string_view gpu_memory = "";  ///< MiB of each GPU; empty: unknown
};

}  // namespace gpuplan
