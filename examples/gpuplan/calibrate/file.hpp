#pragma once
/// \file
/// One file of measurements: of what kind it is, what it says, and what of it goes into a profile.

#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/report/json.hpp>

#include "calibrate/told_run.hpp"

namespace gpuplan::cli {

/// Whether numbers are taken that cannot be right.
enum class doubtful { refused, taken };

/// What the user says of logs that do not say it themselves; 0: nothing.
struct sweep_hint {
  int ranks = 0;
  int nodes = 0;
  doubtful fits = doubtful::refused;
  const job_options* job = nullptr;  ///< of runs, for what their files do not say; null: nothing
};

/// A device that a file names.
struct told_device {
  std::string name{};  ///< as its driver has it
  bytes memory{};      ///< likewise; 0: not told
};

/// A file, read.
struct measured_file {
  std::string kind;                    ///< "probe", "nccl-tests", "nvbandwidth", "nvidia-smi", ...
  std::string said;                    ///< lines for people
  report_json json;                    ///< the same, for programs
  cluster_profile profile;             ///< what it tells; nothing of logs that are summed up alone
  std::vector<told_run> runs{};        ///< that it times
  std::vector<told_device> devices{};  ///< that it was measured on
};

/// Reads a file by what is in it, whatever its name.
/// \throws bad_usage or invalid_input if it is of no kind that is known, or cannot be read
measured_file read_measured_file(const std::string& name, std::string_view text,
                                 const sweep_hint& hint);

// By kind; `probe.cpp`, `links.cpp`, `summaries.cpp` and `run_files.cpp` have them.

measured_file take_probe(const std::string& name, std::string_view text);
measured_file take_nccl_tests(const std::string& name, std::string_view text,
                              const sweep_hint& hint);
measured_file take_nccl_tests_json(const std::string& name, std::string_view text,
                                   const sweep_hint& hint);
measured_file take_nvbandwidth(const std::string& name, std::string_view text);
measured_file take_profile(const std::string& name, std::string_view text);
/// Logs of training; runs of jobs that the user describes, else summed up.
measured_file take_training(const std::string& name, std::string_view text, const sweep_hint& hint);
measured_file take_training_log(const std::string& name, std::string_view text,
                                const sweep_hint& hint);
measured_file take_trainer_state(const std::string& name, std::string_view text,
                                 const sweep_hint& hint);
measured_file take_run_table(const std::string& name, std::string_view text,
                             const sweep_hint& hint);
measured_file take_memory(const std::string& name, std::string_view text);
measured_file take_nvidia_smi(const std::string& name, std::string_view text);

}  // namespace gpuplan::cli
