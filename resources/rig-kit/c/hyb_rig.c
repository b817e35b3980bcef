/* Device side of the HybridBench rig protocol; see hyb_rig.h. SPDX-License-Identifier: MIT */
#include "hyb_rig.h"

#include <math.h>
#include <string.h>

enum {
  HELLO = 0x01,
  WELCOME = 0x02,
  REFUSE = 0x03,
  CHALLENGE = 0x04,
  ARM = 0x10,
  ARMED = 0x11,
  COMMAND = 0x20,
  MEASUREMENT = 0x21,
  HOLD = 0x30,
  STOP = 0x31,
  STOPPED = 0x32,
  EVENT = 0x40,
  PING = 0x50,
  PONG = 0x51,
  BYE = 0x7F
};
enum { SAFE_HOLD, SAFE_RAMP, SAFE_OFF };
enum { PLAIN = 1, SEALED = 2 }; /* forms of a frame */
enum { HEADER = 40, CRC = 4, SEAL = 40, COUNTER = 8, TAG = 32, MAX_PAYLOAD = 60000 };
enum { FRAMES_AT_ONCE = 64, MAX_DEPTH = 16, MAX_WORDS = 200 };

#define ENABLED (UINT32_C(1) << 0)
#define HOLDING (UINT32_C(1) << 1)
#define RAMPING (UINT32_C(1) << 2)
#define IS_STOPPED (UINT32_C(1) << 3)
#define CLIPPED (UINT32_C(1) << 7)
#define STALE (UINT32_C(1) << 13)
#define PLANT_BITS                                                                                             \
  (HYB_RIG_FAULT | HYB_RIG_EMERGENCY_STOP | HYB_RIG_INTERLOCK | HYB_RIG_POSITION_LIMIT | HYB_RIG_FORCE_LIMIT | \
   HYB_RIG_SENSOR_FAULT | HYB_RIG_SATURATED | HYB_RIG_SIMULATED)

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define PLACE_NS (5 * SECOND) /* a bench that is silent for this long loses its place */
#define JITTER_NS (20 * MS)   /* of a link, at the first command */
#define CATCH_UP_TICKS 10000u /* most ticks that a simulated rig lives through at once */
#define ROUNDING 1.000001     /* tolerance for a bench that keeps the same bound, in float too */

static const char* const NO_FRAME = "no frame";
static const char* const WRONG_VERSION = "wrong version";
static const char* const WRONG_LENGTH = "wrong length";
static const char* const WRONG_CHECKSUM = "wrong checksum";

/* ---- Bytes ---- */

static void put_bytes(uint8_t* at, uint64_t value, unsigned count) {
  unsigned b;
  for (b = 0; b < count; ++b) at[b] = (uint8_t)(value >> (8 * b));
}

static uint64_t get_bytes(const uint8_t* at, unsigned count) {
  uint64_t value = 0;
  while (count-- > 0) value = (value << 8) | at[count];
  return value;
}

/* A real is IEEE 754 with 8 or 4 bytes; on the wire it has 8. */
static void put_real(uint8_t* at, hyb_rig_real value) {
  uint64_t wide = 0;
  if (sizeof value == 8) {
    memcpy(&wide, &value, sizeof value);
  } else {
    uint32_t bits, mantissa;
    int exponent;
    memcpy(&bits, &value, sizeof bits);
    mantissa = bits & UINT32_C(0x7FFFFF);
    exponent = (int)((bits >> 23) & 0xFF);
    if (exponent == 0xFF) {
      exponent = 0x7FF;
    } else if (exponent != 0) {
      exponent += 1023 - 127;
    } else if (mantissa != 0) { /* a float below the smallest normal one is normal as a double */
      exponent = 1023 - 126;
      while ((mantissa & UINT32_C(0x800000)) == 0) {
        mantissa <<= 1;
        --exponent;
      }
      mantissa &= UINT32_C(0x7FFFFF);
    }
    wide = ((uint64_t)(bits >> 31) << 63) | ((uint64_t)exponent << 52) | ((uint64_t)mantissa << 29);
  }
  put_bytes(at, wide, 8);
}

static hyb_rig_real get_real(const uint8_t* at) {
  hyb_rig_real value;
  const uint64_t wide = get_bytes(at, 8);
  if (sizeof value == 8) {
    memcpy(&value, &wide, sizeof value);
  } else {
    const uint64_t mantissa = wide & ((UINT64_C(1) << 52) - 1);
    const int exponent = (int)((wide >> 52) & 0x7FF) - 1023 + 127;
    uint32_t bits = (uint32_t)(wide >> 63) << 31;
    if (exponent == 0x7FF - 1023 + 127)
      bits |= UINT32_C(0x7F800000) | (mantissa != 0 ? UINT32_C(0x400000) : 0);
    else if (exponent >= 0xFF)
      bits |= UINT32_C(0x7F800000);
    else if (exponent > 0) /* rounded half up; a carry runs into the exponent, as it should */
      bits |= (((uint32_t)exponent << 23) | (uint32_t)(mantissa >> 29)) + (uint32_t)((mantissa >> 28) & 1);
    memcpy(&value, &bits, sizeof value);
  }
  return value;
}

static int is_number(hyb_rig_real value) { return value - value == 0; }
static hyb_rig_real magnitude(hyb_rig_real value) { return value < 0 ? -value : value; }

uint32_t hyb_rig_crc32c(const uint8_t* bytes, size_t count) {
  static const uint32_t table[16] = {/* a nibble at a time: small, and fast enough for a controller */
                                     0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
                                     0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
                                     0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75};
  uint32_t crc = UINT32_C(0xFFFFFFFF);
  size_t k;
  for (k = 0; k < count; ++k) {
    crc ^= bytes[k];
    crc = (crc >> 4) ^ table[crc & 15];
    crc = (crc >> 4) ^ table[crc & 15];
  }
  return ~crc;
}

size_t hyb_rig_cobs_encode(const uint8_t* bytes, size_t count, uint8_t* out) {
  size_t code_at = 0, end = 1, k;
  uint8_t code = 1; /* distance to the next zero */
  for (k = 0; k < count; ++k) {
    const uint8_t byte = bytes[k];
    if (byte != 0) {
      out[end++] = byte;
      ++code;
    }
    if (byte == 0 || (code == 0xFF && k + 1 < count)) {
      out[code_at] = code;
      code_at = end++;
      code = 1;
    }
  }
  out[code_at] = code;
  return end;
}

size_t hyb_rig_cobs_decode(uint8_t* bytes, size_t count) {
  size_t length = 0, k = 0, j;
  while (k < count) {
    const size_t code = bytes[k];
    if (code == 0 || k + code > count) return (size_t)-1;
    for (j = 1; j < code; ++j) bytes[length++] = bytes[k + j];
    k += code;
    if (code < 0xFF && k < count) bytes[length++] = 0;
  }
  return length;
}

/* ---- SHA-256 (FIPS 180-4) ---- */

typedef struct sha {
  uint32_t state[8];
  uint8_t block[64];
  uint64_t count;
} sha;

static uint32_t turned(uint32_t x, unsigned by) { return (x >> by) | (x << (32 - by)); }

static void sha_block(sha* s) {
  static const uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t w[64], v[8];
  unsigned i;
  for (i = 0; i < 16; ++i)
    w[i] = ((uint32_t)s->block[4 * i] << 24) | ((uint32_t)s->block[4 * i + 1] << 16) |
           ((uint32_t)s->block[4 * i + 2] << 8) | s->block[4 * i + 3];
  for (i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] =
        w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ (a >> 3)) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ (b >> 10));
  }
  memcpy(v, s->state, sizeof v);
  for (i = 0; i < 64; ++i) {
    const uint32_t one =
        v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
    const uint32_t two =
        (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof v[0]);
    v[4] += one;
    v[0] = one + two;
  }
  for (i = 0; i < 8; ++i) s->state[i] += v[i];
}

static void sha_begin(sha* s) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(s->state, start, sizeof start);
  s->count = 0;
}

