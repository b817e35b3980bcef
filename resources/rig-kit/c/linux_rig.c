/* A rig on Linux: serves a simple twin over TCP, a serial line or a pseudo-terminal, by the HybridBench rig protocol.
 *
 *   cc -std=c99 -O2 -o linux_rig linux_rig.c hyb_rig.c -lm
 *   ./linux_rig --listen tcp://127.0.0.1:4711
 *
 * Each interface has an actuator that follows its command with a lag of 3 ms. The specimen is a mass that a spring and
 * a damper tie to each interface; two interfaces are the rig of the project "three-mass". For your own rig, replace the
 * functions of "The plant". SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 600
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "hyb_rig.h"

/* ---- The plant ---- */

enum { MOST_INTERFACES = HYB_RIG_CHANNELS / 2 };

typedef struct axis {
  double command, position; /* of the actuator, m */
  double force;             /* of the specimen on the interface, N */
} axis;

typedef struct twin {
  unsigned interfaces;
  double period_s;
  axis axes[MOST_INTERFACES];
  double mass_position, mass_speed;
  int powered;
} twin;

static const double kLag_s = 0.003, kStiffness_n_per_m = 9000.0, kDamping_kg_per_s = 30.0, kMass_kg = 2.2;

static void twin_open(void* context) {
  twin* const t = context;
  memset(t->axes, 0, sizeof t->axes);
  t->mass_position = t->mass_speed = 0.0;
  t->powered = 0;
}

static void twin_power(void* context, int on) { ((twin*)context)->powered = on; }

/* Lives through the elapsed ticks with the last commands. */
static void twin_sample(void* context, uint32_t elapsed, hyb_rig_real* measurements) {
  twin* const t = context;
  const double share = 1.0 - exp(-t->period_s / kLag_s);
  unsigned i;
  for (; elapsed > 0; --elapsed) {
    double sum_n = 0.0;
    for (i = 0; i < t->interfaces; ++i) {
      axis* const a = &t->axes[i];
      const double before = a->position;
      if (t->powered) a->position += share * (a->command - a->position);
      a->force = kStiffness_n_per_m * (t->mass_position - a->position) +
                 kDamping_kg_per_s * (t->mass_speed - (a->position - before) / t->period_s);
      sum_n += a->force;
    }
    t->mass_speed -= sum_n / kMass_kg * t->period_s;
    t->mass_position += t->mass_speed * t->period_s;
  }
  for (i = 0; i < t->interfaces; ++i) {
    measurements[i] = t->axes[i].position;
    measurements[t->interfaces + i] = t->axes[i].force;
  }
}

static int twin_apply(void* context, const hyb_rig_real* commands) {
  twin* const t = context;
  unsigned i;
  for (i = 0; i < t->interfaces; ++i) t->axes[i].command = commands[i]; /* these actuators need no speeds */
  return 0;
}

static void twin_stand(void* context, hyb_rig_real* positions) {
  const twin* const t = context;
  unsigned i;
  for (i = 0; i < t->interfaces; ++i) {
    positions[i] = t->axes[i].position;
    positions[t->interfaces + i] = 0.0;
  }
}

static uint32_t twin_status(void* context) {
  (void)context;
  return HYB_RIG_SIMULATED;
}

static void twin_say(void* context, const char* line) {
  (void)context;
  fprintf(stderr, "%s\n", line);
}

/* ---- The port ---- */

