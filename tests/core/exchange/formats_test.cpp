/// Files of other programs: each is read back by another reader than the one that wrote it, and has the same numbers.
#include "core/exchange/format.h"

#include <hdf5.h>
#include <matio.h>
#include <zip.h>
#include <QDir>
#include <QTemporaryDir>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/file_bytes.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using ReadBack = std::map<std::string, std::vector<double>>;
constexpr std::uint64_t kExportRows = 20003;  // more than a block
constexpr double kExportRate_hz = 1024.0, kExportStart_s = -0.25;

double exportedValue(std::size_t channel, std::uint64_t row) {
  if (channel == 1 && row == 7) return std::nan("");
  const double x = 1e-3 * std::sin(0.01 * static_cast<double>(row)) + 1e-13 * static_cast<double>(row);
  return channel == 0 ? x : channel == 1 ? -1e9 * x : static_cast<double>(row % 5);
}

Table exportedTable() {
  Table table;
  table.title = "Three masses, \"short\"";
  table.rate_hz = kExportRate_hz;
  table.start_s = kExportStart_s;
  table.rows = kExportRows;
  table.channels = {{"gap_1", "m", "Target minus measured, interface 1", 1},
                    {"force_1", "N", "Force of the specimen", 1},
                    {"flags", "", "Bits"}};
  table.facts = {{"operator", "Jürgen"}, {"started_at", "2026-11-29T10:00:00+01:00"}};
  table.read = [](std::size_t channel, std::uint64_t first, std::uint64_t count) {
    std::vector<double> values;
    for (std::uint64_t row = first; row < first + count; ++row) values.push_back(exportedValue(channel, row));
    return values;
  };
  return table;
}

std::vector<std::string> exportedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

ReadBack readCsv(const std::string& file) {
  ReadBack columns;
  std::vector<std::string> names;
  const auto fields = [](const std::string& line) {
    std::vector<std::string> parts(1);
    for (const char c : line)
      if (c == ',')
        parts.emplace_back();
      else
        parts.back() += c;
    return parts;
  };
  const std::vector<std::string> lines = exportedLines(*hyb::bytesOf(file));
  names = fields(lines.at(0));
  if (lines.at(1) != "s,m,N,") throw std::runtime_error(lines.at(1));
  for (std::size_t l = 2; l < lines.size(); ++l) {
    const std::vector<std::string> parts = fields(lines[l]);
    for (std::size_t c = 0; c < names.size(); ++c) {
      double value = std::nan("");
      if (!parts.at(c).empty()) std::from_chars(parts[c].data(), parts[c].data() + parts[c].size(), value);
      columns[names[c]].push_back(value);
    }
  }
  return columns;
}

ReadBack readMat(const std::string& file) {
  ReadBack columns;
  mat_t* in = Mat_Open(file.c_str(), MAT_ACC_RDONLY);
  if (in == nullptr) throw std::runtime_error("no MAT file");
  while (matvar_t* variable = Mat_VarReadNext(in)) {
    if (variable->class_type == MAT_C_DOUBLE) {
      const auto* values = static_cast<const double*>(variable->data);
      columns[variable->name].assign(values, values + variable->dims[0] * variable->dims[1]);
    }
    if (std::string(variable->name) == "units") {
      const matvar_t* unit = Mat_VarGetStructFieldByName(variable, "force_1", 0);
      if (unit == nullptr || *static_cast<const char*>(unit->data) != 'N') throw std::runtime_error("units");
    }
    Mat_VarFree(variable);
  }
  Mat_Close(in);
  return columns;
}

