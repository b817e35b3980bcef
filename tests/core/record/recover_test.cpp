#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <atomic>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <thread>

#include "core/base/error.h"
#include "core/record/finish.h"
#include "core/record/held_file.h"
#include "core/record/run_file_reader.h"
#include "core/record/seal.h"
#include "tests/core/record/run_file_support.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr std::size_t kFlushRows = 3000;  // rows per flush of the child writers
constexpr std::size_t kChunkRows = 1024;
constexpr std::size_t kPart = 100;  // rows per append

// The writers run in processes of their own: this program started again with arguments.

/// Writes without end, as fast as it can; killed as soon as `kill_at` rows were sent.
int writeUntilKilled(const char* file, std::uint64_t kill_at) {
  const RowLayout layout = smallLayout();
  RunFileWriter writer(file, header(), layout, {}, kChunkRows);
  std::atomic<std::uint64_t> sent{0};
  std::thread killer([&] {
    while (sent.load() < kill_at) std::this_thread::yield();
    kill(getpid(), SIGKILL);
  });
  for (;;) {
    writer.append(block(layout, sent.load(), kPart));
    writer.append(Event{.tick = sent.load(), .code = EventCode::operator_note});
    if (sent.fetch_add(kPart) % kFlushRows == 0) writer.flush();
  }
}

/// Writes and flushes `rows` rows, a multiple of those of a flush, says so after each of them, and dies when the last
/// are in the file. After the first flush writes may be torn.
int writeUntilFlushed(const char* file, std::uint64_t rows) {
  const RowLayout layout = smallLayout();
  RunFileWriter writer(file, header(), layout, {}, kChunkRows);
  for (std::uint64_t sent = 0; sent < rows;) {
    writer.append(block(layout, sent, kPart));
    writer.append(Event{.tick = sent, .code = EventCode::operator_note});
    sent += kPart;
    if (sent % kFlushRows != 0) continue;
    writer.flush();
    std::cout << "flushed" << std::endl;
    setenv("HYB_TEAR_WRITES", "yes", 1);
  }
  kill(getpid(), SIGKILL);
  return 1;
}

/// Writes and flushes `rows` rows, then events until the last thing in the file is theirs, and dies.
int writeEventsLast(const char* file, std::uint64_t rows) {
  const RowLayout layout = smallLayout();
  RunFileWriter writer(file, header(), layout, {}, kChunkRows);
  for (std::uint64_t sent = 0; sent < rows; sent += kPart) writer.append(block(layout, sent, kPart));
  writer.flush();
  for (std::uint64_t tick = 0; tick < 5000; ++tick)
    writer.append(Event{.tick = tick, .code = EventCode::operator_note});
  writer.flush();
  kill(getpid(), SIGKILL);
  return 1;
}

/// Writes and flushes `rows` rows, says so, writes as many again after each line of input, ends with the input.
int writeOnDemand(const char* file, std::uint64_t rows) {
  const RowLayout layout = smallLayout();
  RunFileWriter writer(file, header(), layout, {}, kChunkRows);
  std::string line;
  for (std::uint64_t sent = 0;; sent += rows) {
    writer.append(block(layout, sent, rows));
    writer.flush();
    std::cout << "written" << std::endl;
    if (!std::getline(std::cin, line)) break;
  }
  writer.close({true, true, "completed"});
  return 0;
}

/// Writes into a file that may not grow beyond `bytes`. 3 = the failure was told and the file closed.
int writeUntilFull(const char* file, std::uint64_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
  const RowLayout layout = smallLayout();
  RunFileWriter writer(file, header(), layout, {}, kChunkRows);
  std::string told;
  for (std::uint64_t sent = 0; told.empty() && sent < 1000000; sent += kPart) {
    try {
      writer.append(block(layout, sent, kPart));
      if (sent % kFlushRows == 0) writer.flush();
    } catch (const DeviceError& error) {
      told = error.what();
    }
  }
  try {
    writer.close({true, true, "completed"});
  } catch (const DeviceError& error) {
    if (told == error.what() && told.find("File too large") != std::string::npos) return 3;
    std::cerr << told << "\n" << error.what() << "\n";
  }
  return 1;
}

/// A child with pipes to its input and output. `preload`: a library that comes before the system's.
struct Child {
  pid_t pid = -1;
  int in = -1, out = -1;

