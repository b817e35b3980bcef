#include "hardware/openfresco_session.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/support/suite.h"

using namespace hyb;

namespace {

using Said = Conversation::Step;
using Stream = std::vector<std::uint8_t>;
constexpr std::size_t kFrescoBlock = 256;

template <typename T>
Stream streamOf(const std::vector<T>& values) {
  Stream bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
/// What GenericTCP sends first: displacements, and displacements and forces back.
Stream frescoSizes(int n) { return streamOf<std::int32_t>({n, 0, 0, 0, 0, n, 0, 0, n, 0, 256}); }
Stream frescoBlock(std::vector<double> values) {
  values.resize(kFrescoBlock, 0.0);
  return streamOf(values);
}
Stream initLine(const std::string& text) {
  Stream line(16385, 0);
  line[0] = 0x02;
  std::copy(text.begin(), text.end(), line.begin() + 1);
  return line;
}
Stream hexStream(const std::string& hex, std::size_t length) {
  Stream bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(k, 2), nullptr, 16)));
  bytes.resize(length, 0);
  return bytes;
}
void append(Stream& stream, const Stream& more) { stream.insert(stream.end(), more.begin(), more.end()); }

}  // namespace

class TestOpenFrescoSession : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The worked example of the protocol note, byte for byte.
  void workedExample() {
    OpenFrescoSession session(SiteSpec(), 1);
    const auto send = [&](const std::string& hex) {
      session.feed(hexStream(hex, 2048));
      return session.next();
    };
    session.feed(
        hexStream("0100000000000000000000000000000000000000"
                  "0100000000000000000000000100000000000000"
                  "00010000",
                  44));
    QVERIFY(session.next() == Said::remark);
    QCOMPARE(session.remark(), std::string("client connected: OpenFresco with 1 displacement, blocks of 256 numbers"));
    QVERIFY(send("0000000000000840") == Said::more);  // rest in zero is known
    QVERIFY(send("0000000000001840") == Said::measured);
    const auto first = session.measuredReply({{0.0}, {0.0}, 0.0, 1});
    QVERIFY(std::ranges::equal(first, Stream(2048, 0)) || first[15] == 0x80);  // the force may be -0
    QVERIFY(send("0000000000000840fca9f1d24d62503f") == Said::target);
    QCOMPARE(session.target_m()[0], 0.001);
    QVERIFY(send("0000000000001840fca9f1d24d62503f") == Said::measured);
    // Resisting force: the rig pushes back with -12.5 N.
    QVERIFY(std::ranges::equal(session.measuredReply({{0.00098}, {-12.5}, 0.1, 2}),
                               hexStream("581ccefc6a0e503f0000000000002940", 2048)));
    QVERIFY(send("0000000000c05840fca9f1d24d62503f") == Said::end);
  }

  void bytesMayComeInAnyPieces_data() {
    QTest::addColumn<int>("piece");
    for (const int piece : {1, 7, 44, 2047, 2048, 2049, 100000}) QTest::addRow("%d bytes", piece) << piece;
  }
  void bytesMayComeInAnyPieces() {
    QFETCH(int, piece);
    Stream stream = frescoSizes(2);
    append(stream, initLine("gain 1"));
    append(stream, initLine("gain 2"));
    for (int step = 1; step <= 5; ++step) {
      append(stream, frescoBlock({3.0, 1e-3 * step, -1e-3 * step}));
      append(stream, frescoBlock({6.0, 1e-3 * step, -1e-3 * step}));
    }
    append(stream, frescoBlock({99.0}));
    OpenFrescoSession session(SiteSpec(), 2);
    int targets = 0, asked = 0, ends = 0;
    for (std::size_t at = 0; at < stream.size(); at += static_cast<std::size_t>(piece)) {
      session.feed(std::span(stream).subspan(at, std::min(stream.size() - at, static_cast<std::size_t>(piece))));
      for (Said said = session.next(); said != Said::more; said = session.next()) {
        targets += said == Said::target ? 1 : 0;
        ends += said == Said::end ? 1 : 0;
        if (said != Said::measured) continue;
        ++asked;
        QCOMPARE(session.target_m()[1], -1e-3 * asked);
        session.measuredReply({{0.0, 0.0}, {0.0, 0.0}, 0.0, 1});
      }
    }
    QCOMPARE(targets, 5);
    QCOMPARE(asked, 5);
    QCOMPARE(ends, 1);
    QCOMPARE(session.pending(), std::size_t{0});
  }

  void sizesThatDoNotFitAreRefusedWithBothNumbers_data() {
    QTest::addColumn<QList<int>>("sizes");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, QList<int> sizes, const char* said) { QTest::newRow(name) << sizes << said; };
    row("displacements", {2, 0, 0, 0, 0, 2, 0, 0, 2, 0, 256}, "it sends 2 displacements, the cut has 1 degree");
    row("no displacements", {0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256}, "it sends 0 displacements, the cut has 1 degree");
    row("force control", {1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 256}, "it sends 1 force, 0 are possible");
    row("velocities sent", {1, 3, 0, 0, 0, 1, 0, 0, 1, 0, 256}, "it sends 3 velocities, the cut has 1 degree");
    row("velocities", {1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 256}, "it asks for 1 velocity, 0 are possible");
    row("accelerations", {1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 256}, "it asks for 1 acceleration, 0 are possible");
    row("forces", {1, 0, 0, 0, 0, 1, 0, 0, 4, 0, 256}, "it asks for 4 forces, the cut has 1 degree");
    row("times", {1, 0, 0, 0, 2, 1, 0, 0, 1, 0, 256}, "it has 2 times, 1 is possible");
    row("nothing asked", {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 256}, "it asks for no measured values");
    row("short blocks", {1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 4}, "its blocks have 4 numbers, 5 are needed");
    row("big-endian", {16777216, 0, 0, 0, 0, 16777216, 0, 0, 16777216, 0, 65536}, "its numbers are big-endian");
    row("negative", {-1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256}, "its first 44 bytes are not the sizes of GenericTCP");
    row("text", {0x20544547, 0x5448202f, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "its first 44 bytes are not the sizes");
  }
  void sizesThatDoNotFitAreRefusedWithBothNumbers() {
    QFETCH(QList<int>, sizes);
    QFETCH(QString, said);
    OpenFrescoSession session(SiteSpec(), 1);
    session.feed(streamOf(std::vector<std::int32_t>(sizes.begin(), sizes.end())));
    QVERIFY(session.next() == Said::refused);
    const QString remark = QString::fromStdString(session.remark());
    QVERIFY2(remark.startsWith("client refused: " + said), qPrintable(remark));
    QVERIFY2(remark.size() < 128, "it must fit into an event");
    QVERIFY(!session.begun());
    session.feed(frescoBlock({6.0}));
    QVERIFY(session.next() == Said::more);
  }

  void whatOpenFrescoMaySendIsTaken() {
    for (const std::vector<std::int32_t>& sizes :
         std::vector<std::vector<std::int32_t>>{{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 256},     // forces alone
                                                {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 256},     // displacements alone
                                                {1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 256}}) {  // all that is possible
      OpenFrescoSession session(SiteSpec(), 1);
      session.feed(streamOf(sizes));
      QVERIFY(session.next() == Said::remark);
      QVERIFY(session.begun());
    }
  }

  void valuesStandWhereTheSizesPutThem() {
    SiteSpec site;
    site.length_factor = 0.001;
    site.force_factor = 1000.0;
    site.time_factor = 0.1;
    OpenFrescoSession session(site, 2);
    session.feed(streamOf<std::int32_t>({2, 2, 0, 0, 1, 2, 0, 0, 2, 1, 256}));
    QVERIFY(session.next() == Said::remark);
    session.feed(frescoBlock({3.0, 5.0, -6.0, 1.0, 1.0, 0.5}));
    QVERIFY(session.next() == Said::target);
    QCOMPARE(session.target_m()[0], 5e-3);
    QCOMPARE(session.target_m()[1], -6e-3);
    session.feed(frescoBlock({6.0}));
    QVERIFY(session.next() == Said::measured);
    std::vector<double> values(kFrescoBlock);
    std::memcpy(values.data(), session.measuredReply({{4e-3, -3e-3}, {-1500.0, 500.0}, 0.25, 2}).data(), 2048);
    QCOMPARE(std::vector<double>(values.begin(), values.begin() + 6),
             (std::vector<double>{4.0, -3.0, 1.5, -0.5, 2.5, 0.0}));
  }

  /// Repeated before its answer it is the same step, after its answer a new one.
  void aRepeatedTargetIsANewStepOnlyAfterItsAnswer() {
    OpenFrescoSession session(SiteSpec(), 1);
    session.feed(frescoSizes(1));
    QVERIFY(session.next() == Said::remark);
    const auto send = [&](std::vector<double> values) {
      session.feed(frescoBlock(std::move(values)));
      return session.next();
    };
    QVERIFY(send({3.0, 0.25}) == Said::target);
    QVERIFY(send({3.0, 0.25}) == Said::more);
    QVERIFY(send({6.0, 0.25}) == Said::measured);
    session.measuredReply({{0.25}, {0.0}, 0.0, 2});
    QVERIFY(send({6.0, 0.25}) == Said::measured);  // `r` of the operator repeats both
    session.measuredReply({{0.25}, {0.0}, 0.0, 2});
    QVERIFY(send({3.0, 0.25}) == Said::target);
    QVERIFY(send({3.0, 0.25}) == Said::more);
    QVERIFY(send({5.0}) == Said::more);
    QVERIFY(send({3.0, std::numeric_limits<double>::quiet_NaN()}) == Said::target);
    QVERIFY(std::isnan(session.target_m()[0]));
  }

  void initLinesAreTakenAndToldOnce() {
    OpenFrescoSession session(SiteSpec(), 1);
    session.feed(frescoSizes(1));
    QVERIFY(session.next() == Said::remark);
    for (int line = 0; line < 3; ++line) session.feed(initLine("hello"));
    QVERIFY(session.next() == Said::remark);
    QVERIFY(session.remark().find("init file") != std::string::npos);
    QVERIFY(session.next() == Said::more);
    session.feed(initLine("again"));
    QVERIFY(session.next() == Said::more);
    session.feed(frescoBlock({3.0, 0.25}));
    QVERIFY(session.next() == Said::target);
  }

  void unknownCodesAreToldAndNeverAnswered() {
    OpenFrescoSession session(SiteSpec(), 1);
    session.feed(frescoSizes(1));
    QVERIFY(session.next() == Said::remark);
    for (const double code : {4.1, std::numeric_limits<double>::quiet_NaN()}) {
      session.feed(frescoBlock({code}));
      QVERIFY(session.next() == Said::remark);
      QVERIFY(session.remark().starts_with("client sent the code"));
    }
    session.feed(frescoBlock({10.0}));
    QVERIFY(session.next() == Said::remark);
    QVERIFY(session.remark().find("out of step") != std::string::npos);
    session.feed(frescoBlock({6.0}));
    QVERIFY(session.next() == Said::more);
    QCOMPARE(session.pending(), std::size_t{0});
    QVERIFY(session.begun());
  }

  void afterAFaultThereAreNoNumbers() {
    OpenFrescoSession session(SiteSpec(), 1);
    session.feed(frescoSizes(1));
    QVERIFY(session.next() == Said::remark);
    const auto bytes = session.faultReply();
    QCOMPARE(bytes.size(), std::size_t{2048});
    double value = 0.0;
    std::memcpy(&value, bytes.data() + 2040, sizeof value);
    QVERIFY(std::isnan(value));
  }

  void nonsenseNeverHarms() {
    std::mt19937 random(815);
    for (int k = 0; k < 10'000; ++k) {
      OpenFrescoSession session(SiteSpec(), 1);
      Stream stream = streamOf<std::int32_t>({1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 6});
      for (const double code : {3.0, 6.0, 5.0, 3.0, 6.0, 99.0}) {
        std::vector<double> values = {code, 0.5, 0.0, 0.0, 0.0, 0.0};
        append(stream, streamOf(values));
      }
      for (std::size_t flips = 1 + random() % 4; flips > 0; --flips)
        stream[random() % stream.size()] = static_cast<std::uint8_t>(random());
      stream.resize(random() % (stream.size() + 1));
      session.feed(stream);
      int steps = 0;
      for (Said said = session.next(); said != Said::more; said = session.next()) {
        if (said == Said::measured) session.measuredReply({{0.0}, {0.0}, 0.0, 1});
        QVERIFY(++steps < 100);
      }
    }
  }
};

HYB_SUITE(openfresco_session, TestOpenFrescoSession)
#include "openfresco_session_test.moc"
