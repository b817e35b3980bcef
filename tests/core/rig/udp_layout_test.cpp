#include "core/rig/udp_layout.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "core/base/error.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Head = DatagramLayout::Head;

DatagramField channelField(const char* name, FieldType type) { return {FieldContent::channel, type, name}; }
DatagramField fieldOf(FieldContent content, FieldType type = FieldType::uint32) { return {content, type}; }

Bytes bytesOf(const char* hex) {
  const QByteArray bytes = QByteArray::fromHex(hex);
  return {bytes.begin(), bytes.end()};
}

/// The example of the reference note on links, section 2.
const std::vector<DatagramField> kFive = {channelField("a", FieldType::uint8), channelField("b", FieldType::uint32),
                                          channelField("c", FieldType::float32), channelField("d", FieldType::int16),
                                          channelField("e", FieldType::float64)};
const std::vector<double> kFiveValues = {1, 2, 0.001, -3, 0.001};
const std::vector<std::string> kFiveNames = {"a", "b", "c", "d", "e"};

Bytes encoded(const DatagramLayout& layout, const std::vector<double>& values, const Head& head = {}) {
  Bytes bytes(layout.size());
  layout.encode(head, values, bytes);
  return bytes;
}

std::string complaintOf(const std::vector<DatagramField>& fields, const std::vector<std::string>& channels) {
  try {
    DatagramLayout(fields, channels, false, 1, "/sends");
  } catch (const InputError& error) {
    std::string all;
    for (const Issue& issue : error.issues()) all += issue.where + " " + issue.message + "\n";
    return all;
  }
  return {};
}

}  // namespace

class UdpLayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void bytesOfTheNote_data() {
    QTest::addColumn<int>("alignment");
    QTest::addColumn<QByteArray>("hex");
    QTest::newRow("1") << 1 << QByteArray("01020000006f12833afdfffca9f1d24d62503f");
    QTest::newRow("4") << 4 << QByteArray("01000000020000006f12833afdff0000fca9f1d24d62503f");
  }
  void bytesOfTheNote() {
    QFETCH(int, alignment);
    QFETCH(QByteArray, hex);
    const DatagramLayout layout(kFive, kFiveNames, false, alignment, "");
    const Bytes bytes = encoded(layout, kFiveValues);
    QCOMPARE(QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<int>(bytes.size())).toHex(), hex);
    Head head;
    std::vector<double> back(5, 99.0);
    QVERIFY(layout.decode(bytes, head, back) == DatagramCheck::ok);
    for (std::size_t k = 0; k < 5; ++k) QCOMPARE(back[k], k == 2 ? static_cast<double>(0.001f) : kFiveValues[k]);
  }
  void bigEndian() {
    const DatagramLayout layout({channelField("n", FieldType::uint32), channelField("x", FieldType::float64),
                                 channelField("f", FieldType::float64)},
                                {"n", "x", "f"}, true, 1, "");
    QVERIFY(encoded(layout, {2, 0.001, 12.5}) == bytesOf("000000023f50624dd2f1a9fc4029000000000000"));
  }
  /// Elements of one vector are tight, whatever the alignment.
  void vectorsAreTight() {
    std::vector<DatagramField> fields = {channelField("a", FieldType::uint8), channelField("b", FieldType::uint8),
                                         channelField("c", FieldType::uint8)};
    QCOMPARE(DatagramLayout(fields, {"a", "b", "c"}, false, 4, "").size(), std::size_t{9});
    fields[1].joined = fields[2].joined = true;
    QCOMPARE(DatagramLayout(fields, {"a", "b", "c"}, false, 4, "").size(), std::size_t{3});
  }

  void typesKeepTheirValuesAndLimits() {
    std::array<std::uint8_t, 8> bytes{};
    const double inf = std::numeric_limits<double>::infinity();
    for (int t = 0; t < 8; ++t)
      for (const bool big : {false, true}) {
        const auto type = static_cast<FieldType>(t);
        const auto there = [&](double value) {
          encodeField(value, type, big, bytes.data());
          return decodeField(bytes.data(), type, big);
        };
        for (const double value : {0.0, 1.0, 100.0}) QCOMPARE(there(value), value);
        if (type == FieldType::float64) {
          QCOMPARE(there(-1e300), -1e300);
          continue;
        }
        if (type == FieldType::float32) {
          QCOMPARE(there(1e300), static_cast<double>(std::numeric_limits<float>::max()));
          QVERIFY(std::isnan(there(std::nan(""))));
          continue;
        }
        const bool with_sign = t % 2 == 0;
        const double bits = 8.0 * static_cast<double>(sizeOf(type));
        const double top = std::exp2(with_sign ? bits - 1 : bits) - 1, bottom = with_sign ? -std::exp2(bits - 1) : 0.0;
        QCOMPARE(largestWhole(type), top);
        QCOMPARE(there(inf), top);
        QCOMPARE(there(-inf), bottom);
        QCOMPARE(there(2.6), 3.0);
        QCOMPARE(there(std::nan("")), 0.0);
      }
  }

  void checksums() {
    const Bytes digits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    QCOMPARE(checksumOf(digits, ChecksumKind::crc_32), 0xCBF43926u);
    QCOMPARE(checksumOf(digits, ChecksumKind::sum), 477u);
    for (const ChecksumKind kind : {ChecksumKind::crc_32, ChecksumKind::sum}) {
      DatagramField check = fieldOf(FieldContent::checksum);
      check.checksum = kind;
      const DatagramLayout layout({channelField("x", FieldType::float64), check}, {"x"}, false, 1, "");
      Bytes bytes = encoded(layout, {0.25});
      Head head;
      std::vector<double> value = {99.0};
      QVERIFY(layout.decode(bytes, head, value) == DatagramCheck::ok);
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        Bytes damaged = bytes;
        damaged[at] ^= 0x10u;
        value[0] = 99.0;
        QVERIFY(layout.decode(damaged, head, value) == DatagramCheck::wrong_checksum);
        QCOMPARE(value[0], 99.0);
      }
    }
  }

  void headsComeBack() {
    DatagramField time = fieldOf(FieldContent::time);
    time.scale_s = 1e-6;
    DatagramField mark = fieldOf(FieldContent::fixed);
    mark.value = 0x01020304;
    const DatagramLayout layout(
        {mark, fieldOf(FieldContent::sequence, FieldType::uint16), fieldOf(FieldContent::echo, FieldType::uint8),
         fieldOf(FieldContent::tick), time, fieldOf(FieldContent::enable, FieldType::uint8),
         fieldOf(FieldContent::enabled, FieldType::uint8), fieldOf(FieldContent::fault, FieldType::uint8)},
        {}, false, 1, "");
    QCOMPARE(layout.largestSequence(), std::uint64_t{65535});
    QVERIFY(std::abs(layout.timePeriod_s() - 4294.967296) < 1e-9);
    Head head;
    head.sequence = 513, head.echo = 7, head.tick = 4294967296.0 + 5.0, head.time_s = 4294.967296 + 1.25;
    head.enable = true, head.enabled = false, head.fault = true;
    Bytes bytes = encoded(layout, {}, head);
    Head back;
    QVERIFY(layout.decode(bytes, back, {}) == DatagramCheck::ok);
    QCOMPARE(back.sequence, 513.0);
    QCOMPARE(back.echo, 7.0);
    QCOMPARE(back.tick, 5.0);
    QVERIFY(std::abs(back.time_s - 1.25) < 2e-6);
    QVERIFY(back.enable && !back.enabled && back.fault);
    QVERIFY(layout.decode(std::span(bytes).first(bytes.size() - 1), back, {}) == DatagramCheck::wrong_size);
    std::reverse(bytes.begin(), bytes.begin() + 4);
    QVERIFY(layout.decode(bytes, back, {}) == DatagramCheck::wrong_byte_order);
    bytes[0] = 9;
    QVERIFY(layout.decode(bytes, back, {}) == DatagramCheck::wrong_fixed);
  }

  /// The other byte order is found where numbers tell it, and nothing is said of zeros.
  void theOtherByteOrderShows() {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> mantissa(-1.0, 1.0), decade(-6.0, 6.0);
    const std::vector<DatagramField> fields = {fieldOf(FieldContent::sequence), channelField("x", FieldType::float64),
                                               channelField("f", FieldType::float32)};
    const DatagramLayout little(fields, {"x", "f"}, false, 1, ""), big(fields, {"x", "f"}, true, 1, "");
    int found = 0;
    for (int k = 0; k < 1000; ++k) {
      const std::vector<double> values = {mantissa(random) * std::pow(10.0, decade(random)),
                                          mantissa(random) * std::pow(10.0, decade(random))};
      Head head;
      head.sequence = k;
      QVERIFY(!little.looksSwapped(encoded(little, values, head)));
      QVERIFY(!big.looksSwapped(encoded(big, values, head)));
      found += little.looksSwapped(encoded(big, values, head)) ? 1 : 0;
    }
    // Reversed, the exponents are even: of 2048 in a double, 81 are usual, and of 256 in a float, 81. A usual number
    // acquits; otherwise the sequence number tells it.
    const double share = (1.0 - 81.0 / 2048.0) * (1.0 - 81.0 / 256.0);
    QVERIFY2(std::abs(found - 1000.0 * share) < 3.5 * std::sqrt(1000.0 * share * (1.0 - share)),
             qPrintable(QString::number(found)));
    QVERIFY(!little.looksSwapped(encoded(big, {0.0, 0.0})));
    QVERIFY(little.looksSwapped(encoded(big, {0.0, 0.0}, {.sequence = 5.0})));
  }

  void faultsOfALayoutAreNamed() {
    const DatagramField x = channelField("x", FieldType::float64);
    QCOMPARE(complaintOf({x}, {"x"}), std::string());
    const auto names = [](const std::string& said, const char* words) { return said.find(words) != std::string::npos; };
    QVERIFY(names(complaintOf({x, channelField("y", FieldType::int8)}, {"x"}), "/sends/1/channel is \"y\""));
    QVERIFY(names(complaintOf({x, x}, {"x"}), "/sends/1/channel is \"x\", which has a field already"));
    QVERIFY(names(complaintOf({x}, {"x", "z"}), "/sends has no field for the channel \"z\""));
    QVERIFY(names(complaintOf({x, fieldOf(FieldContent::tick), fieldOf(FieldContent::tick)}, {"x"}),
                  "/sends/2/content occurs twice"));
    QVERIFY(names(complaintOf({x, fieldOf(FieldContent::checksum, FieldType::uint16)}, {"x"}),
                  "/sends/1/type must be uint32 for a CRC-32"));
    DatagramField fixed = fieldOf(FieldContent::fixed, FieldType::uint8);
    fixed.value = 256;
    QVERIFY(names(complaintOf({x, fixed}, {"x"}), "/sends/1/value does not fit"));
    QVERIFY(names(complaintOf(std::vector<DatagramField>(185, fieldOf(FieldContent::fixed, FieldType::float64)), {}),
                  "/sends needs 1480 bytes"));
    QCOMPARE(complaintOf(std::vector<DatagramField>(184, fieldOf(FieldContent::fixed, FieldType::float64)), {}),
             std::string());
  }
};

