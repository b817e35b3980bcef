"""Device side of the HybridBench rig protocol, for Python 3 without further packages.

A rig is a Config (channels, bounds) and a Plant (sensors and actuators). serve("tcp://127.0.0.1:4711", config, plant)
does the rest: greeting, arming, clamps, bounds on steps and speed, watchdog, ramp to rest, and the key.

Protocol: help page "Rig protocol" of HybridBench. SPDX-License-Identifier: MIT
"""
import gc
import hashlib
import hmac
import json
import math
import os
import secrets
import select
import signal
import socket
import stat
import struct
import sys
import termios
import time
import tty
from dataclasses import dataclass, field
from typing import List, Optional

HELLO, WELCOME, REFUSE, CHALLENGE, ARM, ARMED = 0x01, 0x02, 0x03, 0x04, 0x10, 0x11
COMMAND, MEASUREMENT, HOLD, STOP, STOPPED = 0x20, 0x21, 0x30, 0x31, 0x32
EVENT, PING, PONG, BYE = 0x40, 0x50, 0x51, 0x7F

LISTENING, GREETED, ARMED_STATE, STOPPING, STOPPED_STATE = "listening", "greeted", "armed", "stopping", "stopped"

# Status bits of a plant. The other bits of the protocol are set here.
FAULT, EMERGENCY_STOP, INTERLOCK = 1 << 4, 1 << 5, 1 << 6
POSITION_LIMIT, FORCE_LIMIT, SENSOR_FAULT, SATURATED = 1 << 9, 1 << 10, 1 << 11, 1 << 12
SIMULATED = 1 << 16
_ENABLED, _HOLDING, _RAMPING, _STOPPED, _CLIPPED, _STALE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 7, 1 << 13

_HEADER = struct.Struct("<4sBBHIIQqII")
_PLAIN, _SEALED, _MOST = 1, 2, 60000
_SEAL, _COUNTER, _CRC = 40, 8, 4
_LONGEST = _HEADER.size + _MOST + _SEAL + _CRC
_MS, _SECOND = 1_000_000, 1_000_000_000
_PLACE_NS, _JITTER_NS, _IDLE_NS = 5 * _SECOND, 20 * _MS, 50 * _MS
_CATCH_UP_TICKS, _ROUNDING = 10_000, 1.0 + 1e-9


@dataclass
class Command:
    """Name and units as those of the channel in the project. min, max: a value outside is clipped. max_step (in one
    tick) and max_speed (per second): a command beyond stops the rig; None: unbounded. rest: where the ramp of the safe
    action ends. rate_of: name of the command whose speed this is; then only max_speed applies."""
    name: str
    units: str
    min: float = -math.inf
    max: float = math.inf
    max_step: Optional[float] = None
    max_speed: Optional[float] = None
    rest: float = 0.0
    rate_of: Optional[str] = None


@dataclass
class Measurement:
    name: str
    units: str
    min: float = -math.inf
    max: float = math.inf


@dataclass
class Config:
    serial: str  # identity: maker, model, number
    rate_hz: float
    commands: List[Command]
    measurements: List[Measurement]
    arm_tolerance: float = 1e-3  # between the commands at arming and where the rig stands, units of the commands
    calibration_date: str = ""
    interlocks: List[str] = field(default_factory=list)
    key: Optional[bytes] = None  # 32 bytes shared with the bench; None: everyone may move the rig


class Plant:
    """Sensors and actuators. Values are those on the wire, in the order of the configuration."""

    def open(self):
        """A bench has greeted: a simulated rig starts anew at rest."""

    def power(self, on):
        """Switches the actuators on, before the first command, or off."""

    def sample(self, elapsed):
        """All measurements, `elapsed` ticks after the last command; a simulated rig lives through these ticks."""
        raise NotImplementedError

    def apply(self, commands):
        """Applies commands that are finite, clipped and within the bounds; False: the actuators refuse."""
        raise NotImplementedError

    def stand(self):
        """The commands that would keep the rig where it is: present positions, and 0 for speeds."""
        raise NotImplementedError

    def status(self):
        return 0

    def say(self, line):
        print(line, file=sys.stderr, flush=True)


class Refused(Exception):
    """A request of the bench that is refused: a JSON pointer into it, and a sentence."""

    def __init__(self, pointer, message):
        super().__init__(message)
        self.pointer, self.message = pointer, message


