#pragma once
/// \file
/// Another process: what it prints, and that it ends in time.

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
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

/// What became of it.
struct process_end {
  std::string output{};   ///< all that it printed to standard output
  std::string problem{};  ///< empty: it ended with status 0
};

/// Runs words[0] with the other words and takes what it prints.  Past `limit` it is killed; then
/// what it had printed counts.  One that has closed its output has until `limit`, and at least
/// `grace`, to end: a driver takes seconds to give back what a process held of several devices.
/// Its standard error is ours.
inline process_end run_process(const std::vector<std::string>& words, seconds limit,
                               seconds grace = 10 * units::second) {
  process_end end;
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    end.problem = std::string{"no pipe: "} + std::strerror(errno);
    return end;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (error != 0) {
    close(pipe_ends[0]);
    end.problem = std::string{"cannot start: "} + std::strerror(error);
    return end;
  }

  using clock = std::chrono::steady_clock;
  const auto in = [](seconds time) {
    return clock::now() + std::chrono::duration_cast<clock::duration>(
                              std::chrono::duration<double>(time.in_base_units()));
  };
  const auto deadline = in(limit);
  const auto left = [&] {
    const auto time =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now());
    return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, time.count()));
  };
  bool is_late = false;
  for (std::array<char, 65536> piece;;) {
    pollfd ready{.fd = pipe_ends[0], .events = POLLIN, .revents = 0};
    const int count = poll(&ready, 1, left());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      is_late = true;
      break;
    }
    const ssize_t size = read(pipe_ends[0], piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    end.output.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(pipe_ends[0]);

  int status = 0;
  const auto last = is_late ? clock::now() : std::max(deadline, in(grace));
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (clock::now() >= last) {
      is_late = true;
      kill(child, SIGKILL);
      // A process inside the driver may not die for long: it is left to the system then.
      for (int i = 0; i < 200 && waitpid(child, &status, WNOHANG) == 0; ++i) usleep(10'000);
      break;
    }
    usleep(1'000);
  }
  if (is_late)
    end.problem = "timed out";
  else if (WIFSIGNALED(status))
    end.problem = std::string{"ended by signal: "} + strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    end.problem = "ended with status " + std::to_string(WEXITSTATUS(status));
  return end;
}

}  // namespace gpuplan::probe
