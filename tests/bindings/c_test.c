/* libgpuplan as a program in C99 sees it: answers, refusals, admission, several threads, damaged
 * requests. */
#define _POSIX_C_SOURCE 200809L
#include <gpuplan.h>
#include <gpuplan_admission.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char* what, const char* got) {
  if (holds) return;
  fprintf(stderr, "FAILED: %s; got %.300s\n", what, got != NULL ? got : "NULL");
  ++failures;
}

/* Asks, checks that the answer holds a text, and gives it back. */
static void expect(const char* request, const char* part) {
  char* answer = gpuplan_answer(request);
  check(answer != NULL && strstr(answer, part) != NULL, part, answer);
  gpuplan_free(answer);
}

static const char* const fit =
    "{\"question\": \"fit\", \"model\": \"llama-3-8b\","
    " \"cluster\": {\"gpu\": \"H100\", \"gpus\": 64},"
    " \"recipe\": {\"zero\": 1}, \"parallelism\": {\"tensor\": 8, \"data\": 8}}";

static void test_answers(void) {
  check(strncmp(gpuplan_version(), "0.", 2) == 0, "a version", gpuplan_version());
  expect(fit, "\"fits\": true");
  expect("{\"question\": \"model\", \"model\": \"gpt2\"}", "\"schema_version\": 1");
  expect("{\"question\": \"formula\", \"options\": {\"words\": [\"erlang_b\", \"servers=5\","
         " \"offered=4\"]}}", "0.199");
  expect("{\"question\": \"evaluate\", \"model\": \"gpt2\"}", "\"line\":1");
}

static void test_refusals(void) {
  expect(NULL, "\"error\"");
  expect("", "is empty");
  expect("{", "is not JSON");
  expect("[]", "must be a JSON object");
  expect("{}", "question is missing");
  expect("{\"question\": \"pln\"}", "\"plan\"");
  expect("{\"question\": \"fit\", \"model\": \"/etc/passwd\", \"cluster\": {\"gpu\": \"H100\"}}",
         "there is no such file");
  expect("{\"question\": \"fit\", \"model\": \"gpt2\", \"cluster\": {\"gpu\": \"H1000\"}}",
         "\"where\": \"cluster.gpu\"");
  expect("{\"question\": \"fit\", \"model\": \"--help\", \"cluster\": {\"gpu\": \"H100\"}}",
         "\"where\": \"model\"");
  gpuplan_free(NULL);
}

static void test_depth(void) {
  enum { deep = 100000 };
  char* request = malloc(deep + 1);
  if (request == NULL) exit(1);
  memset(request, '[', deep);
  request[deep] = '\0';
  expect(request, "\"error\"");
  free(request);
}

/* Calls of malloc since the start: this program's own counts, then asks the C library's.  Not under
 * sanitizers, which bring their own. */
#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define COUNTS_ALLOCATIONS 1
static long allocations = 0;
extern void* __libc_malloc(size_t);
void* malloc(size_t bytes) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}
#else
#define COUNTS_ALLOCATIONS 0
static const long allocations = 0;
#endif

/* Plain structs for the hot path: a job that declares its layout is answered without a request, an
 * answer, and an allocation. */
static struct gpuplan_job declared_job(void) {
  struct gpuplan_job job = {.size = sizeof job,
                            .model = gpuplan_model("llama-3-8b"),
                            .gpu = gpuplan_gpu("H100"),
                            .gpus = 64,
                            .gpus_per_node = 8,
                            .data = 8,
                            .tensor = 8,
                            .pipeline = 1,
                            .micro_batch = 1,
                            .global_batch = 8,
                            .sequence = 2048,
                            .zero = GPUPLAN_ZERO_1,
                            .recompute = GPUPLAN_RECOMPUTE_NONE,
                            .sequence_parallel = GPUPLAN_OFF};
  return job;
}

