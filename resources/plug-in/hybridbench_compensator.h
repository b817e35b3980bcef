/* A compensator of your own for HybridBench, as a shared library with this C interface.
 *
 * Version 2. All quantities in SI units. "Real time" marks what is called inside the tick: there nothing may be
 * allocated, locked, waited for, read or written but what the function was given and what create() made. Before a rig
 * is armed HybridBench tries the library out and refuses one that breaks this. While a test runs, a call that does not
 * return, one that throws, exit(), and a command or rate that is not a number end the test.
 */
#ifndef HYBRIDBENCH_COMPENSATOR_H
#define HYBRIDBENCH_COMPENSATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 2: with what was learnt, at the end of hyb_compensator. Libraries of version 1 are taken as well. */
#define HYBRIDBENCH_COMPENSATOR_VERSION 2

/* What the compensator serves. */
typedef struct hyb_loop {
  uint32_t axes;            /* interface degrees of freedom */
  double step_s;            /* one tick */
  const double* parameters; /* [parameter_count] as the project gives them, while create() runs */
} hyb_loop;

/* A setting: /compensation/parameters of the project lists their values in this order. Tunable if there is tune(). */
typedef struct hyb_parameter {
  const char* name;  /* letters, digits and "_" */
  const char* units; /* "" for a plain number */
  double initial, min, max;
  const char* description;
} hyb_parameter;

/* A quantity that is adapted, one on each axis; shown live and recorded as /adaptation/<name>_<axis>. */
typedef struct hyb_adapted {
  const char* name;
  const char* units;
  const char* description;
} hyb_adapted;

/* The compensator. What is marked "or NULL" may be left out. Strings and lists live as long as the library. */
typedef struct hyb_compensator {
  uint32_t version; /* HYBRIDBENCH_COMPENSATOR_VERSION */
  const char* name;
  const hyb_parameter* parameters; /* [parameter_count] */
  uint32_t parameter_count;
  const hyb_adapted* adapted; /* [adapted_count] */
  uint32_t adapted_count;

  /* A new instance, passed as `self` to all the others. NULL refuses: write a sentence into why[why_size]. */
  void* (*create)(const hyb_loop* loop, char* why, size_t why_size);
  void (*destroy)(void* self);
  /* As after create(). */
  void (*reset)(void* self);
  /* Forgets the targets, keeps what was adapted: after a hold. Real time. */
  void (*restart)(void* self);
  /* One tick, all arrays [axes]: target z (m) and its rate (m/s), measured x (m) of the same instant; writes the
   * command u (m) and its rate (m/s). A reading that is not a number must adapt nothing. Real time. */
  void (*update)(void* self, const double* target, const double* target_rate, const double* measured, double* command,
                 double* command_rate);
  /* Sets a parameter, within its bounds, while the test runs. Real time. Or NULL. */
  void (*tune)(void* self, uint32_t parameter, double value);
  /* Writes values[axes * adapted_count], axis by axis. Real time. NULL where adapted_count is 0. */
  void (*read_adapted)(const void* self, double* values);
  /* What it makes of the target of an axis as it starts: taps of a filter, newest first; returns how many there are,
   * at most `room`. Once a test is armed, stability and margins count with it. Or NULL: they leave it out. */
  uint32_t (*taps)(const void* self, uint32_t axis, double* taps, uint32_t room);
  /* The delay it makes up for as it starts, s. Or NULL: 0. */
  double (*lead_s)(const void* self, uint32_t axis);

  /* From version 2 on: all three or none. With them trials can put back what the best one began with, and the next test
   * can begin with it. How many numbers make up what was learnt: all that restart() keeps and reset() forgets, but for
   * parameters; the same for the whole life of an instance. Or NULL: it cannot be put back. */
  uint32_t (*learnt_count)(const void* self);
  /* Writes them, values[learnt_count()]. Real time. */
  void (*read_learnt)(const void* self, double* values);
  /* Puts back what read_learnt() gave, of this instance or of another one with the same settings. Real time. */
  void (*set_learnt)(void* self, const double* values);
} hyb_compensator;

/* The one symbol that HybridBench looks for in the library. */
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
const hyb_compensator*
hybridbench_compensator(void);

#ifdef __cplusplus
}
#endif
#endif