/// Against a list of all numbers that were sent.
class SequenceTrackerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void countsAsAListDoes_data() {
    QTest::addColumn<quint64>("largest");
    QTest::newRow("uint8") << quint64{255};
    QTest::newRow("uint16") << quint64{65535};
    QTest::newRow("uint32") << quint64{4294967295u};
  }
  void countsAsAListDoes() {
    QFETCH(quint64, largest);
    std::mt19937_64 random(7);
    SequenceTracker tracker(largest);
    std::vector<std::uint64_t> wire;  // counts on; the number on the wire wraps
    std::set<std::uint64_t> dropped;
    std::uint64_t doubled = 0, reordered = 0, held = 0;
    const std::uint64_t start = largest - 1000 % (largest + 1);  // wraps in between
    for (std::uint64_t k = 0; k < 5000; ++k) {
      const std::uint64_t number = start + k;
      const auto dice = k == 0 || k >= 4990 ? 99 : random() % 100;
      if (dice < 5) {
        dropped.insert(number);
      } else if (dice < 10 && held == 0) {
        held = number;
        continue;
      } else {
        wire.push_back(number);
        if (dice < 15) wire.push_back(number), ++doubled;
      }
      if (held != 0 && random() % 3 == 0) {
        // Held back behind at least one newer datagram, if that was not dropped.
        if (!wire.empty() && wire.back() > held) ++reordered;
        wire.push_back(held);
        held = 0;
      }
    }
    if (held != 0) wire.push_back(held), ++reordered;
    std::uint64_t lost = 0, seen_doubled = 0, seen_reordered = 0, next = 0;
    for (const std::uint64_t number : wire) {
      const auto judged = tracker.judge(number % (largest + 1));
      lost += judged.skipped;
      if (judged.was_missing) --lost;
      next += judged.verdict == SequenceTracker::Verdict::next;
      seen_doubled += judged.verdict == SequenceTracker::Verdict::doubled;
      seen_reordered += judged.verdict == SequenceTracker::Verdict::reordered;
    }
    QCOMPARE(lost, static_cast<std::uint64_t>(dropped.size()));
    QCOMPARE(seen_doubled, doubled);
    QCOMPARE(seen_reordered, reordered);
    QCOMPARE(next + doubled + reordered, static_cast<std::uint64_t>(wire.size()));
  }

  void aSenderThatStartsAgainIsTold() {
    SequenceTracker tracker;
    using Verdict = SequenceTracker::Verdict;
    QVERIFY(tracker.judge(5000).verdict == Verdict::next);
    QVERIFY(tracker.judge(1).verdict == Verdict::restarted);
    QVERIFY(tracker.judge(2).verdict == Verdict::next);
    QVERIFY(tracker.judge(1'000'000).verdict == Verdict::restarted);
    QCOMPARE(tracker.judge(1'000'003).skipped, std::uint64_t{2});
    SequenceTracker young;
    QVERIFY(young.judge(100).verdict == Verdict::next);
    const auto older = young.judge(99);
    QVERIFY(older.verdict == Verdict::reordered && !older.was_missing);
  }
};

HYB_SUITE(udp_layout, UdpLayoutTest, SequenceTrackerTest)
#include "udp_layout_test.moc"
