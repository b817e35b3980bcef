#include "hardware/opensees_session.h"
#include "tests/support/suite.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace hyb;
using Step = Conversation::Step;
using Bytes = std::vector<std::uint8_t>;

namespace {

SiteSpec siteOf(std::size_t n) {
  SiteSpec site;
  for (std::size_t k = 0; k < n * n; ++k) site.stiffness_n_per_m.push_back(1000.0 * static_cast<double>(k + 1));
  return site;
}
template <typename T>
Bytes bytesOf(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
/// What OpenSees sends first: n degrees of freedom, blocks of `block` doubles.
Bytes sizes(int n, int block) { return bytesOf<std::int32_t>({n, n, n, 0, 1, 0, 0, 0, n, 0, block}); }
Bytes block(std::vector<double> values, std::size_t length) {
  values.resize(length, 0.0);
  return bytesOf(values);
}
std::vector<double> numbers(std::span<const std::uint8_t> bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}
Bytes fromHex(const std::string& hex, std::size_t length) {
  Bytes bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(k, 2), nullptr, 16)));
  bytes.resize(length, 0);
  return bytes;
}
ExternalAnswer answerOf(std::vector<double> x_m, std::vector<double> f_n) { return {x_m, f_n, 0.25, 1}; }

}  // namespace