/// Set by set, by the published description: never by a search for the end mark.
ReadBack readUff(const std::string& file) {
  const std::string bytes = *hyb::bytesOf(file);
  ReadBack columns;
  std::size_t at = 0;
  const auto line = [&] {
    const std::size_t end = bytes.find('\n', at);
    const std::string text = bytes.substr(at, end - at);
    at = end + 1;
    return text;
  };
  const auto expectMark = [&] {
    if (line() != "    -1") throw std::runtime_error("no mark at byte " + std::to_string(at));
  };
  while (at < bytes.size()) {
    expectMark();
    const std::string number = line();
    if (number.substr(0, 6) != "    58") {
      while (bytes.substr(at, 6) != "    -1") line();
      expectMark();
      continue;
    }
    std::vector<std::string> records;
    for (int r = 0; r < 11; ++r) {
      records.push_back(line());
      if (records.back().size() != 80) throw std::runtime_error("a record of another length");
    }
    const auto count = std::stoull(records[6].substr(10, 10));
    if (std::stoi(records[6].substr(0, 10)) != 4 || std::stoi(records[6].substr(20, 10)) != 1)
      throw std::runtime_error("type or spacing");
    std::vector<double>& values = columns[records[0].substr(0, records[0].find(' '))];
    if (number[6] == 'b') {
      if (std::stoi(number.substr(7, 6)) != 1 || std::stoi(number.substr(13, 6)) != 2 ||
          std::stoull(number.substr(31, 12)) != count * 8)
        throw std::runtime_error("binary head: " + number);
      values.resize(count);
      std::memcpy(values.data(), bytes.data() + at, count * 8);
      at += count * 8;
    } else {
      while (values.size() < count) {
        const std::string numbers = line();
        for (std::size_t c = 0; c < numbers.size(); c += 20) values.push_back(std::stod(numbers.substr(c, 20)));
      }
    }
    expectMark();
    std::vector<double>& time = columns["time"];
    time.clear();
    const double start = std::stod(records[6].substr(30, 13)), step = std::stod(records[6].substr(43, 13));
    for (std::uint64_t row = 0; row < count; ++row) time.push_back(start + static_cast<double>(row) * step);
  }
  return columns;
}

ReadBack readNpz(const std::string& file) {
  ReadBack columns;
  zip_t* archive = zip_open(file.c_str(), ZIP_RDONLY, nullptr);
  if (archive == nullptr) throw std::runtime_error("no archive");
  for (zip_int64_t e = 0; e < zip_get_num_entries(archive, 0); ++e) {
    zip_stat_t status;
    zip_stat_index(archive, static_cast<zip_uint64_t>(e), 0, &status);
    std::string bytes(status.size, '\0');
    zip_file_t* entry = zip_fopen_index(archive, static_cast<zip_uint64_t>(e), 0);
    zip_fread(entry, bytes.data(), bytes.size());
    zip_fclose(entry);
    const std::size_t head = 10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    if (bytes.substr(1, 5) != "NUMPY" || head % 64 != 0 || bytes[head - 1] != '\n') throw std::runtime_error("head");
    std::vector<double> values((bytes.size() - head) / 8);
    std::memcpy(values.data(), bytes.data() + head, values.size() * 8);
    const std::string name = status.name;
    columns[name.substr(0, name.size() - 4)] = std::move(values);
  }
  zip_discard(archive);
  return columns;
}

ReadBack readHdf5(const std::string& file) {
  ReadBack columns;
  const hid_t in = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (const char* name : {"time", "gap_1", "force_1", "flags"}) {
    const hid_t set = H5Dopen2(in, name, H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<double>& values = columns[name];
    values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Dclose(set);
  }
  const hid_t root = H5Fget_create_plist(in);
  unsigned superblock = 9, unused = 0;
  H5Pget_version(root, &superblock, &unused, &unused, &unused);
  H5Pclose(root);
  H5Fclose(in);
  if (superblock > 2) throw std::runtime_error("old readers cannot open this file");
  return columns;
}

struct ExportReader {
  const char* format;
  ReadBack (*read)(const std::string& file);
  double digits;       // relative error that the format makes
  double time_digits;  // of the times, s
};
const std::vector<ExportReader>& exportReaders() {
  static const std::vector<ExportReader> all{{"csv", readCsv, 0.0, 1e-15},       {"mat", readMat, 0.0, 0.0},
                                             {"mat73", readMat, 0.0, 0.0},       {"uff", readUff, 0.0, 1e-4},
                                             {"uff-text", readUff, 1e-12, 1e-4}, {"npz", readNpz, 0.0, 0.0},
                                             {"hdf5", readHdf5, 0.0, 0.0}};
  return all;
}

}  // namespace

class FormatsTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  std::string path(const std::string& name) const {
    return folder_->filePath(QString::fromStdString(name)).toStdString();
  }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void eachFormatHasAReaderHere() {
    for (const ExchangeFormat& format : exchangeFormats())
      QVERIFY2(
          format.write == nullptr ||
              std::ranges::any_of(exportReaders(), [&](const ExportReader& one) { return one.format == format.name; }),
          format.name.data());
  }

  void numbersComeBack_data() {
    QTest::addColumn<int>("reader");
    for (std::size_t r = 0; r < exportReaders().size(); ++r)
      QTest::newRow(exportReaders()[r].format) << static_cast<int>(r);
  }
  void numbersComeBack() {
    QFETCH(int, reader);
    const ExportReader& by = exportReaders()[static_cast<std::size_t>(reader)];
    const std::string file = path("run" + std::string(exchangeFormat(by.format, "").suffix));
    const Table table = exportedTable();
    double share = 0.0;
    QVERIFY(exportTable(table, file, exchangeFormat(by.format, ""), {}, [&](double now) {
      if (now < share) qFatal("the progress goes back");
      share = now;
      return true;
    }));
    const ReadBack columns = by.read(file);
    for (std::size_t c = 0; c < table.channels.size(); ++c) {
      const auto found = columns.find(table.channels[c].name);
      QVERIFY2(found != columns.end(), table.channels[c].name.c_str());
      QCOMPARE(found->second.size(), kExportRows);
      for (std::uint64_t row = 0; row < kExportRows; ++row) {
        const double written = exportedValue(c, row), read = found->second[row];
        QVERIFY2(std::isnan(written) ? std::isnan(read) : std::abs(read - written) <= by.digits * std::abs(written),
                 qPrintable(QString("%1, row %2: %3").arg(found->first.c_str()).arg(row).arg(read, 0, 'g', 17)));
      }
    }
    const std::vector<double>& time = columns.at("time");
    QCOMPARE(time.size(), kExportRows);
    for (std::uint64_t row = 0; row < kExportRows; ++row)
      QVERIFY(std::abs(time[row] - table.time_s(row)) <= by.time_digits);
    QCOMPARE(QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden).size(), 1);  // nothing is left beside it
  }

  void givenUpItLeavesTheOldFile_data() { numbersComeBack_data(); }
  void givenUpItLeavesTheOldFile() {
    QFETCH(int, reader);
    const std::string format = exportReaders()[static_cast<std::size_t>(reader)].format, file = path("old");
    writeWhole(file, "old");
    int asked = 0;
    QVERIFY(!exportTable(exportedTable(), file, exchangeFormat(format, ""), {}, [&](double) { return ++asked < 2; }));
    QCOMPARE(*hyb::bytesOf(file), std::string("old"));
    QCOMPARE(QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
  }

  void aFolderThatIsNotThereIsASentence_data() { numbersComeBack_data(); }
  void aFolderThatIsNotThereIsASentence() {
    QFETCH(int, reader);
    const std::string format = exportReaders()[static_cast<std::size_t>(reader)].format;
    QVERIFY_THROWS_EXCEPTION(DeviceError,
                             exportTable(exportedTable(), path("no/such/file"), exchangeFormat(format, "")));
  }

  void formatsAreChosenByNameOrSuffix() {
    QCOMPARE(exchangeFormat("", "a/b.MAT").name, std::string_view("mat"));
    QCOMPARE(exchangeFormat("mat73", "a.mat").name, std::string_view("mat73"));
    EXPECT_ISSUE(issuesOf([] { exchangeFormat("mta", ""); }), "mta", "Did you mean \"mat\"?");
    EXPECT_ISSUE(issuesOf([] { exchangeFormat("", "run.xls"); }), "run.xls", ".csv");
  }

  void whatHasNoRateIsNoUniversalFile() {
    Table table = exportedTable();
    table.rate_hz = 0.0;
    EXPECT_ISSUE(issuesOf([&] { exportTable(table, path("a.uff"), exchangeFormat("uff", "")); }), "", "no rate");
    QVERIFY(exportTable(table, path("a.csv"), exchangeFormat("csv", "")));
    QCOMPARE(exportedLines(*hyb::bytesOf(path("a.csv"))).front(), std::string("gap_1,force_1,flags"));
  }
};

HYB_SUITE(formats, FormatsTest)
#include "formats_test.moc"
