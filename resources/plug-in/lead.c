/* Example: a first-order lead, u = z + T z', z' as the difference to the last target. It makes up for an actuator that
 * lags by T, and learns T: where the target moves fast, a motion that is behind it raises T. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hybridbench_compensator.h"

enum { LEAD, SHARE, PARAMETERS };
static const hyb_parameter parameters[PARAMETERS] = {
    {"lead", "s", 0.01, 0.0, 0.1, "Lead T to start from: the delay of the actuator."},
    {"share", "1/s", 1.0, 0.0, 10.0, "Share of the remaining delay that is learnt each second; 0: T stays."}};
static const hyb_adapted adapted[] = {{"lead", "s", "Lead T"}};

typedef struct {
  uint32_t axes;
  int started; /* there is a last target */
  double step_s, parameter[PARAMETERS];
  double *lead_s, *last_m; /* [axes] */
  double room[];
} lead;

static void reset(void* self) {
  lead* l = self;
  l->started = 0;
  for (uint32_t i = 0; i < l->axes; ++i) l->lead_s[i] = l->parameter[LEAD];
}

static void* create(const hyb_loop* loop, char* why, size_t why_size) {
  lead* l = malloc(sizeof(lead) + 2 * loop->axes * sizeof(double));
  if (!l) {
    snprintf(why, why_size, "no memory for %u axes", loop->axes);
    return NULL;
  }
  l->axes = loop->axes;
  l->lead_s = l->room;
  l->last_m = l->room + loop->axes;
  l->step_s = loop->step_s;
  for (int p = 0; p < PARAMETERS; ++p) l->parameter[p] = loop->parameters[p];
  reset(l);
  return l;
}

static void restart(void* self) { ((lead*)self)->started = 0; }

static void update(void* self, const double* target, const double* target_rate, const double* measured, double* command,
                   double* command_rate) {
  lead* l = self;
  for (uint32_t i = 0; i < l->axes; ++i) {
    const double rate = l->started ? (target[i] - l->last_m[i]) / l->step_s : 0.0, behind = target[i] - measured[i];
    /* behind = remaining delay * rate, by least squares over slow and fast motion */
    const double learnt = l->parameter[SHARE] * l->step_s * behind * rate / (rate * rate + 1e-6);
    if (isfinite(learnt)) l->lead_s[i] = fmin(fmax(l->lead_s[i] + learnt, 0.0), parameters[LEAD].max);
    command[i] = target[i] + l->lead_s[i] * rate;
    command_rate[i] = target_rate[i];
    l->last_m[i] = target[i];
  }
  l->started = 1;
}

static void tune(void* self, uint32_t parameter, double value) {
  lead* l = self;
  const double change = value - l->parameter[parameter];
  l->parameter[parameter] = value;
  for (uint32_t i = 0; parameter == LEAD && i < l->axes; ++i) l->lead_s[i] += change; /* what was learnt stays */
}

static void read_adapted(const void* self, double* values) {
  const lead* l = self;
  for (uint32_t i = 0; i < l->axes; ++i) values[i] = l->lead_s[i];
}

/* What was learnt is T of each axis; a test may begin with what another one has learnt. */
static uint32_t learnt_count(const void* self) { return ((const lead*)self)->axes; }

static void set_learnt(void* self, const double* values) {
  lead* l = self;
  for (uint32_t i = 0; i < l->axes; ++i) l->lead_s[i] = values[i];
}

static uint32_t taps(const void* self, uint32_t axis, double* taps, uint32_t room) {
  const lead* l = self;
  (void)axis;
  if (room < 2) return 0;
  taps[0] = 1.0 + l->parameter[LEAD] / l->step_s;
  taps[1] = -l->parameter[LEAD] / l->step_s;
  return 2;
}

static double lead_s(const void* self, uint32_t axis) {
  (void)axis;
  return ((const lead*)self)->parameter[LEAD];
}

const hyb_compensator* hybridbench_compensator(void) {
  static const hyb_compensator table = {.version = HYBRIDBENCH_COMPENSATOR_VERSION,
                                        .name = "first-order lead",
                                        .parameters = parameters,
                                        .parameter_count = PARAMETERS,
                                        .adapted = adapted,
                                        .adapted_count = 1,
                                        .create = create,
                                        .destroy = free,
                                        .reset = reset,
                                        .restart = restart,
                                        .update = update,
                                        .tune = tune,
                                        .read_adapted = read_adapted,
                                        .taps = taps,
                                        .lead_s = lead_s,
                                        .learnt_count = learnt_count,
                                        .read_learnt = read_adapted, /* the same numbers */
                                        .set_learnt = set_learnt};
  return &table;
}