static int line_receive(void* context, uint8_t* into, size_t room) {
  const ssize_t got = room == 0 ? 0 : read(*(int*)context, into, room);
  if (got > 0) return (int)got;
  if (got == 0) return room == 0 || isatty(*(int*)context) ? 0 : -1;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static int line_send(void* context, const uint8_t* bytes, size_t count) {
  const ssize_t sent = write(*(int*)context, bytes, count);
  if (sent >= 0) return (int)sent;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

static int64_t line_now(void* context) {
  struct timespec at;
  (void)context;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

static int line_random(void* context, uint8_t* bytes, size_t count) {
  const int file = open("/dev/urandom", O_RDONLY);
  const int good = file >= 0 && read(file, bytes, count) == (ssize_t)count;
  (void)context;
  if (file >= 0) close(file);
  return good ? 0 : -1;
}

/* ---- The program ---- */

static volatile sig_atomic_t ended = 0;
static void end(int signal) {
  (void)signal;
  ended = 1;
}

static int fail(const char* what, const char* why) {
  fprintf(stderr, "error: %s: %s\n", what, why);
  return 3;
}

/* Polls the rig until its connection has ended and it is at rest, or the program is told to end. Another bench waits
   for the end of this one. */
static void serve(hyb_rig* rig, int line) {
  while (hyb_rig_poll(rig)) {
    const int64_t patience_ns = hyb_rig_patience_ns(rig);
    struct pollfd wait;
    wait.fd = rig->open ? line : -1;
    wait.events = POLLIN;
    poll(&wait, 1, (int)((patience_ns + 999999) / 1000000));
    if (!ended) continue;
    hyb_rig_stop(rig, "the rig was told to end");
    if (!hyb_rig_moving(rig)) return;
  }
}

static int own_computer_only(const struct sockaddr* address) {
  return address->sa_family == AF_INET && ntohl(((const struct sockaddr_in*)address)->sin_addr.s_addr) >> 24 == 127;
}

static int serve_tcp(hyb_rig* rig, int* line, char* host, int trusted) {
  char* const port = strrchr(host, ':');
  struct addrinfo hints, *found = NULL;
  struct sockaddr_in bound;
  socklen_t length = sizeof bound;
  const int on = 1;
  int listener;
  if (port == NULL) return fail(host, "give tcp://HOST:PORT");
  *port = '\0';
  memset(&hints, 0, sizeof hints);
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host, port + 1, &hints, &found) != 0) return fail(host, "is not an address");
  if (!trusted && !own_computer_only(found->ai_addr))
    return fail(host, "other computers can reach this address; use --key-file FILE or --trust-network");
  listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, found->ai_addr, found->ai_addrlen) != 0 || listen(listener, 4) != 0)
    return fail("cannot listen", strerror(errno));
  freeaddrinfo(found);
  getsockname(listener, (struct sockaddr*)&bound, &length);
  printf("serving at tcp://%s:%d\n", host, ntohs(bound.sin_port));
  fflush(stdout);
  while (!ended) {
    struct pollfd wait;
    char rest[256];
    wait.fd = listener;
    wait.events = POLLIN;
    if (poll(&wait, 1, 50) <= 0) continue;
    *line = accept(listener, NULL, NULL);
    if (*line < 0) continue;
    setsockopt(*line, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(*line, F_SETFL, O_NONBLOCK);
    hyb_rig_connected(rig);
    serve(rig, *line);
    /* Closing a connection with unread bytes would lose the last words of the rig. */
    shutdown(*line, SHUT_WR);
    wait.fd = *line;
    while (poll(&wait, 1, 200) > 0 && read(*line, rest, sizeof rest) > 0) {
    }
    close(*line);
  }
  close(listener);
  return 0;
}

static int make_raw(int line, speed_t baud) {
  struct termios settings;
  if (tcgetattr(line, &settings) != 0) return -1;
  cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 0;
  cfsetispeed(&settings, baud);
  cfsetospeed(&settings, baud);
  return tcsetattr(line, TCSANOW, &settings);
}

static int serve_line(hyb_rig* rig, int* line, const char* path) {
  int other = -1; /* the bench's end of a pseudo-terminal stays open, so that benches may come and go */
  if (strcmp(path, "pty") == 0) {
    *line = posix_openpt(O_RDWR | O_NOCTTY);
    if (*line < 0 || grantpt(*line) != 0 || unlockpt(*line) != 0) return fail("pty", strerror(errno));
    path = ptsname(*line);
    other = open(path, O_RDWR | O_NOCTTY);
    if (other < 0 || make_raw(other, B115200) != 0) return fail(path, strerror(errno));
  } else {
    *line = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (*line < 0 || make_raw(*line, B115200) != 0) return fail(path, strerror(errno));
  }
  fcntl(*line, F_SETFL, O_NONBLOCK);
  printf("serving at serial:%s\n", path);
  fflush(stdout);
  while (!ended) serve(rig, *line);
  if (other >= 0) close(other);
  close(*line);
  return 0;
}

static int read_key(const char* path, uint8_t key[32]) {
  char text[100] = "";
  struct stat facts;
  FILE* const file = fopen(path, "r");
  if (file == NULL) return fail(path, strerror(errno));
  if (fstat(fileno(file), &facts) != 0 || (facts.st_mode & 077) != 0) {
    fclose(file);
    return fail(path, "other users may read this key; enter: chmod 600 FILE");
  }
  if (fgets(text, sizeof text, file) == NULL) text[0] = '\0';
  fclose(file);
  text[strcspn(text, "\r\n")] = '\0';
  return hyb_rig_key_of_hex(text, key) == 0 ? 0 : fail(path, "has no key of 64 hexadecimal digits");
}

