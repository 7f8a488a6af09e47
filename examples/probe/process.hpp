#pragma once
/// \file
/// Another process: what it prints, and that it ends in time; and the environment it starts in.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

/// Removes the variables that would change what is measured from the environment of this process
/// and its children.  To be called before the first call of the CUDA runtime, which reads them once.
/// Returns a line for each that was set.
///
/// Source: NVIDIA, "CUDA C++ Programming Guide" (2025), CUDA environment variables; "cuBLAS"
/// (2025), section on NVIDIA_TF32_OVERRIDE.
inline std::vector<std::string> remove_hindrances() {
  struct hindrance {
    const char* name;
    const char* effect;
  };
  constexpr std::array known{
      hindrance{"CUDA_LAUNCH_BLOCKING", "the host would wait for each kernel"},
      hindrance{"CUDA_DEVICE_MAX_CONNECTIONS", "streams would wait for each other"},
      hindrance{"NVIDIA_TF32_OVERRIDE", "products would use another format"}};
  std::vector<std::string> lines;
  for (const hindrance& one : known) {
    if (std::getenv(one.name) == nullptr) continue;
    unsetenv(one.name);
    lines.push_back(std::string{one.name} + " is ignored: " + one.effect);
  }
  return lines;
}

/// What became of a process.
struct process_end {
  std::string output{};   ///< all that it printed to standard output
  std::string problem{};  ///< empty: it ended with status 0
};

/// Starts words[0] with the other words; its standard output goes to `output`, its standard error
/// to ours.  Returns an error of errno, or 0.
inline int start_process(std::vector<std::string> words, int output, pid_t& id) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const int error =
      posix_spawn(&id, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

using process_clock = std::chrono::steady_clock;

/// What comes out of a pipe until it is closed; `is_late` if it is not by `deadline`.
inline std::string read_pipe(int pipe, process_clock::time_point deadline, bool& is_late) {
  std::string output;
  for (std::array<char, 65536> piece;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - process_clock::now());
    pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
    const int count = poll(&ready, 1, std::max(0, static_cast<int>(left.count())));
    const ssize_t size = count > 0 ? read(pipe, piece.data(), piece.size()) : count;
    if (size < 0 && errno == EINTR) continue;
    is_late = count <= 0;
    if (size <= 0) return output;
    output.append(piece.data(), static_cast<std::size_t>(size));
  }
}

/// Waits for the end of a process and kills it at `deadline`.  Returns its problem, or nothing.
inline std::string end_process(pid_t id, process_clock::time_point deadline) {
  int status = 0;
  while (waitpid(id, &status, WNOHANG) == 0) {
    if (process_clock::now() >= deadline) {
      kill(id, SIGKILL);
      // A process inside the driver may take long to die: then it is left to the system.
      for (int i = 0; i < 200 && waitpid(id, &status, WNOHANG) == 0; ++i) usleep(10'000);
      return "timed out";
    }
    usleep(1'000);
  }
  if (WIFSIGNALED(status)) return std::string{"ended by signal: "} + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return {};
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

/// Runs a process and takes what it prints.  After `limit` it is killed, and what it had printed
/// counts.  A process that has closed its output has until `limit`, and at least `grace`, to end: a
/// driver takes seconds to free what a process held of several devices.
inline process_end run_process(const std::vector<std::string>& words, seconds limit,
                               seconds grace = 10 * units::second) {
  const auto in = [](seconds time) {
    return process_clock::now() + std::chrono::duration_cast<process_clock::duration>(
                                      std::chrono::duration<double>(time.in_base_units()));
  };
  std::array<int, 2> ends{};
  pid_t id = 0;
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return {.problem = std::string{"no pipe: "} + std::strerror(errno)};
  const int error = start_process(words, ends[1], id);
  close(ends[1]);
  process_end end;
  if (error != 0) {
    end.problem = std::string{"cannot start: "} + std::strerror(error);
  } else {
    const auto deadline = in(limit);
    bool is_late = false;
    end.output = read_pipe(ends[0], deadline, is_late);
    end.problem = end_process(id, is_late ? process_clock::now() : std::max(deadline, in(grace)));
  }
  close(ends[0]);
  return end;
}

}  // namespace gpuplan::probe
