/* How long a call takes: calls REQUEST COUNT prints the first call and the median, in seconds. */
#define _POSIX_C_SOURCE 200809L
#include <gpuplan.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const int calls = atoi(words[2]);
  if (calls < 1) return 2;
  double* times = malloc(sizeof(double) * (size_t)calls);
  if (times == NULL) return 1;
  for (int i = 0; i < calls; ++i) {
    const double begin = now();
    gpuplan_free(gpuplan_answer(words[1]));
    times[i] = now() - begin;
  }
  const double first = times[0];
  qsort(times, (size_t)calls, sizeof(double), compare);
  printf("%.9f %.9f\n", first, times[calls / 2]);
  free(times);
  return 0;
}
