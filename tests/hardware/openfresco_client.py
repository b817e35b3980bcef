"""An OpenFresco model of one degree of freedom, reduced to what `expControl GenericTCP` says to its laboratory.

Free vibration of a mass on the tested spring by the central difference method, whose closed form is
x_n = x_0 cos(n theta) with cos(theta) = 1 - (w dt)^2 / 2. Usage: openfresco_client.py PORT STEPS [MODE]; exit code 1 and
a sentence where measured values or motion are wrong. MODE:

rest         the laboratory stands at each target: the closed form holds
motion       it moves on: measured values lag a little, and the motion is checked less closely (default)
pause        waits in the middle of the test for a line on standard input
beyond       one target in the middle is far beyond the limits
half         leaves in the middle of a block
big-endian   speaks in the other byte order
code         sends three codes that the protocol does not have, then asks
"""
import math
import socket
import struct
import sys

MASS_T, STIFFNESS_KN_PER_MM = 0.01, 0.002  # t, kN/mm: w = sqrt(0.002e6 / 10) rad/s
DT_S, START_MM = 0.005, 2.0
BLOCK = 256


class Laboratory:
    """Nagle's algorithm stays on, as in OpenFresco, and one buffer serves all requests."""

    def __init__(self, port, order="<"):
        self.order = order
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.sendall(struct.pack(order + "11i", 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, BLOCK))
        for line in (b"gain 1\n", b"gain 2\n"):
            self.socket.sendall(b"\x02" + line.ljust(16384, b"\0"))
        self.values = [0.0] * BLOCK

    def send(self, code, *values):
        self.values[0] = code
        self.values[1:1 + len(values)] = values
        self.socket.sendall(struct.pack(f"{self.order}{BLOCK}d", *self.values))

    def measured(self):
        self.send(6.0)
        data = b""
        while len(data) < 8 * BLOCK:
            part = self.socket.recv(8 * BLOCK - len(data))
            if not part:
                sys.exit("the laboratory closed the connection")
            data += part
        return struct.unpack(f"{self.order}{BLOCK}d", data)[:2]

    def step(self, target):
        self.send(3.0, target)
        self.send(3.0, target)  # models repeat themselves
        return self.measured()

    def close(self):
        self.send(99.0)
        self.socket.close()


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


def main(port, steps, mode="motion"):
    if mode == "big-endian":
        lab = Laboratory(port, ">")
        lab.measured()
    lab = Laboratory(port)
    for _ in range(2):  # the operator looks at the first values, and repeats them
        require(lab.step(0.0) == (0.0, 0.0), "it does not begin at rest")
    theta = math.acos(1.0 - STIFFNESS_KN_PER_MM / (MASS_T * 1e-3) * DT_S**2 / 2.0)
    near = 1e-6 * START_MM if mode == "rest" else 0.2 * START_MM
    for share in range(1, 11):  # a slow start to the first position
        lab.step(START_MM * (0.5 - 0.5 * math.cos(math.pi * share / 10)))
    last, now = START_MM * math.cos(theta), START_MM
    for n in range(steps):
        if n == 5:
            print("begun", flush=True)
            if mode == "pause":
                sys.stdin.readline()
            elif mode == "beyond":
                seen = lab.step(1000.0)
                require(abs(seen[0] - last) < near, f"held at {seen[0]} mm instead of {last} mm")
                print("refused", flush=True)
            elif mode == "half":
                lab.socket.sendall(struct.pack("<d", 3.0))
                return
            elif mode == "code":
                for code in (10.0, 4.1, 0.0):
                    lab.send(code)
                lab.measured()
        moved, force = lab.step(now)
        require(abs(force - STIFFNESS_KN_PER_MM * moved) < 1e-9, f"step {n}: force {force} kN at {moved} mm")
        require(abs(moved - now) < near, f"step {n}: {moved} mm measured at {now} mm")
        exact = START_MM * math.cos(n * theta)
        require(mode != "rest" or abs(now - exact) < near, f"step {n}: {now} mm instead of {exact} mm")
        last, now = now, 2.0 * now - last - DT_S**2 * STIFFNESS_KN_PER_MM * now / (MASS_T * 1e-3)
    lab.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