static void sha_add(sha* s, const uint8_t* bytes, size_t count) {
  size_t k;
  for (k = 0; k < count; ++k) {
    s->block[s->count++ % 64] = bytes[k];
    if (s->count % 64 == 0) sha_block(s);
  }
}

static void sha_end(sha* s, uint8_t digest[32]) {
  const uint64_t bits = 8 * s->count;
  const uint8_t one = 0x80, zero = 0;
  unsigned i;
  uint8_t length[8];
  sha_add(s, &one, 1);
  while (s->count % 64 != 56) sha_add(s, &zero, 1);
  for (i = 0; i < 8; ++i) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  sha_add(s, length, 8);
  for (i = 0; i < 32; ++i) digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

static void hmac_pass(sha* s, const uint8_t key[32], uint8_t pad) {
  uint8_t block[64];
  unsigned i;
  for (i = 0; i < 64; ++i) block[i] = (uint8_t)((i < 32 ? key[i] : 0) ^ pad);
  sha_begin(s);
  sha_add(s, block, sizeof block);
}

void hyb_rig_hmac(const uint8_t key[32], const uint8_t* message, size_t count, uint8_t tag[32]) {
  sha s;
  uint8_t inner[32];
  hmac_pass(&s, key, 0x36);
  sha_add(&s, message, count);
  sha_end(&s, inner);
  hmac_pass(&s, key, 0x5C);
  sha_add(&s, inner, sizeof inner);
  sha_end(&s, tag);
}

/* ---- Key ---- */

/* A key for one purpose, from the shared key and a nonce of each side. */
static void derive(const uint8_t key[32], const char* purpose, const uint8_t bench[32], const uint8_t own[32],
                   uint8_t out[32]) {
  static const char name[] = "hybridbench-rig ";
  uint8_t message[128];
  size_t length = strlen(name);
  memcpy(message, name, length);
  memcpy(message + length, purpose, strlen(purpose) + 1); /* with its final zero */
  length += strlen(purpose) + 1;
  memcpy(message + length, bench, 32);
  memcpy(message + length + 32, own, 32);
  hyb_rig_hmac(key, message, length + 64, out);
}

static int same(const uint8_t* a, const uint8_t* b, size_t count) { /* in constant time */
  uint8_t difference = 0;
  while (count-- > 0) difference |= (uint8_t)(a[count] ^ b[count]);
  return difference == 0;
}

typedef enum verdict { GENUINE, REPLAYED, FORGED } verdict;

static verdict auth_check(hyb_rig_auth* auth, const uint8_t* frame, size_t length, const uint8_t* tag) {
  uint8_t expected[32];
  uint64_t counter;
  hyb_rig_hmac(auth->receives, frame, length, expected);
  if (!same(expected, tag, TAG)) return FORGED;
  counter = get_bytes(frame + length - COUNTER, COUNTER);
  if (counter <= auth->received) return REPLAYED;
  auth->received = counter;
  return GENUINE;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static int bytes_of_hex(const char* text, size_t length, uint8_t out[32]) {
  size_t i;
  if (length != 64) return -1;
  for (i = 0; i < 32; ++i) {
    const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return -1;
    out[i] = (uint8_t)(16 * high + low);
  }
  return 0;
}

int hyb_rig_key_of_hex(const char* text, uint8_t key[32]) { return bytes_of_hex(text, strlen(text), key); }

/* ---- Writing text ---- */

typedef struct writer {
  char* at;
  size_t room, length;
  int full;
} writer;

static void put_char(writer* w, char c) {
  if (w->length < w->room)
    w->at[w->length++] = c;
  else
    w->full = 1;
}
static void put_text(writer* w, const char* text) {
  while (*text != '\0') put_char(w, *text++);
}
static void put_count(writer* w, uint64_t value) {
  char digits[20];
  unsigned count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  while (count > 0) put_char(w, digits[--count]);
}
static void put_quoted(writer* w, const char* text) {
  static const char hex[] = "0123456789abcdef";
  put_char(w, '"');
  for (; *text != '\0'; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') put_char(w, '\\');
    if (c < 0x20) {
      put_text(w, "\\u00");
      put_char(w, hex[c >> 4]);
      put_char(w, hex[c & 15]);
    } else {
      put_char(w, (char)c);
    }
  }
  put_char(w, '"');
}
static void put_hex(writer* w, const uint8_t bytes[32]) {
  static const char hex[] = "0123456789abcdef";
  unsigned i;
  put_char(w, '"');
  for (i = 0; i < 32; ++i) {
    put_char(w, hex[bytes[i] >> 4]);
    put_char(w, hex[bytes[i] & 15]);
  }
  put_char(w, '"');
}

/* A number as JSON, with at most `digits` (1 to 15) significant digits; "null" if it is not finite. */
static void put_number(writer* w, hyb_rig_real value, int digits) {
  char text[16];
  int exponent = 0, count, k;
  uint64_t whole = 0, limit = 1;
  if (!is_number(value)) {
    put_text(w, "null");
    return;
  }
  if (value < 0) put_char(w, '-');
  value = magnitude(value);
  for (k = 0; k < digits; ++k) limit *= 10;
  if (value > 0) {
    /* `digits` digits before the point; one division or multiplication by a power, so that little is rounded. */
    hyb_rig_real power = 1, scaled = value;
    while (value / power >= (hyb_rig_real)limit) power *= 10, ++exponent;
    if (exponent > 0) {
      scaled = value / power;
    } else {
      while (value * power * 10 < (hyb_rig_real)limit && exponent > -60) power *= 10, --exponent;
      scaled = value * power;
    }
    whole = (uint64_t)(scaled + (hyb_rig_real)0.5);
    if (whole >= limit) whole /= 10, ++exponent;
  }
  while (whole != 0 && whole % 10 == 0) whole /= 10, ++exponent;
  if (whole == 0) exponent = 0;
  count = 0;
  do text[count++] = (char)('0' + whole % 10);
  while ((whole /= 10) != 0);
  if (exponent >= 0 && count + exponent <= 15) {
    for (k = count; k-- > 0;) put_char(w, text[k]);
    for (k = 0; k < exponent; ++k) put_char(w, '0');
  } else if (exponent < 0 && count + exponent > -5) {
    if (count + exponent <= 0) put_text(w, "0.");
    for (k = count + exponent; k < 0; ++k) put_char(w, '0');
    for (k = count; k-- > 0;) {
      put_char(w, text[k]);
      if (k == -exponent && k > 0) put_char(w, '.');
    }
  } else {
    for (k = count; k-- > 0;) {
      put_char(w, text[k]);
      if (k == count - 1 && k > 0) put_char(w, '.');
    }
    exponent += count - 1;
    put_char(w, 'e');
    if (exponent < 0) put_char(w, '-');
    put_count(w, (uint64_t)(exponent < 0 ? -exponent : exponent));
  }
}

/* Words for a log, an event or a refusal; what does not fit is left out. */
typedef struct words {
  char text[MAX_WORDS];
  writer w;
} words;

static void begin_words(words* words, const char* text) {
  words->w.at = words->text;
  words->w.room = sizeof words->text - 1;
  words->w.length = 0;
  words->w.full = 0;
  put_text(&words->w, text);
}
static const char* end_words(words* words) {
  words->text[words->w.length] = '\0';
  return words->text;
}

/* ---- Reading JSON: a cursor over the text of the frame, no copy ---- */

typedef struct span {
  const char *begin, *end;
} span;

static void skip_space(span* s) {
  while (s->begin < s->end && (*s->begin == ' ' || *s->begin == '\t' || *s->begin == '\n' || *s->begin == '\r'))
    ++s->begin;
}

static int skip_string(span* s) {
  if (s->begin == s->end || *s->begin != '"') return 0;
  for (++s->begin; s->begin < s->end; ++s->begin) {
    if (*s->begin == '\\') {
      if (++s->begin == s->end) return 0;
    } else if (*s->begin == '"') {
      ++s->begin;
      return 1;
    }
  }
  return 0;
}

/* Takes one value off the front. Lists and objects are checked when they are read. */
static int take_value(span* s, span* value) {
  unsigned depth = 0;
  skip_space(s);
  value->begin = s->begin;
  if (s->begin == s->end) return 0;
  if (*s->begin == '"') {
    if (!skip_string(s)) return 0;
  } else if (*s->begin == '{' || *s->begin == '[') {
    do {
      const char c = *s->begin;
      if (c == '"') {
        if (!skip_string(s)) return 0;
        continue;
      }
      if ((c == '{' || c == '[') && ++depth > MAX_DEPTH) return 0;
      if (c == '}' || c == ']') --depth;
      ++s->begin;
    } while (depth > 0 && s->begin < s->end);
    if (depth > 0) return 0;
  } else {
    while (s->begin < s->end && strchr(",]} \t\n\r", *s->begin) == NULL) ++s->begin;
  }
  value->end = s->begin;
  return value->begin < value->end;
}

/* The next entry of a list or an object that the caller has entered by skipping its bracket. 1: there is one. */
static int next_entry(span* s, int first) {
  skip_space(s);
  if (s->begin == s->end || *s->begin == ']' || *s->begin == '}') return 0;
  if (!first) {
    if (*s->begin != ',') return 0;
    ++s->begin;
  }
  return 1;
}

static int member(span object, const char* key, span* value) {
  int first = 1;
  const size_t length = strlen(key);
  skip_space(&object);
  if (object.begin == object.end || *object.begin != '{') return 0;
  ++object.begin;
  for (; next_entry(&object, first); first = 0) {
    span name;
    if (!take_value(&object, &name) || *name.begin != '"') return 0;
    skip_space(&object);
    if (object.begin == object.end || *object.begin != ':') return 0;
    ++object.begin;
    if (!take_value(&object, value)) return 0;
    if ((size_t)(name.end - name.begin) == length + 2 && memcmp(name.begin + 1, key, length) == 0) return 1;
  }
  return 0;
}

/* The next byte of a string in UTF-8; `pending` holds further bytes of an escaped character. -1: the end; -2: no
   string. Characters outside the basic plane come as two escapes, which no name of a channel has. */
static int next_byte(span* s, uint32_t* pending) {
  char c;
  int k;
  uint32_t code = 0;
  if (*pending != 0) {
    const int byte = (int)(*pending & 0xFF);
    *pending >>= 8;
    return byte;
  }
  if (s->begin == s->end) return -2;
  c = *s->begin++;
  if (c == '"') return -1;
  if (c != '\\') return (unsigned char)c;
  c = *s->begin++;
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'u':
      break;
    default:
      return (unsigned char)c;
  }
  for (k = 0; k < 4; ++k) {
    const int digit = s->begin < s->end ? hex_digit(*s->begin++) : -1;
    if (digit < 0) return -2;
    code = 16 * code + (uint32_t)digit;
  }
  if (code < 0x80) return (int)code;
  if (code < 0x800) {
    *pending = 0x80 | (code & 0x3F);
    return (int)(0xC0 | (code >> 6));
  }
  *pending = (0x80 | ((code >> 6) & 0x3F)) | ((0x80 | (code & 0x3F)) << 8);
  return (int)(0xE0 | (code >> 12));
}

static int text_equals(span value, const char* text) {
  uint32_t pending = 0;
  int byte;
  if (*value.begin != '"') return 0;
  ++value.begin;
  while ((byte = next_byte(&value, &pending)) >= 0)
    if (byte != (unsigned char)*text++) return 0;
  return byte == -1 && *text == '\0';
}

static int as_number(span value, hyb_rig_real* number) {
  const char* at = value.begin;
  const int negative = *at == '-';
  uint64_t mantissa = 0;
  int exponent = 0, digits = 0, point = 0, negative_exponent = 0, given = 0;
  hyb_rig_real power = 1, ten = 10, result;
  if (negative) ++at;
  for (; at < value.end; ++at) {
    if (*at == '.' && !point) {
      point = 1;
      continue;
    }
    if (*at < '0' || *at > '9') break;
    ++digits;
    if (mantissa < UINT64_C(100000000000000000)) {
      mantissa = 10 * mantissa + (uint64_t)(*at - '0');
      exponent -= point;
    } else {
      exponent += !point;
    }
  }
  if (digits == 0) return 0;
  if (at < value.end && (*at == 'e' || *at == 'E')) {
    if (++at < value.end && (*at == '+' || *at == '-')) negative_exponent = *at++ == '-';
    if (at == value.end) return 0;
    for (; at < value.end && *at >= '0' && *at <= '9'; ++at)
      if (given < 10000) given = 10 * given + (*at - '0');
    exponent += negative_exponent ? -given : given;
  }
  if (at != value.end) return 0;
  for (given = exponent < 0 ? -exponent : exponent; given > 0 && mantissa != 0; given >>= 1) {
    if ((given & 1) != 0) power *= ten;
    if (given > 1) ten *= ten;
  }
  result = exponent < 0 ? (hyb_rig_real)mantissa / power : (hyb_rig_real)mantissa * power;
  *number = mantissa == 0 ? 0 : negative ? -result : result;
  return is_number(*number);
}

/* ---- Frames out ---- */

static int flush(hyb_rig* rig) { /* 1: nothing waits */
  while (rig->out_begin < rig->out_end) {
    const int sent = rig->port->send(rig->port->context, rig->out + rig->out_begin, rig->out_end - rig->out_begin);
    if (sent < 0) rig->out_begin = rig->out_end;
    if (sent <= 0) break;
    rig->out_begin += (size_t)sent;
  }
  return rig->out_begin == rig->out_end;
}

static uint32_t plant_status(const hyb_rig* rig) {
  return rig->plant->status == NULL ? 0 : rig->plant->status(rig->plant->context) & PLANT_BITS;
}

static int64_t now(const hyb_rig* rig) { return rig->port->now_ns(rig->port->context); }

static uint32_t status_bits(const hyb_rig* rig) {
  uint32_t bits = plant_status(rig);
  if (rig->state == HYB_RIG_ARMED) bits |= ENABLED;
  if (rig->state == HYB_RIG_STOPPING) bits |= rig->safe_action == SAFE_RAMP ? RAMPING : HOLDING;
  if (rig->state == HYB_RIG_STOPPED) bits |= IS_STOPPED;
  if (rig->refused && rig->state == HYB_RIG_ARMED) bits |= HYB_RIG_FAULT;
  if (rig->any_clipped) bits |= CLIPPED;
  if (rig->state == HYB_RIG_ARMED && rig->any_command &&
      now(rig) - rig->heard_at > (int64_t)((hyb_rig_real)rig->timeout_ticks * (hyb_rig_real)1e9 / rig->config->rate_hz))
    bits |= STALE;
  return bits;
}

#define SLACK (HYB_RIG_BUFFER / 254 + 2) /* the coded frame begins before the plain one, in the same memory */

/* Where the payload of the next frame is put together; NULL: the port has not taken the last frame yet. */
static uint8_t* payload_of(hyb_rig* rig) { return flush(rig) ? rig->out + SLACK + HEADER : NULL; }
static size_t payload_room(void) { return HYB_RIG_BUFFER - HEADER - SEAL - CRC; }

/* Sends a frame whose payload stands there. */
static void send_payload(hyb_rig* rig, uint8_t type, uint64_t tick, int64_t time_ns, size_t count) {
  uint8_t* const at = rig->out + SLACK;
  size_t length = HEADER + count;
  const int sealed = rig->auth.on && type != CHALLENGE;
  memcpy(at, "HBR1", 4);
  at[4] = sealed ? SEALED : PLAIN;
  at[5] = type;
  put_bytes(at + 6, count, 2);
  put_bytes(at + 8, ++rig->sequence_out, 4);
  put_bytes(at + 12, rig->sequence_in, 4);
  put_bytes(at + 16, tick, 8);
  put_bytes(at + 24, (uint64_t)time_ns, 8);
  put_bytes(at + 32, status_bits(rig), 4);
  put_bytes(at + 36, rig->session, 4);
  if (sealed) {
    put_bytes(at + length, ++rig->auth.sent, COUNTER);
    hyb_rig_hmac(rig->auth.sends, at, length + COUNTER, at + length + COUNTER);
    length += SEAL;
  }
  put_bytes(at + length, hyb_rig_crc32c(at, length), CRC);
  length += CRC;
  if (rig->config->serial_line) {
    rig->out_begin = 0;
    rig->out_end = hyb_rig_cobs_encode(at, length, rig->out);
    rig->out[rig->out_end++] = 0;
  } else {
    rig->out_begin = SLACK;
    rig->out_end = SLACK + length;
  }
  (void)flush(rig);
}

static void send_empty(hyb_rig* rig, uint8_t type) {
  if (payload_of(rig) != NULL) send_payload(rig, type, rig->last_tick, now(rig), 0);
}

static writer text_payload(uint8_t* at) {
  writer w;
  w.at = (char*)at;
  w.room = payload_room();
  w.length = 0;
  w.full = 0;
  return w;
}

static void send_text(hyb_rig* rig, uint8_t type, const writer* w) {
  if (!w->full) send_payload(rig, type, rig->last_tick, now(rig), w->length);
}

static void send_readings(hyb_rig* rig, uint8_t type, uint64_t tick) {
  uint8_t* const at = payload_of(rig);
  unsigned k;
  if (at == NULL) return;
  for (k = 0; k < rig->config->measurement_count; ++k) put_real(at + 8 * k, rig->reading[k]);
  send_payload(rig, type, tick, rig->sampled_at, 8 * (size_t)rig->config->measurement_count);
}

static void say(const hyb_rig* rig, const char* line) {
  if (rig->plant->say != NULL) rig->plant->say(rig->plant->context, line);
}

static void send_event(hyb_rig* rig, const char* message) {
  uint8_t* const at = payload_of(rig);
  writer w;
  if (at == NULL) return;
  w = text_payload(at);
  put_text(&w, "{\"message\":");
  put_quoted(&w, message);
  put_char(&w, '}');
  send_text(rig, EVENT, &w);
}

static void refuse(hyb_rig* rig, const char* pointer, const char* message) {
  uint8_t* const at = payload_of(rig);
  words line;
  if (at != NULL) {
    writer w = text_payload(at);
    put_text(&w, "{\"pointer\":");
    put_quoted(&w, pointer);
    put_text(&w, ",\"message\":");
    put_quoted(&w, message);
    put_char(&w, '}');
    send_text(rig, REFUSE, &w);
  }
  begin_words(&line, "refused: ");
  put_text(&line.w, pointer);
  put_char(&line.w, ' ');
  put_text(&line.w, message);
  say(rig, end_words(&line));
}

/* ---- The plant ---- */

static void sample(hyb_rig* rig, uint32_t elapsed) {
  rig->sampled_at = now(rig);
  rig->plant->sample(rig->plant->context, elapsed, rig->reading);
}

static void apply(hyb_rig* rig) { rig->refused = rig->plant->apply(rig->plant->context, rig->command) != 0; }

static void power(hyb_rig* rig, int on) { rig->plant->power(rig->plant->context, on); }

/* Tells how it stopped, the time since the last command, and where the actuators stand. */
static void finish_stop(hyb_rig* rig, const char* how) {
  words line;
  hyb_rig_real positions[HYB_RIG_CHANNELS];
  unsigned k;
  int first = 1;
  sample(rig, 0);
  rig->plant->stand(rig->plant->context, positions);
  begin_words(&line, "at rest: ");
  put_text(&line.w, how);
  put_text(&line.w, ", ");
  put_number(&line.w, (hyb_rig_real)((now(rig) - rig->heard_at + MS / 2) / MS) / 1000, 6);
  put_text(&line.w, " s after the last command, at ");
  for (k = 0; k < rig->config->command_count; ++k) {
    if (rig->config->commands[k].rate_of != 0) continue;
    if (!first) put_text(&line.w, ", ");
    first = 0;
    put_number(&line.w, positions[k], 6);
  }
  say(rig, end_words(&line));
  rig->state = HYB_RIG_STOPPED;
  send_empty(rig, STOPPED);
}

static void put_damage(const hyb_rig* rig, writer* w) {
  put_count(w, rig->figures.damaged);
  put_text(w, rig->figures.damaged == 1 ? " damaged frame" : " damaged frames");
  put_text(w, " came from the bench (");
  put_text(w, rig->damage);
  put_text(w, "): check the cable");
}

static void begin_safe_action(hyb_rig* rig, const char* why) {
  words line;
  unsigned k;
  int away = 0;
  if (rig->state != HYB_RIG_ARMED) return;
  begin_words(&line, "stopped: ");
  put_text(&line.w, why);
  if (rig->figures.damaged > 0) {
    if (*why != '\0') put_text(&line.w, "; ");
    put_damage(rig, &line.w);
  }
  rig->moved_at = rig->stopping_at = now(rig);
  for (k = 0; k < rig->config->command_count; ++k) {
    const hyb_rig_command* const c = &rig->config->commands[k];
    if (c->rate_of != 0) rig->command[k] = 0;
    rig->ramp_from[k] = rig->command[k];
    if (c->rate_of == 0 && rig->command[k] != c->rest) away = 1;
  }
  say(rig, end_words(&line));
  rig->state = HYB_RIG_STOPPING;
  send_event(rig, line.text);
  if (rig->safe_action == SAFE_OFF || !rig->any_command || !away) { /* no ramp is wanted or needed */
    power(rig, 0);
    finish_stop(rig, "powered off");
  } else if (rig->safe_action == SAFE_HOLD) {
    apply(rig);
    finish_stop(rig, "holding the last command");
  } else {
    send_empty(rig, STOPPED);
  }
}

/* To rest along a cosine, by the own clock. */
static void ramp(hyb_rig* rig) {
  const int64_t period = (int64_t)((hyb_rig_real)1e9 / rig->config->rate_hz);
  const int64_t elapsed = (now(rig) - rig->moved_at) / period;
  hyb_rig_real share = 1, rate = 0;
  unsigned k;
  int done;
  if (elapsed < 1) return;
  rig->moved_at += elapsed * period;
  sample(rig, elapsed < (int64_t)CATCH_UP_TICKS ? (uint32_t)elapsed : CATCH_UP_TICKS);
  done = rig->moved_at - rig->stopping_at >= rig->ramp_ns;
  if (!done) {
    const hyb_rig_real pi = (hyb_rig_real)3.14159265358979323846;
    const hyb_rig_real ramp_s = (hyb_rig_real)rig->ramp_ns / (hyb_rig_real)1e9;
    const hyb_rig_real phase = pi * (hyb_rig_real)(rig->moved_at - rig->stopping_at) / (hyb_rig_real)rig->ramp_ns;
    share = (1 - (hyb_rig_real)cos(phase)) / 2;
    rate = pi * (hyb_rig_real)sin(phase) / (2 * ramp_s);
  }
  for (k = 0; k < rig->config->command_count; ++k) {
    const hyb_rig_command* const c = &rig->config->commands[k];
    if (c->rate_of == 0) {
      rig->command[k] = done ? c->rest : rig->ramp_from[k] + share * (c->rest - rig->ramp_from[k]);
    } else {
      const unsigned p = c->rate_of - 1;
      rig->command[k] = rate * (rig->config->commands[p].rest - rig->ramp_from[p]);
    }
  }
  apply(rig);
  if (!done && !rig->refused) return;
  power(rig, 0);
  finish_stop(rig, rig->refused ? "the actuators had stopped already" : "ramped to rest and powered off");
}

/* ---- Greeting ---- */

/* Reads a member that is a number from min to max; 0: refused. */
static int number_of(hyb_rig* rig, span object, const char* key, hyb_rig_real min, hyb_rig_real max,
                     hyb_rig_real* number) {
  span value;
  words pointer, message;
  if (member(object, key, &value) && as_number(value, number) && *number >= min && *number <= max) return 1;
  begin_words(&pointer, "/");
  put_text(&pointer.w, key);
  begin_words(&message, "must be a number from ");
  put_number(&message.w, min, 6);
  put_text(&message.w, " to ");
  put_number(&message.w, max, 6);
  put_char(&message.w, '.');
  refuse(rig, end_words(&pointer), end_words(&message));
  return 0;
}

/* One channel of HELLO against the own one; the agreed range is what both have in common. 0: refused. */
static int channel_agrees(hyb_rig* rig, const char* list, unsigned k, span entry, const char* name, const char* units,
                          hyb_rig_real* min, hyb_rig_real* max) {
  span value;
  words pointer, message;
  const char* const texts[2] = {name, units};
  static const char* const keys[4] = {"name", "units", "min", "max"};
  unsigned key;
  begin_words(&pointer, list);
  put_char(&pointer.w, '/');
  put_count(&pointer.w, k);
  put_char(&pointer.w, '/');
  begin_words(&message, "");
  for (key = 0; key < 4; ++key) {
    const int there = member(entry, keys[key], &value);
    hyb_rig_real bound;
    if (there && key < 2 && text_equals(value, texts[key])) continue;
    if (there && key >= 2 && value.end - value.begin == 4 && memcmp(value.begin, "null", 4) == 0) continue;
    if (there && key >= 2 && as_number(value, &bound)) {
      if (key == 2 && bound > *min) *min = bound;
      if (key == 3 && bound < *max) *max = bound;
      continue;
    }
    put_text(&pointer.w, keys[key]);
    if (!there) {
      put_text(&message.w, "is missing.");
    } else if (key < 2) {
      put_text(&message.w, "is ");
      while (value.begin < value.end && message.w.length < MAX_WORDS / 2) put_char(&message.w, *value.begin++);
      put_text(&message.w, "; the rig has \"");
      put_text(&message.w, texts[key]);
      put_text(&message.w, "\" here.");
    } else {
      put_text(&message.w, "must be a number or null.");
    }
    refuse(rig, end_words(&pointer), end_words(&message));
    return 0;
  }
  if (*min < *max) return 1;
  put_text(&pointer.w, "min");
  refuse(rig, end_words(&pointer), "leaves no common range: this range and that of the rig do not overlap.");
  return 0;
}

static void own_range(hyb_rig_real min, hyb_rig_real max, hyb_rig_real* from, hyb_rig_real* to) {
  *from = min < max ? min : -(hyb_rig_real)HUGE_VAL;
  *to = min < max ? max : (hyb_rig_real)HUGE_VAL;
}

/* The list of commands (or measurements) of HELLO against the own one. 0: refused. */
static int channels_agree(hyb_rig* rig, span hello, int commands) {
  const hyb_rig_config* const config = rig->config;
  const char* const pointer = commands ? "/commands" : "/measurements";
  const unsigned count = commands ? config->command_count : config->measurement_count;
  span list, entry;
  words message;
  unsigned k = 0;
  if (!member(hello, pointer + 1, &list) || *list.begin != '[') {
    refuse(rig, pointer, "must be a list of channels.");
    return 0;
  }
  ++list.begin;
  for (; next_entry(&list, k == 0); ++k) {
    if (!take_value(&list, &entry)) break;
    if (k >= count) continue;
    if (commands) {
      const hyb_rig_command* const own = &config->commands[k];
      own_range(own->min, own->max, &rig->command_min[k], &rig->command_max[k]);
      if (!channel_agrees(rig, pointer, k, entry, own->name, own->units, &rig->command_min[k], &rig->command_max[k]))
        return 0;
    } else {
      const hyb_rig_measurement* const own = &config->measurements[k];
      own_range(own->min, own->max, &rig->measurement_min[k], &rig->measurement_max[k]);
      if (!channel_agrees(rig, pointer, k, entry, own->name, own->units, &rig->measurement_min[k],
                          &rig->measurement_max[k]))
        return 0;
    }
  }
  if (k == count) return 1;
  begin_words(&message, "are ");
  put_count(&message.w, k);
  put_text(&message.w, "; the rig has ");
  put_count(&message.w, count);
  put_char(&message.w, '.');
  refuse(rig, pointer, end_words(&message));
  return 0;
}

static void put_channel(writer* w, unsigned k, const char* name, const char* units, hyb_rig_real min,
                        hyb_rig_real max) {
  if (k > 0) put_char(w, ',');
  put_text(w, "{\"name\":");
  put_quoted(w, name);
  put_text(w, ",\"units\":");
  put_quoted(w, units);
  put_text(w, ",\"min\":");
  put_number(w, min, 15);
  put_text(w, ",\"max\":");
  put_number(w, max, 15);
  put_char(w, '}');
}

/* A member of HELLO as it came. */
static void put_echo(writer* w, const char* key, span hello) {
  span value;
  put_char(w, ',');
  put_quoted(w, key);
  put_char(w, ':');
  if (!member(hello, key, &value))
    put_text(w, "null");
  else
    while (value.begin < value.end) put_char(w, *value.begin++);
}

static void welcome(hyb_rig* rig, span hello) {
  static const char* const echoed[] = {"version",       "software_version", "rate_hz",     "pacing",
                                       "timeout_ticks", "silence_ms",       "safe_action", "ramp_s"};
  const hyb_rig_config* const config = rig->config;
  uint8_t* const at = payload_of(rig);
  hyb_rig_real positions[HYB_RIG_CHANNELS];
  writer w;
  unsigned k;
  if (at == NULL) return;
  rig->plant->stand(rig->plant->context, positions);
  w = text_payload(at);
  put_text(&w, "{\"format\":\"hybridbench-rig\"");
  for (k = 0; k < sizeof echoed / sizeof echoed[0]; ++k) put_echo(&w, echoed[k], hello);
  put_text(&w, ",\"commands\":[");
  for (k = 0; k < config->command_count; ++k)
    put_channel(&w, k, config->commands[k].name, config->commands[k].units, rig->command_min[k], rig->command_max[k]);
  put_text(&w, "],\"measurements\":[");
  for (k = 0; k < config->measurement_count; ++k)
    put_channel(&w, k, config->measurements[k].name, config->measurements[k].units, rig->measurement_min[k],
                rig->measurement_max[k]);
  put_text(&w, "],\"serial\":");
  put_quoted(&w, config->serial);
  put_text(&w, ",\"clock_resolution_ns\":1000,\"interlocks\":[");
  if (config->interlock != NULL) put_quoted(&w, config->interlock);
  put_text(&w, "],\"calibration_date\":");
  put_quoted(&w, config->calibration_date != NULL ? config->calibration_date : "");
  put_text(&w, ",\"positions\":[");
  for (k = 0; k < config->command_count; ++k) {
    if (k > 0) put_char(&w, ',');
    put_number(&w, positions[k], 15);
  }
  put_text(&w, "],\"faults\":false}");
  if (w.full)
    refuse(rig, "", "needs a longer answer than HYB_RIG_BUFFER of this rig allows; enlarge it.");
  else
    send_text(rig, WELCOME, &w);
}

static uint32_t new_session(hyb_rig* rig) {
  uint8_t bytes[4];
  uint32_t id;
  if (rig->port->random == NULL || rig->port->random(rig->port->context, bytes, 4) != 0)
    put_bytes(bytes, (uint64_t)now(rig) * UINT64_C(0x9E3779B97F4A7C15) >> 32, 4);
  id = (uint32_t)get_bytes(bytes, 4);
  while (id == 0 || id == rig->session) ++id;
  return id;
}

static void greet(hyb_rig* rig, span hello) {
  static const char* const actions[] = {"hold", "ramp", "off"};
  const hyb_rig_config* const config = rig->config;
  hyb_rig_real version, rate, ticks, silence_ms, ramp_s;
  span value;
  words message;
  int action = -1, k;
  if (rig->state == HYB_RIG_STOPPING) return; /* over a serial line the bench asks again */
  if (rig->state == HYB_RIG_ARMED) {
    if (rig->any_command || !config->serial_line) {
      refuse(rig, "", "is armed; send STOP first.");
      return;
    }
    begin_safe_action(rig, "a bench begins anew"); /* over a serial line the bench that armed cannot hang up */
  }
  if (!member(hello, "format", &value) || !text_equals(value, "hybridbench-rig")) {
    refuse(rig, "/format", "must be \"hybridbench-rig\".");
    return;
  }
  if (!number_of(rig, hello, "version", 1, 2, &version)) return;
  if (!member(hello, "software_version", &value) || *value.begin != '"' || value.end - value.begin > MAX_WORDS) {
    refuse(rig, "/software_version", "must be text.");
    return;
  }
  if (!member(hello, "pacing", &value) || !text_equals(value, "bench")) {
    refuse(rig, "/pacing", "must be bench: this rig does not lead.");
    return;
  }
  if (!number_of(rig, hello, "rate_hz", (hyb_rig_real)1e-3, (hyb_rig_real)1e6, &rate)) return;
  if (magnitude(rate - config->rate_hz) > (hyb_rig_real)1e-6 * config->rate_hz) {
    begin_words(&message, "is ");
    put_number(&message.w, rate, 6);
    put_text(&message.w, " Hz; this rig runs at ");
    put_number(&message.w, config->rate_hz, 6);
    put_text(&message.w, " Hz.");
    refuse(rig, "/rate_hz", end_words(&message));
    return;
  }
  if (!channels_agree(rig, hello, 1) || !channels_agree(rig, hello, 0)) return;
  if (!number_of(rig, hello, "timeout_ticks", 1, (hyb_rig_real)1e6, &ticks)) return;
  if (!number_of(rig, hello, "silence_ms", 1, (hyb_rig_real)3.6e6, &silence_ms)) return;
  if (!number_of(rig, hello, "ramp_s", 0, 3600, &ramp_s)) return;
  if (member(hello, "safe_action", &value))
    for (k = 0; k < 3; ++k)
      if (text_equals(value, actions[k])) action = k;
  if (action < 0) {
    refuse(rig, "/safe_action", "must be hold, ramp or off.");
    return;
  }
  rig->timeout_ticks = (uint32_t)ticks;
  rig->silence_ns = (int64_t)(silence_ms * (hyb_rig_real)1e6);
  rig->ramp_ns = (int64_t)(ramp_s * (hyb_rig_real)1e9);
  rig->safe_action = action;
  rig->any_command = rig->any_clipped = rig->refused = 0;
  rig->last_tick = 0;
  rig->spoke_at = now(rig);
  memset(&rig->figures, 0, sizeof rig->figures);
  memset(rig->command, 0, sizeof rig->command);
  if (rig->plant->open != NULL) rig->plant->open(rig->plant->context);
  sample(rig, 0);
  rig->session = new_session(rig);
  rig->state = HYB_RIG_GREETED;
  say(rig, "greeted");
  welcome(rig, hello);
}

/* Proves that the rig has the key, and lets the bench prove it by a greeting sealed for this session. */
static void challenge(hyb_rig* rig, span hello) {
  uint8_t bench[32], own[32], proof[32];
  const uint8_t* const key = rig->config->key;
  span value;
  uint8_t* at;
  if (!member(hello, "nonce", &value)) {
    refuse(rig, "/nonce", "is missing: this rig serves only benches with its key. Enter the key file in the project.");
    return;
  }
  if (*value.begin != '"' || bytes_of_hex(value.begin + 1, (size_t)(value.end - value.begin) - 2, bench) != 0) {
    refuse(rig, "/nonce", "must be 64 hexadecimal digits.");
    return;
  }
  if (rig->port->random(rig->port->context, own, sizeof own) != 0) {
    refuse(rig, "", "has no random numbers, so no secret key is possible.");
    return;
  }
  derive(key, "from rig", bench, own, rig->challenged.sends);
  derive(key, "from bench", bench, own, rig->challenged.receives);
  rig->challenged.sent = rig->challenged.received = 0;
  rig->challenged.on = 1;
  derive(key, "proof", bench, own, proof);
  if ((at = payload_of(rig)) != NULL) {
    writer w = text_payload(at);
    put_text(&w, "{\"nonce\":");
    put_hex(&w, own);
    put_text(&w, ",\"proof\":");
    put_hex(&w, proof);
    put_char(&w, '}');
    send_text(rig, CHALLENGE, &w);
  }
}

static void arm(hyb_rig* rig, span text) {
  const hyb_rig_config* const config = rig->config;
  hyb_rig_real given[HYB_RIG_CHANNELS], there[HYB_RIG_CHANNELS];
  span list, entry;
  words pointer, message;
  unsigned count = 0, k;
  if (rig->state != HYB_RIG_ARMED) {
    if (rig->state != HYB_RIG_GREETED) {
      refuse(rig, "", "must be greeted (HELLO) before it is armed.");
      return;
    }
    if (member(text, "positions", &list) && *list.begin == '[')
      for (++list.begin; next_entry(&list, count == 0); ++count)
        if (count >= config->command_count || !take_value(&list, &entry) || !as_number(entry, &given[count])) break;
    if (count != config->command_count || list.begin == list.end || *list.begin != ']') {
      refuse(rig, "/positions", "must have one number per command.");
      return;
    }
    rig->plant->stand(rig->plant->context, there);
    for (k = 0; k < count; ++k) {
      const hyb_rig_real away = magnitude(given[k] - there[k]);
      if (config->commands[k].rate_of != 0 || away <= config->arm_tolerance) continue;
      begin_words(&pointer, "/positions/");
      put_count(&pointer.w, k);
      begin_words(&message, "is ");
      put_number(&message.w, away, 3);
      put_text(&message.w, " away from where ");
      put_text(&message.w, config->commands[k].name);
      put_text(&message.w, " is; allowed are ");
      put_number(&message.w, config->arm_tolerance, 3);
      put_char(&message.w, '.');
      refuse(rig, end_words(&pointer), end_words(&message));
      return;
    }
    for (k = 0; k < count; ++k) rig->command[k] = config->commands[k].rate_of == 0 ? given[k] : 0;
    power(rig, 1);
    rig->state = HYB_RIG_ARMED;
    say(rig, "armed");
  }
  send_readings(rig, ARMED, rig->last_tick);
}

/* ---- Commands ---- */

/* Time by which the ticks of the bench lag behind the own clock; less than 0: ahead, as in free run. */
static int64_t late_ns(const hyb_rig* rig) {
  if (!rig->any_command) return 0;
  return now(rig) - rig->first_at -
         (int64_t)((hyb_rig_real)(rig->last_tick - rig->first_tick) * (hyb_rig_real)1e9 / rig->config->rate_hz);
}

static void put_beyond(writer* w, const char* name, const char* does, hyb_rig_real found, hyb_rig_real bound,
                       const char* units, const char* per) {
  put_text(w, name);
  put_text(w, does);
  put_number(w, found, 3);
  put_char(w, ' ');
  put_text(w, units);
  put_text(w, per);
  put_text(w, "; this rig allows ");
  put_number(w, bound, 3);
  put_char(w, ' ');
  put_text(w, units);
  put_text(w, per);
}

/* Writes why the commands must not be followed; nothing: they may. Skipped ticks extend the allowed step only by the
   lag of the bench. */
static void object(const hyb_rig* rig, const uint8_t* values, uint64_t elapsed, writer* w) {
  const hyb_rig_config* const config = rig->config;
  const hyb_rig_real rate = config->rate_hz, rounding = (hyb_rig_real)ROUNDING;
  hyb_rig_real late = (hyb_rig_real)(late_ns(rig) + JITTER_NS) * rate / (hyb_rig_real)1e9,
               periods = (hyb_rig_real)elapsed;
  unsigned k;
  if (late < 1) late = 1;
  late = (hyb_rig_real)(uint32_t)(late < 1000000 ? late : 1000000);
  if (periods > late) periods = late;
  if (periods < 1) periods = 1;
  for (k = 0; k < config->command_count; ++k) {
    const hyb_rig_command* const c = &config->commands[k];
    const hyb_rig_real value = get_real(values + 8 * k);
    if (!is_number(value)) {
      put_text(w, c->name);
      put_text(w, value != value ? " is not a number" : " is infinite");
      return;
    }
    if (c->rate_of != 0) {
      if (c->max_speed > 0 && magnitude(value) > rounding * c->max_speed) {
        put_beyond(w, c->name, " is ", magnitude(value), c->max_speed, c->units, "");
        return;
      }
    } else {
      const hyb_rig_real step = magnitude(value - rig->command[k]) / periods;
      if (c->max_step > 0 && step > rounding * c->max_step) {
        put_beyond(w, c->name, " would step in one tick by ", step, c->max_step, c->units, "");
        return;
      }
      if (c->max_speed > 0 && step * rate > rounding * c->max_speed) {
        put_beyond(w, c->name, " would move at ", step * rate, c->max_speed, c->units, "/s");
        return;
      }
    }
  }
}

/* Samples the instant of the command, applies it, and answers with the sample. */
static void obey(hyb_rig* rig, uint64_t tick, const uint8_t* values, size_t count) {
  const hyb_rig_config* const config = rig->config;
  uint64_t elapsed;
  hyb_rig_real longest_ns, silence_ns;
  words why;
  unsigned k;
  if (rig->state != HYB_RIG_ARMED) {
    if (rig->state != HYB_RIG_GREETED) send_empty(rig, STOPPED);
    return;
  }
  if (count != 8 * (size_t)config->command_count) {
    ++rig->figures.damaged;
    rig->damage = WRONG_LENGTH;
    return;
  }
  if (rig->any_command && tick <= rig->last_tick) {
    ++rig->figures.out_of_order;
    return;
  }
  elapsed = rig->any_command ? tick - rig->last_tick : 0;
  longest_ns = (hyb_rig_real)SECOND + (hyb_rig_real)(late_ns(rig) > 0 ? late_ns(rig) : 0);
  silence_ns = (hyb_rig_real)rig->silence_ns;
  if (silence_ns < longest_ns) longest_ns = silence_ns;
  if (elapsed > 1 &&
      (hyb_rig_real)elapsed * (hyb_rig_real)1e9 > longest_ns * config->rate_hz * (hyb_rig_real)ROUNDING) {
    begin_words(&why, "the tick of a command jumps by ");
    put_count(&why.w, elapsed);
    put_text(&why.w, " periods; allowed are ");
    put_count(&why.w, (uint64_t)(longest_ns * config->rate_hz / (hyb_rig_real)1e9 + (hyb_rig_real)0.001));
    begin_safe_action(rig, end_words(&why));
    return;
  }
  begin_words(&why, "");
  object(rig, values, elapsed, &why.w);
  if (why.w.length > 0) {
    begin_safe_action(rig, end_words(&why));
    return;
  }
  rig->heard_at = now(rig);
  if (!rig->any_command) {
    rig->first_tick = tick;
    rig->first_at = rig->heard_at;
    say(rig, "taking commands");
  }
  rig->any_command = 1;
  rig->last_tick = tick;
  sample(rig, elapsed < CATCH_UP_TICKS ? (uint32_t)elapsed : CATCH_UP_TICKS);
  rig->any_clipped = 0;
  for (k = 0; k < config->command_count; ++k) {
    hyb_rig_real value = get_real(values + 8 * k);
    if (value < rig->command_min[k] || value > rig->command_max[k]) {
      value = value < rig->command_min[k] ? rig->command_min[k] : rig->command_max[k];
      rig->any_clipped = 1;
      ++rig->figures.clipped;
    }
    rig->command[k] = value;
  }
  apply(rig);
  send_readings(rig, MEASUREMENT, tick);
}

static void pong(hyb_rig* rig, const uint8_t* t1) {
  const int64_t received = now(rig);
  uint8_t* const at = payload_of(rig);
  if (at == NULL) return;
  memcpy(at, t1, 8);
  put_bytes(at + 8, (uint64_t)received, 8);
  put_bytes(at + 16, (uint64_t)now(rig), 8);
  send_payload(rig, PONG, rig->last_tick, received, 24);
}

/* ---- Frames in ---- */

typedef struct frame {
  uint8_t type, sealed;
  uint32_t sequence, session;
  uint64_t tick;
  const uint8_t* payload;
  size_t count, length;
} frame;

/* Reads the frame at the start of the bytes. NULL: whole; "": incomplete; other: why it is damaged. */
static const char* read_frame(const uint8_t* at, size_t count, frame* f) {
  size_t k;
  for (k = 0; k < 4 && k < count; ++k)
    if (at[k] != (uint8_t) "HBR1"[k]) return NO_FRAME;
  if (count > 4 && at[4] != PLAIN && at[4] != SEALED) return WRONG_VERSION;
  if (count < 8) return "";
  f->count = (size_t)get_bytes(at + 6, 2);
  f->sealed = at[4] == SEALED;
  f->length = HEADER + f->count + (f->sealed ? SEAL : 0) + CRC;
  f->type = at[5];
  if (f->count > MAX_PAYLOAD || f->length > HYB_RIG_BUFFER) return WRONG_LENGTH;
  if (count < f->length) return "";
  if (hyb_rig_crc32c(at, f->length - CRC) != (uint32_t)get_bytes(at + f->length - CRC, CRC)) return WRONG_CHECKSUM;
  f->sequence = (uint32_t)get_bytes(at + 8, 4);
  f->tick = get_bytes(at + 16, 8);
  f->session = (uint32_t)get_bytes(at + 36, 4);
  f->payload = at + HEADER;
  return NULL;
}

static verdict judge(hyb_rig* rig, const uint8_t* at, const frame* f) {
  const size_t authentic = HEADER + f->count + COUNTER;
  verdict v;
  if (!f->sealed) return !rig->auth.on || f->type == HELLO ? GENUINE : FORGED;
  v = rig->auth.on ? auth_check(&rig->auth, at, authentic, at + authentic) : FORGED;
  if (v != FORGED || !rig->challenged.on) return v;
  if (auth_check(&rig->challenged, at, authentic, at + authentic) != GENUINE) return FORGED;
  rig->auth = rig->challenged;
  rig->challenged.on = 0;
  return GENUINE;
}

static int is_news(hyb_rig* rig, const frame* f) {
  if (f->type != HELLO) { /* a greeting restarts the sequence numbers */
    if (rig->session != 0 && f->session != rig->session) return 0;
    if (rig->any_in && (int32_t)(f->sequence - rig->sequence_in) <= 0) return 0;
  }
  rig->sequence_in = f->sequence;
  rig->any_in = 1;
  return 1;
}

/* 0: the bench says goodbye. */
static int handle(hyb_rig* rig, const frame* f) {
  span text;
  text.begin = (const char*)f->payload;
  text.end = text.begin + f->count;
  /* With a key, a frame without it can only ask for a challenge. */
  if (rig->config->key != NULL && !f->sealed && f->type != HELLO) return 1;
  if (rig->state != HYB_RIG_LISTENING && (rig->config->key == NULL || f->sealed)) rig->spoke_at = now(rig);
  switch (f->type) {
    case HELLO:
      if (rig->config->key != NULL && !f->sealed)
        challenge(rig, text);
      else
        greet(rig, text);
      break;
    case ARM:
      arm(rig, text);
      break;
    case COMMAND:
      obey(rig, f->tick, f->payload, f->count);
      break;
    case HOLD: /* armed: keeps the last command and feeds the watchdog */
      if (rig->state == HYB_RIG_ARMED) rig->heard_at = now(rig);
      if (rig->state == HYB_RIG_GREETED) {
        sample(rig, 0);
        send_readings(rig, MEASUREMENT, f->tick);
      }
      break;
    case STOP:
      begin_safe_action(rig, "the bench said stop");
      if (rig->state == HYB_RIG_GREETED) rig->state = HYB_RIG_STOPPED;
      send_empty(rig, STOPPED);
      break;
    case PING:
      if (f->count == 8) pong(rig, f->payload);
      break;
    case BYE:
      begin_safe_action(rig, "the bench said goodbye");
      return rig->config->serial_line;
    default:
      break; /* a bench of a later version may send other types */
  }
  return 1;
}

/* The connection ends because its frames can no longer be told apart, or are not sealed with the key. */
static void leave(hyb_rig* rig, const char* why) {
  words line;
  rig->open = 0;
  if (rig->state == HYB_RIG_ARMED) {
    begin_safe_action(rig, why);
    return;
  }
  begin_words(&line, "disconnected: ");
  if (*why != '\0')
    put_text(&line.w, why);
  else
    put_damage(rig, &line.w);
  say(rig, end_words(&line));
  if (*why != '\0')
    refuse(rig, "", why);
  else
    send_event(rig, line.text);
}

static void damaged(hyb_rig* rig, const char* why) {
  ++rig->figures.damaged;
  rig->damage = why;
}

/* A greeting that is longer than the buffer is refused with the reason; the bench could not guess it. */
static void refuse_long(hyb_rig* rig, const uint8_t* at) {
  if (at[5] != HELLO || rig->state == HYB_RIG_ARMED) return;
  rig->sequence_in = (uint32_t)get_bytes(at + 8, 4);
  refuse(rig, "", "is longer than HYB_RIG_BUFFER of this rig; leave out channels or enlarge it.");
}

/* One frame that is not damaged. 0: the connection ends. */
static int take_frame(hyb_rig* rig, const uint8_t* at, const frame* f) {
  const verdict v = judge(rig, at, f);
  if (v == FORGED) {
    ++rig->figures.forged;
    if (rig->config->serial_line) return 1;
    leave(rig, "a frame is not sealed with the key for this session: another key, or a recorded session");
    return 0;
  }
  if (v == REPLAYED || !is_news(rig, f)) {
    ++rig->figures.out_of_order;
    return 1;
  }
  ++rig->figures.received;
  if (handle(rig, f)) return 1;
  rig->open = 0;
  return 0;
}

static void drop(hyb_rig* rig, size_t count) {
  memmove(rig->in, rig->in + count, rig->in_count - count);
  rig->in_count -= count;
  rig->in_searched = 0;
}

/* Deals with one frame of what has been received; 0: there is none. */
static int next_plain(hyb_rig* rig) {
  frame f;
  const char* why;
  if (rig->in_count == 0) return 0;
  why = read_frame(rig->in, rig->in_count, &f);
  if (why != NULL && *why == '\0') return 0;
  if (why != NULL) {
    damaged(rig, why);
    if (why == WRONG_LENGTH && rig->in_count >= HEADER) refuse_long(rig, rig->in);
    leave(rig, "");
    return 0;
  }
  if (!take_frame(rig, rig->in, &f)) return 0;
  drop(rig, f.length);
  return 1;
}

static int next_coded(hyb_rig* rig) {
  const uint8_t* const zero = (const uint8_t*)memchr(rig->in + rig->in_searched, 0, rig->in_count - rig->in_searched);
  size_t stop, length, whole;
  frame f;
  if (zero == NULL) {
    rig->in_searched = rig->in_count;
    if (rig->in_count < sizeof rig->in) return 0;
    if (!rig->in_overlong) { /* the rest of it is passed over */
      damaged(rig, WRONG_LENGTH);
      for (whole = 0; whole + rig->in[whole] <= 255; whole += rig->in[whole]) {
      } /* its first blocks hold type and sequence */
      if (hyb_rig_cobs_decode(rig->in, whole) >= 12) refuse_long(rig, rig->in);
    }
    rig->in_overlong = 1;
    rig->in_count = rig->in_searched = 0;
    return 0;
  }
  stop = (size_t)(zero - rig->in);
  if (stop > 0 && !rig->in_overlong) { /* delimiters may stand on both sides of a frame */
    const char* why = WRONG_LENGTH;
    length = hyb_rig_cobs_decode(rig->in, stop);
    if (length != (size_t)-1) why = read_frame(rig->in, length, &f);
    if (why == NULL && f.length != length) why = WRONG_LENGTH;
    if (why != NULL)
      damaged(rig, *why == '\0' ? WRONG_LENGTH : why);
    else
      (void)take_frame(rig, rig->in, &f);
  }
  rig->in_overlong = 0;
  drop(rig, stop + 1);
  return 1;
}

static void receive(hyb_rig* rig) {
  unsigned count = 0;
  int got = 1;
  while (rig->open && count < FRAMES_AT_ONCE && got > 0) {
    while (rig->open && count < FRAMES_AT_ONCE && (rig->config->serial_line ? next_coded(rig) : next_plain(rig)))
      ++count;
    if (!rig->open || count >= FRAMES_AT_ONCE) return;
    got = rig->port->receive(rig->port->context, rig->in + rig->in_count, sizeof rig->in - rig->in_count);
    if (got > 0) rig->in_count += (size_t)got;
  }
  if (got < 0 && rig->open) {
    rig->open = 0;
    begin_safe_action(rig, "the bench closed the connection");
  }
}

/* ---- The rig ---- */

int hyb_rig_init(hyb_rig* rig, const hyb_rig_config* config, const hyb_rig_port* port, const hyb_rig_plant* plant) {
  memset(rig, 0, sizeof *rig);
  rig->config = config;
  rig->port = port;
  rig->plant = plant;
  if (config->command_count > HYB_RIG_CHANNELS || config->measurement_count > HYB_RIG_CHANNELS) return -1;
  if (config->key != NULL && port->random == NULL) return -1;
  hyb_rig_connected(rig);
  return 0;
}

void hyb_rig_connected(hyb_rig* rig) {
  rig->state = HYB_RIG_LISTENING;
  rig->open = 1;
  rig->session = rig->sequence_in = rig->sequence_out = 0;
  rig->any_in = rig->any_command = rig->any_clipped = rig->refused = 0;
  rig->last_tick = 0;
  rig->auth.on = rig->challenged.on = 0;
  rig->in_count = rig->in_searched = rig->out_begin = rig->out_end = 0;
  rig->in_overlong = 0;
  rig->damage = "";
  memset(&rig->figures, 0, sizeof rig->figures);
  rig->spoke_at = rig->heard_at = now(rig);
}

int hyb_rig_moving(const hyb_rig* rig) { return rig->state == HYB_RIG_ARMED || rig->state == HYB_RIG_STOPPING; }

void hyb_rig_stop(hyb_rig* rig, const char* why) { begin_safe_action(rig, why); }

/* A bench that is silent must not keep others out. */
static void release_place(hyb_rig* rig) {
  static const char why[] = "the bench was silent for 5 s and lost its place";
  if (rig->state != HYB_RIG_LISTENING) {
    say(rig, why);
    send_event(rig, "the bench was silent for 5 s and lost its place; connect again");
  }
  if (!rig->config->serial_line) {
    rig->open = 0;
  } else if (rig->state != HYB_RIG_LISTENING) {
    send_empty(rig, BYE);
    rig->state = HYB_RIG_LISTENING;
    rig->session = 0;
    rig->auth.on = rig->challenged.on = 0;
  }
}

int hyb_rig_poll(hyb_rig* rig) {
  const int was_open = rig->open;
  words why;
  receive(rig);
  if (rig->state == HYB_RIG_ARMED && rig->any_command && now(rig) - rig->heard_at > rig->silence_ns) {
    begin_words(&why, "no command for ");
    put_number(&why.w, (hyb_rig_real)rig->silence_ns / (hyb_rig_real)1e9, 6);
    put_text(&why.w, " s");
    begin_safe_action(rig, end_words(&why));
  }
  if (now(rig) - rig->spoke_at > PLACE_NS) {
    begin_safe_action(rig, "the bench was silent for 5 s");
    if (!hyb_rig_moving(rig)) release_place(rig);
  }
  if (rig->state == HYB_RIG_STOPPING) ramp(rig);
  (void)flush(rig);
  if (rig->open || hyb_rig_moving(rig)) return 1;
  power(rig, 0);
  if (was_open || rig->state != HYB_RIG_LISTENING) send_empty(rig, BYE);
  rig->state = HYB_RIG_LISTENING;
  return 0;
}

int64_t hyb_rig_patience_ns(const hyb_rig* rig) {
  int64_t left = 50 * MS;
  if (rig->state == HYB_RIG_STOPPING || rig->out_begin < rig->out_end) return MS;
  if (rig->state == HYB_RIG_ARMED && rig->any_command) {
    const int64_t silent = rig->heard_at + rig->silence_ns + 1 - now(rig);
    if (silent < left) left = silent;
  }
  return left > 0 ? left : 0;
}
