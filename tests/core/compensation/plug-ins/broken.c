/* Plug-ins that break one rule each: FAULT is the number of the rule. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hybridbench_compensator.h"

enum { OLD = 1, INCOMPLETE, REFUSES, ALLOCATES, SLOW, NO_NUMBER, KEEPS_NO_NUMBER, NAMELESS };
static int state;
static volatile double sink;
static void* volatile kept;

static void* create(const hyb_loop* loop, char* why, size_t why_size) {
  (void)loop;
  if (FAULT != REFUSES) return &state;
  snprintf(why, why_size, "it wants a tick of 2 ms");
  return NULL;
}
static void nothing(void* self) { (void)self; }
static void update(void* self, const double* target, const double* target_rate, const double* measured, double* command,
                   double* command_rate) {
  (void)self;
  command[0] = FAULT == NO_NUMBER ? NAN : FAULT == KEEPS_NO_NUMBER ? target[0] + 0.1 * measured[0] : target[0];
  command_rate[0] = target_rate[0];
  if (FAULT == ALLOCATES) {
    kept = malloc(64);
    free(kept);
  }
  for (int i = 0; FAULT == SLOW && i < 3000000; ++i) sink = sqrt(sink + i);
}
static const hyb_parameter wrong[] = {{"two words", "", 0.0, -1.0, 1.0, ""}};

const hyb_compensator* hybridbench_compensator(void) {
  static hyb_compensator table = {.version = HYBRIDBENCH_COMPENSATOR_VERSION + (FAULT == OLD),
                                  .name = "broken",
                                  .parameters = wrong,
                                  .parameter_count = FAULT == NAMELESS,
                                  .create = create,
                                  .destroy = nothing,
                                  .reset = nothing,
                                  .restart = nothing,
                                  .update = update};
  if (FAULT == INCOMPLETE) table.update = NULL;
  return &table;
}
