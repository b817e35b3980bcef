"""The Python kit with one rule of the rig protocol broken on purpose: broken_rig.py RULE options of example_rig.py"""
import math
import sys

BROKEN = sys.argv.pop(1)
sys.path.insert(0, sys.argv.pop(1))  # where the kit is

import example_rig  # noqa: E402
import hyb_rig as h  # noqa: E402

Rig = h.Rig
greet, arm, status, send, read_frame = Rig._greet, Rig._arm, Rig._status, Rig._send, h._read_frame
take, handle, begin_safe_action, poll = Rig._take, Rig._handle, Rig._begin_safe_action, Rig.poll


def greet_with(change):
    def changed(self, given):
        change(self, given)
        greet(self, given)
    return changed


def own_names(self, given):
    for key, own in (("commands", self.config.commands), ("measurements", self.config.measurements)):
        for entry, mine in zip(given[key], own):
            entry["name"], entry["units"] = mine.name, mine.units


def own_positions(self, given):
    given["positions"] = self.plant.stand()
    arm(self, given)


def send_with(change):
    def changed(self, kind, payload=b"", tick=None, time_ns=None):
        send(self, *change(self, kind, payload, tick, time_ns))
    return changed


def handle_with(change):
    def changed(self, frame):
        if not change(self, frame):
            handle(self, frame)
    return changed


def no_reading(self, frame):
    return frame.type == h.HOLD


def obeys_greeted(self, frame):
    if frame.type == h.COMMAND and self.state == h.GREETED:
        self.state = h.ARMED_STATE


def newer_tick(self, frame):
    if frame.type == h.COMMAND:
        frame.tick = max(frame.tick, self._last_tick + 1)


def jumps_along(self, frame):
    if frame.type == h.COMMAND and self._any_command and frame.tick > self._last_tick:
        self._last_tick = frame.tick - 1


def arms_again(self, frame):
    if frame.type == h.COMMAND and self.state == h.STOPPED_STATE:
        self.state = h.ARMED_STATE


def swallows_stop(self, frame):
    return frame.type == h.STOP


def deaf_to_hold(self, frame):
    return frame.type == h.HOLD and self.state == h.ARMED_STATE


def take_with(change):
    def changed(self, frame):
        change(self, frame)
        take(self, frame)
    return changed


def any_session(self, frame):
    frame.session = self._session


def any_sequence(self, frame):
    frame.sequence = self._sequence_in + 1


def plain_is_welcome(self, frame):
    if not frame.sealed and frame.type == h.COMMAND:
        self._sequence_in = frame.sequence
        self._auth = None
        handle(self, frame)


def without(bit):
    return lambda self: status(self) & ~bit


def no_checksum(data, at=0):
    whole = bytearray(data)
    if len(whole) >= 44 and whole[:4] == b"HBR1":
        length = 40 + (whole[6] | whole[7] << 8)
        if len(whole) >= length + 4:
            whole[length:length + 4] = h.crc32c(bytes(whole[:length])).to_bytes(4, "little")
    return read_frame(whole, at)


def unlimited(self, given):
    greet(self, given)
    self._ranges = [(-math.inf, math.inf)] * len(self._ranges)


def patient(self, given):
    greet(self, given)
    self._silence_ns *= 4


def hasty(self, given):
    greet(self, given)
    self._silence_ns /= 2


def keeps_place(self):
    self._spoke_at = self.now_ns()
    return poll(self)


def ignores_closing(self, why):
    if "closed" not in why:
        begin_safe_action(self, why)


BREAKS = {
    "greeting": dict(_greet=greet_with(lambda self, given: given.update(silence_ms=77.0))),
    "rate": dict(_greet=greet_with(lambda self, given: given.update(rate_hz=self.config.rate_hz))),
    "channels": dict(_greet=greet_with(own_names)),
    "arm-positions": dict(_arm=own_positions),
    "reading": dict(_handle=handle_with(no_reading)),
    "unarmed": dict(_handle=handle_with(obeys_greeted)),
    "arming": dict(_status=without(1)),
    "answers": dict(_send=send_with(lambda self, kind, payload, tick, time_ns: (
        kind, payload, tick + 1 if kind == h.MEASUREMENT and self._any_command else tick, time_ns))),
    "numbering": dict(_send=send_with(lambda self, kind, payload, tick, time_ns: (
        setattr(self, "_sequence_out", self._sequence_out + 1), (kind, payload, tick, time_ns))[1])),
    "ping": dict(_send=send_with(lambda self, kind, payload, tick, time_ns: (
        kind, payload[::-1] if kind == h.PONG else payload, tick, time_ns))),
    "old-tick": dict(_handle=handle_with(newer_tick)),
    "old-sequence": dict(_take=take_with(any_sequence)),
    "session": dict(_take=take_with(any_session)),
    "not-a-number": dict(_objection=lambda self, values, elapsed: ""),
    "clamps": dict(_greet=unlimited),
    "tick-jump": dict(_handle=handle_with(jumps_along)),
    "stale": dict(_status=without(1 << 13)),
    "watchdog": dict(_greet=patient),
    "watchdog-early": dict(_greet=hasty),
    "hold": dict(_handle=handle_with(deaf_to_hold)),
    "stop": dict(_handle=handle_with(swallows_stop)),
    "stays-stopped": dict(_handle=handle_with(arms_again)),
    "close": dict(_begin_safe_action=ignores_closing),
    "place": dict(poll=keeps_place),
    "key": dict(_take=take_with(plain_is_welcome)),
}

if BROKEN == "damage":
    h._read_frame = no_checksum
for name, function in BREAKS.get(BROKEN, {}).items():
    assert hasattr(Rig, name), name
    setattr(Rig, name, function)
example_rig.main()
