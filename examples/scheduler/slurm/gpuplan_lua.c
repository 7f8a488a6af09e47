/* The admission check as a function of Lua 5.1, for Slurm's job_submit/lua:
 *
 *     local gpuplan = package.loadlib("gpuplan_lua.so", "luaopen_gpuplan")()
 *     local code, words = gpuplan.admit("model=llama-3-8b gpu=H100 gpus=8")
 *
 * words are what was found for what the text does not declare, or why the job is refused.
 */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan_admission.h"

/* Declares one "name=value"; a gpuplan_code. */
static int32_t declare(char* word, struct gpuplan_job* job, char* reason, size_t room) {
  char* equals = strchr(word, '=');
  if (equals == NULL || equals == word || equals[1] == '\0') {
    snprintf(reason, room, "'%.80s' must be name=value", word);
    return GPUPLAN_INVALID;
  }
  *equals = '\0';
  return gpuplan_declare(job, word, equals + 1, reason, room);
}

/* admit(text) -> code, words */
static int admit(lua_State* lua) {
  char text[4096];
  char reason[512] = "";
  struct gpuplan_job job = {.size = sizeof job, .model = -1, .gpu = -1};
  struct gpuplan_answer answer;
  int32_t code = GPUPLAN_FITS;
  size_t length = 0;
  const char* given = luaL_checklstring(lua, 1, &length);
  if (length >= sizeof text || memchr(given, '\0', length) != NULL) {
    snprintf(reason, sizeof reason, "the declaration must be shorter than %zu letters",
             sizeof text);
    code = GPUPLAN_INVALID;
  } else {
    memcpy(text, given, length + 1);
    char* place = NULL;
    for (char* word = strtok_r(text, " \t\r\n", &place); word != NULL && code == GPUPLAN_FITS;
         word = strtok_r(NULL, " \t\r\n", &place))
      code = declare(word, &job, reason, sizeof reason);
    if (code == GPUPLAN_FITS && (job.model < 0 || job.gpu < 0)) {
      snprintf(reason, sizeof reason, "the declaration must name its %s",
               job.model < 0 ? "model" : "gpu");
      code = GPUPLAN_INVALID;
    }
    if (code == GPUPLAN_FITS) code = gpuplan_admit(&job, &answer, reason, sizeof reason);
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