int main(int argc, char** argv) {
  static hyb_rig rig;
  static twin plant_state;
  static char names[2 * HYB_RIG_CHANNELS][24];
  static hyb_rig_command commands[HYB_RIG_CHANNELS];
  static hyb_rig_measurement measurements[HYB_RIG_CHANNELS];
  static uint8_t key[32];
  char listen_at[200] = "tcp://127.0.0.1:4711";
  int line = -1, trusted = 0, a;
  unsigned n = 2, i;
  double rate_hz = 1000.0, max_step = 0.0;
  hyb_rig_config config;
  hyb_rig_port port = {NULL, line_receive, line_send, line_now, line_random};
  hyb_rig_plant plant = {NULL, twin_open, twin_power, twin_sample, twin_apply, twin_stand, twin_status, twin_say};
  struct sigaction on_end;

  memset(&config, 0, sizeof config);
  for (a = 1; a < argc; ++a) {
    const char* const value = a + 1 < argc ? argv[a + 1] : "";
    if (strcmp(argv[a], "--trust-network") == 0) {
      trusted = 1;
      continue;
    }
    if (strcmp(argv[a], "--listen") == 0 && strlen(value) < sizeof listen_at) {
      strcpy(listen_at, value);
    } else if (strcmp(argv[a], "--rate") == 0 && atof(value) > 0.0) {
      rate_hz = atof(value);
    } else if (strcmp(argv[a], "--interfaces") == 0 && atoi(value) > 0 && atoi(value) <= MOST_INTERFACES) {
      n = (unsigned)atoi(value);
    } else if (strcmp(argv[a], "--max-step") == 0 && atof(value) > 0.0) {
      max_step = atof(value);
    } else if (strcmp(argv[a], "--key-file") == 0) {
      if (read_key(value, key) != 0) return 3;
      config.key = key;
      trusted = 1;
    } else {
      fprintf(stderr,
              "usage: linux_rig [--listen tcp://HOST:PORT|serial:PATH|serial:pty] [--rate HZ] [--interfaces N]\n"
              "                 [--max-step M] [--key-file FILE | --trust-network]\n");
      return 2;
    }
    ++a;
  }
  for (i = 0; i < n; ++i) {
    const hyb_rig_command position = {names[2 * i], "m", 0, 0, max_step, 0, 0, 0};
    const hyb_rig_command rate = {names[2 * i + 1], "m/s", 0, 0, 0, 0, 0, i + 1};
    const hyb_rig_measurement motion = {names[2 * n + 2 * i], "m", 0, 0};
    const hyb_rig_measurement force = {names[2 * n + 2 * i + 1], "N", 0, 0};
    sprintf(names[2 * i], "command_%u", i + 1);
    sprintf(names[2 * i + 1], "command_rate_%u", i + 1);
    sprintf(names[2 * n + 2 * i], "measured_%u", i + 1);
    sprintf(names[2 * n + 2 * i + 1], "force_%u", i + 1);
    commands[i] = position;
    commands[n + i] = rate;
    measurements[i] = motion;
    measurements[n + i] = force;
  }
  plant_state.interfaces = n;
  plant_state.period_s = 1.0 / rate_hz;
  config.serial = "HybridBench rig kit, C, twin";
  config.rate_hz = rate_hz;
  config.commands = commands;
  config.measurements = measurements;
  config.command_count = config.measurement_count = 2 * n;
  config.arm_tolerance = 1e-3;
  config.serial_line = strncmp(listen_at, "serial:", 7) == 0;
  port.context = &line;
  plant.context = &plant_state;

  memset(&on_end, 0, sizeof on_end);
  on_end.sa_handler = end;
  sigaction(SIGINT, &on_end, NULL);
  sigaction(SIGTERM, &on_end, NULL);
  signal(SIGPIPE, SIG_IGN);
  if (hyb_rig_init(&rig, &config, &port, &plant) != 0) return fail("hyb_rig_init", "too many channels");
  if (config.serial_line) return serve_line(&rig, &line, listen_at + 7);
  if (strncmp(listen_at, "tcp://", 6) == 0) return serve_tcp(&rig, &line, listen_at + 6, trusted);
  return fail(listen_at, "give tcp://HOST:PORT, serial:PATH or serial:pty");
}
