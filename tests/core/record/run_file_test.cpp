#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <QTest>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/record/run_file_reader.h"
#include "core/record/run_file_tree.h"
#include "tests/core/record/run_file_support.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

std::filesystem::path writeRun(const QTemporaryDir& folder, const char* name, std::size_t rows) {
  const std::filesystem::path file = in(folder, name);
  const RowLayout layout = smallLayout();
  RunFileWriter writer(file, header(), layout, {}, 1024);
  writer.append(Event{.tick = 0, .code = EventCode::state_changed, .index = static_cast<int>(State::running)});
  writer.setRealtime({Realtime::refused, "not granted: no permission"});
  std::size_t written = 0;
  for (const std::size_t part : {rows / 3, rows / 2, rows}) {  // blocks that end anywhere
    writer.append(block(layout, written, part - written));
    written = part;
    writer.flush();
  }
  Event note{.tick = 7, .code = EventCode::operator_note};
  note.setText("bolt re-tightened \xC3\xBC");
  writer.append(note);
  writer.close({true, true, "completed"});
  return file;
}

hid_t openPlain(const std::filesystem::path& file) { return H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT); }

}  // namespace

class RunFileTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private Q_SLOTS:
  void sha256KnowsItsVectors() {  // FIPS 180-4 examples, NIST CAVP
    const auto hash = [](const std::string& text) {
      Sha256 sha;
      for (const char c : text) sha.update(&c, 1);
      return QString::fromStdString(sha.hex());
    };
    QCOMPARE(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    QCOMPARE(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    QCOMPARE(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    const std::string million(1000000, 'a');
    Sha256 sha;
    sha.update(million.data(), million.size());
    QCOMPARE(QString::fromStdString(sha.hex()), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }

  void everyRowComesBack() {
    const RowLayout layout = smallLayout();
    const RunFileReader reader(writeRun(folder_, "back.h5", 5000));
    QCOMPARE(reader.info().rows, 5000u);
    QVERIFY(reader.info().complete && reader.info().valid && !reader.info().live && !reader.info().recovered);
    QCOMPARE(QString::fromStdString(reader.info().stop_reason), "completed");
    QCOMPARE(QString::fromStdString(reader.info().realtime), "not granted: no permission");
    QVERIFY(reader.info().pace == Realtime::refused);
    QCOMPARE(QString::fromStdString(reader.info().operator_name), "Jürgen");
    QCOMPARE(reader.info().rate_hz, 1000.0);
    QCOMPARE(reader.info().uuid.size(), 36u);
    QCOMPARE(reader.info().uuid[14], '4');
    const auto compare = [&](const std::string& dataset, std::size_t column) {
      const std::vector<double> values = reader.read(dataset);
      QCOMPARE(values.size(), 5000u);
      for (std::size_t r = 0; r < values.size(); ++r) QCOMPARE(values[r], sample(r, column));
    };
    compare("acquisition/time", RowLayout::kTime);
    compare("acquisition/tick", RowLayout::kTick);
    compare("acquisition/flags", RowLayout::kFlags);
    compare("timing/wake_late_ns", RowLayout::kWakeLate);
    for (std::size_t c = 0; c < layout.channels().size(); ++c)
      compare("acquisition/" + layout.channels()[c].name, RowLayout::kFirstChannel + c);
    QCOMPARE(reader.read("acquisition/gap_2", 4990, 100).size(), 10u);
    QCOMPARE(reader.read("acquisition/gap_2", 9000, 10).size(), 0u);
    QCOMPARE(reader.read("config/matrices/m"), (std::vector<double>{1, 2, 3, 4}));
    QCOMPARE(reader.read("adaptation/prediction_1/value").size(), 5000u);  // it changed with each row
    QVERIFY(!failureOf([&] { reader.read("acquisition/nothing"); }).empty());
    QVERIFY(!failureOf([&] { reader.read("config/project"); }).empty());
    QVERIFY(QString::fromStdString(reader.projectJson()).contains("f\\u00fcr"));
    const std::vector<RecordedEvent> events = reader.events();
    QCOMPARE(events.size(), 2u);
    QCOMPARE(QString::fromStdString(events[0].message), "state running");
    QCOMPARE(QString::fromStdString(events[1].message), "note: bolt re-tightened ?");
    QCOMPARE(events[1].code, 6);
    QVERIFY(reader.info().event_numbers);
    QCOMPARE(events[0].index, static_cast<int>(State::running));
  }

  // As a writer leaves them that is killed, or looked at, in the middle of a flush.
  void aRowCountsWhenAllItsColumnsAreWritten() {
    const std::filesystem::path path = writeRun(folder_, "uneven.h5", 5000);
    const auto shorten = [&](const char* column, hsize_t rows) {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      const hid_t dataset = H5Dopen2(file, column, H5P_DEFAULT);
      H5Dset_extent(dataset, &rows);
      H5Dclose(dataset);
      H5Fclose(file);
    };
    shorten("timing/io_ns", 4990);
    QCOMPARE(RunFileReader(path).info().rows, 4990u);
    shorten("acquisition/gap_1", 4980);
    QCOMPARE(RunFileReader(path).info().rows, 4980u);
  }

  void adaptedParametersKeepOnlyChanges() {
    const RowLayout layout = smallLayout();
    const std::filesystem::path file = in(folder_, "adapted.h5");
    RunFileWriter writer(file, header(), layout, {}, 1024);
    std::vector<double> rows = block(layout, 0, 3000);
    for (std::size_t r = 0; r < 3000; ++r)
      rows[r * layout.width() + layout.adaptedColumn(0)] = r < 1500 ? 0.006 : 0.007;
    writer.append(rows);
    writer.close({true, true, "completed"});
    const RunFileReader reader(file);
    QCOMPARE(reader.read("adaptation/prediction_1/tick"), (std::vector<double>{0, 1500}));
    QCOMPARE(reader.read("adaptation/prediction_1/value"), (std::vector<double>{0.006, 0.007}));
  }

  void layoutIsTheContract() {
    const std::filesystem::path path = writeRun(folder_, "layout.h5", 3000);
    const hid_t file = openPlain(path);
    QVERIFY(file >= 0);
    const char* datasets[] = {"config/project",
                              "config/matrices/m",
                              "acquisition/time",
                              "acquisition/tick",
                              "acquisition/flags",
                              "acquisition/excitation_1",
                              "acquisition/target_1",
                              "acquisition/command_2",
                              "acquisition/measured_1",
                              "acquisition/force_2",
                              "acquisition/gap_1",
                              "acquisition/velocity_1",
                              "acquisition/reference_2",
                              "adaptation/prediction_1/tick",
                              "adaptation/prediction_1/value",
                              "timing/wake_late_ns",
                              "timing/compute_ns",
                              "timing/io_ns",
                              "events/tick",
                              "events/code",
                              "events/severity",
                              "events/message",
                              "events/index",
                              "events/value"};
    for (const char* name : datasets) {
      const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
      QVERIFY2(dataset >= 0, name);
      for (const char* attribute : {"units", "long_name", "description"})
        QVERIFY2(H5Aexists(dataset, attribute) > 0, name);
      H5Dclose(dataset);
    }
    const auto type = [&](const char* name) {
      const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
      const hid_t found = H5Dget_type(dataset);
      H5Dclose(dataset);
      return found;
    };
    QVERIFY(H5Tequal(type("acquisition/tick"), H5T_STD_U64LE) > 0);
    QVERIFY(H5Tequal(type("acquisition/flags"), H5T_STD_U32LE) > 0);
    QVERIFY(H5Tequal(type("acquisition/gap_1"), H5T_IEEE_F64LE) > 0);
    QVERIFY(H5Tequal(type("timing/io_ns"), H5T_STD_I64LE) > 0);
    QVERIFY(H5Tequal(type("events/severity"), H5T_STD_U8LE) > 0);
    QCOMPARE(H5Tget_size(type("events/message")), 160u);
    QCOMPARE(H5Tget_cset(type("events/message")), H5T_CSET_ASCII);
    H5Fclose(file);
    const RunFileReader reader(path);
    QCOMPARE(reader.attribute("/", "format"), std::string("hybridbench-run"));
    QCOMPARE(reader.attribute("/", "default"), std::string("acquisition"));
    QCOMPARE(reader.attribute("acquisition", "signal"), std::string("gap_1"));
    QCOMPARE(reader.attribute("acquisition", "axes"), std::string("time"));
    QCOMPARE(reader.attribute("acquisition", "auxiliary_signals"), std::string("gap_2"));
    QCOMPARE(reader.attribute("acquisition/gap_1", "long_name"), std::string("gap 1 (m)"));
    QCOMPARE(reader.attribute("acquisition/gap_2", "interface"), std::string("2"));
    QCOMPARE(reader.attribute("acquisition/excitation_1", "description"), std::string("walls"));
    QCOMPARE(reader.attribute("acquisition/flags", "flag_meanings"),
             std::string("late stale_input limit_active holding stopping emulated_force rig_saturated between_trials"));
    QVERIFY(reader.attribute("events/code", "code_names").find("limit_hit") != std::string::npos);
    QCOMPARE(reader.attribute("config/designsafe", "Title"), std::string("Three masses"));
    QCOMPARE(reader.attribute("acquisition/gap_1", "no such"), std::string());
    QCOMPARE(reader.attribute("no/such/thing", "units"), std::string());
    Sha256 sha;
    const std::vector<double> gap = reader.read("acquisition/gap_2");
    sha.update(gap.data(), gap.size() * sizeof(double));
    QCOMPARE(reader.attribute("analysis/sha256", "gap_2"), sha.hex());
  }

  void otherToolsReadIt() {
    const std::filesystem::path path = writeRun(folder_, "tools.h5", 3000);
    const std::string script = std::string(hyb::test::kSourceDir) + "/tests/core/record/check_layout.py";
    const std::string command = "/usr/bin/python3 '" + script + "' '" + path.string() + "'";
    QCOMPARE(std::system(command.c_str()), 0);
  }

  /// h5dump, or the list of runs, may open the file between its creation and its first byte, and locks it for reading.
  void aLookAtTheWrongMomentStopsNoRun() {
    const std::filesystem::path file = in(folder_, "looked_at.h5");
    const int looker = open(file.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0644);
    QVERIFY(looker >= 0 && flock(looker, LOCK_SH) == 0);
    const std::string failure = failureOf([&] {
      const h5::HeldFile held = h5::HeldFile::open(file);
      createRunFileTree(held, header(), smallLayout(), 1024);
    });
    close(looker);
    QVERIFY2(failure.empty(), failure.c_str());
  }

  void refusesWhatItCannotWrite() {
    const std::filesystem::path file = writeRun(folder_, "there.h5", 100);
    const std::string existing = failureOf([&] { RunFileWriter writer(file, header(), smallLayout(), {}, 1024); });
    QVERIFY2(existing.find("there.h5: exists already") != std::string::npos, existing.c_str());
    QCOMPARE(RunFileReader(file).info().rows, 100u);  // and was left alone
    const std::string under_file =
        failureOf([&] { RunFileWriter writer(file / "run.h5", header(), smallLayout(), {}, 1024); });
    QVERIFY2(under_file.find("Not a directory") != std::string::npos, under_file.c_str());
    const std::string missing =
        failureOf([&] { RunFileWriter writer(in(folder_, "no/run.h5"), header(), smallLayout(), {}, 1024); });
    QVERIFY2(missing.find("No such file or directory") != std::string::npos, missing.c_str());
    const std::string forbidden =
        failureOf([&] { RunFileWriter writer("/proc/run.h5", header(), smallLayout(), {}, 1024); });
    QVERIFY2(forbidden.find("/proc/run.h5: cannot be created") != std::string::npos, forbidden.c_str());
  }

  void refusesWhatIsNoRun() {
    const std::filesystem::path text = in(folder_, "text.h5");
    std::ofstream(text) << "time,gap\n0,0\n";
    QVERIFY(failureOf([&] { RunFileReader reader(text); }).find("not a run file") != std::string::npos);
    QVERIFY(failureOf([&] { RunFileReader reader(in(folder_, "none.h5")); }).find("no such file") != std::string::npos);
    QVERIFY(failureOf([&] { RunFileReader reader(folder_.path().toStdString()); }).find("not a file") !=
            std::string::npos);
    const std::filesystem::path other = in(folder_, "other.h5");
    H5Fclose(H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    QVERIFY(failureOf([&] { RunFileReader reader(other); }).find("not a run file of HybridBench") != std::string::npos);
    const std::filesystem::path newer = writeRun(folder_, "newer.h5", 10);
    const hid_t file = H5Fopen(newer.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t version = H5Aopen(file, "version", H5P_DEFAULT);
    const int two = 2;
    H5Awrite(version, H5T_NATIVE_INT, &two);
    H5Aclose(version);
    H5Fclose(file);
    QVERIFY(failureOf([&] { RunFileReader reader(newer); }).find("version 2") != std::string::npos);
  }

  // Whatever happened to a file, it is read or refused.
  void damagedFilesAreRefused() {
    std::ifstream stream(writeRun(folder_, "whole.h5", 2000), std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)), {});
    const std::filesystem::path damaged = in(folder_, "damaged.h5");
    const auto attempt = [&](const std::string& bytes) {
      std::ofstream(damaged, std::ios::binary | std::ios::trunc) << bytes;
      return failureOf([&] {
        const RunFileReader reader(damaged);
        for (const std::string& name : reader.info().acquisition) reader.read("acquisition/" + name);
        reader.events();
        reader.projectJson();
      });
    };
    QVERIFY(attempt(whole).empty());
    std::mt19937 random(4711);
    const int tries = kThorough ? 300 : 30;  // the fuzzer of run files tries more
    for (int k = 0; k < tries / 5; ++k)
      QVERIFY(
          !attempt(whole.substr(0, std::uniform_int_distribution<std::size_t>(0, whole.size() - 1)(random))).empty());
    int refused = 0;
    for (int k = 0; k < tries; ++k) {
      std::string bytes = whole;
      for (int flip = 0; flip < 20; ++flip)
        bytes[std::uniform_int_distribution<std::size_t>(0, bytes.size() - 1)(random)] ^=
            static_cast<char>(std::uniform_int_distribution<int>(1, 255)(random));
      if (!attempt(bytes).empty()) ++refused;
    }
    for (int k = 0; k < tries; ++k) {  // the head, where the structure is
      std::string bytes = whole;
      bytes[std::uniform_int_distribution<std::size_t>(0, 4096)(random)] ^=
          static_cast<char>(std::uniform_int_distribution<int>(1, 255)(random));
      if (!attempt(bytes).empty()) ++refused;
    }
    QVERIFY(refused > 0);  // most flips fall into plain numbers
  }
};

HYB_SUITE(run_file, RunFileTest)
#include "run_file_test.moc"
