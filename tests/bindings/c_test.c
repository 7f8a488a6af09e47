/* libgpuplan as a program in C99 sees it: answers, refusals, several threads, damaged requests. */
#define _POSIX_C_SOURCE 200809L
#include <gpuplan.h>

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
  test_threads();
  test_damaged();
  if (failures > 0) return 1;
  puts("libgpuplan answers");
  return 0;
}
