/* A rig on an Arduino Mega, Due or Teensy with two actuators, each with a position sensor and a force sensor.
 *
 * Copy hyb_rig.h and hyb_rig.c beside this sketch. In the project of the bench the protocol is "Rig protocol" and the
 * address the serial port of this board. Rig > Channels has command_1, command_2, measured_1, measured_2, force_1 and
 * force_2 in this order, with the units V.
 * SPDX-License-Identifier: MIT */
#include "hyb_rig.h"

enum { kActuators = 2 };
static const int kCommandPins[kActuators] = {9, 10}, kPositionPins[kActuators] = {A0, A1};
static const int kForcePins[kActuators] = {A2, A3}, kEnablePin = 7, kDoorPin = 6;
static const hyb_rig_real kVolts = 5; /* full scale of inputs and outputs */

static const hyb_rig_command commands[] = {
    /* name, units, min, max, max_step, max_speed, rest, rate_of */
    {"command_1", "V", (hyb_rig_real)0.5, (hyb_rig_real)4.5, (hyb_rig_real)0.05, 10, (hyb_rig_real)2.5, 0},
    {"command_2", "V", (hyb_rig_real)0.5, (hyb_rig_real)4.5, (hyb_rig_real)0.05, 10, (hyb_rig_real)2.5, 0}};
static const hyb_rig_measurement measurements[] = {
    {"measured_1", "V", 0, 0}, {"measured_2", "V", 0, 0}, {"force_1", "V", 0, 0}, {"force_2", "V", 0, 0}};

static hyb_rig_config config;
static hyb_rig rig;

/* The port: USB or a serial interface. */

static int port_receive(void*, uint8_t* into, size_t room) {
  size_t count = 0;
  while (count < room && Serial.available() > 0) into[count++] = (uint8_t)Serial.read();
  return (int)count;
}

static int port_send(void*, const uint8_t* bytes, size_t count) {
  const int room = Serial.availableForWrite();
  if (room <= 0) return 0;
  return (int)Serial.write(bytes, count < (size_t)room ? count : (size_t)room);
}

/* micros() wraps after 71 minutes; this does not. */
static int64_t port_now(void*) {
  static uint32_t last = 0, wraps = 0;
  const uint32_t now = micros();
  if (now < last) ++wraps;
  last = now;
  return (((int64_t)wraps << 32) | now) * 1000;
}

static const hyb_rig_port port = {NULL, port_receive, port_send, port_now, NULL};

/* The plant: a valve or a motor driver at a PWM output, two analogue inputs, a door contact. */

static void plant_power(void*, int on) { digitalWrite(kEnablePin, on ? HIGH : LOW); }

static hyb_rig_real volts(int pin) { return (hyb_rig_real)analogRead(pin) * kVolts / 1023; }

static void plant_sample(void*, uint32_t, hyb_rig_real* values) {
  for (int i = 0; i < kActuators; ++i) {
    values[i] = volts(kPositionPins[i]);
    values[kActuators + i] = volts(kForcePins[i]);
  }
}

static int plant_apply(void*, const hyb_rig_real* values) {
  for (int i = 0; i < kActuators; ++i) analogWrite(kCommandPins[i], (int)(values[i] * 255 / kVolts));
  return 0;
}

static void plant_stand(void*, hyb_rig_real* positions) {
  for (int i = 0; i < kActuators; ++i) positions[i] = volts(kPositionPins[i]);
}

static uint32_t plant_status(void*) { return digitalRead(kDoorPin) == HIGH ? HYB_RIG_INTERLOCK : 0; }

static const hyb_rig_plant plant = {NULL,        NULL,        plant_power,  plant_sample,
                                    plant_apply, plant_stand, plant_status, NULL};

void setup() {
  Serial.begin(115200);
  pinMode(kEnablePin, OUTPUT);
  digitalWrite(kEnablePin, LOW);
  for (int i = 0; i < kActuators; ++i) pinMode(kCommandPins[i], OUTPUT);
  pinMode(kDoorPin, INPUT_PULLUP); /* closed: connected to ground */
  config.serial = "Arduino, two actuators";
  config.rate_hz = 50;
  config.commands = commands;
  config.command_count = kActuators;
  config.measurements = measurements;
  config.measurement_count = 2 * kActuators;
  config.arm_tolerance = (hyb_rig_real)0.1;
  config.interlock = "door";
  config.serial_line = 1;
  hyb_rig_init(&rig, &config, &port, &plant);
}

void loop() { hyb_rig_poll(&rig); }