def _crc_tables():
    """Tables for eight bytes at a time: Python does little with each byte."""
    first = []
    for n in range(256):
        for _ in range(8):
            n = (n >> 1) ^ 0x82F63B78 if n & 1 else n >> 1
        first.append(n)
    tables = [first]
    for _ in range(7):
        tables.append([first[n & 0xFF] ^ (n >> 8) for n in tables[-1]])
    return tables


_T0, _T1, _T2, _T3, _T4, _T5, _T6, _T7 = _crc_tables()
_WORDS = struct.Struct("<II")


def crc32c(data):
    """CRC-32C: b"123456789" gives 0xE3069283."""
    crc, whole = 0xFFFFFFFF, len(data) & ~7
    for low, high in _WORDS.iter_unpack(data[:whole]):
        low ^= crc
        crc = (_T7[low & 0xFF] ^ _T6[low >> 8 & 0xFF] ^ _T5[low >> 16 & 0xFF] ^ _T4[low >> 24] ^ _T3[high & 0xFF] ^
               _T2[high >> 8 & 0xFF] ^ _T1[high >> 16 & 0xFF] ^ _T0[high >> 24])
    for byte in data[whole:]:
        crc = crc >> 8 ^ _T0[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def cobs_encode(data):
    """Bytes without zeros, so that a zero can end a frame."""
    out = bytearray()
    parts = bytes(data).split(b"\0")
    for k, part in enumerate(parts):
        # A block of 254 bytes carries no zero, so an empty one follows it unless it is the last.
        while len(part) > 254 or (len(part) == 254 and k + 1 < len(parts)):
            out += b"\xFF" + part[:254]
            part = part[254:]
        out.append(len(part) + 1)
        out += part
    return bytes(out)


def cobs_decode(coded):
    """The bytes; None if it is not COBS."""
    out, k = bytearray(), 0
    while k < len(coded):
        code = coded[k]
        if code == 0 or k + code > len(coded):
            return None
        out += coded[k + 1:k + code]
        k += code
        if code < 0xFF and k < len(coded):
            out.append(0)
    return bytes(out)


class _Auth:
    """Seals frames, and proves that they come from a holder of the key, in this session, in this direction, once."""

    def __init__(self, key, bench_nonce, own_nonce):
        both = b"\0" + bench_nonce + own_nonce

        def derived(purpose):
            return hmac.new(key, b"hybridbench-rig " + purpose + both, hashlib.sha256).digest()

        self.proof = derived(b"proof")
        self._sends, self._receives = derived(b"from rig"), derived(b"from bench")
        self._sent = self._received = 0

    def seal(self, content):
        self._sent += 1
        content += self._sent.to_bytes(_COUNTER, "little")
        return content + hmac.digest(self._sends, content, "sha256")

    def check(self, authentic, tag):
        """"genuine", "replayed" or "forged"."""
        if not hmac.compare_digest(hmac.digest(self._receives, authentic, "sha256"), tag):
            return "forged"
        counter = int.from_bytes(authentic[-_COUNTER:], "little")
        if counter <= self._received:
            return "replayed"
        self._received = counter
        return "genuine"


@dataclass
class _Frame:
    type: int
    sealed: bool
    sequence: int
    session: int
    tick: int
    payload: bytes
    authentic: bytes
    tag: bytes


def _read_frame(data, at=0):
    """(frame, length) of the frame that begins there; (None, 0): incomplete. ValueError: why it is damaged."""
    have = len(data) - at
    if data[at:at + 4] != b"HBR1"[:min(have, 4)]:
        raise ValueError("no frame")
    if have > 4 and data[at + 4] not in (_PLAIN, _SEALED):
        raise ValueError("wrong version")
    if have < 8:
        return None, 0
    count, sealed = data[at + 6] | data[at + 7] << 8, data[at + 4] == _SEALED
    content = _HEADER.size + count
    length = content + (_SEAL if sealed else 0) + _CRC
    if count > _MOST:
        raise ValueError("wrong length")
    if have < length:
        return None, 0
    frame = bytes(data[at:at + length])
    if crc32c(frame[:-_CRC]) != int.from_bytes(frame[-_CRC:], "little"):
        raise ValueError("wrong checksum")
    _, _, kind, _, sequence, _, tick, _, _, session = _HEADER.unpack_from(frame)
    authentic = frame[:content + _COUNTER] if sealed else b""
    tag = frame[content + _COUNTER:-_CRC] if sealed else b""
    return _Frame(kind, sealed, sequence, session, tick, frame[_HEADER.size:content], authentic, tag), length


def _number(given, key, least, most):
    value = given.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise Refused("/" + key, f"must be a number from {least:g} to {most:g}.")
    return value


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _end(value):
    return value if math.isfinite(value) else None


def _agreed(given, key, own):
    """The ranges of a list of HELLO that both sides have in common. Names, units and order must be the own ones."""
    if not isinstance(given.get(key), list):
        raise Refused("/" + key, "must be a list of channels.")
    ranges = []
    for k, (entry, mine) in enumerate(zip(given[key], own)):
        at = f"/{key}/{k}"
        if not isinstance(entry, dict):
            raise Refused(at, "must be an object.")
        for what in ("name", "units"):
            if entry.get(what) != getattr(mine, what):
                raise Refused(f"{at}/{what}",
                              f"is {json.dumps(entry.get(what))}; the rig has \"{getattr(mine, what)}\" here.")
        low, high = mine.min, mine.max
        for what in ("min", "max"):
            bound = entry.get(what, "")
            if bound is None:
                continue
            if not _is_number(bound):
                raise Refused(f"{at}/{what}", "must be a number or null.")
            low, high = (max(low, bound), high) if what == "min" else (low, min(high, bound))
        if not low < high:
            raise Refused(f"{at}/min", "leaves no common range: this range and that of the rig do not overlap.")
        ranges.append((low, high))
    if len(given[key]) != len(own):
        raise Refused("/" + key, f"are {len(given[key])}; the rig has {len(own)}.")
    return ranges


class Rig:
    """One rig over one line at a time. `line` has receive() -> bytes, b"" (nothing) or None (closed), and
    send(bytes) -> number of bytes taken; neither waits."""

    def __init__(self, config, plant, serial_line, now_ns=time.monotonic_ns):
        self.config, self.plant, self.serial_line, self.now_ns = config, plant, serial_line, now_ns
        self._period_ns = _SECOND / config.rate_hz
        self._names = [command.name for command in config.commands]
        self._positions = [command.rate_of is None for command in config.commands]
        self._commands_in = struct.Struct(f"<{len(config.commands)}d")
        self._values_out = struct.Struct(f"<{len(config.measurements)}d")
        self.connected(None)

    def connected(self, line):
        """A new connection; call before the first poll() on it."""
        self.line, self.open, self.state = line, True, LISTENING
        self.damaged, self.damage, self.out_of_order, self.forged, self.clipped = 0, "", 0, 0, 0
        self._session = self._sequence_in = self._sequence_out = 0
        self._any_in = self._any_command = self._any_clipped = self._refused = False
        self._auth = self._challenged = None
        self._in, self._waiting = bytearray(), b""
        self._last_tick = self._first_tick = 0
        self._first_at = self._sampled_at = self._moved_at = self._stopping_at = 0
        self._spoke_at = self._heard_at = self.now_ns()
        self._command, self._reading = [], []

    def moving(self):
        return self.state in (ARMED_STATE, STOPPING)

    def stop(self, why):
        """Takes the safe action and tells the bench why: for limits of your own, or before the program ends."""
        self._begin_safe_action(why)

    def patience_s(self):
        """Longest time until the next poll() if no byte arrives."""
        if self.state == STOPPING or self._waiting:
            return 0.001
        left = _IDLE_NS
        if self.state == ARMED_STATE and self._any_command:
            left = min(left, self._heard_at + self._silence_ns + 1 - self.now_ns())
        return max(left, 0) * 1e-9

    def poll(self):
        """Does everything that is due. False: the connection has ended and the rig is at rest."""
        if self.open:
            self._receive()
        now = self.now_ns()
        if self.state == ARMED_STATE and self._any_command and now - self._heard_at > self._silence_ns:
            self._begin_safe_action(f"no command for {self._silence_ns * 1e-9:g} s")
        if now - self._spoke_at > _PLACE_NS:
            self._begin_safe_action("the bench was silent for 5 s")
            if not self.moving():
                self._release_place()
        if self.state == STOPPING:
            self._ramp()
        self._flush()
        if self.open or self.moving():
            return True
        self.plant.power(False)
        self._send(BYE)
        self.state = LISTENING
        return False

    # Frames out.

    def _flush(self):
        if self._waiting:
            self._waiting = self._waiting[self.line.send(self._waiting):]
        return not self._waiting

    def _status(self):
        bits = self.plant.status()
        if self.state == ARMED_STATE:
            bits |= _ENABLED | (FAULT if self._refused else 0)
            if self._any_command and self.now_ns() - self._heard_at > self._timeout_ns:
                bits |= _STALE
        elif self.state == STOPPING:
            bits |= _RAMPING if self._safe_action == "ramp" else _HOLDING
        elif self.state == STOPPED_STATE:
            bits |= _STOPPED
        return bits | (_CLIPPED if self._any_clipped else 0)

    def _send(self, kind, payload=b"", tick=None, time_ns=None):
        if not self._flush():
            return
        self._sequence_out = self._sequence_out + 1 & 0xFFFFFFFF
        sealed = self._auth is not None and kind != CHALLENGE
        content = _HEADER.pack(b"HBR1", _SEALED if sealed else _PLAIN, kind, len(payload), self._sequence_out,
                               self._sequence_in, self._last_tick if tick is None else tick,
                               self.now_ns() if time_ns is None else time_ns, self._status(), self._session) + payload
        if sealed:
            content = self._auth.seal(content)
        content += crc32c(content).to_bytes(_CRC, "little")
        self._waiting = cobs_encode(content) + b"\0" if self.serial_line else content
        self._flush()

    def _send_json(self, kind, what):
        self._send(kind, json.dumps(what, ensure_ascii=False).encode())

    def _send_readings(self, kind, tick=None):
        self._send(kind, self._values_out.pack(*self._reading), tick, self._sampled_at)

    # Frames in.

    def _receive(self):
        for _ in range(64):
            if self.open and not (self._next_coded() if self.serial_line else self._next_plain()):
                got = self.line.receive()
                if got is None:
                    self.open = False
                    self._begin_safe_action("the bench closed the connection")
                if not got:
                    return
                self._in += got

    def _next_plain(self):
        if not self._in:
            return False
        try:
            frame, length = _read_frame(self._in)
        except ValueError as why:
            self._damaged(str(why))
            self._leave("")
            return False
        if frame is None:
            return False
        del self._in[:length]
        self._take(frame)
        return True

    def _next_coded(self):
        stop = self._in.find(0)
        if stop < 0:
            if len(self._in) > _LONGEST + _LONGEST // 254 + 1:
                self._damaged("wrong length")
                self._in.clear()
            return False
        coded = bytes(self._in[:stop])
        del self._in[:stop + 1]
        if not coded:  # delimiters may stand on both sides of a frame
            return True
        data = cobs_decode(coded)
        try:
            frame, length = _read_frame(data) if data else (None, 0)
            if frame is None or length != len(data):
                raise ValueError("wrong length")
            self._take(frame)
        except ValueError as why:
            self._damaged(str(why))
        return True

    def _damaged(self, why):
        self.damaged += 1
        self.damage = why

    def _judge(self, frame):
        if not frame.sealed:
            return "genuine" if self._auth is None or frame.type == HELLO else "forged"
        verdict = self._auth.check(frame.authentic, frame.tag) if self._auth else "forged"
        if verdict != "forged" or self._challenged is None:
            return verdict
        if self._challenged.check(frame.authentic, frame.tag) != "genuine":
            return "forged"
        self._auth, self._challenged = self._challenged, None
        return "genuine"

    def _take(self, frame):
        verdict = self._judge(frame)
        if verdict == "forged":
            self.forged += 1
            if not self.serial_line:
                self._leave("a frame is not sealed with the key for this session: another key, or a recorded session")
            return
        newer = 0 < (frame.sequence - self._sequence_in & 0xFFFFFFFF) < 1 << 31
        fits = (self._session in (0, frame.session)) and (newer or not self._any_in)
        if verdict == "replayed" or (frame.type != HELLO and not fits):  # a greeting restarts the sequence numbers
            self.out_of_order += 1
            return
        self._sequence_in, self._any_in = frame.sequence, True
        # With a key, a frame without it can only ask for a challenge.
        if self.config.key and not frame.sealed and frame.type != HELLO:
            return
        if self.state != LISTENING and (not self.config.key or frame.sealed):
            self._spoke_at = self.now_ns()
        try:
            self._handle(frame)
        except Refused as refused:
            self._send_json(REFUSE, {"pointer": refused.pointer, "message": refused.message})
            self.plant.say(f"refused: {refused.pointer} {refused.message}")

    def _handle(self, frame):
        kind = frame.type
        if kind == COMMAND:
            self._obey(frame)
        elif kind == HELLO:
            if self.config.key and not frame.sealed:
                self._challenge(self._json(frame))
            else:
                self._greet(self._json(frame))
        elif kind == ARM:
            self._arm(self._json(frame))
        elif kind == HOLD:  # armed: keeps the last command and feeds the watchdog
            if self.state == ARMED_STATE:
                self._heard_at = self.now_ns()
            elif self.state == GREETED:
                self._sample(0)
                self._send_readings(MEASUREMENT, frame.tick)
        elif kind == STOP:
            self._begin_safe_action("the bench said stop")
            if self.state == GREETED:
                self.state = STOPPED_STATE
            self._send(STOPPED)
        elif kind == PING and len(frame.payload) == 8:
            received = self.now_ns()
            self._send(PONG, frame.payload + struct.pack("<qq", received, self.now_ns()))
        elif kind == BYE:
            self._begin_safe_action("the bench said goodbye")
            self.open = self.serial_line

    @staticmethod
    def _json(frame):
        try:
            given = json.loads(frame.payload)
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise Refused("", "is not a JSON object.")
        return given

    def _leave(self, why):
        """The connection ends: its frames cannot be told apart any more, or are not sealed with the key."""
        self.open = False
        if self.state == ARMED_STATE:
            self._begin_safe_action(why)
            return
        words = "disconnected: " + (why or self._damage_words())
        self.plant.say(words)
        if why:
            self._send_json(REFUSE, {"pointer": "", "message": why + "."})
        else:
            self._send_json(EVENT, {"message": words})

    def _damage_words(self):
        frames = "damaged frame" if self.damaged == 1 else "damaged frames"
        return f"{self.damaged} {frames} came from the bench ({self.damage}): check the cable"

    def _release_place(self):
        """A bench that is silent must not keep others out."""
        if self.state != LISTENING:
            why = "the bench was silent for 5 s and lost its place"
            self.plant.say(why)
            self._send_json(EVENT, {"message": why + "; connect again"})
        if not self.serial_line:
            self.open = False
        elif self.state != LISTENING:
            self._send(BYE)
            self.state, self._session, self._auth, self._challenged = LISTENING, 0, None, None

    # Greeting.

    def _challenge(self, given):
        """Proves that the rig has the key, and lets the bench prove it by a greeting sealed for this session."""
        if "nonce" not in given:
            raise Refused("/nonce", "is missing: this rig serves only benches with its key. "
                          "Enter the key file in the project.")
        try:
            theirs = bytes.fromhex(given["nonce"])
        except (TypeError, ValueError):
            theirs = b""
        if len(theirs) != 32:
            raise Refused("/nonce", "must be 64 hexadecimal digits.")
        own = secrets.token_bytes(32)
        self._challenged = _Auth(self.config.key, theirs, own)
        self._send_json(CHALLENGE, {"nonce": own.hex(), "proof": self._challenged.proof.hex()})

    def _greet(self, given):
        if self.state == STOPPING:  # over a serial line the bench asks again
            return
        if self.state == ARMED_STATE:
            if self._any_command or not self.serial_line:
                raise Refused("", "is armed; send STOP first.")
            self._begin_safe_action("a bench begins anew")  # over a serial line the bench that armed cannot hang up
        if given.get("format") != "hybridbench-rig":
            raise Refused("/format", "must be \"hybridbench-rig\".")
        if given.get("version") not in (1, 2):
            raise Refused("/version", "must be 1 or 2: this rig supports versions 1 and 2 of the protocol.")
        if not isinstance(given.get("software_version"), str):
            raise Refused("/software_version", "must be text.")
        if given.get("pacing") != "bench":
            raise Refused("/pacing", "must be bench: this rig does not lead.")
        rate, own = _number(given, "rate_hz", 1e-3, 1e6), self.config.rate_hz
        if abs(rate - own) > 1e-9 * own:
            raise Refused("/rate_hz", f"is {rate:g} Hz; this rig runs at {own:g} Hz.")
        ranges = _agreed(given, "commands", self.config.commands)
        measured = _agreed(given, "measurements", self.config.measurements)
        ticks = int(_number(given, "timeout_ticks", 1, 1e6))
        silence_ms = _number(given, "silence_ms", 1, 3.6e6)
        ramp_s = _number(given, "ramp_s", 0, 3600)
        if given.get("safe_action") not in ("hold", "ramp", "off"):
            raise Refused("/safe_action", "must be hold, ramp or off.")
        self._ranges, self._safe_action = ranges, given["safe_action"]
        self._timeout_ns, self._silence_ns, self._ramp_ns = ticks * self._period_ns, silence_ms * 1e6, ramp_s * 1e9
        self._any_command = self._any_clipped = self._refused = False
        self._last_tick, self.damaged, self._spoke_at = 0, 0, self.now_ns()
        self._command = [0.0] * len(ranges)
        self.plant.open()
        self._sample(0)
        self._session = 1 + secrets.randbelow(0xFFFFFFFF)
        self.state = GREETED
        self.plant.say("greeted by HybridBench " + given["software_version"])
        welcome = {key: given[key] for key in ("format", "version", "software_version", "rate_hz", "pacing",
                                               "timeout_ticks", "silence_ms", "safe_action", "ramp_s")}
        for key, channels, agreed in (("commands", self.config.commands, ranges),
                                      ("measurements", self.config.measurements, measured)):
            welcome[key] = [{"name": channel.name, "units": channel.units, "min": _end(low), "max": _end(high)}
                            for channel, (low, high) in zip(channels, agreed)]
        welcome.update(serial=self.config.serial, clock_resolution_ns=1, interlocks=self.config.interlocks,
                       calibration_date=self.config.calibration_date, positions=list(self.plant.stand()),
                       faults=False)
        self._send_json(WELCOME, welcome)

    def _arm(self, given):
        if self.state != ARMED_STATE:
            if self.state != GREETED:
                raise Refused("", "must be greeted (HELLO) before it is armed.")
            positions, there = given.get("positions"), list(self.plant.stand())
            if (not isinstance(positions, list) or len(positions) != len(there) or
                    not all(_is_number(value) for value in positions)):
                raise Refused("/positions", "must have one number per command.")
            for k, is_position in enumerate(self._positions):
                away = abs(positions[k] - there[k])
                if is_position and away > self.config.arm_tolerance:
                    raise Refused(f"/positions/{k}", f"is {away:.3g} away from where {self._names[k]} is; "
                                  f"allowed are {self.config.arm_tolerance:.3g}.")
            self._command = [float(value) if is_position else 0.0
                             for value, is_position in zip(positions, self._positions)]
            self.plant.power(True)
            self.state = ARMED_STATE
            self.plant.say("armed")
        self._send_readings(ARMED)

    # Commands.

    def _sample(self, elapsed):
        self._sampled_at = self.now_ns()
        self._reading = self.plant.sample(elapsed)

    def _late_ns(self):
        """Time by which the ticks of the bench lag behind the own clock; negative: ahead, as in free run."""
        if not self._any_command:
            return 0
        return self.now_ns() - self._first_at - (self._last_tick - self._first_tick) * self._period_ns

    def _objection(self, values, elapsed):
        """Why the commands must not be followed. Skipped ticks extend the step only by the lag of the bench."""
        rate = self.config.rate_hz
        late = max(1.0, math.floor((self._late_ns() + _JITTER_NS) / self._period_ns))
        periods = max(1.0, min(elapsed, late))
        for command, value, last in zip(self.config.commands, values, self._command):
            if not math.isfinite(value):
                return f"{command.name} is {'not a number' if math.isnan(value) else 'infinite'}"
            if command.rate_of is not None:
                if command.max_speed is not None and abs(value) > _ROUNDING * command.max_speed:
                    return (f"{command.name} is {abs(value):.3g} {command.units}; "
                            f"this rig allows {command.max_speed:.3g} {command.units}")
                continue
            step = abs(value - last) / periods
            if command.max_step is not None and step > _ROUNDING * command.max_step:
                return (f"{command.name} would step in one tick by {step:.3g} {command.units}; "
                        f"this rig allows {command.max_step:.3g} {command.units}")
            if command.max_speed is not None and step * rate > _ROUNDING * command.max_speed:
                return (f"{command.name} would move at {step * rate:.3g} {command.units}/s; "
                        f"this rig allows {command.max_speed:.3g} {command.units}/s")
        return ""

    def _obey(self, frame):
        """Samples the instant of the command, applies it, and answers with the sample."""
        if self.state != ARMED_STATE:
            if self.state != GREETED:
                self._send(STOPPED)
            return
        if len(frame.payload) != self._commands_in.size:
            self._damaged("wrong length")
            return
        tick = frame.tick
        if self._any_command and tick <= self._last_tick:
            self.out_of_order += 1
            return
        elapsed = tick - self._last_tick if self._any_command else 0
        if elapsed > 1:
            longest = min(self._silence_ns, _SECOND + max(0, self._late_ns())) / self._period_ns * _ROUNDING
            if elapsed > longest:
                self._begin_safe_action(f"the tick of a command jumps by {elapsed} periods; "
                                        f"allowed are {int(longest)}")
                return
        values = self._commands_in.unpack(frame.payload)
        why = self._objection(values, elapsed)
        if why:
            self._begin_safe_action(why)
            return
        self._heard_at = self.now_ns()
        if not self._any_command:
            self._any_command, self._first_tick, self._first_at = True, tick, self._heard_at
            self.plant.say("taking commands")
        self._last_tick = tick
        self._sample(min(elapsed, _CATCH_UP_TICKS))
        self._command = [low if value < low else high if value > high else value
                         for value, (low, high) in zip(values, self._ranges)]
        self._any_clipped = any(value != given for value, given in zip(self._command, values))
        self.clipped += self._any_clipped
        self._refused = not self.plant.apply(self._command)
        self._send_readings(MEASUREMENT, tick)

    # Stop.

    def _begin_safe_action(self, why):
        if self.state != ARMED_STATE:
            return
        words = "; ".join(part for part in (why, self._damage_words() if self.damaged else "") if part)
        self._moved_at = self._stopping_at = self.now_ns()
        self._command = [value if is_position else 0.0 for value, is_position in zip(self._command, self._positions)]
        self._ramp_from = list(self._command)
        self.plant.say("stopped: " + words)
        self.state = STOPPING
        self._send_json(EVENT, {"message": "stopped: " + words})
        away = any(is_position and value != command.rest for value, is_position, command in
                   zip(self._command, self._positions, self.config.commands))
        if self._safe_action == "off" or not self._any_command or not away:  # no ramp is wanted or needed
            self.plant.power(False)
            self._finish_stop("powered off")
        elif self._safe_action == "hold":
            self.plant.apply(self._command)
            self._finish_stop("holding the last command")
        else:
            self._send(STOPPED)

    def _ramp(self):
        """To rest along a cosine, by the own clock."""
        elapsed = int((self.now_ns() - self._moved_at) / self._period_ns)
        if elapsed < 1:
            return
        self._moved_at += int(elapsed * self._period_ns)
        self._sample(min(elapsed, _CATCH_UP_TICKS))
        past = self._moved_at - self._stopping_at
        done, share, rate = past >= self._ramp_ns, 1.0, 0.0
        if not done:
            phase = math.pi * past / self._ramp_ns
            share, rate = (1.0 - math.cos(phase)) / 2.0, 0.5e9 * math.pi * math.sin(phase) / self._ramp_ns
        rests = [command.rest for command in self.config.commands]
        for k, command in enumerate(self.config.commands):
            if command.rate_of is None:
                start = self._ramp_from[k]
                self._command[k] = rests[k] if done else start + share * (rests[k] - start)
            else:
                p = self._names.index(command.rate_of)
                self._command[k] = rate * (rests[p] - self._ramp_from[p])
        self._refused = not self.plant.apply(self._command)
        if done or self._refused:
            self.plant.power(False)
            self._finish_stop("the actuators had stopped already" if self._refused
                              else "ramped to rest and powered off")

    def _finish_stop(self, how):
        self._sample(0)
        where = ", ".join(f"{value:.6g}" for value, is_position in zip(self.plant.stand(), self._positions)
                          if is_position)
        after_s = round((self.now_ns() - self._heard_at) * 1e-9, 3)
        self.plant.say(f"at rest: {how}, {after_s:g} s after the last command, at {where}")
        self.state = STOPPED_STATE
        self._send(STOPPED)


# Lines and the program around a rig.


class _Socket:
    def __init__(self, connection):
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection

    def fileno(self):
        return self._connection.fileno()

    def receive(self):
        try:
            return self._connection.recv(65536) or None
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError:
            return None

    def send(self, data):
        try:
            return self._connection.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            return len(data)  # nobody will take it; receive() says that the line is gone

    def hang_up(self):
        """Closing a connection with unread bytes would lose the last words of the rig."""
        try:
            self._connection.shutdown(socket.SHUT_WR)
            until = time.monotonic() + 0.2
            while select.select([self], [], [], max(0.0, until - time.monotonic()))[0]:
                if not self.receive():
                    break
        except OSError:
            pass
        self._connection.close()


class _Terminal:
    def __init__(self, descriptor):
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor

    def fileno(self):
        return self._descriptor

    def receive(self):
        try:
            return os.read(self._descriptor, 65536)
        except (BlockingIOError, InterruptedError):
            return b""

    def send(self, data):
        try:
            return os.write(self._descriptor, data)
        except (BlockingIOError, InterruptedError):
            return 0


def read_key(path):
    """The key in a file that only its owner can read."""
    with open(path, encoding="ascii") as file:
        if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
            raise SystemExit(f"error: {path}: other users may read this key; enter: chmod 600 {path}")
        text = file.read().strip()
    if len(text) != 64:
        raise SystemExit(f"error: {path}: has no key of 64 hexadecimal digits")
    return bytes.fromhex(text)


def _open_terminal(path, baud):
    """(own descriptor, name for the bench, descriptor that must stay open)."""
    if path == "pty":
        own, other = os.openpty()
        tty.setraw(other)
        return own, os.ttyname(other), other  # kept open, so that benches may come and go
    own = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(own)
    settings = termios.tcgetattr(own)
    settings[2] |= termios.CLOCAL | termios.CREAD
    settings[4] = settings[5] = getattr(termios, f"B{baud}")
    settings[6][termios.VMIN] = settings[6][termios.VTIME] = 0
    termios.tcsetattr(own, termios.TCSANOW, settings)
    return own, path, None


class _Ended:
    """Becomes true by Ctrl-C or SIGTERM."""

    def __init__(self):
        self._ended = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)

    def _end(self, *_):
        self._ended = True

    def __bool__(self):
        return self._ended


