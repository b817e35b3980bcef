/* Example with hardware: a sound card as two voltage outputs and two voltage inputs, by ALSA (package libasound2-dev).
 * For shakers with an amplifier: a sound card has no constant voltage, and a delay of several periods. */
#include <alsa/asoundlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hybridbench_driver.h"

/* clang-format off */
HYBRIDBENCH_DRIVER_DESCRIPTION({
  "title": "Sound card",
  "description": "Two outputs and two inputs of a sound card. The voltages are held for one tick.",
  "settings": {
    "playback": {"title": "Output device", "description": "ALSA device of the outputs: default, hw:1, null.",
                 "type": "string", "minLength": 1, "maxLength": 100, "default": "default"},
    "capture": {"title": "Input device", "description": "ALSA device of the inputs.",
                "type": "string", "minLength": 1, "maxLength": 100, "default": "default"},
    "frames_per_s": {"title": "Sampling rate", "description": "Rate of the converters.",
                     "type": "integer", "minimum": 8000, "maximum": 192000, "default": 48000, "x-unit": "Hz"},
    "full_scale_v": {"title": "Full scale", "description": "Voltage at the largest number of the converters.",
                     "type": "number", "minimum": 0.01, "maximum": 100, "default": 1, "x-unit": "V"},
    "ramp_s": {"title": "Fade-out", "description": "Time in which a stop fades the outputs to zero.",
               "type": "number", "minimum": 0, "maximum": 1, "default": 0.05, "x-unit": "s"}
  },
  "channels": [
    {"name": "out", "direction": "output", "units": "V", "min": -100, "max": 100, "count": 2},
    {"name": "in", "direction": "input", "units": "V", "count": 2}
  ]
})
/* clang-format on */

enum { SIDES = 2, LONGEST = 1 << 14, FULL = 32767 };

typedef struct {
  snd_pcm_t *out, *in;
  uint32_t outputs, inputs;
  int output[SIDES], input[SIDES]; /* side of each channel */
  double full_scale_v, frames_per_tick, owed, volts[SIDES], ramp_s, frames_per_s;
  short frames[LONGEST][SIDES];
  char error[200];
} card;

static int failed(card* c, const char* what, long code, int result) {
  snprintf(c->error, sizeof c->error, "%s: %s", what, snd_strerror((int)code));
  return result;
}

static void close_card(void* self) {
  card* c = self;
  if (c->out) snd_pcm_close(c->out);
  if (c->in) snd_pcm_close(c->in);
  free(c);
}

/* 16 bits, two sides. Returns 0, or the error of ALSA. */
static int open_pcm(snd_pcm_t** pcm, const char* name, snd_pcm_stream_t stream, unsigned rate) {
  int code = snd_pcm_open(pcm, name, stream, SND_PCM_NONBLOCK);
  if (code >= 0)
    code = snd_pcm_set_params(*pcm, SND_PCM_FORMAT_S16, SND_PCM_ACCESS_RW_INTERLEAVED, SIDES, rate, 1, 20000);
  return code < 0 ? code : 0;
}

static void* open_card(const hyb_request* request, double deadline_s, char* why, size_t why_size) {
  (void)deadline_s;
  card* c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(why, why_size, "no memory");
    return NULL;
  }
  c->frames_per_s = hyb_number(request, "frames_per_s");
  c->frames_per_tick = c->frames_per_s / request->rate_hz;
  c->full_scale_v = hyb_number(request, "full_scale_v");
  c->ramp_s = hyb_number(request, "ramp_s");
  c->outputs = request->output_count;
  c->inputs = request->input_count;
  if (c->outputs > SIDES || c->inputs > SIDES || c->frames_per_tick > LONGEST / 4) {
    snprintf(why, why_size, "use each channel once, at a rate of the loop of at least %g Hz", 4 * c->frames_per_s / LONGEST);
    free(c);
    return NULL;
  }
  for (uint32_t o = 0; o < c->outputs; ++o) c->output[o] = strcmp(request->outputs[o], "out1") == 0;
  for (uint32_t i = 0; i < c->inputs; ++i) c->input[i] = strcmp(request->inputs[i], "in1") == 0;
  const char *playback = hyb_text(request, "playback"), *capture = hyb_text(request, "capture");
  int code = open_pcm(&c->out, playback, SND_PCM_STREAM_PLAYBACK, (unsigned)c->frames_per_s);
  if (code < 0) snprintf(why, why_size, "output device \"%s\": %s; aplay -L lists them", playback, snd_strerror(code));
  if (code >= 0) {
    code = open_pcm(&c->in, capture, SND_PCM_STREAM_CAPTURE, (unsigned)c->frames_per_s);
    if (code < 0) snprintf(why, why_size, "input device \"%s\": %s; arecord -L lists them", capture, snd_strerror(code));
  }
  if (code >= 0) code = snd_pcm_start(c->in);
  if (code >= 0) return c;
  if (why[0] == 0) snprintf(why, why_size, "%s", snd_strerror(code));
  close_card(c);
  return NULL;
}

