/* A driver for tests that does what its setting "fault" names, and tells its calls in the file "told", one line each
 * with its process. Its input is the number of the exchange; faults begin with exchange "from". VERSION: of the interface. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "hybridbench_driver.h"

#ifdef VERSION
#undef HYBRIDBENCH_DRIVER_VERSION
#define HYBRIDBENCH_DRIVER_VERSION VERSION
#endif

/* clang-format off */
HYBRIDBENCH_DRIVER_DESCRIPTION({
  "title": "Faulty",
  "settings": {
    "fault": {"title": "Fault", "description": "What goes wrong.", "type": "string", "default": "none"},
    "told": {"title": "Told", "description": "File for the calls.", "type": "string", "default": ""},
    "go": {"title": "Go", "description": "File that lets a waiting driver go on.", "type": "string", "default": ""},
    "from": {"title": "From", "description": "First exchange that goes wrong.", "type": "integer", "minimum": 1, "default": 3},
    "whole": {"title": "Whole", "description": "A whole number.", "type": "integer", "minimum": 1, "maximum": 9, "default": 4},
    "on": {"title": "On", "description": "A switch.", "type": "boolean", "default": true}
  },
  "channels": [
    {"name": "out", "direction": "output", "units": "V", "min": -0.5, "max": 0.5},
    {"name": "out2", "direction": "output", "units": "V"},
    {"name": "in", "direction": "input", "units": "V"},
    {"name": "sent", "direction": "input", "units": "V"}
  ]
})
/* clang-format on */

enum { MOST = 8 };
typedef struct {
  char fault[50], told[500], go[500];
  long exchanges, from;
  double sent;
  uint32_t inputs;
  int is_sent[MOST];
} faulty;

static void tell(const faulty* f, const char* what) {
  FILE* file = f->told[0] ? fopen(f->told, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s %d\n", what, (int)getpid());
  fclose(file);
}
static int has(const faulty* f, const char* fault) { return strcmp(f->fault, fault) == 0; }
static void wait_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}
static void wait_for(const char* file) {
  while (access(file, F_OK) != 0) wait_ms(1);
}

static void* open_faulty(const hyb_request* request, double deadline_s, char* why, size_t why_size) {
  (void)deadline_s;
  faulty* f = calloc(1, sizeof *f);
  snprintf(f->fault, sizeof f->fault, "%s", hyb_text(request, "fault"));
  snprintf(f->told, sizeof f->told, "%s", hyb_text(request, "told"));
  snprintf(f->go, sizeof f->go, "%s", hyb_text(request, "go"));
  if (f->told[0] && access(f->told, F_OK) == 0 && has(f, "crash, gone")) {
    snprintf(why, why_size, "the device is gone");
    free(f);
    return NULL;
  }
  tell(f, "open");
  if (has(f, "refuses") || hyb_number(request, "whole") != 4.0 || hyb_number(request, "on") != 1.0) {
    snprintf(why, why_size, "port 7 does not exist; choose another one");
    free(f);
    return NULL;
  }
  if (has(f, "open, never")) wait_for("/nowhere");
  f->from = (long)hyb_number(request, "from");
  f->inputs = request->input_count;
  for (uint32_t i = 0; i < f->inputs && i < MOST; ++i) f->is_sent[i] = strcmp(request->inputs[i], "sent") == 0;
  return f;
}

static int arm(void* self) {
  tell(self, "arm");
  return has(self, "does not arm") ? HYB_FAULT : HYB_OK;
}

static int exchange(void* self, const double* outputs, double* inputs, double deadline_s) {
  faulty* f = self;
  (void)deadline_s;
  ++f->exchanges;
  if (outputs) f->sent = outputs[0];
  for (uint32_t i = 0; i < f->inputs && i < MOST; ++i) inputs[i] = f->is_sent[i] ? f->sent : (double)f->exchanges;
  if (f->exchanges < f->from) return HYB_OK;
  if (has(f, "crash") || has(f, "crash, gone")) abort();
  if (has(f, "exit")) exit(5);
  if (has(f, "hang")) wait_for(f->go[0] ? f->go : "/nowhere");
  if (has(f, "late once") && f->exchanges == f->from) wait_for(f->go);
  if (has(f, "no number")) inputs[0] = (double)NAN;
  if (has(f, "infinite")) inputs[0] = (double)INFINITY;
  if (has(f, "silent")) return HYB_LATE;
  if (has(f, "bad answer")) return HYB_BAD_ANSWER;
  if (has(f, "lost")) return HYB_LOST;
  if (has(f, "fault")) return HYB_FAULT;
  if (has(f, "unknown result")) return 77;
  return HYB_OK;
}

static int stop(void* self) {
  tell(self, "stop");
  if (has(self, "stop sent")) return HYB_STOP_SENT;
  if (has(self, "stop refused")) return HYB_STOP_REFUSED;
  if (has(self, "stop crashes")) abort();
  return HYB_STOP_CONFIRMED;
}

static void close_faulty(void* self) {
  tell(self, "close");
  free(self);
}

static const char* last_error(void* self) { return has(self, "silent") ? "no answer from port 7" : ""; }

const hyb_driver* hybridbench_driver(void) {
  static const hyb_driver driver = {open_faulty, arm, exchange, stop, close_faulty, last_error};
  return &driver;
}
