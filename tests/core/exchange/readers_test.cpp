/// Records of other programs: the exports come back, and files as other laboratories write them.
#include <QDir>
#include <QTemporaryDir>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/file_bytes.h"
#include "core/exchange/format.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kForeignRate_hz = 512.0;

Table foreignTable() {
  std::vector<std::vector<double>> columns(2, std::vector<double>(1000));
  for (std::size_t row = 0; row < 1000; ++row) {
    columns[0][row] = 1e-3 * std::sin(0.01 * static_cast<double>(row)) + 1e-13 * static_cast<double>(row);
    columns[1][row] = -1e9 * columns[0][row];
  }
  Table table = tableInMemory({{"gap_1", "m", "Gap"}, {"force_1", "N", "Force"}}, std::move(columns));
  table.title = "Wall 3";
  table.rate_hz = kForeignRate_hz;
  table.start_s = 0.25;
  return table;
}

template <typename T>
void put(std::string& bytes, T value, bool little = true) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (!little) std::reverse(raw, raw + sizeof(T));
  bytes.append(raw, sizeof(T));
}
void putWord(std::string& bytes, const std::string& word, bool little = true) {
  put(bytes, static_cast<std::uint32_t>(word.size()), little);
  bytes += word;
}

/// A segment of a TDMS file from its metadata and raw data. `length` is what its head says of itself.
std::string segment(std::uint32_t mask, const std::string& meta, const std::string& raw,
                    std::optional<std::uint64_t> length = {}) {
  const bool little = (mask & 0x40u) == 0;
  std::string bytes = "TDSm";
  put(bytes, mask);
  put(bytes, std::uint32_t{4713}, little);
  put(bytes, length.value_or(meta.size() + raw.size()), little);
  put(bytes, static_cast<std::uint64_t>(meta.size()), little);
  return bytes + meta + raw;
}
/// Metadata of one channel, with its count of values in each chunk.
std::string channelMeta(const std::string& path, std::uint32_t type, std::uint64_t count, const std::string& properties,
                        std::uint32_t property_count, bool little = true) {
  std::string bytes;
  putWord(bytes, path, little);
  put(bytes, std::uint32_t{20}, little);
  put(bytes, type, little);
  put(bytes, std::uint32_t{1}, little);
  put(bytes, count, little);
  put(bytes, property_count, little);
  return bytes + properties;
}
std::string textProperty(const std::string& name, const std::string& text) {
  std::string bytes;
  putWord(bytes, name);
  put(bytes, std::uint32_t{0x20});
  putWord(bytes, text);
  return bytes;
}
std::string numberProperty(const std::string& name, double value, bool little = true) {
  std::string bytes;
  putWord(bytes, name, little);
  put(bytes, std::uint32_t{10}, little);
  put(bytes, value, little);
  return bytes;
}
std::string objects(std::uint32_t count, const std::string& channels, bool little = true) {
  std::string bytes;
  put(bytes, count, little);
  return bytes + channels;
}
template <typename T>
std::string rawOf(const std::vector<T>& values, bool little = true) {
  std::string bytes;
  for (const T value : values) put(bytes, value, little);
  return bytes;
}

/// Set 58 with these records 7 and data; `number` is its first line.
std::string uffSet(const std::string& number, const std::string& record7, const std::string& data) {
  const std::string axis = "                          NONE                 NONE\n";
  return "    -1\n" + number + "\nDrift\nNONE\nNONE\nNONE\nNONE\n" +
         "    1         1    0         0       NONE         7   3       NONE         0   0\n" + record7 + "\n" +
         "        17    0    0    0 Time                 s\n" + "         8    0    0    0 Displacement         mm\n" +
         axis + axis + data + "    -1\n";
}

}  // namespace

class ReadersTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  ForeignFile foreign(const std::string& name, const std::string& bytes) const {
    writeWhole(path(name), bytes);
    return readForeign(path(name));
  }
  static void holds(const Table& table, std::size_t channel, const std::vector<double>& values) {
    const std::vector<double> found = table.column(channel);
    QCOMPARE(found.size(), values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!(std::isnan(values[k]) && std::isnan(found[k])))
        QVERIFY2(found[k] == values[k], qPrintable(QString("row %1: %2").arg(k).arg(found[k], 0, 'g', 17)));
  }

 private Q_SLOTS:
  void exportsComeBack_data() {
    QTest::addColumn<QString>("format");
    for (const ExchangeFormat& format : exchangeFormats())
      if (format.write != nullptr)
        QTest::newRow(format.name.data()) << QString::fromUtf8(format.name.data(), std::ssize(format.name));
  }
  void exportsComeBack() {
    QFETCH(QString, format);
    const ExchangeFormat& one = exchangeFormat(format.toStdString(), "");
    const std::string file = path("back" + std::string(one.suffix));
    const Table table = foreignTable();
    QVERIFY(exportTable(table, file, one));
    const ForeignFile back = readForeign(file);
    const Table& found = back.tables.front();
    QCOMPARE(found.rows, table.rows);
    for (std::size_t c = 0; c < table.channels.size(); ++c) {
      const Channel& channel = table.channels[c];
      const std::optional<std::size_t> place = hyb::find(found, channel.name);
      QVERIFY2(place.has_value(), channel.name.c_str());
      if (one.name != "npz") QCOMPARE(found.channels[*place].units, channel.units);  // NumPy has no place for units
      const std::vector<double> expected = table.column(c), read = found.column(*place);
      const double digits = one.name == "uff-text" ? 1e-12 : 0.0;
      for (std::size_t row = 0; row < expected.size(); ++row)
        QVERIFY(std::abs(read[row] - expected[row]) <= digits * std::abs(expected[row]));
    }
    if (const std::optional<std::size_t> time = hyb::find(found, "time"))
      for (std::size_t row = 0; row < found.rows; ++row)
        QVERIFY(std::abs(found.column(*time)[row] - table.time_s(row)) < 1e-12);
    else
      QVERIFY(found.rate_hz == kForeignRate_hz && found.start_s == 0.25);
  }

  void columnsOfText_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QStringList>("units");
    QTest::newRow("RFC 4180 with units") << "time,\"gap, 1\"\ns,mm\n0,1.5\n0.1,\n0.2,-2.5e-3\n"
                                         << QStringList{"time", "gap, 1"} << QStringList{"s", "mm"};
    QTest::newRow("comma as point") << "# a remark\r\nt [s];w [mm]\r\n0;1,5\r\n0,1;\r\n0,2;-0,0025\r\n"
                                    << QStringList{"t", "w"} << QStringList{"s", "mm"};
    QTest::newRow("tabs, remarks with numbers")
        << "Samples\t3\nRate\t10\nTime (s)\tDrift (mm)\n0\t1.5\n0.1\tn/a\n0.2\t-2.5E-03\n"
        << QStringList{"Time", "Drift"} << QStringList{"s", "mm"};
    QTest::newRow("blanks, no names") << "  0.0   1.5\n  0.1   nan\n  0.2  -2.5D-3\n"
                                      << QStringList{"column 1", "column 2"} << QStringList{"", ""};
  }
  void columnsOfText() {
    QFETCH(QString, text);
    QFETCH(QStringList, names);
    QFETCH(QStringList, units);
    const ForeignFile file = foreign("table.txt", text.toStdString());
    const Table& table = file.tables.front();
    QCOMPARE(std::ssize(table.channels), names.size());
    for (int c = 0; c < names.size(); ++c) {
      const Channel& channel = table.channels[static_cast<std::size_t>(c)];
      QCOMPARE(QString::fromStdString(channel.name), names[c]);
      QCOMPARE(QString::fromStdString(channel.units), units[c]);
    }
    holds(table, 0, {0.0, 0.1, 0.2});
    holds(table, 1, {1.5, std::nan(""), -2.5e-3});
  }
  void textThatIsNoTable() {
    const ForeignFile file = foreign("stamps.csv", "when,x\n10:00:01,1\n10:00:02,2\n10:00:03,3\n10:00:04");
    QCOMPARE(file.tables.front().channels.size(), std::size_t{1});
    QCOMPARE(file.tables.front().rows, std::uint64_t{3});
    QCOMPARE(file.notes.size(), std::size_t{2});
    EXPECT_ISSUE(issuesOf([&] { foreign("a.csv", "x,y\n1,2\n3,4\n5,six\n7,8\n9,10\n"); }), path("a.csv") + ":4",
                 "\"six\" is not a number");
    EXPECT_ISSUE(issuesOf([&] { foreign("a.csv", "x,y\n1,2\n3,4\n5\n7,8\n9,10\n"); }), path("a.csv") + ":4",
                 "has 1 fields in place of 2");
    EXPECT_ISSUE(issuesOf([&] { foreign("a.csv", "once upon a time\n"); }), path("a.csv"), "no columns of numbers");
    EXPECT_ISSUE(issuesOf([&] { foreign("a.csv", ""); }), path("a.csv"), "empty");
    EXPECT_ISSUE(issuesOf([&] { readForeign(path("none.csv")); }), path("none.csv"), "cannot be read");
  }

  void functionsOfSet58_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("even");
    const auto row = [](const char* name, const std::string& bytes, bool even) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes) << even;
    };
    const std::string even7 = "         2         4         1  0.00000E+00  1.00000E-02  0.00000E+00",
                      double7 = "         4         4         1  0.00000E+00  1.00000E-02  0.00000E+00",
                      uneven7 = "         4         4         0  0.00000E+00  0.00000E+00  0.00000E+00";
    const std::string binary = "    58b     %1     2          11%2     0     0           0           0";
    const auto head = [&](int order, std::size_t count) {
      return QString::fromStdString(binary).arg(order).arg(count, 12).toStdString();
    };
    row("text, fields that touch", uffSet("    58", even7, "  1.50000E+00 -2.25000E+00 1.0000E+003-1.00000E-06\n"),
        true);
    row("text, D exponents, padded",
        uffSet("    58", double7,
               "  1.500000000000D+00 -2.250000000000D+00  1.000000000000D+03 -1.000000000000D-06        \n"),
        true);
    row("text, uneven",
        uffSet("    58", uneven7,
               "  0.00000E+00  1.500000000000E+00  1.00000E-02 -2.250000000000E+00\n"
               "  2.00000E-02  1.000000000000E+03  3.00000E-02 -1.000000000000E-06\n"),
        false);
    const std::vector<double> values{1.5, -2.25, 1000.0, -1e-6};
    row("binary", uffSet(head(1, 32), double7, rawOf(values)), true);
    row("binary, big-endian", uffSet(head(2, 32), double7, rawOf(values, false)), true);
    row("binary, a wrong count and a line end too many", uffSet(head(1, 64), double7, rawOf(values) + "\r\n"), true);
    std::string pairs, wide;
    for (std::size_t k = 0; k < 4; ++k) {
      put(pairs, static_cast<float>(0.01 * static_cast<double>(k)));
      put(pairs, values[k]);
      put(wide, 0.01 * static_cast<double>(k));
      put(wide, values[k]);
    }
    row("binary, uneven, single abscissa", uffSet(head(1, pairs.size()), uneven7, pairs), false);
    row("binary, uneven, double abscissa", uffSet(head(1, wide.size()), uneven7, wide), false);
  }
  void functionsOfSet58() {
    QFETCH(QByteArray, bytes);
    QFETCH(bool, even);
    const ForeignFile file = foreign("a.uff", bytes.toStdString());
    const Table& table = file.tables.front();
    const std::size_t place = even ? 0 : 1;
    QCOMPARE(table.channels[place].name, std::string("Drift"));
    QCOMPARE(table.channels[place].units, std::string("mm"));
    QCOMPARE(table.rate_hz, even ? 100.0 : 0.0);
    holds(table, place, {1.5, -2.25, 1000.0, -1e-6});
    if (!even) QVERIFY(std::abs(table.column(0)[3] - 0.03) < 1e-9);
  }
  void damagedUniversalFiles() {
    const std::string even7 = "         2         4         1  0.00000E+00  2.44141E-04  0.00000E+00";
    const ForeignFile cut = foreign("a.uff", uffSet("    58", even7, "  1.50000E+00 -2.25000E+00\n"));
    QCOMPARE(cut.tables.front().rows, std::uint64_t{2});
    QCOMPARE(cut.tables.front().rate_hz, 4096.0);
    QVERIFY(cut.notes.size() == 2 && cut.notes[0].find("2 of 4") != std::string::npos);
    EXPECT_ISSUE(issuesOf([&] { foreign("a.uff", uffSet("    58", even7, "  1.50000E+00 ************\n")); }),
                 path("a.uff") + ":14", "stars");
    EXPECT_ISSUE(issuesOf([&] {
                   foreign("a.uff", uffSet("    58b     1     1          11          16     0     0", even7, "0123"));
                 }),
                 path("a.uff") + ":13", "DEC VMS");
    EXPECT_ISSUE(issuesOf([&] {
                   foreign("a.uff", uffSet("    58b     1     2          11          16     0     0", even7,
                                           "0123456789abcdef\r\r\n"));
                 }),
                 path("a.uff") + ":13", "as text");
    EXPECT_ISSUE(issuesOf([&] { foreign("a.uff", "    -1\n   151\nmodel\n    -1\n"); }), path("a.uff"),
                 "none of them is a function");
  }

  void segmentsOfTdms() {
    // A first segment, one without metadata in two chunks, one that repeats a channel and drops the other.
    const std::string first =
        objects(2, channelMeta("/'Rig'/'force''s raw'", 2, 2,
                               textProperty("unit_string", "N") + numberProperty("wf_increment", 0.001) +
                                   numberProperty("NI_Number_Of_Scales", 1.0) +
                                   textProperty("NI_Scale[0]_Scale_Type", "Linear") +
                                   numberProperty("NI_Scale[0]_Linear_Slope", 0.5) +
                                   numberProperty("NI_Scale[0]_Linear_Y_Intercept", 10.0),
                               6) +
                       channelMeta("/'Rig'/'x'", 10, 1, numberProperty("wf_increment", 0.001), 1));
    std::string repeated;
    putWord(repeated, "/'Rig'/'force''s raw'");
    put(repeated, std::uint32_t{0});
    put(repeated, std::uint32_t{0});
    const auto chunk = [](std::int16_t a, std::int16_t b, double x) {
      return rawOf(std::vector<std::int16_t>{a, b}) + rawOf(std::vector<double>{x});
    };
    const std::string bytes = segment(0x0E, first, chunk(100, -200, 0.5)) +
                              segment(0x08, "", chunk(1, 2, 1.5) + chunk(3, 4, 2.5)) +
                              segment(0x0E, objects(1, repeated), rawOf(std::vector<std::int16_t>{5, 6}));
    const ForeignFile file = foreign("a.tdms", bytes);
    QCOMPARE(file.tables.size(), std::size_t{2});
    const Table& force = file.tables[0];
    QCOMPARE(force.channels[0].name, std::string("force's raw"));
    QCOMPARE(force.channels[0].units, std::string("N"));
    QCOMPARE(force.rate_hz, 1000.0);
    holds(force, 0, {60.0, -90.0, 10.5, 11.0, 11.5, 12.0, 12.5, 13.0});
    holds(file.tables[1], 0, {0.5, 1.5, 2.5});

    const std::string mixed =
        objects(2, channelMeta("/'G'/'a'", 10, 2, "", 0, false) + channelMeta("/'G'/'n'", 3, 2, "", 0, false), false);
    const std::string rows = rawOf(std::vector<double>{0.25}, false) + rawOf(std::vector<std::int32_t>{-1}, false) +
                             rawOf(std::vector<double>{0.5}, false) + rawOf(std::vector<std::int32_t>{7}, false);
    const ForeignFile big = foreign("b.tdms", segment(0x0E | 0x20 | 0x40, mixed, rows));
    holds(big.tables[0], 0, {0.25, 0.5});
    holds(big.tables[0], 1, {-1.0, 7.0});

    const std::string two = objects(2, channelMeta("/'G'/'a'", 10, 2, "", 0) + channelMeta("/'G'/'b'", 10, 2, "", 0));
    const std::vector<double> whole{1.0, 2.0, 10.0, 20.0}, part{3.0, 4.0, 30.0};
    const ForeignFile killed =
        foreign("c.tdms", segment(0x0E, two, rawOf(whole)) + segment(0x08, "", rawOf(part) + "xyz", ~std::uint64_t{0}));
    QCOMPARE(killed.tables.size(), std::size_t{1});  // the channels end with the shorter one
    holds(killed.tables[0], 0, {1.0, 2.0, 3.0});
    holds(killed.tables[0], 1, {10.0, 20.0, 30.0});
    QVERIFY(killed.notes.size() == 1 && killed.notes[0].find("not finished") != std::string::npos);
  }
  void tdmsThatIsNotRead() {
    const std::string one = objects(1, channelMeta("/'G'/'a'", 10, 2, "", 0)),
                      raw = rawOf(std::vector<double>{1.0, 2.0});
    EXPECT_ISSUE(issuesOf([&] { foreign("a.tdms", segment(0x0E | 0x80, one, raw)); }), path("a.tdms"), "raw DAQ data");
    EXPECT_ISSUE(issuesOf([&] { foreign("a.tdms", "TDSh" + segment(0x0E, one, raw).substr(4)); }), path("a.tdms"),
                 "index of a TDMS file");
    EXPECT_ISSUE(issuesOf([&] { foreign("a.tdms", segment(0x08, "", raw)); }), path("a.tdms"), "there is none");
    EXPECT_ISSUE(issuesOf([&] { foreign("a.tdms", segment(0x0E, one, raw).substr(0, 40)); }), path("a.tdms"),
                 "first segment");
    const std::string odd = objects(
        1, channelMeta(
               "/'G'/'a'", 10, 2,
               numberProperty("NI_Number_Of_Scales", 1.0) + textProperty("NI_Scale[0]_Scale_Type", "Thermocouple"), 2));
    EXPECT_ISSUE(issuesOf([&] { foreign("a.tdms", segment(0x0E, odd, raw)); }), path("a.tdms") + ": /'G'/'a'",
                 "Thermocouple");
  }
};

HYB_SUITE(readers, ReadersTest)
#include "readers_test.moc"