class TestOpenSeesSession : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The worked example of the protocol note, byte for byte.
  void workedExample() {
    SiteSpec site;
    site.stiffness_n_per_m = {10000.0};
    OpenSeesSession session(site, 1);
    const auto send = [&](const std::string& hex) {
      session.feed(fromHex(hex, 2048));
      return session.next();
    };
    session.feed(
        fromHex("0100000001000000010000000000000001000000"
                "000000000000000000000000010000000000000000010000",
                44));
    QVERIFY(session.next() == Step::remark);
    QVERIFY(send("0000000000000840") == Step::more);  // a trial at rest is no new target
    QVERIFY(send("0000000000002e40") == Step::reply);
    QCOMPARE(numbers(session.constantReply()), std::vector<double>(256, 0.0));
    QVERIFY(send("0000000000002a40") == Step::reply);
    QVERIFY(Bytes(session.constantReply().begin(), session.constantReply().begin() + 8) ==
            fromHex("000000000088c340", 8));
    QVERIFY(send("0000000000000840fca9f1d24d62503f7b14ae47e17a943f000000000000e0bf7b14ae47e17a843f") == Step::target);
    QCOMPARE(session.target_m()[0], 0.001);
    QVERIFY(send("0000000000002440fca9f1d24d62503f") == Step::measured);
    QVERIFY(Bytes(session.measuredReply(answerOf({0.001}, {-12.5})).begin(),
                  session.measuredReply(answerOf({0.001}, {-12.5})).begin() + 8) == fromHex("0000000000002940", 8));
    QVERIFY(send("0000000000002c40") == Step::reply);
    QCOMPARE(numbers(session.constantReply())[0], 0.0);
    QVERIFY(send("0000000000001440") == Step::more);
    QVERIFY(send("0000000000c05840") == Step::end);
  }

  void anyNumberOfFreedoms_data() {
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("length");
    QTest::newRow("1, short") << 1 << 5;
    QTest::newRow("1, 256") << 1 << 256;
    QTest::newRow("2") << 2 << 256;
    QTest::newRow("17, longer than 256") << 17 << 289;
  }
  /// Any cutting of the stream into segments gives the same steps.
  void anyNumberOfFreedoms() {
    QFETCH(int, n);
    QFETCH(int, length);
    const auto count = static_cast<std::size_t>(n);
    SiteSpec site = siteOf(count);
    site.length_factor = 0.001;
    site.force_factor = 1000.0;
    std::vector<double> trial = {3.0}, motion, force;
    for (int i = 0; i < n; ++i) {
      trial.push_back(i + 1.0);
      motion.push_back(0.001 * (i + 1.0));
      force.push_back(-500.0 * i);
    }
    Bytes stream = sizes(n, length);
    for (const std::vector<double>& values :
         {trial, {10.0}, trial, {7.0}, {13.0}, {14.0}, {5.0}, {2.0}, {6.0}, {99.0}}) {
      const Bytes bytes = block(values, static_cast<std::size_t>(length));
      stream.insert(stream.end(), bytes.begin(), bytes.end());
    }
    for (const std::size_t segment : {std::size_t{1}, std::size_t{7}, std::size_t{1460}, stream.size()}) {
      OpenSeesSession session(site, count);
      std::vector<Step> steps;
      for (std::size_t at = 0; at < stream.size(); at += segment) {
        session.feed(std::span(stream).subspan(at, std::min(segment, stream.size() - at)));
        for (Step step = session.next(); step != Step::more; step = session.next()) {
          steps.push_back(step);
          if (step == Step::target)
            for (std::size_t i = 0; i < count; ++i) QCOMPARE(session.target_m()[i], motion[i]);
          if (step == Step::measured && steps.size() == 3) {  // code 10: resisting force in the client's unit
            const std::vector<double> reply = numbers(session.measuredReply(answerOf(motion, force)));
            QCOMPARE(reply.size(), static_cast<std::size_t>(length));
            for (std::size_t i = 0; i < count; ++i) QCOMPARE(reply[i], 0.5 * static_cast<double>(i));
          }
          if (step == Step::reply && steps.size() == 5) {  // code 13: column after column
            const std::vector<double> reply = numbers(session.constantReply());
            for (std::size_t row = 0; row < count; ++row)
              for (std::size_t column = 0; column < count; ++column)
                QVERIFY(std::abs(reply[column * count + row] - 1e-3 * static_cast<double>(row * count + column + 1)) <
                        1e-12);
          }
        }
      }
      QVERIFY((steps == std::vector<Step>{Step::remark, Step::target, Step::measured, Step::measured, Step::reply,
                                          Step::reply, Step::measured, Step::end}));
    }
  }

  /// A MATLAB script: one number out, one back, blocks of 16 bytes.
  void smallestClient() {
    OpenSeesSession session(siteOf(1), 1);
    session.feed(bytesOf<std::int32_t>({1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}));
    QVERIFY(session.next() == Step::remark);
    session.feed(bytesOf<double>({3.0, 0.5, 10.0, 0.5}));
    QVERIFY(session.next() == Step::target);
    QVERIFY(session.next() == Step::measured);
    QCOMPARE(numbers(session.measuredReply(answerOf({0.5}, {-2.0}))), (std::vector<double>{2.0, 0.0}));
  }

  /// MATLAB's element announces a time for which its block has no room.
  void matlabsShortBlock() {
    OpenSeesSession session(siteOf(2), 2);
    session.feed(sizes(2, 7));
    QVERIFY(session.next() == Step::remark);
    QVERIFY(session.remark().find("without the time") != std::string::npos);
    session.feed(block({3.0, 0.1, 0.2}, 7));
    QVERIFY(session.next() == Step::target);
    QCOMPARE(session.target_m()[1], 0.2);
  }

  /// Everything that is measured, in the order displacement, ..., force, time.
  void allMeasuredAtOnce() {
    OpenSeesSession session(siteOf(2), 2);
    session.feed(bytesOf<std::int32_t>({2, 0, 0, 0, 0, 2, 0, 0, 2, 1, 5}));
    QVERIFY(session.next() == Step::remark);
    const ExternalAnswer answer = answerOf({0.1, 0.2}, {1.0, 2.0});
    const auto reply = [&](double code) {
      session.feed(block({code}, 5));
      return session.next() == Step::measured ? numbers(session.measuredReply(answer)) : std::vector<double>{};
    };
    QCOMPARE(reply(6.0), (std::vector<double>{0.1, 0.2, -1.0, -2.0, 0.25}));
    QCOMPARE(reply(7.0), (std::vector<double>{0.1, 0.2, 0.0, 0.0, 0.0}));
    QCOMPARE(reply(10.0), (std::vector<double>{0.0, 0.0, -1.0, -2.0, 0.0}));
    QCOMPARE(reply(11.0), (std::vector<double>{0.0, 0.0, 0.0, 0.0, 0.25}));
  }

  void unknownActionsAreToldAndThenTheSessionFallsSilent() {
    OpenSeesSession session(siteOf(1), 1);
    session.feed(sizes(1, 16));
    QVERIFY(session.next() == Step::remark);
    for (const double code : {4.1, 77.0}) {
      session.feed(block({code}, 16));
      QVERIFY(session.next() == Step::remark);
      QVERIFY(session.next() == Step::more);
    }
    session.feed(block({10.0}, 16));
    QVERIFY(session.next() == Step::measured);  // still in step
    session.feed(block({std::numeric_limits<double>::quiet_NaN()}, 16));
    QVERIFY(session.next() == Step::remark);
    QVERIFY(session.remark().find("out of step") != std::string::npos);
    session.feed(block({10.0}, 16));
    QVERIFY(session.next() == Step::more);
    QVERIFY(session.begun());
  }

  void sizesThatDoNotFitAreRefused() {
    const std::vector<std::vector<std::int32_t>> wrong = {
        {2, 2, 2, 0, 1, 0, 0, 0, 2, 0, 256},                  // another number of freedoms
        {-1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256},                 // negative
        {1, 1, 1, 0, 2, 0, 0, 0, 1, 0, 256},                  // two times
        {1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 3},                    // too short
        {1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 70000},                // too long
        {0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 256},                  // force control
        {16777216, 0, 0, 0, 0, 0, 0, 0, 16777216, 0, 65536},  // big-endian
    };
    for (const std::vector<std::int32_t>& sizes : wrong) {
      OpenSeesSession session(siteOf(1), 1);
      session.feed(bytesOf(sizes));
      QVERIFY(session.next() == Step::remark);
      QVERIFY(session.remark().starts_with("client refused"));
      QVERIFY(!session.begun());
      session.feed(block({10.0}, 256));
      QVERIFY(session.next() == Step::more);
    }
  }

  /// OpenFresco's control as a client sends an init file first.
  void linesOfAnInitFileAreSkipped() {
    OpenSeesSession session(siteOf(1), 1);
    Bytes stream = sizes(1, 256);
    stream.push_back(0x02);
    stream.resize(44 + 16385, 'x');
    const Bytes trial = block({3.0, 0.25}, 256);
    stream.insert(stream.end(), trial.begin(), trial.end());
    session.feed(stream);
    QVERIFY(session.next() == Step::remark);
    QVERIFY(session.next() == Step::target);
  }

  void trialsThatAreNoNumbersAreHandedOn() {
    OpenSeesSession session(siteOf(1), 1);
    session.feed(sizes(1, 8));
    QVERIFY(session.next() == Step::remark);
    session.feed(block({3.0, std::numeric_limits<double>::quiet_NaN()}, 8));
    QVERIFY(session.next() == Step::target);
    QVERIFY(std::isnan(session.target_m()[0]));
  }

  void nonsenseNeverHarms() {
    std::mt19937 random(4711);
    for (int k = 0; k < 10'000; ++k) {
      OpenSeesSession session(siteOf(1), 1);
      Bytes stream = sizes(1, 6);
      for (const double code : {3.0, 10.0, 12.0, 6.0, 5.0, 99.0}) {
        const Bytes bytes = block({code, 0.5}, 6);
        stream.insert(stream.end(), bytes.begin(), bytes.end());
      }
      for (std::size_t flips = 1 + random() % 4; flips > 0; --flips)
        stream[random() % stream.size()] = static_cast<std::uint8_t>(random());
      stream.resize(random() % (stream.size() + 1));
      session.feed(stream);
      int steps = 0;
      for (Step step = session.next(); step != Step::more; step = session.next()) {
        if (step == Step::reply) session.constantReply();
        if (step == Step::measured) session.measuredReply(answerOf({0.0}, {0.0}));
        QVERIFY(++steps < 100);
      }
    }
  }
};

HYB_SUITE(opensees_session, TestOpenSeesSession)
#include "opensees_session_test.moc"
