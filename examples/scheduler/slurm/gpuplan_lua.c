/* The admission check as a function of Lua 5.1, for Slurm's job_submit/lua:
 *
 *     local gpuplan = package.loadlib("gpuplan_lua.so", "luaopen_gpuplan")()
 *     local code, reason = gpuplan.admit("model=llama-3-8b gpu=H100 gpus=8 data=8")
 */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../admission.h"

struct field {
  const char* name;
  int32_t* value;
};

/* Reads one "name=value"; NULL, or what is wrong with it. */
static const char* read_word(const char* word, struct gpuplan_job* job) {
  const struct field numbers[] = {{"gpus", &job->gpus},
                                  {"gpus_per_node", &job->gpus_per_node},
                                  {"data", &job->data},
                                  {"tensor", &job->tensor},
                                  {"pipeline", &job->pipeline},
                                  {"micro_batch", &job->micro_batch},
                                  {"global_batch", &job->global_batch},
                                  {"sequence", &job->sequence}};
  const char* equals = strchr(word, '=');
  if (equals == NULL || equals[1] == '\0') return "must be name=value";
  const size_t length = (size_t)(equals - word);
  const char* value = equals + 1;
  if (length == 5 && memcmp(word, "model", 5) == 0) {
    job->model = gpuplan_model(value);
    return job->model < 0 ? "is no model of the catalogue" : NULL;
  }
  if (length == 3 && memcmp(word, "gpu", 3) == 0) {
    job->gpu = gpuplan_gpu(value);
    return job->gpu < 0 ? "is no GPU of the catalogue" : NULL;
  }
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    if (strlen(numbers[i].name) == length && memcmp(word, numbers[i].name, length) == 0) {
      char* end = NULL;
      const long number = strtol(value, &end, 10);
      if (*end != '\0' || number < 1 || number > 100000000) return "must be a whole number >= 1";
      *numbers[i].value = (int32_t)number;
      return NULL;
    }
  return "is not understood; there are model, gpu, gpus, gpus_per_node, data, tensor, pipeline, "
         "micro_batch, global_batch and sequence";
}

/* admit(text) -> code, reason */
static int admit(lua_State* lua) {
  char text[512];
  char reason[512] = "";
  struct gpuplan_job job = {.size = sizeof job,
                            .model = -1,
                            .gpu = -1,
                            .gpus = 1,
                            .gpus_per_node = 8,
                            .data = 1,
                            .tensor = 1,
                            .pipeline = 1,
                            .micro_batch = 1,
                            .global_batch = 0,
                            .sequence = 2048};
  struct gpuplan_answer answer;
  int32_t code = GPUPLAN_INVALID;
  const char* given = luaL_checkstring(lua, 1);
  if (strlen(given) >= sizeof text) {
    snprintf(reason, sizeof reason, "the declaration must be shorter than %zu letters",
             sizeof text);
  } else {
    strcpy(text, given);
    const char* wrong = NULL;
    char* place = NULL;
    for (char* word = strtok_r(text, " ", &place); word != NULL && wrong == NULL;
         word = strtok_r(NULL, " ", &place)) {
      wrong = read_word(word, &job);
      if (wrong != NULL) snprintf(reason, sizeof reason, "'%.80s' %s", word, wrong);
    }
    if (wrong == NULL && job.global_batch == 0) {
      const int64_t batch = (int64_t)job.data * job.micro_batch;
      if (batch > INT32_MAX) {
        wrong = "";
        snprintf(reason, sizeof reason, "data x micro_batch must be < 2^31");
      } else {
        job.global_batch = (int32_t)batch;
      }
    }
    if (wrong == NULL) code = gpuplan_admit(&job, &answer, reason, sizeof reason);
  }
  lua_pushinteger(lua, code);
  lua_pushstring(lua, reason);
  return 2;
}

int luaopen_gpuplan(lua_State* lua) {
  lua_newtable(lua);
  lua_pushcfunction(lua, admit);
  lua_setfield(lua, -2, "admit");
  return 1;
}
