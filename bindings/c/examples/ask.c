/* Reads a request from standard input, and prints its answer:
 *
 *     echo '{"question": "model", "model": "gpt2"}' | ./ask
 */
#include <gpuplan.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  size_t size = 0;
  size_t room = 1 << 16;
  char* request = malloc(room + 1);
  while (request != NULL) {
    const size_t got = fread(request + size, 1, room - size, stdin);
    if (got == 0) break;
    size += got;
    if (size < room) continue;
    room *= 2;
    char* larger = realloc(request, room + 1);
    if (larger == NULL) free(request);
    request = larger;
  }
  if (request == NULL) return 1;
  request[size] = '\0';

  char* answer = gpuplan_answer(request);
  free(request);
  if (answer == NULL) return 1;
  fputs(answer, stdout);
  gpuplan_free(answer);
  return 0;
}