static int arm(void* self) {
  (void)self; /* silence until the first output */
  return HYB_OK;
}

static short number_of(const card* c, double volts) {
  const double share = fmin(fmax(volts / c->full_scale_v, -1.0), 1.0);
  return (short)lrint(FULL * share);
}

/* Sends what the last ticks owe the converters. An underrun is repaired: the next frames begin anew. */
static int play(card* c) {
  c->owed += c->frames_per_tick;
  const snd_pcm_uframes_t count = (snd_pcm_uframes_t)fmin(floor(c->owed), LONGEST);
  for (snd_pcm_uframes_t k = 0; k < count; ++k)
    for (int s = 0; s < SIDES; ++s) c->frames[k][s] = number_of(c, c->volts[s]);
  snd_pcm_sframes_t sent = snd_pcm_writei(c->out, c->frames, count);
  if (sent == -EAGAIN) sent = 0; /* its buffer is full: these frames are left out */
  if (sent < 0 && snd_pcm_recover(c->out, (int)sent, 1) < 0) return failed(c, "output", sent, HYB_LOST);
  c->owed -= (double)count;
  return HYB_OK;
}

static int exchange(void* self, const double* outputs, double* inputs, double deadline_s) {
  card* c = self;
  (void)deadline_s; /* nothing waits: both devices are non-blocking */
  if (outputs) {
    for (uint32_t o = 0; o < c->outputs; ++o) c->volts[c->output[o]] = outputs[o];
    const int result = play(c);
    if (result != HYB_OK) return result;
  }
  snd_pcm_sframes_t got = snd_pcm_readi(c->in, c->frames, LONGEST);
  if (got == -EAGAIN) got = 0;
  if (got < 0) {
    if (snd_pcm_recover(c->in, (int)got, 1) < 0 || snd_pcm_start(c->in) < 0) return failed(c, "input", got, HYB_LOST);
    got = 0;
  }
  /* Without a new frame an input has no value. */
  for (uint32_t i = 0; i < c->inputs; ++i)
    inputs[i] = got > 0 ? c->full_scale_v * c->frames[got - 1][c->input[i]] / FULL : (double)NAN;
  return HYB_OK;
}

static int stop(void* self) {
  card* c = self;
  const snd_pcm_uframes_t ramp = (snd_pcm_uframes_t)fmin(c->ramp_s * c->frames_per_s + 1.0, LONGEST);
  for (snd_pcm_uframes_t k = 0; k < ramp; ++k)
    for (int s = 0; s < SIDES; ++s)
      c->frames[k][s] = number_of(c, c->volts[s] * (double)(ramp - 1 - k) / (double)ramp);
  snd_pcm_nonblock(c->out, 0);
  const snd_pcm_sframes_t sent = snd_pcm_writei(c->out, c->frames, ramp);
  if (sent < 0) {
    failed(c, "fade-out", sent, 0);
    return snd_pcm_drop(c->out) < 0 ? HYB_STOP_UNSENT : HYB_STOP_SENT;
  }
  return snd_pcm_drain(c->out) < 0 ? HYB_STOP_UNCONFIRMED : HYB_STOP_CONFIRMED;
}

static const char* last_error(void* self) { return ((const card*)self)->error; }

const hyb_driver* hybridbench_driver(void) {
  static const hyb_driver driver = {open_card, arm, exchange, stop, close_card, last_error};
  return &driver;
}
