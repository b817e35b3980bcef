#include <signal.h>
#include <sys/resource.h>

#include <QTest>
#include <functional>
#include <thread>

#include "core/base/error.h"
#include "core/record/recorder.h"
#include "core/record/run_file_reader.h"
#include "tests/core/record/run_file_support.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Pushes rows as a free run does: waits for room, never drops.
void pushAll(Recorder& recorder, const RowLayout& layout, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t r = first; r < first + count; ++r) {
    const std::vector<double> row = block(layout, r, 1);
    while (recorder.rows().freeRows() == 0) std::this_thread::yield();
    recorder.rows().push(row);
  }
}

/// Files of this process cannot grow beyond `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  sighandler_t old_handler_ = SIG_DFL;
};

}  // namespace

class RecorderTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  const RowLayout layout_ = smallLayout();

 private Q_SLOTS:
  void recordsEveryRowAndEvent() {
    const std::filesystem::path file = in(folder_, "all.h5");
    Recorder recorder(file, header(), layout_, {}, 1000.0, 30.0, 0.01);
    recorder.setRealtime({Realtime::granted, "granted"});
    QVERIFY(recorder.rows().freeRows() >= 4096);
    pushAll(recorder, layout_, 0, 60000);  // more than the ring holds
    for (std::uint64_t e = 0; e < 200; ++e) recorder.events().push(Event{.tick = e, .code = EventCode::operator_note});
    recorder.close({true, true, "completed"});
    recorder.close({false, false, "a second time"});
    QVERIFY2(!recorder.failed(), recorder.failure().c_str());
    QCOMPARE(recorder.writtenRows(), 60000u);
    QCOMPARE(recorder.lostRows(), 0u);
    const RunFileReader reader(file);
    QVERIFY(reader.info().complete && reader.info().valid);
    QCOMPARE(reader.info().realtime, std::string("granted"));
    QVERIFY(reader.info().pace == Realtime::granted);
    QCOMPARE(reader.info().stop_reason, std::string("completed"));
    QCOMPARE(reader.events().size(), 200u);
    const std::vector<double> ticks = reader.read("acquisition/tick"), gaps = reader.read("acquisition/gap_2");
    QCOMPARE(ticks.size(), 60000u);
    for (std::uint64_t r = 0; r < ticks.size(); ++r) {
      QCOMPARE(ticks[r], static_cast<double>(r));
      QCOMPARE(gaps[r], sample(r, layout_.gap(1)));
    }
  }

  void droppedRowMarksTheRunInvalid() {
    const std::filesystem::path file = in(folder_, "dropped.h5");
    Recorder recorder(file, header(), layout_, {}, 1000.0, 30.0, 1.0);
    const std::vector<double> row = block(layout_, 0, 1);
    while (recorder.rows().push(row)) {  // faster than any disk takes them
    }
    recorder.close({true, true, "completed"});
    const RunFileReader reader(file);
    QVERIFY(!reader.info().valid);
    QCOMPARE(reader.info().stop_reason, std::string("completed; 1 rows lost because the disk was too slow"));
  }

  void fullDiskNeverBlocksTheProducer() {
    const std::filesystem::path file = in(folder_, "full.h5");
    {
      const FileSizeLimit limit(2000000);
      Recorder recorder(file, header(), layout_, {}, 1000.0, 30.0, 0.01);
      std::uint64_t sent = 0;
      for (; !recorder.failed(); sent += 100) pushAll(recorder, layout_, sent, 100);
      pushAll(recorder, layout_, sent, 100000);  // twice what the ring holds: it is still being emptied
      recorder.close({true, true, "completed"});
      QVERIFY(recorder.failure().find("full.h5") != std::string::npos);
      QVERIFY(recorder.failure().find("File too large") != std::string::npos);
      QVERIFY(recorder.lostRows() >= 100000 - 4096);
    }
    const RunFileReader reader(file);
    QVERIFY(!reader.info().complete && !reader.info().valid && !reader.info().live);
    const std::vector<double> gaps = reader.read("acquisition/gap_1");
    QCOMPARE(gaps.size(), reader.info().rows);
    for (std::uint64_t r = 0; r < gaps.size(); ++r) QCOMPARE(gaps[r], sample(r, layout_.gap(0)));
  }

  void refusesADiskThatIsTooSmall() {
    const std::filesystem::path file = in(folder_, "large.h5");
    try {
      Recorder recorder(file, header(), layout_, {}, 1e6, 1e9, 1.0);
      QFAIL("accepted");
    } catch (const DeviceError& error) {
      QVERIFY2(std::string(error.what()).find("MB free, but") != std::string::npos, error.what());
    }
    QVERIFY(!std::filesystem::exists(file));
  }

  void forgottenRecorderClosesItsFile() {
    const std::filesystem::path file = in(folder_, "forgotten.h5");
    { Recorder recorder(file, header(), layout_, {}, 1000.0, 0.0, 1.0); }
    const RunFileReader reader(file);
    QVERIFY(!reader.info().complete && !reader.info().valid && !reader.info().live);
    QCOMPARE(reader.info().rows, 0u);
    QCOMPARE(reader.info().stop_reason, std::string("the program ended before the run did"));
  }
};

HYB_SUITE(recorder, RecorderTest)
HYB_THREADS(recorder)
#include "recorder_test.moc"
