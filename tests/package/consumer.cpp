#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/memory/model_states.hpp>
double other();
int main() {
  using namespace gpuplan;
  const double here = model_state_memory(7e9, 8, zero_stage::parameters).total() / units::GB;
  return here == other() ? 0 : 1;
}
