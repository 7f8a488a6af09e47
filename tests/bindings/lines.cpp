// Answers a request a line as a program in C++ does, and ends each answer with a form feed.
#include <cstdio>
#include <iostream>
#include <string>

#include <gpuplan/api/answer.hpp>

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::printf("%s\f", gpuplan::api::answer(line).c_str());
}