def _serve_line(rig, line, ended):
    """Another bench waits for the end of this one."""
    rig.connected(line)
    while rig.poll():
        select.select([line] if rig.open else [], [], [], rig.patience_s())
        if ended:
            rig.stop("the rig was told to end")
            if not rig.moving():
                return


def serve(address, config, plant, trust_network=False, baud=115200):
    """Serves one bench after the other at "tcp://HOST:PORT", "serial:PATH" or "serial:pty" until Ctrl-C. Other
    computers are served with a key, or with trust_network."""
    gc.collect()
    gc.freeze()  # what exists by now is never searched again, which would take milliseconds
    ended = _Ended()
    if address.startswith("serial:"):
        own, name, _kept = _open_terminal(address[len("serial:"):], baud)
        rig = Rig(config, plant, serial_line=True)
        print("serving at serial:" + name, flush=True)
        while not ended:
            _serve_line(rig, _Terminal(own), ended)
        return
    host, _, port = address[len("tcp://"):].rpartition(":")
    if not address.startswith("tcp://") or not port.isdigit():
        raise SystemExit(f"error: {address}: give tcp://HOST:PORT, serial:PATH or serial:pty")
    if not (config.key or trust_network or socket.gethostbyname(host).startswith("127.")):
        raise SystemExit(f"error: {address}: other computers can reach this address; use a key or trust_network")
    rig = Rig(config, plant, serial_line=False)
    with socket.create_server((host, int(port))) as listener:
        listener.settimeout(0.05)
        print(f"serving at tcp://{host}:{listener.getsockname()[1]}", flush=True)
        while not ended:
            try:
                connection, _ = listener.accept()
            except (socket.timeout, InterruptedError):
                continue
            line = _Socket(connection)
            _serve_line(rig, line, ended)
            line.hang_up()
