/* Device side of the HybridBench rig protocol, in C99.
 *
 * A rig is described by a configuration (channels, bounds), a port (bytes and time) and a plant (sensors and
 * actuators). Call hyb_rig_poll() as often as you can, at least once a millisecond while the rig is armed. Everything
 * else is done here: greeting, arming, clamps, bounds on steps and speed, watchdog, ramp to rest, and the key. Nothing
 * is allocated and nothing waits. The state is about twice HYB_RIG_BUFFER bytes.
 *
 * Protocol: help page "Rig protocol" of HybridBench. SPDX-License-Identifier: MIT */
#ifndef HYB_RIG_H
#define HYB_RIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the plant: double, or float on a controller where double is too slow. On the wire they are float64. */
#ifndef HYB_RIG_REAL
#define HYB_RIG_REAL double
#endif
typedef HYB_RIG_REAL hyb_rig_real;

/* Longest frame. A greeting needs about 350 bytes and 70 more for each channel. */
#ifndef HYB_RIG_BUFFER
#ifdef __AVR__
#define HYB_RIG_BUFFER 1024
#else
#define HYB_RIG_BUFFER 4096
#endif
#endif
/* Largest number of commands, and of measurements. */
#ifndef HYB_RIG_CHANNELS
#ifdef __AVR__
#define HYB_RIG_CHANNELS 4
#else
#define HYB_RIG_CHANNELS 16
#endif
#endif

/* Status bits of a plant. The other bits of the protocol are set here. */
#define HYB_RIG_FAULT (UINT32_C(1) << 4)
#define HYB_RIG_EMERGENCY_STOP (UINT32_C(1) << 5)
#define HYB_RIG_INTERLOCK (UINT32_C(1) << 6)
#define HYB_RIG_POSITION_LIMIT (UINT32_C(1) << 9)
#define HYB_RIG_FORCE_LIMIT (UINT32_C(1) << 10)
#define HYB_RIG_SENSOR_FAULT (UINT32_C(1) << 11)
#define HYB_RIG_SATURATED (UINT32_C(1) << 12)
#define HYB_RIG_SIMULATED (UINT32_C(1) << 16)

/* Name and units must equal those of the channel in the project. A range whose ends are equal (both 0) is open. */
typedef struct hyb_rig_command {
  const char* name;
  const char* units;
  hyb_rig_real min, max;  /* a value outside is clipped */
  hyb_rig_real max_step;  /* in one tick; 0: unbounded. A larger step stops the rig */
  hyb_rig_real max_speed; /* per second; 0: unbounded. A faster command stops the rig */
  hyb_rig_real rest;      /* where the ramp of the safe action ends */
  unsigned rate_of;       /* 0: a position. k: the speed of command k, counted from 1; only max_speed applies */
} hyb_rig_command;

typedef struct hyb_rig_measurement {
  const char* name;
  const char* units;
  hyb_rig_real min, max;
} hyb_rig_measurement;

typedef struct hyb_rig_config {
  const char* serial; /* identity: maker, model, number */
  hyb_rig_real rate_hz;
  const hyb_rig_command* commands;
  unsigned command_count;
  const hyb_rig_measurement* measurements;
  unsigned measurement_count;
  hyb_rig_real arm_tolerance;   /* between the commands at arming and where the rig stands; in units of the commands */
  const char* calibration_date; /* "2026-03-31"; NULL: none */
  const char* interlock;        /* name of the interlock input; NULL: none */
  const uint8_t* key;           /* 32 bytes shared with the bench; NULL: everyone may move the rig */
  int serial_line;              /* 1: frames are coded with COBS; 0: TCP */
} hyb_rig_config;

/* Bytes and time. None of the functions may wait. */
typedef struct hyb_rig_port {
  void* context;
  /* Received bytes into `into`, at most `room`; returns their number, 0: none, -1: the connection is closed. */
  int (*receive)(void* context, uint8_t* into, size_t room);
  /* Returns how many bytes were taken, -1: the connection is closed. The others are offered again. */
  int (*send)(void* context, const uint8_t* bytes, size_t count);
  /* Monotonic time in ns, which never steps or wraps. */
  int64_t (*now_ns)(void* context);
  /* Unpredictable bytes, for the session and the key; returns 0 on success. NULL: none, then there is no key. */
  int (*random)(void* context, uint8_t* bytes, size_t count);
} hyb_rig_port;

