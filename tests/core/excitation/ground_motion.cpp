#include "core/excitation/ground_motion.h"

#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kG = 9.80665;

std::string peerText(const std::string& sizes, int values) {
  std::string text =
      "PEER STRONG MOTION DATABASE RECORD\nTEST 01/01/40, STATION, 000\n"
      "ACCELERATION TIME HISTORY IN UNITS OF G\n" +
      sizes + "\n";
  for (int i = 0; i < values; ++i) {
    char field[32];
    std::snprintf(field, sizeof field, "  %.6E", 0.01 * std::sin(0.3 * i));
    text += field;
    if (i % 5 == 4) text += "\n";
  }
  return text + "\n";
}

}  // namespace

class GroundMotionTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::filesystem::path write(const std::string& text, const std::string& name = "record.csv") const {
    const std::filesystem::path file = folder_.path().toStdString() + "/" + name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  /// "file name:line message" of the fault, "" if there is none.
  static std::string fault(const std::filesystem::path& file, GroundMotionFormat format = GroundMotionFormat::automatic,
                           AccelerationUnit unit = AccelerationUnit::from_file) {
    try {
      readGroundMotion(file, format, unit);
    } catch (const InputError& error) {
      const Issue& issue = error.issues().at(0);
      return std::filesystem::path(issue.where).filename().string() + " " + issue.message;
    }
    return "";
  }

