/// Bytes of ADS: what the driver asks and what it takes for an answer, and the partner of the tests, against the
/// example of the reference note on links (section 3.7).
#include "hardware/ads_link.h"

#include <atomic>
#include <functional>
#include <thread>

#include "hardware/ads_words.h"
#include "tests/support/ads_partner.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using AdsReply = AdsLink::Answer;

namespace {

constexpr auto kAdsPatience = std::chrono::seconds(60);
const AmsAddress kController{{{5, 1, 2, 3, 1, 1}}, 851}, kBench{{{192, 168, 0, 10, 1, 1}}, 30000};

/// Hexadecimal digits; anything else parts them.
AdsBytes adsHex(const char* text) {
  AdsBytes bytes;
  int digits = 0;
  unsigned value = 0;
  for (; *text != '\0'; ++text) {
    if (std::isxdigit(static_cast<unsigned char>(*text)) == 0) continue;
    value = value << 4 | static_cast<unsigned>(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    if (++digits % 2 == 0) bytes.push_back(static_cast<std::uint8_t>(value & 0xFFu));
  }
  return bytes;
}
AdsBytes adsJoined(AdsBytes a, const AdsBytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
AdsBytes askedBytes(const AdsRequest& request, std::uint32_t invoke_id) {
  AdsBytes bytes;
  appendAmsFrame(kController, kBench, request, invoke_id, bytes);
  return bytes;
}

constexpr const char* kTo = "050102030101 5303 c0a8000a0101 3075";
constexpr const char* kFrom = "c0a8000a0101 3075 050102030101 5303";
/// A frame of the note: length, direction, the rest.
AdsBytes noted(const char* length, const char* way, const char* rest) {
  return adsHex((std::string("0000") + length + way + rest).c_str());
}

const AdsBytes kStateAsked = noted("20000000", kTo, "0400 0400 00000000 00000000 02000000");
const AdsBytes kStateSaid = noted("28000000", kFrom, "0400 0500 08000000 00000000 02000000  00000000 0500 0000");
const AdsBytes kHandleAsked = noted("3c000000", kTo,
                                    "0900 0400 1c000000 00000000 03000000  03f00000 00000000 04000000 0c000000 "
                                    "4d41494e2e74617267657400");
const AdsBytes kHandleSaid =
    noted("2c000000", kFrom, "0900 0500 0c000000 00000000 03000000  00000000 04000000 01000010");
const AdsBytes kWriteAsked =
    noted("34000000", kTo, "0300 0400 14000000 00000000 06000000  05f00000 01000010 08000000 fca9f1d24d62503f");
const AdsBytes kWriteSaid = noted("24000000", kFrom, "0300 0500 04000000 00000000 06000000  00000000");
const AdsBytes kReadAsked = noted("48000000", kTo,
                                  "0900 0400 28000000 00000000 09000000  80f00000 02000000 18000000 18000000  "
                                  "05f00000 02000010 08000000  05f00000 03000010 08000000");
const AdsBytes kReadSaid = noted("40000000", kFrom,
                                 "0900 0500 20000000 00000000 09000000  00000000 18000000  00000000 00000000  "
                                 "fca9f1d24d62603f 0000000000000040");
const AdsBytes kSumWriteAsked = noted("44000000", kTo,
                                      "0900 0400 24000000 00000000 08000000  81f00000 01000000 04000000 14000000  "
                                      "05f00000 01000010 08000000  fca9f1d24d62603f");
const AdsBytes kSumWriteSaid =
    noted("2c000000", kFrom, "0900 0500 0c000000 00000000 08000000  00000000 04000000  00000000");
const AdsBytes kReleaseAsked =
    noted("30000000", kTo, "0300 0400 10000000 00000000 12000000  06f00000 00000000 04000000 01000010");

AdsRequest twoValues() {
  const std::array<AdsPart, 2> parts = {{{0xF005, 0x10000002, 8}, {0xF005, 0x10000003, 8}}};
  return AdsRequest::sumRead(parts);
}

/// Answers request k (from 0) as the script says; gets it as an AMS frame with its TCP header.
class ScriptedController {
 public:
  using Script = std::function<AdsBytes(int k, const AdsBytes& request)>;
  explicit ScriptedController(Script script)
      : script_(std::move(script)),
        listener_(parseAddress("tcp://127.0.0.1:0", ""), SerialSpec()),
        thread_([this] { work(); }) {}
  ~ScriptedController() {
    closing_ = true;
    thread_.join();
  }
  std::unique_ptr<Port> port() const { return openPort(parseAddress(listener_.address(), ""), SerialSpec(), 60.0); }

 private:
  void work() {
    std::unique_ptr<Port> client;
    while (!client && !closing_) client = listener_.accept(std::chrono::milliseconds(20));
    AdsBytes received;
    for (int k = 0; client && !closing_;) {
      if (!client->waitReadable(std::chrono::milliseconds(20))) continue;
      std::array<std::uint8_t, 512> chunk;
      const Port::Result got = client->read(chunk);
      received.insert(received.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(got.bytes));
      while (received.size() >= 6 && received.size() >= 6 + ads32(received, 2)) {
        const auto size = static_cast<std::ptrdiff_t>(6 + ads32(received, 2));
        const AdsBytes request(received.begin(), received.begin() + size);
        received.erase(received.begin(), received.begin() + size);
        (void)client->writeAll(script_(k++, request), kAdsPatience);
      }
      if (got.closed) return;
    }
  }
  Script script_;
  Listener listener_;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

/// The answer of the note under the invoke id of this request.
AdsBytes answering(const AdsBytes& request, AdsBytes answer) {
  std::copy_n(request.begin() + 34, 4, answer.begin() + 34);
  return answer;
}

/// AMS frames are in the partner's own words without their TCP header.
AdsBytes partnerSays(AdsPartner& partner, const AdsBytes& request) {
  const AdsBytes answer = partner.answerTo(std::span(request).subspan(6));
  AdsBytes framed = {0, 0};
  AdsPartner::put(framed, static_cast<std::uint32_t>(answer.size()));
  return adsJoined(framed, answer);
}

}  // namespace

class TestAdsLink : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void requestsAreThoseOfTheNote() {
    QVERIFY(askedBytes(AdsRequest::readState(), 2) == kStateAsked);
    const std::string name("MAIN.target\0", 12);
    QVERIFY(askedBytes(AdsRequest::readWrite(kAdsHandleByName, 0, 4, AdsBytes(name.begin(), name.end())), 3) ==
            kHandleAsked);
    QVERIFY(askedBytes(twoValues(), 9) == kReadAsked);
    const AdsPart target{0xF005, 0x10000001, 8};
    AdsRequest write = AdsRequest::sumWrite(std::span(&target, 1), AdsBytes(8));
    QCOMPARE(write.sumValues(1).size(), std::size_t{8});
    std::ranges::copy(adsHex("fca9f1d24d62603f"), write.sumValues(1).begin());
    QVERIFY(askedBytes(write, 8) == kSumWriteAsked);
  }

  void thePartnerAnswersAsTheNote() {
    AdsPartner partner;
    QVERIFY(partnerSays(partner, kStateAsked) == kStateSaid);
    QVERIFY(partnerSays(partner, kHandleAsked) == kHandleSaid);
    for (const char* name : {"MAIN.x", "MAIN.force"}) {  // handles ...02 and ...03
      AdsBytes text(name, name + std::strlen(name) + 1);
      (void)partnerSays(partner, askedBytes(AdsRequest::readWrite(kAdsHandleByName, 0, 4, text), 4));
    }
    QVERIFY(partnerSays(partner, kWriteAsked) == kWriteSaid);
    QVERIFY(partnerSays(partner, kSumWriteAsked) == kSumWriteSaid);
    QVERIFY(partnerSays(partner, kReadAsked) == kReadSaid);
    AdsBytes unknown = kReadAsked, said = kReadSaid;
    std::ranges::copy(adsHex("99000010"), unknown.begin() + 58);
    std::ranges::copy(adsHex("10070000 00000000 0000000000000000"), said.begin() + 46);
    QVERIFY(partnerSays(partner, unknown) == said);
    AdsBytes no_symbol = kHandleAsked;
    no_symbol[54] = 'x';
    QVERIFY(partnerSays(partner, no_symbol) ==
            noted("28000000", kFrom, "0900 0500 08000000 00000000 03000000  10070000 00000000"));
    AdsBytes other_port = kStateAsked;
    other_port[12] = 0x54;
    QVERIFY(partnerSays(partner, other_port) ==
            noted("20000000", "c0a8000a0101 3075 050102030101 5403", "0400 0500 00000000 06000000 02000000"));
    QVERIFY(partnerSays(partner, kReleaseAsked) ==
            noted("24000000", kFrom, "0300 0500 04000000 00000000 12000000  00000000"));
  }

  void answersOfTheNoteAreRead() {
    ScriptedController controller([](int k, const AdsBytes& request) {
      return answering(request,
                       std::array{kStateSaid, kHandleSaid, kReadSaid, kSumWriteSaid}[static_cast<std::size_t>(k)]);
    });
    AdsLink link(controller.port(), kController, kBench, kAdsPatience, never_);
    QVERIFY2(link.ask(AdsRequest::readState()) == AdsReply::ok, link.complaint().c_str());
    QCOMPARE(ads16(link.answer().data, 0), kAdsRun);
    QVERIFY(link.ask(AdsRequest::readWrite(kAdsHandleByName, 0, 4, AdsBytes(12))) == AdsReply::ok);
    QVERIFY(link.answer().data == adsHex("01000010"));
    QVERIFY(link.ask(twoValues()) == AdsReply::ok);
    QVERIFY(link.answer().data == adsHex("00000000 00000000 fca9f1d24d62603f 0000000000000040"));
    const AdsPart target{0xF005, 0x10000001, 8};
    QVERIFY(link.ask(AdsRequest::sumWrite(std::span(&target, 1), AdsBytes(8))) == AdsReply::ok);
    QVERIFY(link.answer().data == adsHex("00000000"));
  }

  void errorsOfTheNoteAreRead() {
    ScriptedController controller([](int k, const AdsBytes& request) {
      return answering(request,
                       k == 0   ? noted("20000000", kFrom, "0400 0500 00000000 06000000 0e000000")
                       : k == 1 ? noted("28000000", kFrom, "0900 0500 08000000 00000000 03000000  10070000 00000000")
                                : noted("24000000", kFrom, "0900 0500 04000000 00000000 03000000  05070000"));
    });
    AdsLink link(controller.port(), kController, kBench, kAdsPatience, never_);
    QVERIFY(link.ask(AdsRequest::readState()) == AdsReply::refused);
    QCOMPARE(link.answer().error, std::uint32_t{kAdsPortNotFound});
    for (const std::uint32_t error : {0x710u, 0x705u}) {
      QVERIFY(link.ask(twoValues()) == AdsReply::refused);
      QCOMPARE(link.answer().error, error);
    }
  }

  /// Both requests are out before the first answer comes, which is that to the second.
  void answersMayComeInAnyOrder() {
    AdsBytes first;
    ScriptedController controller([&](int k, const AdsBytes& request) {
      if (k == 0) first = answering(request, kStateSaid);
      return k == 0 ? AdsBytes() : adsJoined(answering(request, kReadSaid), first);
    });
    AdsLink link(controller.port(), kController, kBench, kAdsPatience, never_);
    const AdsRequest state, values = twoValues();
    const std::array<const AdsRequest*, 2> both = {&state, &values};
    QVERIFY2(link.ask(both) == AdsReply::ok, link.complaint().c_str());
    QCOMPARE(ads16(link.answer(0).data, 0), kAdsRun);
    QCOMPARE(link.answer(1).data.size(), std::size_t{24});
  }

  /// Late answers, other invoke ids, addresses and commands, echoes, notifications and frames of the router.
  void strangersAreDropped() {
    AdsBytes late;
    ScriptedController controller([&](int k, const AdsBytes& request) {
      if (k == 0) late = answering(request, kReadSaid);
      if (k == 0) return AdsBytes();
      AdsBytes other_id = answering(request, kReadSaid), other_net = other_id, other_port = other_id;
      AdsBytes other_command = other_id;
      other_id[35] = 1;
      other_net[14] = 9;
      other_port[12] = 9;
      other_command[22] = 2;
      AdsBytes all = late;
      for (const AdsBytes& more :
           {other_id, other_net, other_port, other_command, request, adsHex("0010 02000000 0000")})
        all = adsJoined(all, more);
      AdsBytes right = answering(request, kReadSaid);
      right[54] = static_cast<std::uint8_t>(k);  // in the first value
      return adsJoined(all, right);
    });
    AdsLink link(controller.port(), kController, kBench, std::chrono::milliseconds(200), never_);
    int asked = 1;
    QVERIFY(link.ask(twoValues()) == AdsReply::late);
    QVERIFY2(link.complaint().find("no answer within 200 ms") == 0, link.complaint().c_str());
    for (int k = 0; k < 3; ++k) {
      AdsReply answer = AdsReply::late;
      for (; answer == AdsReply::late && asked < 600; ++asked) answer = link.ask(twoValues());
      QVERIFY2(answer == AdsReply::ok, link.complaint().c_str());
      QCOMPARE(link.answer().data[8], static_cast<std::uint8_t>(asked - 1));
    }
  }

  /// Cut into single bytes.
  void halvesAreJoined() {
    Listener listener(parseAddress("tcp://127.0.0.1:0", ""), SerialSpec());
    std::thread controller([&] {
      std::unique_ptr<Port> client;
      while (!client) client = listener.accept(std::chrono::milliseconds(20));
      AdsBytes request(38);
      while (!client->waitReadable(kAdsPatience)) continue;
      (void)client->read(request);
      for (const std::uint8_t byte : answering(request, kStateSaid)) {
        (void)client->writeAll(std::span(&byte, 1), kAdsPatience);
        std::this_thread::yield();
      }
      (void)client->waitReadable(kAdsPatience);  // until it is closed
    });
    {
      AdsLink link(openPort(parseAddress(listener.address(), ""), SerialSpec(), 60.0), kController, kBench,
                   kAdsPatience, never_);
      QVERIFY2(link.ask(AdsRequest::readState()) == AdsReply::ok, link.complaint().c_str());
    }
    controller.join();
  }

  void wrongLengthsAreNamed_data() {
    QTest::addColumn<int>("at");
    QTest::addColumn<int>("value");
    QTest::addColumn<bool>("closed");
    QTest::addColumn<QString>("words");
    QTest::newRow("of the data") << 26 << 31 << false << "its header says 31";
    QTest::newRow("of the values") << 42 << 23 << false << "wrong length";
    QTest::newRow("more values than asked") << 42 << 25 << false << "wrong length";
    QTest::newRow("of the frame, too short") << 2 << 31 << true << "length of 31";
    QTest::newRow("of the frame, too long") << 5 << 0x7f << true << "no AMS frame";
  }
  void wrongLengthsAreNamed() {
    QFETCH(int, at);
    QFETCH(int, value);
    QFETCH(bool, closed);
    QFETCH(QString, words);
    ScriptedController controller([&](int, const AdsBytes& request) {
      AdsBytes answer = answering(request, kReadSaid);
      answer[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
      return answer;
    });
    AdsLink link(controller.port(), kController, kBench, kAdsPatience, never_);
    QVERIFY(link.ask(twoValues()) == (closed ? AdsReply::closed : AdsReply::wrong));
    QVERIFY2(link.complaint().find(words.toStdString()) != std::string::npos, link.complaint().c_str());
  }

  void aStopIsAskedDespiteAnInterrupt() {
    ScriptedController controller(
        [](int k, const AdsBytes& request) { return k == 0 ? AdsBytes() : answering(request, kSumWriteSaid); });
    AdsLink link(controller.port(), kController, kBench, kAdsPatience, always_);
    const AdsPart target{0xF005, 0x10000001, 8};
    const AdsRequest stop = AdsRequest::sumWrite(std::span(&target, 1), AdsBytes(8));
    const AdsRequest* const one = &stop;
    QVERIFY(link.ask(stop) == AdsReply::interrupted);
    QVERIFY2(link.askForStop(std::span(&one, 1)) == AdsReply::ok, link.complaint().c_str());
  }

  void errorsHaveWords() {
    QCOMPARE(adsErrorText(0x710).find("ADS error 0x710 (1808): symbol not found; write the variable"), std::size_t{0});
    QVERIFY(adsErrorText(0x06).find("851") != std::string::npos);
    QVERIFY(adsErrorText(0x745).find("(1861): time-out") != std::string::npos);
    QVERIFY(adsErrorText(0xABCD).find("return codes") != std::string::npos);
    QCOMPARE(adsStateName(15), std::string("CONFIG"));
    QCOMPARE(adsStateName(19), std::string("EXCEPTION"));
    QCOMPARE(adsStateName(77), std::string("state 77"));
  }

 private:
  const std::atomic<bool> never_{false}, always_{true};
};

HYB_SUITE(ads_link, TestAdsLink)
HYB_THREADS(ads_link)
#include "ads_link_test.moc"
