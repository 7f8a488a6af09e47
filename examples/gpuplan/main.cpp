/// \file
/// gpuplan: what a training job needs of GPUs, how long it runs, what it costs.

#include <csignal>
#include <string>
#include <vector>

#include "run.hpp"

int main(int argc, char** argv) {
  // What cannot be written is said, not died of: a pipe without a reader, a file at its limit.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return gpuplan::cli::run(gpuplan::cli::assembled(gpuplan::cli::subcommands()), words);
}
