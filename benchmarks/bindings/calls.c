/* How long a call takes: calls REQUEST MOST SECONDS asks up to MOST times, and no longer than SECONDS.
 * It prints the first call and the median, in seconds of processor time, and how many there were. */
#define _POSIX_C_SOURCE 200809L
#include <gpuplan.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const int most = atoi(words[2]);
  const double end = seconds_of(CLOCK_MONOTONIC) + atof(words[3]);
  if (most < 1) return 2;
  double* times = malloc(sizeof(double) * (size_t)most);
  if (times == NULL) return 1;
  int calls = 0;
  do {
    const double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    gpuplan_free(gpuplan_answer(words[1]));
    times[calls++] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
  } while (calls < most && seconds_of(CLOCK_MONOTONIC) < end);
  const double first = times[0];
  qsort(times, (size_t)calls, sizeof(double), compare);
  printf("%.9f %.9f %d\n", first, times[calls / 2], calls);
  free(times);
  return 0;
}
