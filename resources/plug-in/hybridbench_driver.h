/* A driver of your own for HybridBench: a shared library with this C interface connects the bench to hardware, for
 * example a data acquisition card.
 *
 * Version 1. The bench runs the driver in its own process, unless the project asks otherwise. All functions are called
 * by one thread, one after the other, and each of them has to return within its deadline: the bench ends a driver that
 * does not return, and the link counts as lost. Raw values have the units of the description.
 *
 * Order of the calls: open, exchange with outputs NULL (only reads), arm, exchange with outputs in each tick, stop,
 * close. stop may come at any time after open. A test on the same instance does not begin again: close and open follow.
 */
#ifndef HYBRIDBENCH_DRIVER_H
#define HYBRIDBENCH_DRIVER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HYBRIDBENCH_DRIVER_VERSION 1

#ifdef __GNUC__
#define HYB_DRIVER_EXPORT __attribute__((visibility("default")))
#else
#define HYB_DRIVER_EXPORT
#endif

/* The description of the driver, once in the library, as JSON without quotes around it:
 *
 *   HYBRIDBENCH_DRIVER_DESCRIPTION({
 *     "title": "Voltage card",
 *     "description": "Two outputs and two inputs of the card.",
 *     "settings": {
 *       "range_v": {"title": "Range", "description": "Largest voltage.", "type": "number", "minimum": 1, "maximum": 10,
 *                   "default": 10, "x-unit": "V"}
 *     },
 *     "channels": [
 *       {"name": "out", "direction": "output", "units": "V", "min": -10, "max": 10, "count": 2},
 *       {"name": "in", "direction": "input", "units": "V", "count": 2}
 *     ]
 *   })
 *
 * settings: properties of a JSON Schema. Each has a title, a description, a default and one of the types "number",
 * "integer", "boolean" and "string"; optional are minimum, exclusiveMinimum, maximum, x-unit, enum, x-enum-titles,
 * minLength, maxLength. The window makes its form of them, and the bench checks each value before open.
 * channels: min and max are limits of the device; the bench never sends a value outside. With "count": N the channels
 * are called out0, out1 ... A project uses any of them.
 *
 * The bench reads the description from the file, without running any code of the library. */
#define HYBRIDBENCH_DRIVER_DESCRIPTION(...)                               \
  const uint32_t hybridbench_driver_version = HYBRIDBENCH_DRIVER_VERSION; \
  const char hybridbench_driver_description[] = #__VA_ARGS__;
extern HYB_DRIVER_EXPORT const uint32_t hybridbench_driver_version;
extern HYB_DRIVER_EXPORT const char hybridbench_driver_description[];

/* Value of a setting: from the project, or its default. */
typedef struct hyb_setting {
  const char* name;
  double number;    /* number, integer, boolean (1: true) */
  const char* text; /* string; "" for the other types */
} hyb_setting;

/* What a project asks of the driver. Valid while open runs. */
typedef struct hyb_request {
  double rate_hz;              /* of the loop */
  const hyb_setting* settings; /* [setting_count], in the order of the description */
  uint32_t setting_count;
  const char* const* outputs; /* [output_count] names of channels, in the order of the values of exchange */
  uint32_t output_count;
  const char* const* inputs; /* [input_count] */
  uint32_t input_count;
} hyb_request;

/* Result of open, arm and exchange. After any result but HYB_OK, last_error says why in one sentence. */
enum {
  HYB_OK = 0,
  HYB_LATE = 1,       /* the device did not answer within the deadline: the values count as stale */
  HYB_BAD_ANSWER = 2, /* its answer cannot be used: the values count as stale */
  HYB_LOST = 3,       /* the connection to the device is lost */
  HYB_FAULT = 4       /* the device is in fault, or refuses */
};

/* Result of stop. */
enum {
  HYB_STOP_CONFIRMED = 0,   /* the device confirmed its safe state */
  HYB_STOP_SENT = 1,        /* sent; this device never confirms */
  HYB_STOP_UNCONFIRMED = 2, /* sent, but the confirmation is missing */
  HYB_STOP_REFUSED = 3,
  HYB_STOP_UNSENT = 4
};

/* The functions of a driver; none may be left out. `self` is what open returned. */
typedef struct hyb_driver {
  /* Connects to the device and checks it; arms and moves nothing. NULL refuses: write a sentence with the remedy into
   * why[why_size]. */
  void* (*open)(const hyb_request* request, double deadline_s, char* why, size_t why_size);
  /* The device may move from now on. */
  int (*arm)(void* self);
  /* Sets outputs[output_count] (NULL: leaves them) and reads inputs[input_count]. An input without a value becomes NAN:
   * it counts as stale. Returns HYB_LATE rather than exceed the deadline; an answer that comes later must not be taken
   * for the next one. */
  int (*exchange)(void* self, const double* outputs, double* inputs, double deadline_s);
  /* Brings the device to its safe state, at once. Not HYB_OK but one of HYB_STOP_... Also called if the bench has ended
   * or is silent, and, after a crash, on a new instance that was opened for it. */
  int (*stop)(void* self);
  void (*close)(void* self);
  /* One sentence on the last failure. Valid until the next call. */
  const char* (*last_error)(void* self);
} hyb_driver;

/* The one function that HybridBench looks for in the library. */
HYB_DRIVER_EXPORT const hyb_driver* hybridbench_driver(void);

/* Value of a setting of type number, integer or boolean; 0 if the description has none of this name. */
static inline double hyb_number(const hyb_request* request, const char* name) {
  for (uint32_t s = 0; s < request->setting_count; ++s)
    if (strcmp(request->settings[s].name, name) == 0) return request->settings[s].number;
  return 0.0;
}

/* Value of a setting of type string; "" if the description has none of this name. */
static inline const char* hyb_text(const hyb_request* request, const char* name) {
  for (uint32_t s = 0; s < request->setting_count; ++s)
    if (strcmp(request->settings[s].name, name) == 0) return request->settings[s].text;
  return "";
}

#ifdef __cplusplus
}
#endif
#endif