/* Sensors and actuators. Values are those on the wire, in the order of the configuration. */
typedef struct hyb_rig_plant {
  void* context;
  /* A bench has greeted: a simulated rig starts anew at rest. May be NULL. */
  void (*open)(void* context);
  /* Switches the actuators on (1, before the first command) or off (0). */
  void (*power)(void* context, int on);
  /* Samples all measurements, `elapsed` ticks after the last command; a simulated rig lives through these ticks. */
  void (*sample)(void* context, uint32_t elapsed, hyb_rig_real* measurements);
  /* Applies the commands, which are finite, clipped and within the bounds. Returns 0; other: the actuators refuse. */
  int (*apply)(void* context, const hyb_rig_real* commands);
  /* The commands that would keep the rig where it is: present positions, and 0 for speeds. Called after sample(). */
  void (*stand)(void* context, hyb_rig_real* positions);
  /* Status bits. May be NULL. */
  uint32_t (*status)(void* context);
  /* One line for a log. May be NULL. */
  void (*say)(void* context, const char* line);
} hyb_rig_plant;

typedef enum hyb_rig_state {
  HYB_RIG_LISTENING, /* no bench */
  HYB_RIG_GREETED,   /* a bench reads; nothing moves */
  HYB_RIG_ARMED,     /* follows commands */
  HYB_RIG_STOPPING,  /* ramps to rest by itself */
  HYB_RIG_STOPPED    /* until a bench greets and arms again */
} hyb_rig_state;

/* State of a key in one session. */
typedef struct hyb_rig_auth {
  uint8_t sends[32], receives[32];
  uint64_t sent, received; /* counters of the last frames */
  int on;
} hyb_rig_auth;

/* One rig. The fields belong to hyb_rig.c; read figures only. */
typedef struct hyb_rig {
  const hyb_rig_config* config;
  const hyb_rig_port* port;
  const hyb_rig_plant* plant;
  hyb_rig_state state;

  struct { /* counted since a bench greeted */
    uint32_t received, damaged, out_of_order, forged, clipped;
  } figures;

  /* agreed on */
  hyb_rig_real command_min[HYB_RIG_CHANNELS], command_max[HYB_RIG_CHANNELS];
  hyb_rig_real measurement_min[HYB_RIG_CHANNELS], measurement_max[HYB_RIG_CHANNELS];
  uint32_t timeout_ticks;
  int64_t silence_ns, ramp_ns;
  int safe_action;

  hyb_rig_real command[HYB_RIG_CHANNELS], ramp_from[HYB_RIG_CHANNELS], reading[HYB_RIG_CHANNELS];
  uint64_t first_tick, last_tick;
  int64_t first_at, heard_at, spoke_at, sampled_at, moved_at, stopping_at;
  int open, any_command, any_clipped, refused;

  uint32_t session, sequence_out, sequence_in;
  int any_in;
  const char* damage;
  hyb_rig_auth auth, challenged;

  uint8_t in[HYB_RIG_BUFFER + HYB_RIG_BUFFER / 254 + 2];
  size_t in_count, in_searched;
  int in_overlong;
  uint8_t out[HYB_RIG_BUFFER + HYB_RIG_BUFFER / 254 + 4];
  size_t out_begin, out_end; /* accepted late by the port */
} hyb_rig;

/* The pointers must stay valid. Returns 0; -1: the configuration has too many channels, or a key but no random bytes.
 */
int hyb_rig_init(hyb_rig* rig, const hyb_rig_config* config, const hyb_rig_port* port, const hyb_rig_plant* plant);
/* TCP: a new connection; call before the first hyb_rig_poll() on it. A serial line is always connected. */
void hyb_rig_connected(hyb_rig* rig);
/* Does everything that is due. Returns 1; 0: the connection has ended and the rig is at rest: close it. */
int hyb_rig_poll(hyb_rig* rig);
/* Longest time until the next hyb_rig_poll() if no byte arrives, ns. */
int64_t hyb_rig_patience_ns(const hyb_rig* rig);
/* Takes the safe action and tells the bench why: for limits of your own, or before the program ends. */
void hyb_rig_stop(hyb_rig* rig, const char* why);
/* 1 while the rig is armed or still moves to rest. */
int hyb_rig_moving(const hyb_rig* rig);

/* Parts that are useful alone. */
uint32_t hyb_rig_crc32c(const uint8_t* bytes, size_t count);
/* `out` holds at least count + count / 254 + 1 bytes and may begin that much before `bytes`; returns the length. */
size_t hyb_rig_cobs_encode(const uint8_t* bytes, size_t count, uint8_t* out);
/* In place; returns the length, or (size_t)-1 if it is not COBS. */
size_t hyb_rig_cobs_decode(uint8_t* bytes, size_t count);
/* HMAC-SHA-256 (RFC 2104) with a key of 32 bytes. */
void hyb_rig_hmac(const uint8_t key[32], const uint8_t* message, size_t count, uint8_t tag[32]);
/* 64 hexadecimal digits to 32 bytes; returns 0, or -1 for other text. */
int hyb_rig_key_of_hex(const char* text, uint8_t key[32]);

#ifdef __cplusplus
}
#endif
#endif
