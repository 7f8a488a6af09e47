// A second translation unit: a definition that forgot to be inline fails to link here.
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/memory/model_states.hpp>
double other() {
  using namespace gpuplan;
  return model_state_memory(7e9, 8, zero_stage::parameters).total() / units::GB;
}
