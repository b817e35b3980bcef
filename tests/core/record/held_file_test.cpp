#include <QTest>
#include <fstream>
#include <iterator>

#include "core/record/file_in_making.h"
#include "core/record/finish.h"
#include "core/record/held_file.h"
#include "core/record/integrity.h"
#include "core/record/recorder.h"
#include "core/record/run_file_reader.h"
#include "core/record/seal.h"
#include "tests/core/record/refusing_system.h"
#include "tests/core/record/run_file_support.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"
#include "tests/support/thorough.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRows = 160;

std::string bytesOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void fill(RunFileWriter& writer, std::uint64_t first) {
  writer.append(block(smallLayout(), first, kRows / 2));
  writer.append(Event{.tick = first, .code = EventCode::operator_note});
  writer.flush();
}

/// A whole, small run; what it fails with, empty when it does not.
std::string writeSmallRun(
    const fs::path& file, const std::function<void()>& first_flush_done = [] {}) {
  return failureOf([&] {
    RunFileWriter writer(file, header(), smallLayout(), {}, 64);
    fill(writer, 0);
    first_flush_done();
    fill(writer, kRows / 2);
    writer.close({true, true, "completed", 100, EndReason::completed});
  });
}

bool checkRows(const fs::path& file) {
  const RunFileReader reader(file);
  const std::vector<double> gaps = reader.read("acquisition/gap_2");
  for (std::uint64_t r = 0; r < gaps.size(); ++r)
    if (gaps[r] != sample(r, smallLayout().gap(1))) return false;
  return true;
}

void eachRefusal() {
  QTest::addColumn<bool>("from_then_on");
  QTest::newRow("one write") << false;
  QTest::newRow("all from it on") << true;
}

RefusedWrites::Mode modeOf(bool from_then_on) {
  return from_then_on ? RefusedWrites::Mode::from_then_on : RefusedWrites::Mode::once;
}

}  // namespace

class HeldFileTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path file(const char* name) const { return in(*folder_, name); }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void anotherFileUnderItsNameIsLeftAlone() {
    QCOMPARE(writeSmallRun(file("old.h5")), std::string());
    const std::string old = bytesOf(file("old.h5"));
    RunFileWriter writer(file("a.h5"), header(), smallLayout(), {}, 64);
    fill(writer, 0);
    QVERIFY(!writer.look());
    fs::rename(file("a.h5"), file("mine.h5"));
    fs::rename(file("old.h5"), file("a.h5"));
    const std::optional<PlaceNotice> told = writer.look();
    QVERIFY(told && told->severity == Severity::warning);
    QVERIFY2(told->sentence.find("a.h5 was moved") != std::string::npos &&
                 told->sentence.find("mine.h5") != std::string::npos,
             told->sentence.c_str());
    QVERIFY(!writer.look());  // told once
    fill(writer, kRows / 2);
    writer.close({true, true, "completed", 0, EndReason::completed});
    QCOMPARE(writer.path(), file("mine.h5"));
    QVERIFY(bytesOf(file("a.h5")) == old);
    const RunFileReader mine(file("mine.h5"));
    QVERIFY(mine.info().complete && mine.info().valid && !mine.info().live);
    QCOMPARE(mine.info().rows, kRows);
    QVERIFY(checkRows(file("mine.h5")));
  }

  void folderThatIsRenamed() {
    fs::create_directory(file("before"));
    RunFileWriter writer(file("before") / "a.h5", header(), smallLayout(), {}, 64);
    fill(writer, 0);
    fs::rename(file("before"), file("after"));
    QVERIFY(writer.look().has_value());
    writer.close({true, true, "completed", 0, EndReason::completed});
    QCOMPARE(writer.path(), file("after") / "a.h5");
    QCOMPARE(RunFileReader(file("after") / "a.h5").info().rows, kRows / 2);
    writer.sync();
  }

  void deletedFileIsTold() {
    RunFileWriter writer(file("a.h5"), header(), smallLayout(), {}, 64);
    fill(writer, 0);
    fs::remove(file("a.h5"));
    const std::optional<PlaceNotice> told = writer.look();
    QVERIFY(told && told->severity == Severity::fault);
    QVERIFY2(told->sentence.find("a.h5 was deleted") != std::string::npos, told->sentence.c_str());
    QVERIFY(!writer.look());
    std::ofstream(file("a.h5")) << "another";
    writer.close({true, true, "completed", 0, EndReason::completed});
    QVERIFY(writer.path().empty());
    QCOMPARE(bytesOf(file("a.h5")), std::string("another"));
  }

  void fileThatCannotBeMadeTakesNoOtherAway() {
    RunFileWriter writer(file("a.h5"), header(), smallLayout(), {}, 64);
    fs::rename(file("a.h5"), file("mine.h5"));
    std::ofstream(file("a.h5")) << "another";
    writer.remove();
    QCOMPARE(bytesOf(file("a.h5")), std::string("another"));
  }

  /// The rows of a recorder's file, and the event that tells of the move.
  void recorderTellsAtOnce() {
    Recorder recorder(file("a.h5"), header(), smallLayout(), {}, 1000.0, 30.0, 0.001);
    for (std::uint64_t r = 0; r < kRows; ++r) recorder.rows().push(block(smallLayout(), r, 1));
    fs::rename(file("a.h5"), file("mine.h5"));
    std::optional<PlaceNotice> told;
    QTRY_VERIFY_WITH_TIMEOUT(told || (told = recorder.takeNotice()), kHangs_ms);
    QVERIFY(!recorder.takeNotice());
    recorder.close({true, true, "completed", 0, EndReason::completed});
    QVERIFY2(!recorder.failed(), recorder.failure().c_str());
    QCOMPARE(recorder.path(), file("mine.h5"));
    const std::vector<RecordedEvent> events = RunFileReader(file("mine.h5")).events();
    QCOMPARE(events.size(), 1u);
    QCOMPARE(events[0].code, static_cast<int>(EventCode::file_moved));
    QVERIFY2(events[0].message.starts_with("run file: moved to "), events[0].message.c_str());
  }

  void recorderSurvivesAFullMemory() {
    if (!RefusedMemory::active()) QSKIP("the sanitizer owns the allocator");
    Recorder recorder(file("a.h5"), header(), smallLayout(), {}, 1000.0, 30.0, 0.001);
    const std::vector<double> row = block(smallLayout(), 0, 1);
    {
      const RefusedMemory none;
      while (!recorder.failed()) recorder.rows().push(row);
    }
    for (int k = 0; k < 50000; ++k) {  // more than the ring holds: it is still being emptied
      while (recorder.rows().freeRows() == 0) std::this_thread::yield();
      recorder.rows().push(row);
    }
    recorder.close({true, true, "completed", 0, EndReason::completed});
    QVERIFY2(recorder.failure().find("not enough memory") != std::string::npos, recorder.failure().c_str());
    const RunFileReader reader(file("a.h5"));
    QVERIFY(!reader.info().complete && !reader.info().valid && !reader.info().live);
  }

  void everyRefusedWriteOfARun_data() { eachRefusal(); }
  void everyRefusedWriteOfARun() {
    QFETCH(bool, from_then_on);
    std::size_t all = 0, flushed = 0;
    {
      const RefusedWrites count(0, RefusedWrites::Mode::once);
      QCOMPARE(writeSmallRun(file("whole.h5"), [&] { flushed = count.asked(); }), std::string());
      all = count.asked();
    }
    QVERIFY(all > 20);
    const std::size_t first = flushed / 3, last = all - 40;  // making the file, and finishing it
    for (std::size_t n = 1; n <= all; ++n) {
      if (!kThorough && n > first && n < last && n % 97 != 0) continue;
      const fs::path run = file(("run" + std::to_string(n) + ".h5").c_str());
      std::string told;
      {
        const RefusedWrites refused(n, modeOf(from_then_on));
        told = writeSmallRun(run);
      }
      const std::string where = std::to_string(n) + " of " + std::to_string(all) + ": " + told;
      QVERIFY2(told.find(run.string()) != std::string::npos && told.find("Input/output error") != std::string::npos,
               where.c_str());
      if (!fs::exists(run)) continue;  // it never came to be
      const std::string lost = failureOf([&] { recover(run); });
      if (!lost.empty() && n <= flushed) {
        QVERIFY2(
            lost.find("no complete row") != std::string::npos || lost.find("nothing to recover") != std::string::npos,
            lost.c_str());
        continue;
      }
      // Also where the disk took nothing more amidst the last changes to the closed file, nor what would undo them.
      QVERIFY2(lost.empty(), (where + " / " + lost).c_str());
      const RunFileReader reader(run);
      QVERIFY2(!reader.info().live && (!reader.info().valid || reader.info().rows == kRows), where.c_str());
      QVERIFY2(n <= flushed || reader.info().rows >= kRows / 2, where.c_str());
      QVERIFY2(checkRows(run), where.c_str());
    }
  }

  /// What a closed file has is changed page by page: where one of these writes is refused, all of it stays as it was.
  void aRefusedChangeIsUndone() {
    const fs::path run = file("run.h5");
    QCOMPARE(writeSmallRun(run), std::string());
    unseal(run);
    const std::string before = bytesOf(run);
    std::size_t refusals = 0;
    for (std::size_t n = 1;; ++n, ++refusals) {
      const h5::HeldFile held = h5::HeldFile::open(run);
      std::size_t asked = 0;
      const std::string told = [&] {
        const RefusedWrites refused(n, RefusedWrites::Mode::once);
        const std::string failure = failureOf([&] {
          h5::Handle open = held.openForChanges();
          for (const char* attribute : {"stop_reason", "title"}) h5::replaceText(open, attribute, "changed");
          for (const char* column : {"acquisition/gap_1", "timing/io_ns"})
            h5::replaceText(h5::openDataset(open, column), "units", "u");
          held.closeHdf5(std::move(open));
        });
        asked = refused.asked();
        return failure;
      }();
      if (asked < n) {
        QCOMPARE(told, std::string());
        break;
      }
      QVERIFY2(told.find("Input/output error") != std::string::npos, told.c_str());
      QVERIFY2(bytesOf(run).substr(0, before.size()) == before, std::to_string(n).c_str());
      fs::resize_file(run, before.size());
    }
    QVERIFY2(refusals > 1, std::to_string(refusals).c_str());
    QVERIFY(bytesOf(run) != before);
  }

  void everyRefusedWriteOfAVerdict_data() { eachRefusal(); }
  /// The run is whole before; at worst its seal and the verdict are missing.
  void everyRefusedWriteOfAVerdict() {
    QFETCH(bool, from_then_on);
    const fs::path whole = file("whole.h5"), run = file("run.h5");
    {
      RunFileWriter writer(whole, header(), smallLayout(), {}, 64);
      fill(writer, 0);
      fill(writer, kRows / 2);
      writer.close({.complete = true,
                    .valid = true,
                    .stop_reason = "completed",
                    .ended = EndReason::completed,
                    .verdict_follows = true});
    }
    for (std::size_t n = 1;; ++n) {
      fs::copy_file(whole, run, fs::copy_options::overwrite_existing);
      std::size_t asked = 0;
      const std::string told = [&] {
        const RefusedWrites refused(n, modeOf(from_then_on));
        const std::string failure = failureOf([&] { recordVerdict(run, Verdict{}); });
        asked = refused.asked();
        return failure;
      }();
      const std::string where = std::to_string(n) + " of " + std::to_string(asked) + ": " + told;
      if (asked < n) {
        QCOMPARE(told, std::string());
        break;
      }
      QVERIFY2(told.find("Input/output error") != std::string::npos, where.c_str());
      const std::string lost = failureOf([&] { recover(run, file("mended.h5")); });
      QVERIFY2(lost.empty(), (where + " / " + lost).c_str());
      const fs::path& kept = fs::exists(file("mended.h5")) ? file("mended.h5") : run;
      QCOMPARE(RunFileReader(kept).info().rows, kRows);
      QVERIFY2(checkRows(kept) && !checkFile(kept).damaged(), where.c_str());
      fs::remove(file("mended.h5"));
    }
    QVERIFY(checkFile(run).state == Integrity::State::whole);
  }

  void everyRefusedWriteOfARecovery_data() { eachRefusal(); }
  void everyRefusedWriteOfARecovery() {
    QFETCH(bool, from_then_on);
    // As a killed writer leaves it: a copy of a file that is being written.
    RunFileWriter writer(file("live.h5"), header(), smallLayout(), {}, 64);
    fill(writer, 0);
    fs::copy_file(file("live.h5"), file("killed.h5"));
    const std::string killed = bytesOf(file("killed.h5"));
    for (std::size_t n = 1;; ++n) {
      std::size_t asked = 0;
      const std::string told = [&] {
        const RefusedWrites refused(n, modeOf(from_then_on));
        const std::string failure = failureOf([&] { recover(file("killed.h5"), file("mended.h5")); });
        asked = refused.asked();
        return failure;
      }();
      if (asked < n) {
        QCOMPARE(told, std::string());
        break;
      }
      const std::string where = std::to_string(n) + ": " + told;
      if (told.empty()) {  // its second way to the same went well
        QCOMPARE(RunFileReader(file("mended.h5")).info().rows, kRows / 2);
        fs::remove(file("mended.h5"));
        continue;
      }
      QVERIFY2(told.find("killed.h5: cannot be recovered: ") != std::string::npos &&
                   told.find("Input/output error") != std::string::npos,
               where.c_str());
      QVERIFY(bytesOf(file("killed.h5")) == killed);
      QVERIFY(!fs::exists(file("mended.h5")) && !fs::exists(file("mended.h5.recovering")));
    }
    QCOMPARE(RunFileReader(file("mended.h5")).info().rows, kRows / 2);
  }

  void recoveryDeletesNothingThatItDidNotMake() {
    RunFileWriter writer(file("live.h5"), header(), smallLayout(), {}, 64);
    fill(writer, 0);
    fs::copy_file(file("live.h5"), file("killed.h5"));
    for (const char* mine : {"w.h5.recovering", "w.h5.recovering.reading", "w.h5.reading", "killed.h5.recovering"})
      std::ofstream(file(mine)) << "mine";
    QCOMPARE(recover(file("killed.h5"), file("w.h5")).rows, kRows / 2);
    QCOMPARE(recover(file("killed.h5")).rows, kRows / 2);
    fs::copy_file(file("live.h5"), file("cut.h5"));
    fs::resize_file(file("cut.h5"), fs::file_size(file("cut.h5")) - 5000);
    failureOf([&] { recover(file("cut.h5"), file("w2.h5")); });
    for (const char* mine : {"w.h5.recovering", "w.h5.recovering.reading", "w.h5.reading", "killed.h5.recovering"})
      QCOMPARE(bytesOf(file(mine)), std::string("mine"));
  }

  void fileInMakingTakesNoName() {
    std::ofstream(file("a.writing")) << "mine";
    {
      FileInMaking made(file("a"), ".writing");
      QVERIFY(made.path() != file("a.writing"));
      std::ofstream(file("a")) << "came meanwhile";
      QVERIFY(failureOf([&] { made.publish(); }).find("exists already") != std::string::npos);
    }
    QCOMPARE(bytesOf(file("a.writing")), std::string("mine"));
    QCOMPARE(bytesOf(file("a")), std::string("came meanwhile"));
    QCOMPARE(std::distance(fs::directory_iterator(file(".")), fs::directory_iterator()), 2);
  }
};

HYB_SUITE(held_file, HeldFileTest)
HYB_THREADS(held_file, recorderTellsAtOnce)
#include "held_file_test.moc"
