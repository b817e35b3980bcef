/* Plug-ins that break one rule each: FAULT is the number of the rule. FIRST breaks none: it is of the first version;
 * MARKS breaks none either, but leaves a file where it is loaded. CREATE_STUCK leaves it before create() gets stuck. The
 * late ones are well-behaved while they are tried out. STUCK_AT_WILL is so for good, unless HYB_TEST_STUCK is set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hybridbench_compensator.h"

enum {
  NEWER = 1,
  INCOMPLETE,
  REFUSES,
  ALLOCATES,
  SLOW,
  NO_NUMBER,
  KEEPS_NO_NUMBER,
  NAMELESS,
  FIRST,
  HALF_LEARNT,
  FORGETS,
  LEARNS_TOO_MUCH,
  MARKS,
  LATE_STUCK,
  LATE_SLOW,
  LATE_EXIT,
  LATE_NO_NUMBER,
  LATE_NO_NUMBER_RATE,
  STUCK,
  CREATE_STUCK,
  STUCK_AT_WILL
};
enum { WELL_BEHAVED = 2600 }; /* calls, beyond the 2000 of the trial */
static long calls;
static double states[8]; /* what each instance has learnt */
static int made;
static volatile double sink;
static void* volatile kept;

static void leave_a_mark(void) {
  const char* mark = getenv("HYB_TEST_MARK");
  FILE* file = mark ? fopen(mark, "a") : NULL;
  if (file) fclose(file);
}
static int wanted_stuck;
__attribute__((constructor)) static void when_loaded(void) {
  if (FAULT == MARKS) leave_a_mark();
  wanted_stuck = getenv("HYB_TEST_STUCK") != NULL;
}

/* Computes for 30 ms. */
static void compute(void) {
  struct timespec from, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < 30000000L);
}

static void* create(const hyb_loop* loop, char* why, size_t why_size) {
  (void)loop;
  if (FAULT == CREATE_STUCK) leave_a_mark();
  while (FAULT == CREATE_STUCK) sink = sqrt(sink + 1.0);
  if (FAULT != REFUSES) return &states[made++ % 8];
  snprintf(why, why_size, "it wants a tick of 2 ms");
  return NULL;
}
static void nothing(void* self) { (void)self; }
static void reset(void* self) { *(double*)self = 0.0; }
static void update(void* self, const double* target, const double* target_rate, const double* measured, double* command,
                   double* command_rate) {
  double* learnt = self;
  if (FAULT == FORGETS && isfinite(measured[0])) *learnt += 0.01 * (target[0] - measured[0]);
  command[0] = FAULT == NO_NUMBER         ? NAN
               : FAULT == KEEPS_NO_NUMBER ? target[0] + 0.1 * measured[0]
                                          : target[0] + *learnt;
  command_rate[0] = target_rate[0];
  if (FAULT == ALLOCATES) {
    kept = malloc(64);
    free(kept);
  }
  for (int i = 0; FAULT == SLOW && i < 3000000; ++i) sink = sqrt(sink + i);
  while (FAULT == STUCK) sink = sqrt(sink + 1.0);
  if (++calls <= WELL_BEHAVED) return;
  if (FAULT == LATE_SLOW) compute();
  if (FAULT == LATE_EXIT) exit(0);
  if (FAULT == LATE_NO_NUMBER) command[0] = NAN;
  if (FAULT == LATE_NO_NUMBER_RATE) command_rate[0] = NAN;
  while (FAULT == LATE_STUCK || (FAULT == STUCK_AT_WILL && wanted_stuck)) sink = sqrt(sink + 1.0);
}
static uint32_t learnt_count(const void* self) {
  (void)self;
  return FAULT == LEARNS_TOO_MUCH ? 0xffffffff : 1;
}
static void read_learnt(const void* self, double* values) { values[0] = *(const double*)self; }
static void set_nothing(void* self, const double* values) {
  (void)self;
  (void)values;
}
static const hyb_parameter wrong[] = {{"two words", "", 0.0, -1.0, 1.0, ""}};

const hyb_compensator* hybridbench_compensator(void) {
  static hyb_compensator table = {.version = HYBRIDBENCH_COMPENSATOR_VERSION + (FAULT == NEWER),
                                  .name = "broken",
                                  .parameters = wrong,
                                  .parameter_count = FAULT == NAMELESS,
                                  .create = create,
                                  .destroy = nothing,
                                  .reset = reset,
                                  .restart = nothing,
                                  .update = update};
  if (FAULT == INCOMPLETE) table.update = NULL;
  if (FAULT == HALF_LEARNT) table.learnt_count = learnt_count;
  if (FAULT == FORGETS || FAULT == LEARNS_TOO_MUCH) {
    table.learnt_count = learnt_count;
    table.read_learnt = read_learnt;
    table.set_learnt = set_nothing;
  }
  if (FAULT == FIRST) { /* its table ended before these, so that anything may stand there */
    table.version = 1;
    table.learnt_count = (uint32_t(*)(const void*))(uintptr_t)1;
  }
  return &table;
}
