/* Answers a request a line, and ends each answer with a form feed. */
#define _POSIX_C_SOURCE 200809L
#include <gpuplan.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char* line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    char* answer = gpuplan_answer(line);
    if (answer == NULL) return 1;
    printf("%s\f", answer);
    gpuplan_free(answer);
  }
  free(line);
  return 0;
}
