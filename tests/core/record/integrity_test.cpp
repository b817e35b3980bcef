#include <hdf5.h>

#include <QTest>
#include <fstream>
#include <random>

#include "core/record/finish.h"
#include "core/record/integrity.h"
#include "core/record/run_file_reader.h"
#include "tests/core/record/run_file_support.h"
#include "tests/support/suite.h"
#include "tests/support/thorough.h"

using namespace hyb;
using namespace hyb::test;
namespace fs = std::filesystem;

class IntegrityTest : public QObject {
  Q_OBJECT

 private:
  static constexpr std::size_t kRows = 700, kChunk = 128;

  static fs::path writeRun(const QTemporaryDir& folder, const char* name, bool sealed = true) {
    const fs::path file = in(folder, name);
    const RowLayout layout = smallLayout();
    RunFileWriter writer(file, header(), layout, {}, kChunk);
    writer.append(block(layout, 0, kRows));
    writer.append(Event{.tick = 3, .code = EventCode::operator_note});
    writer.close({.complete = true,
                  .valid = true,
                  .stop_reason = "completed",
                  .ended = EndReason::completed,
                  .verdict_follows = !sealed});
    return file;
  }

  static std::string bytesIn(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static void flip(const fs::path& file, std::uint64_t at, int bit) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(static_cast<std::streamoff>(at));
    const auto changed = static_cast<char>(stream.get() ^ (1 << bit));
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(changed);
  }

  /// Everything that a command reads of a run.
  static void readAll(const fs::path& file) {
    const RunFileReader reader(file);
    for (const std::string& path : reader.info().row_columns) reader.read(path);
    for (const std::string& name : reader.info().adaptation) reader.read("adaptation/" + name + "/value");
    reader.events();
    reader.projectJson();
  }

  static bool tells(const Integrity& integrity, const std::string& words) {
    return integrity.sentence().find(words) != std::string::npos;
  }

