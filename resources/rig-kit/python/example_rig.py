#!/usr/bin/env python3
"""A rig in Python: serves a simple twin over TCP, a serial line or a pseudo-terminal, by the HybridBench rig protocol.

    python3 example_rig.py --listen tcp://127.0.0.1:4711

Each interface has an actuator that follows its command with a lag of 3 ms. The specimen is a mass that a spring and a
damper tie to each interface; two interfaces are the rig of the project "three-mass". For your own rig, replace the class Twin. SPDX-License-Identifier: MIT
"""
import argparse
import math

from hyb_rig import SIMULATED, Command, Config, Measurement, Plant, read_key, serve

LAG_S, STIFFNESS_N_PER_M, DAMPING_KG_PER_S, MASS_KG = 0.003, 9000.0, 30.0, 2.2


class Axis:
    """An actuator, and the force of the specimen on its interface."""

    def __init__(self):
        self.command = self.position = self.force = 0.0


class Twin(Plant):
    def __init__(self, interfaces, rate_hz):
        self.interfaces, self.period_s = interfaces, 1.0 / rate_hz
        self.share = 1.0 - math.exp(-self.period_s / LAG_S)
        self.open()

    def open(self):
        self.axes = [Axis() for _ in range(self.interfaces)]
        self.mass_position = self.mass_speed = 0.0
        self.powered = False

    def power(self, on):
        self.powered = on

    def sample(self, elapsed):
        share = self.share if self.powered else 0.0
        for _ in range(elapsed):
            for axis in self.axes:
                before = axis.position
                axis.position += share * (axis.command - axis.position)
                axis.force = (STIFFNESS_N_PER_M * (self.mass_position - axis.position) +
                              DAMPING_KG_PER_S * (self.mass_speed - (axis.position - before) / self.period_s))
            self.mass_speed -= sum(axis.force for axis in self.axes) / MASS_KG * self.period_s
            self.mass_position += self.mass_speed * self.period_s
        return [axis.position for axis in self.axes] + [axis.force for axis in self.axes]

    def apply(self, commands):
        for axis, command in zip(self.axes, commands):
            axis.command = command  # these actuators need no speeds, which follow the positions
        return True

    def stand(self):
        return [axis.position for axis in self.axes] + [0.0] * self.interfaces

    def status(self):
        return SIMULATED


def main():
    parser = argparse.ArgumentParser(description="A rig with a simple twin")
    parser.add_argument("--listen", default="tcp://127.0.0.1:4711", help="tcp://HOST:PORT, serial:PATH or serial:pty")
    parser.add_argument("--rate", type=float, default=1000.0, metavar="HZ")
    parser.add_argument("--interfaces", type=int, default=2, metavar="N")
    parser.add_argument("--max-step", type=float, metavar="M", help="largest step of a command in one tick")
    parser.add_argument("--key-file", metavar="FILE", help="serves only benches with the key in this file")
    parser.add_argument("--trust-network", action="store_true", help="serves other computers without a key")
    given = parser.parse_args()

    numbers = range(1, given.interfaces + 1)
    config = Config(
        serial="HybridBench rig kit, Python, twin",
        rate_hz=given.rate,
        commands=[Command(f"command_{i}", "m", max_step=given.max_step) for i in numbers] +
                 [Command(f"command_rate_{i}", "m/s", rate_of=f"command_{i}") for i in numbers],
        measurements=[Measurement(f"measured_{i}", "m") for i in numbers] +
                     [Measurement(f"force_{i}", "N") for i in numbers],
        key=read_key(given.key_file) if given.key_file else None)
    serve(given.listen, config, Twin(given.interfaces, given.rate), given.trust_network)


if __name__ == "__main__":
    main()
