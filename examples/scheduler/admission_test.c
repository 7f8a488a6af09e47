/* A scheduler in C loads the shared object and asks it: who runs, who does not, and why. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "admission.h"

static int failures = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  printf("FAILED: %s\n", what);
  ++failures;
}

/* Calls of malloc since the start: the program's own malloc counts, then asks the C library's. */
static long allocations = 0;
extern void* __libc_malloc(size_t);
void* malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) {
    printf("FAILED: %s\n", argc > 1 ? dlerror() : "the shared object is not named");
    return 1;
  }
  int32_t (*model)(const char*);
  int32_t (*gpu)(const char*);
  int32_t (*admit)(const struct gpuplan_job*, struct gpuplan_answer*, char*, size_t);
  *(void**)&model = dlsym(library, "gpuplan_model");
  *(void**)&gpu = dlsym(library, "gpuplan_gpu");
  *(void**)&admit = dlsym(library, "gpuplan_admit");
  if (model == NULL || gpu == NULL || admit == NULL) {
    printf("FAILED: a function is missing\n");
    return 1;
  }

  struct gpuplan_answer answer;
  char reason[160];
  struct gpuplan_job job = {.size = sizeof job,
                            .model = model("llama-3-8b"),
                            .gpu = gpu("H100"),
                            .gpus = 64,
                            .gpus_per_node = 8,
                            .data = 32,
                            .tensor = 2,
                            .pipeline = 1,
                            .micro_batch = 1,
                            .global_batch = 128,
                            .sequence = 8192};
  check(job.model >= 0 && job.gpu >= 0, "the catalogue knows llama-3-8b and H100");
  check(model("no such model") == -1 && gpu(NULL) == -1, "and says what it does not know");

  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS, "two tensor ranks fit");
  check(answer.bytes_needed > 20e9 && answer.bytes_needed < answer.bytes_available, "in 80 GB");
  check(answer.step_seconds > 0 && answer.score > 0.2 && answer.score < 0.8, "with a fair score");
  const long before = allocations;
  for (int i = 0; i < 1000; ++i) admit(&job, &answer, reason, sizeof reason);
  check(allocations == before, "nothing is allocated");

  struct gpuplan_job large = job;
  large.model = model("gpt-3-175b");
  large.sequence = 2048;
  check(admit(&large, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT,
        "175e9 parameters do not fit two GPUs");
  check(strstr(reason, "needed") != NULL && answer.bytes_needed > 100e9, "and it says by how much");
  printf("%s\n", reason);

  struct gpuplan_job bad = job;
  bad.tensor = 0;
  check(admit(&bad, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "no tensor rank");
  bad = job;
  bad.model = 100000;
  check(admit(&bad, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "no such model");
  bad = job;
  bad.size = 4;
  check(admit(&bad, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "an older, smaller job");
  bad = job;
  bad.tensor = 3;
  check(admit(&bad, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT, "3 divides no head");
  check(admit(NULL, NULL, NULL, 0) == GPUPLAN_INVALID, "nothing at all");
  check(admit(&bad, &answer, NULL, 0) == GPUPLAN_DOES_NOT_FIT, "no room for a reason");
  check(admit(&bad, &answer, reason, 4) == GPUPLAN_DOES_NOT_FIT && strlen(reason) == 3, "cut");

  for (unsigned i = 0; i < 200000; ++i) { /* whatever a stranger sends, it answers */
    struct gpuplan_job any;
    unsigned char* bytes = (unsigned char*)&any;
    for (size_t b = 0; b < sizeof any; ++b) bytes[b] = (unsigned char)(rand() >> 7);
    any.size = sizeof any;
    any.model = (int32_t)(i % 30);
    any.gpu = (int32_t)(i % 20);
    if (i % 2 == 0) {
      any.gpus = 1 << (i % 20);
      any.gpus_per_node = 8;
      any.data = 1 << (i % 7);
      any.tensor = 1 << (i % 4);
      any.pipeline = 1 << (i % 3);
    }
    const int32_t code = admit(&any, &answer, reason, sizeof reason);
    if (code < 0 || code > 2 || !(answer.score >= 0 && answer.score <= 1) ||
        (code != GPUPLAN_FITS && reason[0] == '\0')) {
      check(0, "an answer to anything");
      break;
    }
  }

  if (argc > 2) { /* timed on request only */
    const clock_t start = clock();
    for (int i = 0; i < 1000000; ++i) admit(&job, &answer, reason, sizeof reason);
    printf("%.0f ns an answer\n", 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  printf(failures == 0 ? "all as it should be\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
