/* Example: a driver without hardware. A first-order actuator moves a spring: lag * x' + x = u, f = stiffness * x. It
 * shows what each function of a driver has to do; a driver for a card differs in what stands behind them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hybridbench_driver.h"

/* clang-format off */
HYBRIDBENCH_DRIVER_DESCRIPTION({
  "title": "First-order actuator",
  "description": "Example without hardware: an actuator with a lag moves a spring.",
  "settings": {
    "lag_s": {"title": "Lag", "description": "Time constant of the actuator. 0: it follows at once.",
              "type": "number", "minimum": 0, "maximum": 1, "default": 0.01, "x-unit": "s"},
    "stiffness_n_per_m": {"title": "Stiffness", "description": "Stiffness of the spring.",
                          "type": "number", "minimum": 0, "maximum": 1e9, "default": 1000, "x-unit": "N/m"}
  },
  "channels": [
    {"name": "command", "direction": "output", "units": "m", "min": -0.05, "max": 0.05, "count": 2},
    {"name": "position", "direction": "input", "units": "m", "count": 2},
    {"name": "force", "direction": "input", "units": "N", "count": 2},
    {"name": "enabled", "direction": "input", "units": ""}
  ]
})
/* clang-format on */

enum { ACTUATORS = 2, ENABLED = 2 * ACTUATORS, CHANNELS = 64 };

typedef struct {
  uint32_t outputs, inputs;
  int output[CHANNELS]; /* number of the actuator */
  int input[CHANNELS];  /* 0, 1: position; 2, 3: force; 4: enabled */
  double lag_s, stiffness, command[ACTUATORS], position[ACTUATORS];
  struct timespec last;
  int armed;
  const char* error;
} actuator;

static double seconds_since(struct timespec* last) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double passed = (double)(now.tv_sec - last->tv_sec) + 1e-9 * (double)(now.tv_nsec - last->tv_nsec);
  *last = now;
  return passed;
}

static void* open_actuator(const hyb_request* request, double deadline_s, char* why, size_t why_size) {
  (void)deadline_s;
  static const char* const outputs[] = {"command0", "command1"};
  static const char* const inputs[] = {"position0", "position1", "force0", "force1", "enabled"};
  if (request->output_count > CHANNELS || request->input_count > CHANNELS) {
    snprintf(why, why_size, "at most %d channels in each direction are possible", CHANNELS);
    return NULL;
  }
  actuator* a = calloc(1, sizeof *a);
  if (!a) {
    snprintf(why, why_size, "no memory");
    return NULL;
  }
  a->outputs = request->output_count;
  a->inputs = request->input_count;
  for (uint32_t o = 0; o < a->outputs; ++o)
    for (int k = 0; k < ACTUATORS; ++k)
      if (strcmp(request->outputs[o], outputs[k]) == 0) a->output[o] = k;
  for (uint32_t i = 0; i < a->inputs; ++i)
    for (int k = 0; k <= ENABLED; ++k)
      if (strcmp(request->inputs[i], inputs[k]) == 0) a->input[i] = k;
  a->lag_s = hyb_number(request, "lag_s");
  a->stiffness = hyb_number(request, "stiffness_n_per_m");
  a->error = "";
  seconds_since(&a->last);
  return a;
}

static int arm(void* self) {
  ((actuator*)self)->armed = 1;
  return HYB_OK;
}

static int exchange(void* self, const double* outputs, double* inputs, double deadline_s) {
  actuator* a = self;
  (void)deadline_s; /* nothing to wait for */
  if (outputs && !a->armed) {
    a->error = "the actuator is not armed";
    return HYB_FAULT;
  }
  for (uint32_t o = 0; outputs && o < a->outputs; ++o) a->command[a->output[o]] = outputs[o];
  /* Exact for a command that is held since the last exchange. */
  const double passed_s = seconds_since(&a->last), left = a->lag_s > 0.0 ? exp(-passed_s / a->lag_s) : 0.0;
  for (int k = 0; k < ACTUATORS; ++k) a->position[k] = a->command[k] + left * (a->position[k] - a->command[k]);
  for (uint32_t i = 0; i < a->inputs; ++i) {
    const int k = a->input[i];
    inputs[i] = k == ENABLED ? a->armed : k < ACTUATORS ? a->position[k] : a->stiffness * a->position[k - ACTUATORS];
  }
  return HYB_OK;
}

static int stop(void* self) {
  actuator* a = self;
  a->armed = 0; /* the actuators stand where they are */
  for (int k = 0; k < ACTUATORS; ++k) a->command[k] = a->position[k];
  return HYB_STOP_CONFIRMED;
}

static void close_actuator(void* self) { free(self); }

static const char* last_error(void* self) { return ((const actuator*)self)->error; }

const hyb_driver* hybridbench_driver(void) {
  static const hyb_driver driver = {open_actuator, arm, exchange, stop, close_actuator, last_error};
  return &driver;
}