  /// Where the first value of a column lies: the bytes of its first values occur once.
  static std::uint64_t placeOf(const fs::path& file, const std::string& column) {
    const std::vector<double> values = RunFileReader(file).read("acquisition/" + column, 0, kChunk);
    return bytesIn(file).find(
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)));
  }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void aFinishedRunIsSealed() {
    const fs::path file = writeRun(*folder_, "run.h5");
    const Integrity quick = checkFile(file), all = checkFile(file, Columns::all);
    QCOMPARE(quick.state, Integrity::State::whole);
    QCOMPARE(all.state, Integrity::State::whole);
    QVERIFY(quick.columns == 0 && all.columns == RunFileReader(file).info().acquisition.size());
    const Verdict verdict{.ended = EndReason::completed, .missing = {}, .test = Grade::fair, .reasons = {"So it is."}};
    recordVerdict(file, verdict);  // written later, and sealed again
    QCOMPARE(checkFile(file).state, Integrity::State::whole);
    QCOMPARE(RunFileReader(file).info().verdict.test, Grade::fair);
    readAll(file);
    const std::string dump = "h5dump -d /acquisition/gap_1 '" + file.string() + "' > /dev/null";
    QCOMPARE(std::system(dump.c_str()), 0);  // other programs pass over the seal
  }

  /// Any bit of a file that is closed: columns, project, events, header values, verdict, HDF5's structure, seal. Each
  /// is told, and reading the file ends with values or with a sentence.
  void everyFlippedBitIsFound() {
    const fs::path file = writeRun(*folder_, "run.h5");
    recordVerdict(file, Verdict{});
    const std::string whole = bytesIn(file);
    const std::size_t project = whole.find("hybridbench-project");
    QVERIFY(project != std::string::npos);
    const std::uint64_t gaps = placeOf(file, "gap_1");
    std::mt19937 random(53);
    for (int k = 0; k < (kThorough ? 1000 : 200); ++k) {
      const std::uint64_t at = k % 4 == 0   ? project + random() % 100
                               : k % 4 == 1 ? gaps + random() % (kChunk * sizeof(double))
                                            : random() % whole.size();
      const int bit = static_cast<int>(random() % 8);
      flip(file, at, bit);
      const Integrity found = checkFile(file);
      QVERIFY2(found.state == Integrity::State::damaged || found.state == Integrity::State::seal_lost,
               qPrintable(QString("byte %1, bit %2").arg(at).arg(bit)));
      QVERIFY(!found.sentence().empty());
      failureOf([&] { readAll(file); });
      flip(file, at, bit);
    }
    QCOMPARE(checkFile(file).state, Integrity::State::whole);
  }

  /// Which column, which rows.
  void damageIsNamed() {
    const fs::path file = writeRun(*folder_, "run.h5");
    flip(file, placeOf(file, "gap_1") + 8, 3);
    const Integrity gap = checkFile(file);
    QCOMPARE(gap.damage.size(), std::size_t{1});
    QVERIFY2(tells(gap, "gap_1, rows 0 to "), gap.sentence().c_str());
    const fs::path other = writeRun(*folder_, "other.h5");
    flip(other, bytesIn(other).find("\"rate_hz\": 1000") + 11, 1);  // 1 becomes 3
    QVERIFY2(tells(checkFile(other), "project"), checkFile(other).sentence().c_str());
    QVERIFY(RunFileReader(other).projectJson().find("3000") != std::string::npos);  // HDF5 sees nothing
    const std::string failure = failureOf([&] { requireUndamaged(other); });
    QVERIFY2(failure.find("Use a copy of the file") != std::string::npos, failure.c_str());
    // What is damaged is not sealed as whole by the verdict.
    const std::string refused = failureOf([&] { recordVerdict(other, Verdict{}); });
    QVERIFY2(refused.find("is damaged") != std::string::npos, refused.c_str());
  }

  /// Of a program that knew no seal, or that ended before it could: the columns have checksums, and nothing else.
  void whatIsNotSealedSaysSo() {
    const fs::path file = writeRun(*folder_, "run.h5", false);
    const Integrity found = checkFile(file);
    QCOMPARE(found.state, Integrity::State::not_sealed);
    QVERIFY(found.sound() && found.columns > 0 && !found.older);
    const hid_t open = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Adelete(open, kSealedAttribute);
    H5Fclose(open);
    QVERIFY2(tells(checkFile(file), "an older program wrote it"), checkFile(file).sentence().c_str());
    flip(file, placeOf(file, "target_2") + 8, 0);
    const Integrity damaged = checkFile(file);
    QCOMPARE(damaged.state, Integrity::State::damaged);
    QCOMPARE(damaged.damage, std::vector<std::string>{"target_2"});
    QCOMPARE(RunFileReader(file).info().rows, std::uint64_t{kRows});  // stays readable
  }

  /// A note that another program adds, an end that was lost.
  void aLostSealIsTold() {
    const fs::path file = writeRun(*folder_, "run.h5");
    const hid_t open = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(open, "note", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(open);
    QCOMPARE(checkFile(file).state, Integrity::State::seal_lost);
    QVERIFY(checkFile(file).columns > 0);
    const fs::path cut = writeRun(*folder_, "cut.h5");
    fs::resize_file(cut, fs::file_size(cut) - 1);
    QCOMPARE(checkFile(cut).state, Integrity::State::seal_lost);
    const fs::path longer = writeRun(*folder_, "longer.h5");
    std::ofstream(longer, std::ios::app) << "x";
    QCOMPARE(checkFile(longer).state, Integrity::State::seal_lost);
  }

  void whatIsNotFinishedSaysSo() {
    const fs::path file = in(*folder_, "live.h5"), copy = in(*folder_, "copy.h5");
    const RowLayout layout = smallLayout();
    {
      RunFileWriter writer(file, header(), layout, {}, kChunk);
      writer.append(block(layout, 0, kRows));
      writer.flush();
      QCOMPARE(checkFile(file).state, Integrity::State::recording);
      fs::copy_file(file, copy);  // as a killed program leaves it
      writer.close({});
    }
    QCOMPARE(checkFile(copy).state, Integrity::State::unfinished);
    const RecoverReport report = recover(copy, in(*folder_, "whole.h5"));
    QCOMPARE(report.rows, std::uint64_t{kRows});
    const Integrity recovered = checkFile(report.file);
    QCOMPARE(recovered.state, Integrity::State::whole);
    QVERIFY2(tells(recovered, "when the file was recovered"), recovered.sentence().c_str());
  }

  /// A large file has no more digests than a small one, so its blocks are longer.
  void theSealOfALargeFile() {
    const fs::path file = in(*folder_, "large");
    std::ofstream(file, std::ios::binary) << std::string(70'000'000, 'x');
    seal(file);
    QVERIFY(fs::file_size(file) < 70'000'000 + 600'000);
    QCOMPARE(checkSeal(file).state, SealCheck::State::whole);
    flip(file, 69'999'999, 0);
    flip(file, 9000, 0);
    const SealCheck broken = checkSeal(file);
    QCOMPARE(broken.broken.size(), std::size_t{2});
    QVERIFY(broken.broken[0].first <= 9000 && broken.broken[0].end > 9000);
    QCOMPARE(broken.broken[1].end, std::uint64_t{70'000'000});
    QVERIFY(checkSeal(file, [](double share) { return share < 0.5; }).cancelled);
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
};

HYB_SUITE(run_integrity, IntegrityTest)
#include "integrity_test.moc"
