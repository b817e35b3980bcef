"""A finite-element program of one degree of freedom, reduced to what it says to an experimental site.

Free vibration of a mass on the tested spring by the central difference method. Its solution is known in closed form:
x_n = x_0 cos(n theta) with cos(theta) = 1 - (w dt)^2 / 2. Usage: generic_client.py PORT STEPS; exit code 1 and a
sentence where forces or motion are wrong.
"""
import math
import socket
import struct
import sys

MASS_T, STIFFNESS_KN_PER_MM = 0.01, 0.002  # t, kN/mm: w = sqrt(0.002e6 / 10) rad/s
DT_S, START_MM = 0.005, 2.0
BLOCK = 256


class Site:
    """The generic protocol as OpenSees' element speaks it; Nagle's algorithm stays on, as there."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.sendall(struct.pack("<11i", 1, 1, 1, 0, 1, 0, 0, 0, 1, 0, BLOCK))
        self.values = [0.0] * BLOCK

    def send(self, code, *values):
        """One buffer serves all requests, so the last trial stays in it."""
        self.values[0] = code
        self.values[1:1 + len(values)] = values
        self.socket.sendall(struct.pack(f"<{BLOCK}d", *self.values))

    def ask(self, code):
        self.send(code)
        data = b""
        while len(data) < 8 * BLOCK:
            part = self.socket.recv(8 * BLOCK - len(data))
            if not part:
                sys.exit("the site closed the connection first")
            data += part
        return struct.unpack(f"<{BLOCK}d", data)

    def close(self):
        self.send(99.0)
        self.socket.close()


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


def main(port, steps):
    site = Site(port)
    site.send(3.0)
    require(site.ask(15.0)[0] == 0.0, "mass is not zero")
    require(abs(site.ask(12.0)[0] - STIFFNESS_KN_PER_MM) < 1e-12, "stiffness in other units")
    theta = math.acos(1.0 - STIFFNESS_KN_PER_MM / (MASS_T * 1e-3) * DT_S**2 / 2.0)
    last, now = START_MM * math.cos(theta), START_MM
    for n in range(steps):
        speed = (now - last) / DT_S
        site.send(3.0, now, speed, 0.0, n * DT_S)
        site.send(3.0, now, speed, 0.0, n * DT_S)  # programs repeat themselves
        force = site.ask(10.0)[0]
        require(abs(force - STIFFNESS_KN_PER_MM * now) < 1e-9, f"step {n}: force {force} kN at {now} mm")
        if n == 0:
            print("begun", flush=True)
        require(site.ask(14.0)[0] == 0.0, "damping is not zero")
        site.send(5.0)
        exact = START_MM * math.cos(n * theta)
        require(abs(now - exact) < 1e-6 * START_MM, f"step {n}: {now} mm instead of {exact} mm")
        last, now = now, 2.0 * now - last - DT_S**2 * force / (MASS_T * 1e-3)
    site.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