static void test_admission(void) {
  struct gpuplan_answer answer;
  char reason[256];
  struct gpuplan_job job = declared_job();
  check(gpuplan_admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS, "it fits", reason);
  check(answer.searched == 0 && answer.bytes_needed < answer.bytes_available &&
            answer.step_seconds > 0,
        "with its memory and its time", reason);
  char bytes[64];
  snprintf(bytes, sizeof bytes, "\"worst_stage_bytes\": %.0f", ceil(answer.bytes_needed));
  expect(fit, bytes); /* what the same layout needs as a request */

  job.gpu_memory = 10e9;
  check(gpuplan_admit(&job, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT,
        "not in 10 GB", reason);
  check(strstr(reason, "10.0 GB; it fits with ") != NULL, "and what would do", reason);
  job.tensor = -1;
  check(gpuplan_admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "-1 ranks", reason);

  job = declared_job();
  const long before = allocations;
  char* const one = gpuplan_answer(fit);
  gpuplan_free(one);
  check(!COUNTS_ALLOCATIONS || allocations > before, "allocations are counted", "none");
  const long then = allocations;
  for (int i = 0; i < 1000; ++i) gpuplan_admit(&job, &answer, reason, sizeof reason);
  check(allocations == then, "nothing is allocated", "some");
}

/* Each thread asks questions of its own, and must get the answers that one thread gets. */
enum { thread_count = 8, rounds = 6 };
static const char* const questions[] = {
    "{\"question\": \"evaluate\", \"model\": \"llama-3-8b\", \"parallelism\": {\"tensor\": 8}}",
    "{\"question\": \"queue\", \"options\": {\"arrivals\": \"4/h\", \"service\": \"10h\","
    " \"gpus\": 64}}",
    "{\"question\": \"model\", \"model\": \"config.json\", \"files\": {\"config.json\": \"{}\"}}",
    "{\"question\": \"catalog\", \"options\": {\"kind\": \"accelerators\", \"name\": \"H200\"}}"};
enum { question_count = sizeof questions / sizeof questions[0] };
static char* alone[question_count];

static void* ask(void* number) {
  size_t wrong = 0;
  const size_t first = *(const size_t*)number;
  for (size_t i = 0; i < rounds; ++i) {
    const size_t which = (first + i) % question_count;
    char* answer = gpuplan_answer(questions[which]);
    wrong += answer == NULL || strcmp(answer, alone[which]) != 0;
    gpuplan_free(answer);
    struct gpuplan_answer admitted;
    const struct gpuplan_job job = declared_job();
    wrong += gpuplan_admit(&job, &admitted, NULL, 0) != GPUPLAN_FITS;
  }
  return wrong > 0 ? &failures : NULL;
}

static void test_threads(void) {
  pthread_t threads[thread_count];
  size_t numbers[thread_count];
  for (size_t i = 0; i < question_count; ++i) alone[i] = gpuplan_answer(questions[i]);
  for (size_t i = 0; i < thread_count; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, ask, &numbers[i]) != 0) exit(1);
  }
  for (size_t i = 0; i < thread_count; ++i) {
    void* wrong = NULL;
    pthread_join(threads[i], &wrong);
    check(wrong == NULL, "a thread gets the answers of one thread alone", "others");
  }
  for (size_t i = 0; i < question_count; ++i) gpuplan_free(alone[i]);
}

/* A good request with bytes changed by number: an answer or an error, and no crash. */
static void test_damaged(void) {
  static const char letters[] = "\"{}[]:,0-9eE.\\u\x01\x7f\xc3\xff nul";
  unsigned long long state = 1;
  for (int i = 0; i < 300; ++i) {
    char request[512];
    strncpy(request, fit, sizeof request - 1);
    request[sizeof request - 1] = '\0';
    for (int changes = 0; changes < 1 + i % 4; ++changes) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const size_t at = (size_t)(state >> 33) % strlen(request);
      request[at] = letters[(state >> 20) % (sizeof letters - 1)];
    }
    char* answer = gpuplan_answer(request);
    check(answer != NULL && answer[0] == '{', request, answer);
    gpuplan_free(answer);
  }
}

int main(void) {
  test_answers();
  test_refusals();
  test_depth();
  test_admission();
  test_threads();
  test_damaged();
  if (failures > 0) return 1;
  puts("libgpuplan answers");
  return 0;
}