  Child(const char* job, const std::filesystem::path& file, std::uint64_t number, const std::string& preload = {}) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return;
    const std::string argument = std::to_string(number);
    pid = fork();
    if (pid == 0) {
      if (!preload.empty()) setenv("LD_PRELOAD", preload.c_str(), 1);
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      execl("/proc/self/exe", "writer", job, file.c_str(), argument.c_str(), nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    in = to[1];
    out = from[0];
  }
  ~Child() {
    if (pid > 0) kill(pid, SIGKILL), wait();
    close(in);
    close(out);
  }
  bool waitForLine() const {
    char c = 0;
    while (read(out, &c, 1) == 1)
      if (c == '\n') return true;
    return false;
  }
  int wait() {
    int status = 0;
    waitpid(std::exchange(pid, -1), &status, 0);
    return status;
  }
};

/// Every row dataset has `info().rows` rows and the values that were sent.
void checkRows(const RunFileReader& reader) {
  const RowLayout layout = smallLayout();
  const auto compare = [&](const std::string& dataset, std::size_t column) {
    const std::vector<double> values = reader.read(dataset);
    QCOMPARE(values.size(), reader.info().rows);
    for (std::size_t r = 0; r < values.size(); ++r)
      QVERIFY2(values[r] == sample(r, column), qPrintable(QString("%1[%2]").arg(dataset.c_str()).arg(r)));
  };
  compare("acquisition/tick", RowLayout::kTick);
  compare("acquisition/time", RowLayout::kTime);
  compare("acquisition/flags", RowLayout::kFlags);
  compare("timing/wake_late_ns", RowLayout::kWakeLate);
  compare("timing/compute_ns", RowLayout::kCompute);
  compare("timing/io_ns", RowLayout::kIo);
  for (std::size_t c = 0; c < layout.channels().size(); ++c)
    compare("acquisition/" + layout.channels()[c].name, RowLayout::kFirstChannel + c);
}

}  // namespace

class RecoverTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  /// A whole file: told so, not touched, with an output file too.
  void leavesAlone(const std::filesystem::path& file) {
    const auto size = std::filesystem::file_size(file);
    const auto time = std::filesystem::last_write_time(file);
    const std::filesystem::path output = file.string() + ".never";
    for (const RecoverReport& report : {recover(file), recover(file, output)}) {
      QVERIFY(!report.needed);
      QCOMPARE(report.file, file);
      QCOMPARE(report.rows, RunFileReader(file).info().rows);
    }
    QVERIFY(!std::filesystem::exists(output));
    QVERIFY(std::filesystem::file_size(file) == size && std::filesystem::last_write_time(file) == time);
  }

 private Q_SLOTS:
  void killedRunsComeBack_data() {
    QTest::addColumn<quint64>("kill_at");
    std::mt19937_64 random(20);
    for (int k = 0; k < (test::kThorough ? 20 : 2); ++k)
      QTest::addRow("kill %d", k) << quint64{std::uniform_int_distribution<quint64>(1, 40000)(random)};
  }
  void killedRunsComeBack() {
    QFETCH(quint64, kill_at);
    const std::filesystem::path file = in(folder_, QTest::currentDataTag());
    Child child("--until-killed", file, kill_at);
    QVERIFY(WIFSIGNALED(child.wait()));
    QVERIFY(RunFileReader(file).info().live);  // the untouched file can be read as it is
    QVERIFY(!RunFileReader(file).info().writing);

    const RecoverReport report = recover(file);
    const RunFileReader reader(file);
    const RunFileInfo& info = reader.info();
    QCOMPARE(info.rows, report.rows);
    QVERIFY(info.recovered && !info.complete && !info.valid && !info.live);
    QVERIFY2(info.stop_reason.starts_with("writer was killed"), info.stop_reason.c_str());
    // At most what had come since the last flush is gone.
    QVERIFY2(report.rows + kFlushRows + kPart >= kill_at, qPrintable(QString::number(report.rows)));
    checkRows(reader);
    QCOMPARE(reader.events().back().code, static_cast<int>(EventCode::recovered));
    QVERIFY(std::filesystem::exists(report.original));
    QVERIFY(RunFileReader(report.original).info().live);  // kept as it was
    leavesAlone(file);
  }

  /// The system kills in the middle of a write, too: between two pages of its memory.
  void aKillInTheMiddleOfAWriteLosesNoFlushedRow() {
    const std::filesystem::path file = in(folder_, "torn");
    const std::filesystem::path tears = std::filesystem::path(kPlugIns) / "torn_writes.so";
    QVERIFY(std::filesystem::exists(tears));  // the system only warns of one that is not there
    Child child("--until-flushed", file, 40 * kFlushRows, tears);
    std::uint64_t flushed = 0;
    while (child.waitForLine()) flushed += kFlushRows;
    QVERIFY(WIFSIGNALED(child.wait()));
    QVERIFY(flushed > 0);
    const RecoverReport report = recover(file);
    QVERIFY2(report.rows >= flushed, qPrintable(QString("%1 of %2").arg(report.rows).arg(flushed)));
    checkRows(RunFileReader(file));
  }

  void intoAnotherFile() {
    const std::filesystem::path file = in(folder_, "other.h5"), output = in(folder_, "mended.h5");
    QVERIFY(WIFSIGNALED(Child("--until-killed", file, 5000).wait()));
    const auto size = std::filesystem::file_size(file);
    const RecoverReport report = recover(file, output);
    QCOMPARE(report.file, output);
    QVERIFY(RunFileReader(file).info().live && std::filesystem::file_size(file) == size);
    checkRows(RunFileReader(output));
    QVERIFY(failureOf([&] { recover(file, output); }).find("exists already") != std::string::npos);
  }

  // What recovery falls back on with a library that lost its private property names.
  void copyThroughAReaderHoldsTheSame() {
    const std::filesystem::path file = in(folder_, "swmr.h5"), copy = in(folder_, "copied.h5");
    QVERIFY(WIFSIGNALED(Child("--until-killed", file, 12000).wait()));
    copyThroughReader(file, h5::HeldFile::create(copy));
    finishRunFile(copy, {.end = {false, false, "writer was killed"}, .recovered = true});
    const std::uint64_t rows = recover(file).rows;
    const RunFileReader reader(copy);
    QCOMPARE(reader.info().rows, rows);
    QCOMPARE(QString::fromStdString(reader.info().operator_name), "Jürgen");
    QCOMPARE(reader.attribute("acquisition", "axes"), std::string("time"));
    checkRows(reader);
  }

  void liveRunsGrowUnderAReader() {
    const std::filesystem::path file = in(folder_, "live.h5");
    Child child("--on-demand", file, 2500);
    child.waitForLine();
    auto holder = std::make_unique<RunFileReader>(file);
    RunFileReader& reader = *holder;
    QVERIFY(reader.info().live && reader.info().writing);
    QCOMPARE(reader.info().rows, 2500u);
    checkRows(reader);
    for (std::uint64_t turn = 2; turn <= 4; ++turn) {
      QCOMPARE(write(child.in, "\n", 1), ssize_t{1});
      child.waitForLine();
      reader.refresh();
      QCOMPARE(reader.info().rows, turn * 2500);
      checkRows(reader);
    }
    const std::string refusal = failureOf([&] { recover(file); });
    QVERIFY2(refusal.find("still active") != std::string::npos, refusal.c_str());
    close(std::exchange(child.in, -1));  // end of input: the writer closes the file
    QCOMPARE(child.wait(), 0);           // although a reader still looks at the file
    holder.reset();
    const RunFileReader closed(file);
    QVERIFY(closed.info().complete && closed.info().valid && !closed.info().live);
    QCOMPARE(closed.info().rows, 10000u);
  }

  void fullDiskLeavesAValidFile_data() {
    QTest::addColumn<quint64>("limit");
    for (const int kilobytes : {150, 200, 333, 500, 512, 700, 1024, 1500, 2000, 2049, 3000})
      if (test::kThorough || kilobytes % 1000 == 0 || kilobytes == 150)
        QTest::addRow("%d kB", kilobytes) << quint64{1024} * static_cast<quint64>(kilobytes);
  }
  void fullDiskLeavesAValidFile() {
    QFETCH(quint64, limit);
    const std::filesystem::path file = in(folder_, QTest::currentDataTag());
    const int status = Child("--until-full", file, limit).wait();
    QVERIFY2(WIFEXITED(status), qPrintable(QString::number(status)));
    QCOMPARE(WEXITSTATUS(status), 3);
    const RunFileReader reader(file);
    QVERIFY(!reader.info().live && !reader.info().complete && !reader.info().valid);
    QVERIFY(reader.info().stop_reason.find("File too large") != std::string::npos);
    checkRows(reader);  // no hole, no row of zeros
    QVERIFY(limit < 1024 * 1024 || reader.info().rows >= kFlushRows);
    leavesAlone(file);
    QVERIFY(!std::filesystem::exists(file.string() + ".reserve"));
    QVERIFY(!std::filesystem::exists(file.string() + ".closing"));
  }

  void cutOffCopiesKeepTheirWholeRows_data() {
    QTest::addColumn<QByteArray>("killed");
    QTest::addColumn<bool>("flushed");
    QTest::addColumn<double>("share");
    for (const auto& [name, killed, flushed] : {std::tuple("closed", "", true),
                                                {"closed within a second", "", false},
                                                {"killed", "--until-flushed", true},
                                                {"killed anywhere", "--until-killed", true}})
      for (const double share : {0.3, 0.5, 0.7, 0.9, 0.99, 0.999})
        if (test::kThorough || share == 0.7)
          QTest::addRow("%s, %g", name, share) << QByteArray(killed) << flushed << share;
  }
  /// A copy that ended early, of a closed run, of one that was over before the first flush and of killed ones: every
  /// row that comes back is one that was sent, in all channels, and there are about as many as of the file are left.
  void cutOffCopiesKeepTheirWholeRows() {
    QFETCH(QByteArray, killed);
    QFETCH(bool, flushed);
    QFETCH(double, share);
    const std::filesystem::path file = in(folder_, QTest::currentDataTag());
    std::uint64_t sent = 14 * kFlushRows;
    if (!killed.isEmpty()) {
      QVERIFY(WIFSIGNALED(Child(killed.constData(), file, sent).wait()));
      sent = RunFileReader(file).info().rows;
    } else {
      const RowLayout layout = smallLayout();
      RunFileWriter writer(file, header(), layout, {}, kChunkRows);
      for (std::uint64_t row = 0; row < sent; row += kPart) {
        writer.append(block(layout, row, kPart));
        if (flushed && row % kFlushRows == 0) writer.flush();
      }
      writer.close({true, true, "completed"});
      recordVerdict(file,
                    {.ended = EndReason::completed, .missing = {}, .test = Grade::good, .reasons = {"All is well."}});
      unseal(file);  // which stands behind the rows: without it nothing is lost
    }
    const auto bytes = static_cast<double>(std::filesystem::file_size(file));
    std::filesystem::resize_file(file, static_cast<std::uintmax_t>(share * bytes));
    const RecoverReport report = recover(file);
    QVERIFY(report.needed);
    const RunFileReader reader(file);
    const RunFileInfo& info = reader.info();
    QVERIFY(info.recovered && !info.complete && !info.valid && !info.live);
    // Who is killed within a flush leaves rows behind the end that the file knows of: if no more than such are cut off,
    // nobody can tell.
    if (killed == "--until-killed")
      QVERIFY2(info.stop_reason.starts_with("writer was killed"), info.stop_reason.c_str());
    else
      QCOMPARE(info.stop_reason,
               std::string(killed.isEmpty() ? "the file was cut off"
                                            : "writer was killed in the middle of a write, or the file was cut off"));
    QCOMPARE(info.rows, report.rows);
    checkRows(reader);
    const double kept = static_cast<double>(report.rows) / static_cast<double>(sent);
    QVERIFY2(kept > share - 0.25 && kept <= 1.0, qPrintable(QString::number(kept)));
    QCOMPARE(QString::fromStdString(info.operator_name), "Jürgen");
    QVERIFY(!reader.projectJson().empty());
    leavesAlone(file);
  }

  /// A killed run whose copy lacks only the end of its events: all rows come back, and the events that are there.
  void aCopyWithoutItsLastEventsKeepsItsRows() {
    const std::filesystem::path file = in(folder_, "events");
    constexpr std::uint64_t kRows = 20000;
    QVERIFY(WIFSIGNALED(Child("--events-last", file, kRows).wait()));
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1000);
    const RecoverReport report = recover(file);
    QCOMPARE(report.rows, kRows);
    const RunFileReader reader(file);
    checkRows(reader);
    const std::size_t events = reader.events().size();
    QVERIFY2(events > 1000 && events < 5000, qPrintable(QString::number(events)));
  }

  void refusesWhatIsNoRun() {
    const std::filesystem::path text = in(folder_, "text.h5");
    std::ofstream(text) << "time,gap\n0,0\n";
    QVERIFY(failureOf([&] { recover(text); }).find("not a run file") != std::string::npos);
    QVERIFY(failureOf([&] { recover(in(folder_, "none.h5")); }).find("no such file") != std::string::npos);
    const std::filesystem::path file = in(folder_, "cut.h5");
    QVERIFY(WIFSIGNALED(Child("--until-killed", file, 9000).wait()));
    std::filesystem::resize_file(file, 3000);
    QVERIFY(!failureOf([&] { recover(file); }).empty());
    QVERIFY(std::filesystem::exists(file));
  }
};

/// Jobs of children, which are `PROGRAM --JOB FILE NUMBER`.
template <int (*job)(const char*, std::uint64_t)>
static int withNumber(int argc, char** argv) {
  return argc == 4 ? job(argv[2], std::strtoull(argv[3], nullptr, 10)) : 2;
}
static const ChildJob until_killed("--until-killed", withNumber<writeUntilKilled>);
static const ChildJob until_flushed("--until-flushed", withNumber<writeUntilFlushed>);
static const ChildJob events_last("--events-last", withNumber<writeEventsLast>);
static const ChildJob on_demand("--on-demand", withNumber<writeOnDemand>);
static const ChildJob until_full("--until-full", withNumber<writeUntilFull>);

// Not HYB_THREADS: its thread kills its process.
HYB_SUITE(recover, RecoverTest)
#include "recover_test.moc"