 private Q_SLOTS:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  void readsCsv_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("unit");
    QTest::addColumn<double>("factor");
    const auto row = [&](const char* name, const char* text, double factor,
                         AccelerationUnit unit = AccelerationUnit::from_file) {
      QTest::newRow(name) << QByteArray(text) << static_cast<int>(unit) << factor;
    };
    row("SI header", "time_s,acceleration_m_per_s2\n0.00,0\n0.02,1\n0.04,-2.5\n", 1.0);
    row("g", "time_s,acceleration_g\n0.00,0\n0.02,1\n0.04,-2.5\n", kG);
    row("gal", "time_s,acceleration_gal\n0.00,0\n0.02,1\n0.04,-2.5\n", 0.01);
    row("header agrees with unit", "time_s,acceleration_g\n0,0\n.02,1\n.04,-2.5\n", kG, AccelerationUnit::g);
    row("Windows line ends and BOM", "\xEF\xBB\xBFtime_s,acceleration_m_per_s2\r\n0.00,0\r\n0.02,1\r\n0.04,-2.5\r\n",
        1.0);
    row("old Mac line ends", "time_s,acceleration_m_per_s2\r0.00,0\r0.02,1\r0.04,-2.5\r", 1.0);
    row("no newline at the end", "time_s,acceleration_m_per_s2\n0.00,0\n0.02,1\n0.04,-2.5", 1.0);
    row("semicolons", "time_s;acceleration_m_per_s2\n0.00;0\n0.02;1\n0.04;-2.5\n", 1.0);
    row("tabs", "time_s\tacceleration_m_per_s2\n0.00\t0\n0.02\t1\n0.04\t-2.5\n", 1.0);
    row("blanks, bare, unit given", "  0.00   0\n  0.02   1\n  0.04   -2.5\n", kG, AccelerationUnit::g);
    row("quotes, spaces, signs, exponents",
        "\"time_s\", \"acceleration_m_per_s2\"\n+0.0 , 0\n2e-2, +1.0\n4E-2, -25e-1\n", 1.0);
    row("comments and empty lines", "# station 9\n\ntime_s,acceleration_m_per_s2\n0.00,0\n\n0.02,1\n0.04,-2.5\n\n\n",
        1.0);
    row("another header, unit given", "time_s,a\n0.00,0\n0.02,1\n0.04,-2.5\n", 0.01, AccelerationUnit::gal);
    row("names and units in brackets", "Time[s]\tAccel[g]\n0.00\t0\n0.02\t1\n0.04\t-2.5\n", kG);
    row("names between blanks", "Time [s]  Accel [m/s^2]\n0.00 0\n0.02 1\n0.04 -2.5\n", 1.0);
    row("square of Latin-1", "Zeit/s;a/(m/s\xB2)\n0,00;0\n0,02;1\n0,04;-2,5\n", 1.0);
    row("units below the names", "Time\tAcceleration\ns\tcm/s2\n0.00\t0\n0.02\t1\n0.04\t-2.5\n", 0.01);
    row("milliseconds", "time_ms,acceleration_g\n0,0\n20,1\n40,-2.5\n", kG);
    row("text before the names",
        "The Somewhere earthquake of January 17, 1999.\n1999 1 17\n\nTime[s]\tAccel[g]\n0.00\t0\n0.02\t1\n0.04\t-2.5\n",
        kG);
    row("text that speaks of time and acceleration",
        "Time history of acceleration, station 5\nTime, acceleration and more\nTime [s],Accel "
        "[g]\n0.00,0\n0.02,1\n0.04,-2.5\n",
        kG);
    row("text before bare numbers", "Station 9 north\n0.00 0\n0.02 1\n0.04 -2.5\n", kG, AccelerationUnit::g);
    row("names in a comment", "# time_s acceleration_g\n0.00 0\n0.02 1\n0.04 -2.5\n", kG);
    row("decimal commas", "time_s;acceleration_g\r\n0,00;0,0\r\n0,02;1\r\n0,04;-2,5\r\n", kG);
    row("decimal commas between blanks", "0,00 0,0\n0,02 1,0\n0,04 -2,5\n", kG, AccelerationUnit::g);
    row("acceleration before time", "acc_g,time_s\n0,0.00\n1,0.02\n-2.5,0.04\n", kG);
    row("columns besides", "time_s,velocity_cm_s,acceleration_g\n0.00,7,0\n0.02,7,1\n0.04,7,-2.5\n", kG);
    row("exponents of Fortran", "time_s,acceleration_g\n0.0D0,0.0D+00\n2.0D-2,0.1D+01\n4.0d-2,-25D-1\n", kG);
    row("Ctrl-Z", "time_s,acceleration_g\r\n0.00,0\r\n0.02,1\r\n0.04,-2.5\r\n\x1A", kG);
    row("inches", "time_s,acceleration_in_per_s2\n0.00,0\n0.02,1\n0.04,-2.5\n", 0.0254);
    row("does not start at 0", "time_s,acceleration_m_per_s2\n10.00,0\n10.02,1\n10.04,-2.5\n", 1.0);
  }
  void readsCsv() {
    QFETCH(QByteArray, text);
    QFETCH(int, unit);
    QFETCH(double, factor);
    const GroundMotion motion =
        readGroundMotion(write(text.toStdString()), GroundMotionFormat::automatic, static_cast<AccelerationUnit>(unit));
    QVERIFY(std::abs(motion.step_s - 0.02) < 1e-12);
    QCOMPARE(motion.acceleration_mps2.size(), std::size_t{3});
    QCOMPARE(motion.acceleration_mps2[1], factor);
    QCOMPARE(motion.acceleration_mps2[2], -2.5 * factor);
  }

  /// Times printed with few digits stand for the rate that alone explains them.
  void allowsForRoundedTimes_data() {
    QTest::addColumn<double>("rate_hz");
    QTest::addColumn<int>("digits");
    QTest::addColumn<double>("accuracy");
    QTest::newRow("128 Hz, four digits") << 128.0 << 4 << 1e-12;
    QTest::newRow("256 Hz, milliseconds") << 256.0 << 3 << 1e-12;
    QTest::newRow("300 Hz, milliseconds") << 300.0 << 3 << 1e-12;
    QTest::newRow("4096 Hz, four digits") << 4096.0 << 4 << 1e-12;
    QTest::newRow("33.3 Hz, milliseconds") << 33.3 << 3 << 1e-4;
  }
  void allowsForRoundedTimes() {
    QFETCH(double, rate_hz);
    QFETCH(int, digits);
    QFETCH(double, accuracy);
    std::string text = "time_s,acceleration_m_per_s2\n";
    for (int i = 0; i < 5000; ++i)
      text += QString("%1,%2\n").arg(i / rate_hz, 0, 'f', digits).arg(0.1 * i).toStdString();
    const double found = readGroundMotion(write(text)).step_s * rate_hz;
    QVERIFY2(std::abs(found - 1.0) < accuracy, qPrintable(QString::number(found, 'g', 17)));
  }

  /// A number too small for the computer is 0, not infinite.
  void underflowIsZero() {
    const GroundMotion motion = readGroundMotion(write("time_s,acceleration_g\n0.00,1.5e-330\n0.02,-1e-400\n"));
    QCOMPARE(motion.acceleration_mps2, (std::vector<double>{0.0, 0.0}));
  }

  void oneColumnTakesTheGivenStep() {
    for (const char* text : {"0\n1\n-2.5\n", "Accel[g]\n0\n1\n-2.5\n", "Station 9\nnorth\n0\n1\n-2.5\n"}) {
      const GroundMotion motion =
          readGroundMotion(write(text), GroundMotionFormat::automatic, AccelerationUnit::g, 0.005);
      QCOMPARE(motion.step_s, 0.005);
      QCOMPARE(motion.acceleration_mps2, (std::vector<double>{0.0, kG, -2.5 * kG}));
    }
  }
  void givenStepMustNotContradictTheFile() {
    const auto step = [&](const std::string& text, const char* name, double step_s) -> std::string {
      try {
        readGroundMotion(write(text, name), GroundMotionFormat::automatic, AccelerationUnit::from_file, step_s);
      } catch (const InputError& error) {
        return error.issues().at(0).message;
      }
      return "";
    };
    const std::string table = "time_s,acceleration_g\n0.000,0\n0.004,1\n0.008,1\n0.012,0\n0.016,0\n";
    const std::string peer = peerText("NPTS=  23, DT=  .0100 SEC", 23);
    QCOMPARE(step(table, "record.csv", 1.0 / 256.0), "");
    QVERIFY(step(table, "record.csv", 0.005).find("leave the step to the file") != std::string::npos);
    QCOMPARE(step(peer, "record.AT2", 0.01), "");
    QVERIFY(step(peer, "record.AT2", 0.005).find("leave the step to the file") != std::string::npos);
  }

  void refusesBadCsv_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("what");
    const QByteArray head = "time_s,acceleration_m_per_s2\n";
    const auto row = [](const char* name, const QByteArray& text, const char* where, const char* what) {
      QTest::newRow(name) << text << where << what;
    };
    row("empty", "", "record.csv ", "is empty");
    row("only blanks", " \n\t\n\n", "record.csv ", "is empty");
    row("only comments", "# nothing\n", "record.csv ", "only comments");
    row("header only", head, "record.csv:1 ", "fewer than two samples");
    row("one sample", head + "0,1\n", "record.csv:1 ", "fewer than two samples");
    row("binary", head + QByteArray("0,\0\1\2\n", 6), "record.csv:2 ", "binary data");
    row("UTF-16", QByteArray("\xFF\xFEt\0i\0", 6), "record.csv ", "UTF-16");
    row("text between the numbers", head + "0,1\n0.02,two\n", "record.csv:3 ", "\"two\" is not a number");
    row("number with a tail", head + "0,1\n0.02,1.0m\n", "record.csv:3 ", "not a number");
    row("hexadecimal", head + "0,1\n0.02,0x1F\n", "record.csv:3 ", "not a number");
    row("empty field", head + "0,1\n0.02,\n", "record.csv:3 ", "not a number");
    row("NaN", head + "0,1\n0.02,nan\n", "record.csv:3 ", "not a finite number");
    row("infinite", head + "0,1\n0.02,-inf\n", "record.csv:3 ", "not a finite number");
    row("too large", head + "0,1\n0.02,1e999\n", "record.csv:3 ", "not a finite number");
    row("times stand still", head + "0,1\n0.02,1\n0.02,1\n", "record.csv:4 ", "does not grow");
    row("times fall", head + "0,1\n0.02,1\n0.01,1\n", "record.csv:4 ", "does not grow");
    row("sample missing", head + "0,1\n1,1\n2,1\n4,1\n5,1\n6,1\n", "record.csv:3 ", "equally spaced");
    row("three columns", head + "0,1,2\n0.02,1,2\n", "record.csv:2 ", "3 columns");
    row("one column", "acc_g\n1.0\n2.0\n", "record.csv:2 ", "has one column and no times");
    row("points and commas", "time_s;acceleration_g\n0.00;0,1\n0.02;0,2\n", "record.csv:2 ", "decimal comma");
    row("points of thousands", "time_s;acceleration_g\n0,00;0,1\n0,02;1.000\n", "record.csv:3 ",
        "mixes decimal points");
    row("decimal commas between commas", head + "0,00,0,1\n0,02,0,2\n", "record.csv:2 ", "not a comma");
    row("no unit", "0,1\n0.02,1\n", "record.csv:1 ", "does not name the unit");
    row("unknown unit", "time_s,acceleration_ell_per_s2\n0,1\n0.02,1\n", "record.csv:1 ", "is not understood");
    row("unknown unit in brackets", "Time[s],Accel[counts]\n0,1\n0.02,1\n", "record.csv:1 ", "is not understood");
    row("velocity", "time_s,velocity_m_per_s\n0,1\n0.02,1\n", "record.csv:1 ", "names no column of acceleration");
    row("two accelerations", "time_s,acc_x_g,acc_y_g\n0,1,1\n0.02,1,1\n", "record.csv:1 ",
        "names 2 columns of acceleration");
    row("no time", "acceleration_g,velocity_cm_s\n0,1\n0.02,1\n", "record.csv:1 ", "names no column of time");
    row("time in minutes", "time_min,acceleration_g\n0,1\n20,1\n", "record.csv:1 ", "write time_s");
    row("prose alone", "An earthquake\nof 1999\n", "record.csv:2 ", "is followed by no numbers");
    row("text behind the numbers", head + "0,1\n0.02,1\nend of record\n", "record.csv:4 ", "remove text");
    row("a sample missing among coarse times", head + "0.000,1\n0.004,1\n0.008,1\n0.016,1\n0.020,1\n0.023,1\n",
        "record.csv:", "equally spaced");
    row("times too coarse", head + "0.000,1\n0.001,1\n0.002,1\n0.003,1\n0.004,1\n0.006,1\n",
        "record.csv:", "more digits");
    row("too long", head + "0,1\n1e9,1\n", "record.csv ", "at most one hour");
  }
  void refusesBadCsv() {
    QFETCH(QByteArray, text);
    QFETCH(QString, where);
    QFETCH(QString, what);
    const QString found = QString::fromStdString(fault(write(text.toStdString())));
    QVERIFY2(found.startsWith(where) && found.contains(what), qPrintable(found));
  }

  void refusesContradictingUnit() {
    const auto file = write("time_s,acceleration_g\n0,1\n0.02,1\n");
    const std::string found = fault(file, GroundMotionFormat::csv, AccelerationUnit::mps2);
    QVERIFY2(found.find("is in g, but the project says m/s2") != std::string::npos, found.c_str());
  }

  void refusesWhatIsNoFile() {
    QVERIFY(fault(folder_.path().toStdString()).find("is not a file") != std::string::npos);
    QVERIFY(fault(folder_.path().toStdString() + "/none.csv").find("does not exist") != std::string::npos);
    const auto huge = write("");
    std::filesystem::resize_file(huge, std::uintmax_t{65} << 20);  // a hole, takes no space
    QVERIFY(fault(huge).find("larger than 64 MiB") != std::string::npos);
  }

  void readsPeer_data() {
    QTest::addColumn<QString>("sizes");
    for (const char* sizes : {"NPTS=  23, DT=  .0100 SEC", "NPTS=   23, DT=   .0100 SEC,", "NPTS= 23 , DT=0.01 sec",
                              "  23   0.0100   NPTS, DT", "NPTS=23,DT=.01SEC", "npts = 23, dt = 1.0E-2 SEC"})
      QTest::newRow(sizes) << sizes;
  }
  void readsPeer() {
    QFETCH(QString, sizes);
    const GroundMotion motion = readGroundMotion(write(peerText(sizes.toStdString(), 23), "record.AT2"));
    QCOMPARE(motion.step_s, 0.01);
    QCOMPARE(motion.acceleration_mps2.size(), std::size_t{23});
    QVERIFY(std::abs(motion.acceleration_mps2[7] - kG * 0.01 * std::sin(2.1)) < 1e-7);  // seven printed digits
  }
  /// The unit stands in the third line, in whatever spelling.
  void readsTheUnitOfPeer_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<double>("factor");  // 0: refused
    QTest::addColumn<QString>("message");
    const auto row = [](const char* line, double factor, const char* message = "") {
      QTest::newRow(line) << line << factor << message;
    };
    row("ACCELERATION TIME SERIES IN UNITS OF G", kG);
    row("ACCELERATION TIME HISTORY IN UNITS OF G. FILTER POINTS: HP=0.1 Hz LP=40.0 Hz", kG);
    row("ACCELERATION TIME SERIES IN UNITS OF G FILTERED", kG);
    row("Acceleration, units: g", kG);
    row("ACCELERATION IN UNITS OF CM/S/S", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF CM/SEC/SEC", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF CM/SEC**2", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF CM / SEC / SEC.", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF CM/S^2, CORRECTED", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF CM/S2", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF GAL", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF Gals.", 0.01);
    row("ACCELERATION TIME HISTORY IN UNITS OF M/S**2", 1.0);
    row("ACCELERATION TIME HISTORY IN UNITS OF M/S/S", 1.0);
    row("ACCELERATION TIME HISTORY IN UNITS OF METERS PER SECOND PER SECOND", 1.0);
    row("ACCELERATION TIME HISTORY IN UNITS OF m s-2", 1.0);
    row("ACCELERATION (M/SEC2)", 1.0);
    row("ACCELERATION IN MG", 1e-3 * kG);
    row("ACCELERATION TIME HISTORY IN UNITS OF FT/SEC/SEC", 0.3048);
    row("ACCELERATION TIME HISTORY IN UNITS OF CM/S", 0.0, "\"CM/S\", which is not understood");
    row("ACCELERATION TIME HISTORY IN UNITS OF COUNTS", 0.0, "which is not understood");
    row("ACCELERATION TIME HISTORY IN UNITS OF G X 10", 0.0, "which is not understood");
    row("ACCELERATION TIME HISTORY IN UNITS OF G*100", 0.0, "which is not understood");
    row("ACCELERATION TIME HISTORY IN UNITS OF MGAL", 0.0, "which is not understood");
    row("ACCELERATION TIME HISTORY IN UNITS OF", 0.0, "which is not understood");
    row("ACCELERATION TIME HISTORY", 0.0, "does not name the unit");
  }
  void readsTheUnitOfPeer() {
    QFETCH(QString, line);
    QFETCH(double, factor);
    QFETCH(QString, message);
    std::string text = peerText("NPTS=  23, DT=  .0100 SEC", 23);
    const std::string usual = "ACCELERATION TIME HISTORY IN UNITS OF G\n";
    text.replace(text.find(usual), usual.size(), line.toStdString() + "\n");
    const auto file = write(text, "record.AT2");
    const QString found = QString::fromStdString(fault(file));
    if (factor == 0.0) {
      QVERIFY2(found.startsWith("record.AT2:3 ") && found.contains(message), qPrintable(found));
      return;
    }
    QVERIFY2(found.isEmpty(), qPrintable(found));
    const double read = readGroundMotion(file).acceleration_mps2[7];
    QVERIFY(std::abs(read / factor - 0.01 * std::sin(2.1)) < 1e-8);  // seven printed digits
  }
  /// "gal" in the project and CM/SEC/SEC in the file are one unit; another one is a contradiction.
  void unitsOfProjectAndPeerAgree() {
    std::string text = peerText("NPTS=  23, DT=  .0100 SEC", 23);
    text.replace(text.find("OF G\n"), 4, "OF CM/SEC/SEC");
    const auto file = write(text, "record.AT2");
    QCOMPARE(fault(file, GroundMotionFormat::automatic, AccelerationUnit::gal), "");
    const std::string other = fault(file, GroundMotionFormat::automatic, AccelerationUnit::g);
    QVERIFY2(other.find("is in cm/s2, but the project says g") != std::string::npos, other.c_str());
    text.replace(text.find(" IN UNITS OF CM/SEC/SEC"), 23, "");
    QCOMPARE(fault(write(text, "record.AT2"), GroundMotionFormat::automatic, AccelerationUnit::g), "");
  }

  /// As archives and programs have them: each of these is the record of the first.
  void readsPeerAsItComes_data() {
    QTest::addColumn<QByteArray>("text");
    const std::string good = peerText("NPTS=  23, DT=  .0100 SEC", 23);
    const auto row = [](const char* name, std::string text) { QTest::newRow(name) << QByteArray::fromStdString(text); };
    const auto replaced = [&](const std::string& from, const std::string& to, std::size_t begin = 0) {
      std::string text = good;
      for (std::size_t at = text.find(from, begin); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
      return text;
    };
    const std::size_t values = good.find("SEC\n") + 4;
    row("as it should be", good);
    row("Ctrl-Z", replaced("\n", "\r\n") + "\x1A");
    row("Ctrl-Z to the end of the block", good + std::string(50, '\x1A'));
    row("exponents with D", replaced("E", "D", values));
    row("exponents without a letter", replaced("E", "", values));
    row("columns that touch", replaced("  -", "-", values));
    row("a header line more", replaced("NPTS=", "FILTER POINTS: HP=0.1 Hz LP=40.0 Hz\nNPTS="));
    row("three header lines more", replaced("NPTS=", "A\nB 12\nC\nNPTS="));
    row("count and step in two lines", replaced(", DT=", "\nDT="));
    row("step with D", replaced(".0100", "1.00D-02"));
    row("count too small", replaced("23,", "21,"));
  }
  void readsPeerAsItComes() {
    QFETCH(QByteArray, text);
    const GroundMotion good = readGroundMotion(write(peerText("NPTS=  23, DT=  .0100 SEC", 23), "good.AT2"));
    for (const char* name : {"record.AT2", "record.txt"}) {
      const auto file = write(text.toStdString(), name);
      const std::string found = fault(file);
      QVERIFY2(found.empty(), found.c_str());
      const GroundMotion motion = readGroundMotion(file);
      QCOMPARE(motion.step_s, good.step_s);
      QCOMPARE(motion.acceleration_mps2, good.acceleration_mps2);
      QCOMPARE(motion.notes.empty(), !text.contains("21,"));
    }
  }

  /// 17 lines of header, counts, an offset that is taken out.
  void readsKnet() {
    const std::string text =
        "Origin Time       2026/11/29 10:11:00\nLat.              37.798\nLong.             141.5109\n"
        "Depth. (km)       36\nMag.              5.7\nStation Code      HYB001\nStation Lat.      38.7262\n"
        "Station Long.     141.5109\nStation Height(m) 79\nRecord Time       2026/11/29 10:11:27\n"
        "Sampling Freq(Hz) 100Hz\nDuration Time(s)  1\nDir.              N-S\nScale Factor      2000(gal)/8388608\n"
        "Max. Acc. (gal)   1000.000\nLast Correction   2026/11/29 10:11:12\nMemo.             \n"
        "    8000  4202304     8000 -4186304     8000     8000     8000     8000\n    8000     8000\n";
    const auto file = write(text, "record.NS");
    const GroundMotion motion = readGroundMotion(file);
    QCOMPARE(motion.step_s, 0.01);
    QCOMPARE(motion.acceleration_mps2, (std::vector<double>{0, 10, 0, -10, 0, 0, 0, 0, 0, 0}));
    QCOMPARE(motion.notes.size(), std::size_t{1});
    QVERIFY(fault(file, GroundMotionFormat::automatic, AccelerationUnit::g).find("is in gal") != std::string::npos);
    QCOMPARE(fault(file, GroundMotionFormat::automatic, AccelerationUnit::gal), "");
    const auto cut = write(text.substr(0, text.find("Scale")), "record.NS");
    QVERIFY(fault(cut).find("ends within the 17 header lines") != std::string::npos);
  }

  /// Count and format of each part stand in the line before it; values touch.
  void readsCosmos_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("fault");
    QTest::newRow("as it should be") << ""
                                     << ""
                                     << "";
    QTest::newRow("no unit in the text") << ", units=cm/sec2(04)"
                                         << ""
                                         << "";
    QTest::newRow("units contradict") << "units=cm/sec2(04)"
                                      << "units=g"
                                      << "says g, but the header says cm/s2";
    QTest::newRow("velocity") << "       2       1       4"
                              << "       2       2       5"
                              << "has no acceleration";
    QTest::newRow("raw") << "       2       1       4"
                         << "       1       1       4"
                         << "is a COSMOS V1 file";
    QTest::newRow("cut off") << "   7.00000"
                             << "\n"
                             << "cut off";
    QTest::newRow("no step") << "      10.000000"
                             << "    -999.000000"
                             << "gives a step of -999 ms";
    QTest::newRow("older") << "(Format v01.20 with 2 text lines)"
                           << ""
                           << "before COSMOS, which is not read";
    QTest::newRow("two channels") << "End-of-data for chan  1 acceleration"
                                  << "Corrected acceleration (Format v01.20 with 2 text lines)"
                                  << "begins another channel";
  }
  void readsCosmos() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, fault);
    QString text =
        "Corrected acceleration    (Format v01.20 with 2 text lines)\nRecord of example event\n"
        " 100 Integer-header values follow on  10 lines, Format= (10I8)\n"
        "       2       1       4     120       1    -999    -999    -999    -999    -999\n";
    for (int i = 1; i < 10; ++i) text += QString("    -999").repeated(10) + "\n";
    text += " 100 Real-header values follow on  20 lines, Format= (5F15.6)\n";
    for (int i = 0; i < 20; ++i)
      text += QString("    -999.000000") + (i == 12 ? "      10.000000" : "    -999.000000") +
              QString("    -999.000000").repeated(3) + "\n";
    text +=
        "   1 Comment line(s) follow, each starting with a \"|\":\n| Made by hand\n"
        "      10 acceleration pts, approx 1 secs, units=cm/sec2(04), Format=(8F10.5)\n"
        "   0.00000   1.50000  -2.25000 981.00000-981.00000   3.14159   0.00001  -0.50000\n"
        "   7.00000   8.00000\nEnd-of-data for chan  1 acceleration\n";
    if (!from.isEmpty()) QVERIFY(text.contains(from));
    text.replace(from.isEmpty() ? QString("\v") : from, to);
    const auto file = write(text.toStdString(), "record.v2");
    const QString found = QString::fromStdString(GroundMotionTest::fault(file));
    QVERIFY2(fault.isEmpty() ? found.isEmpty() : found.contains(fault), qPrintable(found));
    if (!fault.isEmpty()) return;
    const GroundMotion motion = readGroundMotion(file);
    QCOMPARE(motion.step_s, 0.01);
    const std::vector<double> gal{0, 1.5, -2.25, 981, -981, 3.14159, 0.00001, -0.5, 7, 8};
    QCOMPARE(motion.acceleration_mps2.size(), gal.size());
    for (std::size_t i = 0; i < gal.size(); ++i) QCOMPARE(motion.acceleration_mps2[i], 0.01 * gal[i]);
  }

  /// Known by its fourth line, whatever the file is called.
  void knowsPeerByItsHeader() {
    const auto file = write(peerText("NPTS=  23, DT=  .0100 SEC", 23), "record.txt");
    QCOMPARE(readGroundMotion(file).acceleration_mps2.size(), std::size_t{23});
  }

  void refusesBadPeer_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("what");
    const auto row = [](const char* name, const std::string& text, const char* where, const char* what) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << where << what;
    };
    const std::string sizes = "NPTS=  23, DT=  .0100 SEC", good = peerText(sizes, 23);
    row("truncated", good.substr(0, good.size() - 40), "record.AT2:", "cut off");
    row("truncated header", "a\nb\n", "record.AT2:2 ", "four header lines");
    row("nothing but header", peerText(sizes, 0), "record.AT2:", "0 of 23");
    row("no NPTS", peerText("nothing", 23), "record.AT2:4 ", "does not give the number");
    row("NPTS not whole", peerText("NPTS= 2.5, DT= .01", 23), "record.AT2:4 ", "whole number");
    row("NPTS negative", peerText("NPTS= -5, DT= .01", 23), "record.AT2:4 ", "whole number");
    row("NPTS absurd", peerText("NPTS= 1e300, DT= .01", 23), "record.AT2:4 ", "whole number");
    row("DT in milliseconds", peerText("NPTS= 23, DT= 10 MSEC", 23), "record.AT2:4 ", "gives DT in \"MSEC\"");
    row("overflow of a column", good.substr(0, good.size() - 16) + "  *************\n", "record.AT2:9 ",
        "too large for its column");
    row("DT zero", peerText("NPTS= 23, DT= 0", 23), "record.AT2:4 ", "greater than 0");
    row("DT NaN", peerText("NPTS= 23, DT= nan", 23), "record.AT2:4 ", "greater than 0");
    std::string text = good;
    row("text", text.replace(good.rfind("E"), 1, "x"), "record.AT2:9 ", "not a number");
    text = good;
    row("velocity", text.replace(text.find("ACCELERATION"), 12, "VELOCITY    "), "record.AT2:3 ",
        "not an acceleration");
  }
  void refusesBadPeer() {
    QFETCH(QByteArray, text);
    QFETCH(QString, where);
    QFETCH(QString, what);
    const QString found = QString::fromStdString(fault(write(text.toStdString(), "record.AT2")));
    QVERIFY2(found.startsWith(where) && found.contains(what), qPrintable(found));
  }

  /// No garbage may do worse than a message.
  void survivesGarbage() {
    std::uint32_t state = 1;
    const auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
    const std::string good[] = {"time_s,acceleration_g\n0.00,0\n0.02,1\n0.04,-2.5\n",
                                peerText("NPTS= 23, DT= .01", 23)};
    for (int i = 0; i < 300; ++i) {
      std::string text = good[i % 2];
      for (std::uint32_t j = 0; j < 1 + random() % 4; ++j) {
        const std::size_t at = random() % text.size();
        if (random() % 3 == 0)
          text.erase(at, 1 + random() % 8);
        else
          text[at] = "0123456789.,;eE+-=#\t\n x\xFF"[random() % 24];
        if (text.empty()) break;
      }
      const auto file = write(text, "garbage.csv");
      try {
        for (const double a : readGroundMotion(file).acceleration_mps2) QVERIFY(std::isfinite(a));
      } catch (const InputError&) {
      }
    }
  }
};

HYB_SUITE(ground_motion, GroundMotionTest)
#include "ground_motion.moc"
