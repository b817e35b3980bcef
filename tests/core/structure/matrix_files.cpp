#include <hdf5.h>
#include <matio.h>

#include <QTemporaryDir>
#include <algorithm>
#include <bit>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/structure/matrix_file.h"
#include "core/structure/matrix_file_mat.h"
#include "tests/support/suite.h"

using namespace hyb;

// Damaged files make HDF5 1.10 copy a few bytes from behind its attributes as it opens them, and ask for memory that
// there is not, which it takes well; it also forgets to free some.
extern "C" const char* __asan_default_suppressions();
extern "C" const char* __asan_default_suppressions() { return "interceptor_via_lib:libhdf5\n"; }
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

namespace fs = std::filesystem;
using Bytes = std::string;

/// Written as one triangle, so that every format can carry it.
Eigen::MatrixXd triangles() {
  Eigen::MatrixXd k(4, 4);
  k << 3e4, -2e4, 0, 0, -2e4, 2.5e4, -0.5e4, 0, 0, -0.5e4, 0.75e4, -0.25e4, 0, 0, -0.25e4, 1.0 / 3.0;
  return k;
}

/// [2 -1; -1 0.5] in formats of other programs.
QByteArray boeingText() {
  return "two springs                                                             HYB00001\n"
         "             3             1             1             1             0\n"
         "RSA                        2             2             3             0\n"
         "(8I10)          (8I10)          (4E20.12)           \n"
         "         1         3         4\n"
         "         1         2         2\n"
         "  2.000000000000E+00 -1.000000000000E+00  5.000000000000E-01\n";
}
QByteArray dmigText() {
  return "$TITLE   = A FRAME\nSUBCASE 1\n"
         "DMIG    KAAX           0       6       2       0       0               2\n"
         "DMIG*   KAAX                           1               1                \n"
         "*                      1               1 2.000000000D+00\n"
         "*                      2               1-1.000000000D+00\n"
         "DMIG*   KAAX                           2               1                \n"
         "*                      2               1 5.000000000D-01\n";
}

Bytes slurp(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
void spill(const fs::path& file, const Bytes& bytes) {
  fs::remove(file);  // cutting a file to nothing first makes some file systems wait for the disk
  std::ofstream(file, std::ios::binary) << bytes;
}

// --- MAT files as MATLAB writes them -----------------------------------------------------------------------------

template <typename T>
constexpr std::pair<matio_classes, matio_types> matType() {
  if constexpr (std::is_same_v<T, double>) return {MAT_C_DOUBLE, MAT_T_DOUBLE};
  if constexpr (std::is_same_v<T, float>) return {MAT_C_SINGLE, MAT_T_SINGLE};
  if constexpr (std::is_same_v<T, std::int32_t>) return {MAT_C_INT32, MAT_T_INT32};
  if constexpr (std::is_same_v<T, std::uint8_t>) return {MAT_C_UINT8, MAT_T_UINT8};
  if constexpr (std::is_same_v<T, std::int64_t>) return {MAT_C_INT64, MAT_T_INT64};
}

class MatWriter {
 public:
  MatWriter(const fs::path& file, mat_ft version, matio_compression compression) : compression_(compression) {
    fs::remove(file);
    file_ = Mat_CreateVer(file.c_str(), nullptr, version);
    Q_ASSERT(file_ != nullptr);
  }
  ~MatWriter() { Mat_Close(file_); }
  MatWriter(const MatWriter&) = delete;
  MatWriter& operator=(const MatWriter&) = delete;

  template <typename T>
  MatWriter& full(const char* name, const Eigen::MatrixXd& matrix) {
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> data = matrix.cast<T>();
    std::size_t dims[] = {static_cast<std::size_t>(data.rows()), static_cast<std::size_t>(data.cols())};
    return write(Mat_VarCreate(name, matType<T>().first, matType<T>().second, 2, dims, data.data(), 0));
  }
  MatWriter& sparse(const char* name, const Eigen::MatrixXd& matrix) {
    SparseMatrix data = matrix.sparseView();
    std::vector<mat_uint32_t> rows(data.innerIndexPtr(), data.innerIndexPtr() + data.nonZeros());
    std::vector<mat_uint32_t> columns(data.outerIndexPtr(), data.outerIndexPtr() + data.cols() + 1);
    mat_sparse_t content{};
    content.nzmax = content.nir = content.ndata = static_cast<mat_uint32_t>(data.nonZeros());
    content.njc = static_cast<mat_uint32_t>(columns.size());
    content.ir = rows.data();
    content.jc = columns.data();
    content.data = data.valuePtr();
    std::size_t dims[] = {static_cast<std::size_t>(data.rows()), static_cast<std::size_t>(data.cols())};
    return write(Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &content, MAT_F_DONT_COPY_DATA));
  }
  /// Compressed columns as they are given.
  MatWriter& columns(const char* name, std::vector<mat_uint32_t> rows, std::vector<mat_uint32_t> starts,
                     std::vector<double> values) {
    mat_sparse_t content{};
    content.nzmax = content.nir = content.ndata = static_cast<mat_uint32_t>(rows.size());
    content.njc = static_cast<mat_uint32_t>(starts.size());
    content.ir = rows.data();
    content.jc = starts.data();
    content.data = values.data();
    std::size_t dims[] = {starts.size() - 1, starts.size() - 1};
    return write(Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &content, MAT_F_DONT_COPY_DATA));
  }
  MatWriter& complexOnes(const char* name) {
    std::vector<double> ones(16, 1.0);
    mat_complex_split_t both{ones.data(), ones.data()};
    std::size_t dims[] = {4, 4};
    return write(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &both, MAT_F_COMPLEX));
  }
  MatWriter& text(const char* name) {
    char letters[] = "abcd";
    std::size_t dims[] = {1, 4};
    return write(Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UINT8, 2, dims, letters, 0));
  }
  MatWriter& structure(const char* name) {
    const char* fields[] = {"M", nullptr};
    const std::size_t dims[] = {1, 1};
    matvar_t* record = Mat_VarCreateStruct2(name, 2, dims, fields);
    double value = 1.0;
    std::size_t one[] = {1, 1};
    Mat_VarSetStructFieldByName(record, "M", 0, Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &value, 0));
    return write(record);
  }
  /// A struct with a matrix, and a struct with one.
  MatWriter& nested(const char* name, const Eigen::MatrixXd& matrix) {
    const char* fields[] = {"K", "part", nullptr};
    const char* inner_fields[] = {"M", nullptr};
    const std::size_t one[] = {1, 1};
    std::size_t dims[] = {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())};
    const Eigen::MatrixXd twice = 2.0 * matrix;
    matvar_t* record = Mat_VarCreateStruct(name, 2, const_cast<std::size_t*>(one), fields, 2);
    matvar_t* inner = Mat_VarCreateStruct("part", 2, const_cast<std::size_t*>(one), inner_fields, 1);
    Mat_VarSetStructFieldByName(
        inner, "M", 0, Mat_VarCreate("M", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, const_cast<double*>(twice.data()), 0));
    Mat_VarSetStructFieldByName(
        record, "K", 0, Mat_VarCreate("K", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, const_cast<double*>(matrix.data()), 0));
    Mat_VarSetStructFieldByName(record, "part", 0, inner);
    return write(record);
  }
  MatWriter& cell(const char* name) {
    double value = 1.0;
    std::size_t one[] = {1, 1};
    matvar_t* inner[] = {Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &value, 0)};
    return write(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, one, inner, 0));
  }
  MatWriter& cube(const char* name) {
    std::vector<double> values(8, 1.0);
    std::size_t dims[] = {2, 2, 2};
    return write(Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, values.data(), 0));
  }

 private:
  MatWriter& write(matvar_t* variable) {
    Q_ASSERT(variable != nullptr);
    const int failed = Mat_VarWrite(file_, variable, compression_);
    Q_ASSERT(failed == 0);
    Q_UNUSED(failed);
    Mat_VarFree(variable);
    return *this;
  }
  mat_t* file_;
  matio_compression compression_;
};

struct MatKind {
  const char* name;
  mat_ft version;
  matio_compression compression;
};
constexpr MatKind kMatKinds[] = {{"v6", MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                                 {"v7", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                                 {"v7.3", MAT_FT_MAT73, MAT_COMPRESSION_NONE},
                                 {"v7.3 packed", MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}};

}  // namespace

class MatrixFiles : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  fs::path path(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }

  /// "file.csv:3: message" without the folder; "" if the file could be read.
  std::string faultOf(const fs::path& file, const std::string& variable = {}, const std::string& letter = {}) {
    try {
      readMatrixFile(file, variable, letter);
    } catch (const InputError& error) {
      const std::string where = error.issues().front().where, folder = file.parent_path().string() + "/";
      return (where.starts_with(folder) ? where.substr(folder.size()) : where) + ": " + error.issues().front().message;
    }
    return {};
  }

 private Q_SLOTS:
  void initTestCase() { QVERIFY(folder_.isValid()); }

  void textIsRead_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QStringList>("labels");
    const QStringList none, ab{"a", "b"};
    const auto csv = [](const char* row, const QByteArray& content, const QStringList& labels) {
      QTest::newRow(row) << "k.csv" << content << labels;
    };
    csv("commas", "2,-1\n-1,0.5\n", none);
    csv("semicolons, blanks, no last newline", "2 ; -1\n -1;5e-1", none);
    csv("tabs, DOS lines", "2\t-1\r\n-1\t.5\r\n", none);
    csv("blanks, old Mac lines", "  2   -1\r-1 +0.5", none);
    csv("byte order mark, comments, blank lines", "\xEF\xBB\xBF# stiffness, N/m\n\n2,-1\n#\n-1,0.5\n\n", none);
    csv("separator after the last number", "2,-1,\n-1,0.5,\n", none);
    csv("header", "a,b\n2,-1\n-1,0.5\n", ab);
    csv("quoted header", "\"a\",\"b\"\n2,-1\n-1,0.5\n", ab);
    csv("labels first", "a,2,-1\nb,-1,0.5\n", ab);
    csv("both", ",a,b\na,2,-1\nb,-1,0.5\n", ab);
    csv("both, named corner", "dof;a;b\na;2;-1\nb;-1;0.5\n", ab);
    csv("both, tabs, empty corner", "\ta\tb\na\t2\t-1\nb\t-1\t0.5\n", ab);
    csv("both, blanks", "a b\na 2 -1\nb -1 0.5\n", ab);
    csv("numbers as labels", ",1,2\n1,2,-1\n2,-1,0.5\n", {"1", "2"});
    csv("separator inside labels", "\"x, top\",\"x, foot\"\n2,-1\n-1,0.5\n", {"x, top", "x, foot"});
    csv("decimal commas", "2,0;-1\n-1;0,5\n", none);
    csv("decimal commas, tabs", "2\t-1,0\n-1,0\t0,5\n", none);
    csv("exponents of Fortran", "2.0D+00,-1d0\n-1.D0,.5D0\n", none);
    csv("Ctrl-Z", "2,-1\r\n-1,0.5\r\n\x1A", none);
    csv("umlaut", "a,\xC3\xBC\n2,-1\n-1,0.5\n", {"a", QString::fromUtf8("\xC3\xBC")});
    const auto mtx = [](const char* row, const QByteArray& content) {
      QTest::newRow(row) << "k.mtx" << content << QStringList{};
    };
    mtx("coordinate general",
        "%%MatrixMarket matrix coordinate real general\n%\n2 2 4\n1 1 2\n2 1 -1\n1 2 -1\n2 2 0.5");
    mtx("coordinate symmetric", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 .5\n");
    mtx("upper triangle", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n1 2 -1\n2 2 .5\n");
    mtx("exponents of Fortran",
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2.D0\n2 1 -1D+00\n2 2 5d-1\n");
    mtx("double", "%%MatrixMarket matrix coordinate double symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 .5\n");
    mtx("real hermitian", "%%MatrixMarket matrix coordinate real hermitian\n2 2 3\n1 1 2\n2 1 -1\n2 2 .5\n");
    mtx("array general", "%%matrixmarket MATRIX Array REAL General\n2 2\n2\n-1\n-1\n0.5\n");
    mtx("array symmetric", "%%MatrixMarket matrix array real symmetric\n2 2\n2 -1\n0.5\n");
    QTest::newRow("by content alone") << "k.txt"
                                      << QByteArray("%%MatrixMarket matrix array real symmetric\n2 2\n2 -1\n0.5\n")
                                      << none;
    const auto other = [&](const char* row, const char* name, const QByteArray& content) {
      QTest::newRow(row) << name << content << none;
    };
    other("list", "k.csv", "row,col,value\n1,1,2\n2,1,-1\n1,2,-1\n2,2,0.5\n");
    other("list of one triangle", "k.csv", "i;j;v\n1;1;2,0\n2;1;-1,0\n2;2;0,5\n");
    other("list without a head", "k.txt", "1 1 2\n1 2 -1\n2 1 -1\n2 2 .5\n");
    other("Abaqus", "k.mtx", "1,1, 1,1,  2.0e+00\n2,1, 1,1, -1.0e+00\n2,1, 2,1,  5.0e-01\n");
    other("Abaqus, upper triangle, comments", "k.mtx", "** nodes\n7,1, 7,1, 2.\n7,1, 7,6, -1.\n7,6, 7,6, .5\n");
    other("Abaqus, blanks", "k.mtx", "1 1 1 1 2.0\n2 1 1 1 -1.0\n2 1 2 1 0.5\n");
    other("Abaqus, coordinates", "k.mtx", "1 1 2.\n1 2 -1.\n2 1 -1.\n2 2 .5\n");
    other("Abaqus, a DOF held", "k.mtx", "1,1, 1,1, 2.\n2,1, 1,1, -1.\n2,1, 2,1, .5\n3,1, 2,1, 9.\n3,1, 3,1, 1e+36\n");
    other("Harwell-Boeing", "k.rsa", boeingText());
    other("Harwell-Boeing, all entries", "k.rua",
          boeingText()
              .replace("RSA", "RUA")
              .replace("             3             0\n(", "             4             0\n(")
              .replace("         3         4\n", "         3         5\n")
              .replace("         2         2\n", "         2         1         2\n")
              .replace("  5.000", " -1.000000000000E+00  5.000"));
    const QByteArray head =
        "two springs                                                             HYB00001\n"
        "             3             1             1             1             0\n"
        "RSA                        2             2             3             0\n";
    other("Harwell-Boeing, D, scaled, columns that touch", "k.rsa",
          head +
              "(3I2)           (3I2)           (1P,4D19.12)        \n 1 3 4\n 1 2 2\n"
              " 2.000000000000D+00-1.000000000000D+00 5.000000000000D-01\n");
    other("Harwell-Boeing, whole numbers that touch", "k.rsa",
          head +
              "(3I1)           (3I1)           (3E19.12)           \n134\n122\n"
              " 2.000000000000E+00-1.000000000000E+00 5.000000000000E-01\n");
    other("Harwell-Boeing, single blanks", "k.rsa",
          head + "(8i)            (8i)            (5e16.8)            \n1 3 4\n1 2 2\n2 -1 .5\n");
    other("Harwell-Boeing, several lines", "k.rsa",
          head +
              "(2I4)           (2I4)           (2(E12.4))          \n   1   3\n   4\n   1   2\n   2\n"
              "  2.0000E+00 -1.0000E+00\n  5.0000E-01\n");
    other("DMIG", "k.pch", dmigText());
    other("DMIG, small fields", "k.bdf",
          "DMIG    KAAX    0       6       1       0\nDMIG    KAAX    1       1               1       1       2.+0\n"
          "        2       1       -1.\nDMIG    KAAX    2       1               2       1       5.-1\n");
    other("DMIG, commas", "k.bdf",
          "DMIG,KAAX,0,1,1,0\nDMIG,KAAX,1,1,,1,1,2.\n,2,1,-1.\nDMIG,KAAX,2,1,,1,1,-1.\n,2,1,.5\n");
    other("Octave", "k.txt",
          "# Created by Octave 7.3.0, Sun Nov 29 01:00:00 2026 UTC <u@h>\n# name: K\n# type: matrix\n"
          "# rows: 2\n# columns: 2\n 2 -1\n -1 0.5\n\n\n");
    other("Octave, sparse", "k.txt",
          "# name: K\n# type: sparse matrix\n# nnz: 4\n# rows: 2\n# columns: 2\n1 1 2\n2 1 -1\n"
          "1 2 -1\n2 2 0.5\n");
    other("Octave, sizes on a line", "k.txt", "# name: K\n# type: matrix\n# ndims: 2\n 2 2\n 2\n -1\n -1\n 0.5\n");
  }
  void textIsRead() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QStringList, labels);
    const fs::path file = path(name.toUtf8().constData());
    spill(file, content.toStdString());
    const MatrixFile read = readMatrixFile(file, "");
    QCOMPARE(Eigen::MatrixXd(read.matrix), (Eigen::MatrixXd(2, 2) << 2, -1, -1, 0.5).finished());
    QStringList found;
    for (const std::string& label : read.labels) found << QString::fromStdString(label);
    QCOMPARE(found, labels);
  }

  /// The same numbers as the files that stand beside the notes on formats have.
  void nodesBecomeFreedoms() {
    spill(path("k.mtx"),
          "1,1, 1,1, 2e6\n2,1, 1,1, -1e6\n2,1, 2,1, 1.5e6\n5,2, 2,1, -5e5\n5,2, 5,2, 5e5\n9,1, 9,1, 1e+36\n");
    const MatrixFile read = readMatrixFile(path("k.mtx"), "");
    QCOMPARE(read.freedoms, (std::vector<Freedom>{{1, 1}, {2, 1}, {5, 2}}));
    QCOMPARE(read.held, (std::vector<Freedom>{{9, 1}}));
    QCOMPARE(Eigen::MatrixXd(read.matrix),
             (Eigen::MatrixXd(3, 3) << 2e6, -1e6, 0, -1e6, 1.5e6, -5e5, 0, -5e5, 5e5).finished());
    QCOMPARE(read.notes, (std::vector<std::string>{"The file contains one triangle; it was mirrored."}));
  }

  void numbersInARowAreADiagonal_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("labels");
    QTest::newRow("column") << "m.csv" << QByteArray("3\n2\n1.5\n") << 0;
    QTest::newRow("column with a title") << "m.csv" << QByteArray("mass\n3\n2\n1.5\n") << 0;
    QTest::newRow("column with labels") << "m.csv" << QByteArray("a,3\nb,2\nc,1.5\n") << 3;
    QTest::newRow("row") << "m.csv" << QByteArray("3,2,1.5\n") << 0;
    QTest::newRow("row with its own name") << "m.csv" << QByteArray("mass,3,2,1.5\n") << 0;
    QTest::newRow("row with labels") << "m.csv" << QByteArray("a,b,c\n3,2,1.5\n") << 3;
    QTest::newRow("Octave, column") << "m.txt"
                                    << QByteArray("# name: M\n# type: matrix\n# rows: 3\n# columns: 1\n 3\n 2\n 1.5\n")
                                    << 0;
  }
  void numbersInARowAreADiagonal() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(int, labels);
    const fs::path file = path(name.toUtf8().constData());
    spill(file, content.toStdString());
    const MatrixFile read = readMatrixFile(file, "");
    QCOMPARE(Eigen::MatrixXd(read.matrix), Eigen::MatrixXd(Eigen::Vector3d(3, 2, 1.5).asDiagonal()));
    QCOMPARE(read.labels.size(), static_cast<std::size_t>(labels));
    QCOMPARE(read.notes.size(), std::size_t{1});
  }

  /// Several matrices under their names; that of the letter is found by itself, also in a struct.
  void matricesAreChosenByName() {
    const auto read = [&](const char* file, const char* variable, const char* letter) {
      return Eigen::MatrixXd(readMatrixFile(path(file), variable, letter).matrix);
    };
    const Eigen::MatrixXd k = (Eigen::MatrixXd(2, 2) << 2, -1, -1, 0.5).finished(),
                          m = Eigen::Vector2d(10, 20.5).asDiagonal();
    spill(path("all.pch"), (dmigText() + "DMIG    MAAX           0       6       2       0       0               2\n"
                                         "DMIG*   MAAX                           1               1\n"
                                         "*                      1               1 1.000000000D+01\n"
                                         "DMIG*   MAAX                           2               1\n"
                                         "*                      2               1 2.050000000D+01\n")
                               .toStdString());
    QCOMPARE(read("all.pch", "", "K"), k);
    QCOMPARE(read("all.pch", "", "M"), m);
    QCOMPARE(read("all.pch", "MAAX", "K"), m);
    QVERIFY(faultOf(path("all.pch"), "", "C").find("name the one to read") != std::string::npos);
    const Bytes matrices =
        "# name: dt\n# type: scalar\n0.001\n\n\n# name: c\n# type: cell\n# rows: 1\n# columns: 1\n"
        "# name: <cell-element>\n# type: matrix\n# rows: 1\n# columns: 1\n 7\n\n\n\n\n";
    const Bytes k_text =
        "# type: sparse matrix\n# nnz: 4\n# rows: 2\n# columns: 2\n1 1 2\n2 1 -1\n1 2 -1\n2 2 0.5\n\n\n";
    const Bytes m_text = "# type: diagonal matrix\n# rows: 2\n# columns: 2\n10\n20.5\n\n\n";
    spill(path("flat.txt"), matrices + "# name: K\n" + k_text + "# name: M\n" + m_text);
    spill(path("struct.txt"), matrices +
                                  "# name: FE\n# type: scalar struct\n# ndims: 2\n 1 1\n# length: 2\n# name: K\n" +
                                  k_text + "# name: M\n" + m_text + "\n\n# name: other\n# type: scalar\n1\n");
    for (const char* file : {"flat.txt", "struct.txt"}) {
      QCOMPARE(read(file, "", "K"), k);
      QCOMPARE(read(file, "", "m"), m);
      QCOMPARE(read(file, "dt", "K"), Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, 0.001)));
      QVERIFY(faultOf(path(file), "c", "K").find("is a cell array") != std::string::npos);
      QVERIFY(faultOf(path(file), "<cell-element>", "K").find("has no variable") != std::string::npos);
    }
    QCOMPARE(read("struct.txt", "FE.M", ""), m);
    QVERIFY(faultOf(path("struct.txt"), "M", "").find("\"FE.M\" (2 x 2)") != std::string::npos);
  }

  /// What is not symmetric shows whether a file goes by rows or by columns.
  void arraysOfOctaveGoByColumns() {
    spill(path("columns.txt"), "# name: K\n# type: int32 matrix\n# ndims: 2\n 2 2\n 1\n 2\n 3\n 4\n");
    spill(path("rows.txt"), "# name: K\n# type: matrix\n# rows: 2\n# columns: 2\n 1 3\n 2 4\n");
    for (const char* file : {"columns.txt", "rows.txt"})
      QCOMPARE(Eigen::MatrixXd(readMatrixFile(path(file), "").matrix),
               (Eigen::MatrixXd(2, 2) << 1, 3, 2, 4).finished());
  }

  void marketSkewAndInteger() {
    const fs::path file = path("skew.mtx");
    const Eigen::MatrixXd expected = (Eigen::MatrixXd(3, 3) << 0, -1, -2, 1, 0, -3, 2, 3, 0).finished();
    spill(file, "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n");
    QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "").matrix), expected);
    spill(file, "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 3\n2 1 1\n3 1 2\n3 2 3\n");
    QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "").matrix), expected);
  }

  void numbersKeepTheirBits() {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::uint64_t> bits;
    std::string text;
    std::vector<double> values;
    for (int i = 0; i < 30 * 30; ++i) {
      double value = 0.0;
      do value = std::bit_cast<double>(bits(random));
      while (!std::isfinite(value) || value == 0.0);
      values.push_back(value);
      char buffer[40];
      std::snprintf(buffer, sizeof buffer, "%.17g%c", value, i % 30 == 29 ? '\n' : ',');
      text += buffer;
    }
    spill(path("bits.csv"), text);
    const Eigen::MatrixXd matrix = readMatrixFile(path("bits.csv"), "").matrix;
    for (int i = 0; i < 30 * 30; ++i) QCOMPARE(matrix(i / 30, i % 30), values[static_cast<std::size_t>(i)]);
  }

  void textFaults_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("expected");  // start of "file:line: message"
    const auto csv = [](const char* row, const QByteArray& content, const char* expected) {
      QTest::newRow(row) << "k.csv" << content << expected;
    };
    csv("empty", "", "k.csv: is empty");
    csv("comments only", "# a\n\n", "k.csv: holds no numbers");
    csv("header only", "a,b\n", "k.csv:1: is followed by no numbers");
    csv("text", "1,2\n2,x\n", "k.csv:2: \"x\" is not a number");
    csv("empty entry", "1,2\n,3\n", "k.csv:2: has an empty entry");
    csv("unequal rows", "1,2\n\n2,3,4\n", "k.csv:3: has 3 entries, but line 1 has 2");
    csv("too many rows", "1,2\n2,3\n4,5\n", "k.csv:3: is row 3 of a matrix with 2 columns");
    csv("too few rows", "1,2,3\n2,3,4\n", "k.csv: is 2 x 3; give a square matrix");
    csv("points and commas", "1,5;2.5\n2.5;3,5\n", "k.csv:1: mixes decimal points and decimal commas");
    csv("decimal commas everywhere", "1,5,2,5\n2,5,3,5\n",
        "k.csv: is 2 x 4; give a square matrix, one row and one "
        "column for each DOF; if these are decimal commas");
    csv("nan", "1,nan\nnan,1\n", "k.csv:1: \"nan\" is not a finite number");
    csv("overflow", "1e999\n", "k.csv:1: \"1e999\" is not a finite number");
    csv("NUL", QByteArray("1,2\n2\0,3\n", 9), "k.csv:2: contains binary data");
    csv("UTF-16",
        "\xFF\xFE"
        "1",
        "k.csv: is UTF-16 text");
    csv("Latin-1 label", "a,\xFC\n1,2\n2,3\n", "k.csv:1: contains a label of DOF 2 in another encoding");
    csv("label twice", "a,a\n1,2\n2,3\n", "k.csv:1: \"a\" is the label of DOF 2, but already of DOF 1 on line 1");
    csv("row label twice", "a,1,2\na,2,3\n", "k.csv:2: \"a\" is the label of DOF 2, but already of DOF 1 on line 1");
    csv("empty label", "a,,c\n1,2,3\n2,3,4\n3,4,5\n", "k.csv:1: gives DOF 2 an empty label");
    csv("labels differ", ",a,b\nb,1,2\na,2,3\n", "k.csv:2: is labelled \"b\", but column 1 is \"a\"");
    csv("labels missing", "a,b,c\n1,2\n2,3\n", "k.csv:1: has 3 labels for 2 columns");
    csv("Excel", "PK\3\4", "k.csv: is an Excel workbook");
    csv("compressed", "\x1f\x8b\x08", "k.csv: is compressed");
    QTest::newRow("no MAT") << "k.mat" << QByteArray("1 2\n2 3\n") << "k.mat: is not a MAT file";

    const auto mtx = [](const char* row, const QByteArray& content, const char* expected) {
      QTest::newRow(row) << "k.mtx"
                         << "%%MatrixMarket matrix " + content << expected;
    };
    mtx("pattern", "coordinate pattern symmetric\n1 1 1\n1 1\n", "k.mtx:1: says \"pattern\"");
    mtx("complex", "coordinate complex general\n1 1 1\n1 1 1 0\n", "k.mtx:1: says \"complex\"");
    mtx("no format", "real general\n1 1 1\n", "k.mtx:1: is not a Matrix Market header");
    QTest::newRow("no header") << "k.mtx" << QByteArray("1 1\n1 1\n") << "k.mtx:1: is neither Matrix Market nor Abaqus";
    QTest::newRow("NumPy archive") << "k.npz" << QByteArray("PK\3\4.........K.npy") << "k.npz: is a NumPy archive";
    const auto other = [](const char* row, const char* name, const QByteArray& content, const char* expected) {
      QTest::newRow(row) << name << content << expected;
    };
    other("Abaqus, twice", "k.mtx", "1 1 1\n1 1 1\n", "k.mtx:2: contains entry (1, 1) again after line 1");
    other("Abaqus, inside", "k.mtx", "1,1, 1,1, 2.\n-1,1, 1,1, 3.\n",
          "k.mtx: has internal degrees of freedom of Abaqus");
    other("Abaqus, substructure", "k.mtx", "** a\n*MATRIX,TYPE=STIFFNESS\n1.\n", "k.mtx:2: begins with \"*MATRIX\"");
    other("Abaqus, items", "k.mtx", "1,1, 1,1, 2.\n1,1, 2.\n", "k.mtx:2: has 3 items, but line 1 has 5");
    other("Abaqus, no node", "k.mtx", "1,1, x,1, 2.\n", "k.mtx:1: does not begin with node, DOF, node, DOF");
    other("list, 0-based", "k.csv", "row,col,value\n0,0,1\n", "k.csv:2: places an entry at (\"0\", \"0\")");
    other("list, words", "k.csv", "row,col,value\n1,1,x\n", "k.csv:2: \"x\" is not a number");
    other("list, twice", "k.csv", "row,col,value\n1,1,1\n1,1,2\n", "k.csv:3: contains entry (1, 1) again after line 2");
    other("list, empty", "k.csv", "row,col,value\n", "k.csv:1: is followed by no numbers");
    const QByteArray boeing = boeingText();
    const auto spoilt = [&](const char* from, const char* to) { return QByteArray(boeing).replace(from, to); };
    other("Harwell-Boeing, cut", "k.rsa", boeing.left(boeing.size() - 22), "k.rsa:7: ends within");
    other("Harwell-Boeing, pattern", "k.rsa", spoilt("RSA", "PSA"), "k.rsa:3: has type pattern");
    other("Harwell-Boeing, complex", "k.rsa", spoilt("RSA", "CSA"), "k.rsa:3: has type complex");
    other("Harwell-Boeing, elements", "k.rsa", spoilt("RSA", "RSE"), "k.rsa:3: holds single elements");
    other("Harwell-Boeing, not square", "k.rsa", spoilt("  2             2", "  2             3"), "k.rsa:3: is 2 x 3");
    other("Harwell-Boeing, pointers", "k.rsa", spoilt("         1         3", "         1         9"),
          "k.rsa:5: has pointers outside the entries");
    other("Harwell-Boeing, rows", "k.rsa", spoilt("         1         2         2", "         1         2         3"),
          "k.rsa:6: places an entry in row 3");
    other("Harwell-Boeing, format", "k.rsa", spoilt("(4E20.12)", "(something)"), "k.rsa:4: contains the format");
    other("DMIG, complex", "k.pch", dmigText().replace("6       2", "6       4"),
          "k.pch:3: states that \"KAAX\" is complex");
    other("DMIG, rectangular", "k.pch", dmigText().replace("6       2", "9       2"), "k.pch:3: has form 9");
    other("DMIG, cut", "k.pch", dmigText().left(dmigText().lastIndexOf("DMIG*")),
          "k.pch:3: announces 2 columns of \"KAAX\", but 1 have entries");
    other("DMIG, no header", "k.pch", dmigText().mid(dmigText().indexOf("DMIG*")), "k.pch:1: is a column of \"KAAX\"");
    other("DMIG, both triangles", "k.pch", dmigText() + "*                      1               1-1.000000000D+00\n",
          "k.pch:7: contains entry (1, 2) again");
    other("Octave, complex", "k.txt", "# name: K\n# type: complex matrix\n# rows: 1\n# columns: 1\n (1,2)\n",
          "k.txt: variable \"K\" is complex");
    other("Octave, cut", "k.txt", "# name: K\n# type: matrix\n# rows: 2\n# columns: 2\n 2 -1\n",
          "k.txt:5: ends within");
    other("Octave, no rows", "k.txt", "# name: K\n# type: matrix\n# columns: 2\n 2 -1\n",
          "k.txt:3: does not contain \"# rows:\"");
    other("Octave, not square", "k.txt", "# name: K\n# type: matrix\n# rows: 3\n# columns: 2\n 1 2\n3 4\n5 6\n",
          "k.txt: variable \"K\" is 3 x 2; give a square matrix");
    mtx("no sizes", "array real general\n% nothing\n", "k.mtx:2: ends before the size line");
    mtx("two sizes", "coordinate real general\n2 2\n1 1 1\n", "k.mtx:2: must give the sizes");
    mtx("not square", "coordinate real general\n2 3 1\n1 1 1\n", "k.mtx:2: is 2 x 3");
    mtx("no DOF", "coordinate real general\n0 0 0\n", "k.mtx:2: is empty");
    mtx("too many DOF", "coordinate real general\n20001 20001 1\n1 1 1\n", "k.mtx:2: is 20001 x 20001; at most 20000");
    mtx("huge count", "coordinate real general\n2 2 999999999999\n1 1 1\n",
        "k.mtx:3: ends after 1 of the 999999999999");
    mtx("too few", "array real general\n2 2\n1\n2\n3\n", "k.mtx:5: ends after 3 of the 4 values");
    mtx("too many", "coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", "k.mtx:4: continues after the 1 entries");
    mtx("0-based", "coordinate real general\n2 2 1\n0 1 1\n", "k.mtx:3: places an entry at (\"0\", \"1\")");
    mtx("index too large", "coordinate real general\n2 2 1\n3 1 1\n", "k.mtx:3: places an entry at (\"3\", \"1\")");
    mtx("index no number", "coordinate real general\n2 2 1\n1.5 1 1\n", "k.mtx:3: places an entry at (\"1.5\"");
    mtx("two words", "coordinate real general\n2 2 1\n1 1\n", "k.mtx:3: has 2 words");
    mtx("twice", "coordinate real general\n2 2 2\n1 2 1\n1 2 3\n", "k.mtx:4: contains entry (1, 2) again after line 3");
    mtx("mirrored", "coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", "k.mtx:4: contains entry (2, 1) again");
    mtx("skew diagonal", "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "k.mtx:3: gives a diagonal entry");
    mtx("no integer", "array integer general\n1 1\n1.5\n", "k.mtx:3: \"1.5\" is not a whole number");
  }
  void textFaults() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, expected);
    const fs::path file = path(name.toUtf8().constData());
    spill(file, content.toStdString());
    const QString fault = QString::fromStdString(faultOf(file));
    QVERIFY2(fault.startsWith(expected), qPrintable(fault));
  }

  void placesThatAreNoFiles() {
    QCOMPARE(faultOf(path("none.csv")), "none.csv: does not exist or is not accessible; check the path");
    QVERIFY(faultOf(path(".")).find("is not a file") != std::string::npos);
    spill(path("large.csv"), "1");
    fs::resize_file(path("large.csv"), (64u << 20) + 1);
    QVERIFY(faultOf(path("large.csv")).starts_with("large.csv: is larger than 64 MiB"));
    fs::remove(path("large.csv"));
  }

  void tenFaultsAtMost() {
    Bytes text = "1";
    for (int i = 0; i < 50; ++i) text += "\nx";
    spill(path("many.csv"), text);
    try {
      readMatrixFile(path("many.csv"), "");
      QFAIL("was read");
    } catch (const InputError& error) {
      QVERIFY(error.issues().size() <= 10);
    }
  }

  void matIsRead_data() {
    QTest::addColumn<int>("kind");
    for (int i = 0; i < 4; ++i) QTest::newRow(kMatKinds[i].name) << i;
  }
  void matIsRead() {
    QFETCH(int, kind);
    const fs::path file = path("read.mat");
    const Eigen::MatrixXd k = triangles(), whole = k.array().round().matrix() / 1e3;
    const Eigen::MatrixXd counts = (Eigen::MatrixXd(2, 2) << 7, 0, 255, 1).finished();
    MatWriter(file, kMatKinds[kind].version, kMatKinds[kind].compression)
        .full<double>("m", k)
        .sparse("K", k)
        .full<float>("single", k)
        .full<std::int32_t>("i32", 1e3 * whole)
        .full<std::int64_t>("i64", 1e3 * whole)
        .full<std::uint8_t>("u8", counts)
        .sparse("unsymmetric", counts)
        .full<double>("one", Eigen::MatrixXd::Constant(1, 1, 5.0))
        .complexOnes("z")
        .text("text")
        .structure("model")
        .cell("list")
        .cube("cube")
        .full<double>("wide", Eigen::MatrixXd::Ones(2, 3))
        .full<double>("nan", Eigen::MatrixXd::Constant(2, 2, NAN));
    const auto read = [&](const char* variable, const char* letter = "") {
      return Eigen::MatrixXd(readMatrixFile(file, variable, letter).matrix);
    };
    QCOMPARE(read("m"), k);
    QCOMPARE(read("", "M"), k);
    QCOMPARE(read("", "k"), k);
    QCOMPARE(read("K"), k);
    QCOMPARE(read("single"), Eigen::MatrixXd(k.cast<float>().cast<double>()));
    QCOMPARE(read("i32"), Eigen::MatrixXd(1e3 * whole));
    QCOMPARE(read("i64"), Eigen::MatrixXd(1e3 * whole));
    QCOMPARE(read("u8"), counts);
    QCOMPARE(read("unsymmetric"), counts);
    QCOMPARE(read("one"), Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, 5.0)));

    const auto expectFault = [&](const char* variable, const std::string& part) {
      const std::string fault = faultOf(file, variable, "C");
      QVERIFY2(fault.starts_with("read.mat: ") && fault.find(part) != std::string::npos, fault.c_str());
    };
    expectFault("z", "variable \"z\" is complex");
    expectFault("text", "is text");
    expectFault("model", "is a struct");
    expectFault("list", "is a cell array");
    expectFault("cube", "is an array with more than two dimensions");
    expectFault("wide", "is 2 x 3; give a square matrix");
    expectFault("nan", "has an entry at (1, 1) that is not finite");
    expectFault("k", "has no variable \"k\"; it contains \"");
    expectFault("k", "\"m\" (4 x 4), ");
    expectFault("k", "\"K\" (4 x 4 sparse), ");
    expectFault("", "name the one to read");
  }

  void matOnlyVariableAndZeros_data() { matIsRead_data(); }
  void matOnlyVariableAndZeros() {
    QFETCH(int, kind);
    const MatKind& mat = kMatKinds[kind];
    const fs::path file = path("only.mat");
    MatWriter(file, mat.version, mat.compression).full<double>("anything", triangles());
    QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "", "M").matrix), triangles());
    const Eigen::MatrixXd zeros = Eigen::MatrixXd::Zero(3, 3);
    MatWriter(file, mat.version, mat.compression).full<double>("full", zeros);
    QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "").matrix), zeros);
    { MatWriter empty(file, mat.version, mat.compression); }
    QVERIFY(faultOf(file).find("holds no variables") != std::string::npos);
  }

  void matStructs_data() { matIsRead_data(); }
  void matStructs() {
    QFETCH(int, kind);
    const fs::path file = path("structs.mat");
    MatWriter(file, kMatKinds[kind].version, kMatKinds[kind].compression).nested("FE", triangles()).text("note");
    const auto read = [&](const char* variable, const char* letter) {
      return Eigen::MatrixXd(readMatrixFile(file, variable, letter).matrix);
    };
    QCOMPARE(read("FE.K", ""), triangles());
    QCOMPARE(read("FE.part.M", ""), Eigen::MatrixXd(2.0 * triangles()));
    QCOMPARE(read("", "K"), triangles());
    QCOMPARE(read("", "M"), Eigen::MatrixXd(2.0 * triangles()));
    QVERIFY(faultOf(file, "FE").find("is a struct") != std::string::npos);
    QVERIFY(faultOf(file, "FE.C").find("\"FE.part.M\" (4 x 4)") != std::string::npos);
  }

  void matVectorsAreDiagonals_data() { matIsRead_data(); }
  void matVectorsAreDiagonals() {
    QFETCH(int, kind);
    const fs::path file = path("vectors.mat");
    const Eigen::VectorXd masses = (Eigen::VectorXd(3) << 3, 0, 1.5).finished();
    MatWriter(file, kMatKinds[kind].version, kMatKinds[kind].compression)
        .full<double>("M", masses)
        .full<float>("m_row", masses.transpose());
    for (const char* name : {"M", "m_row"}) {
      const MatrixFile read = readMatrixFile(file, name);
      QCOMPARE(Eigen::MatrixXd(read.matrix), Eigen::MatrixXd(masses.asDiagonal()));
      QCOMPARE(read.notes.size(), std::size_t{1});
    }
  }

  /// Sparse matrices as SciPy leaves them: rows of a column in any order are read, an entry given twice is named.
  void matSparseRows_data() { matIsRead_data(); }
  void matSparseRows() {
    QFETCH(int, kind);
    const fs::path file = path("rows.mat");
    const auto write = [&](std::vector<mat_uint32_t> rows) {
      MatWriter(file, kMatKinds[kind].version, kMatKinds[kind].compression)
          .columns("K", std::move(rows), {0, 2, 4}, {-1, 2, -1, 0.5});
    };
    write({1, 0, 0, 1});
    QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "").matrix), (Eigen::MatrixXd(2, 2) << 2, -1, -1, 0.5).finished());
    write({1, 0, 1, 1});
    QVERIFY(faultOf(file).find("gives entry (2, 2) twice; add up") != std::string::npos);
  }

  /// Of version 7.3, as h5py writes it with a checksum behind every packed chunk.
  void mat73WithChecksums() {
    const fs::path file = path("checked.mat");
    const Eigen::MatrixXd k = triangles();
    MatWriter(file, MAT_FT_MAT73, MAT_COMPRESSION_NONE).text("note");
    const hid_t whole = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    for (const bool packed : {true, false}) {
      const hsize_t sides[] = {4, 4}, chunk[] = {3, 3};
      const hid_t space = H5Screate_simple(2, sides, nullptr), layout = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_chunk(layout, 2, chunk);
      if (packed) H5Pset_shuffle(layout);
      if (packed) H5Pset_deflate(layout, 4);
      H5Pset_fletcher32(layout);
      const hid_t data =
          H5Dcreate2(whole, packed ? "K" : "M", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
      QVERIFY(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, k.data()) >= 0);
      H5Dclose(data);
      H5Pclose(layout);
      H5Sclose(space);
    }
    H5Fclose(whole);
    for (const char* name : {"K", "M"}) QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, name).matrix), k);
  }

  /// Version 4, as MATLAB and Octave write it: by hand, in both byte orders.
  void mat4IsRead_data() {
    QTest::addColumn<bool>("big");
    QTest::newRow("little-endian") << false;
    QTest::newRow("big-endian") << true;
  }
  void mat4IsRead() {
    QFETCH(bool, big);
    const auto bytesOf = [&](const auto& value) {
      Bytes bytes(reinterpret_cast<const char*>(&value), sizeof value);
      if (big) std::reverse(bytes.begin(), bytes.end());
      return bytes;
    };
    const auto variable = [&](const char* name, int type, int rows, int columns, const Bytes& data, int complex = 0) {
      Bytes bytes;
      for (const int word : {type + (big ? 1000 : 0), rows, columns, complex, static_cast<int>(std::strlen(name)) + 1})
        bytes += bytesOf(static_cast<std::int32_t>(word));
      return bytes + Bytes(name, std::strlen(name) + 1) + data;
    };
    const auto numbers = [&](auto kind, std::initializer_list<double> values) {
      Bytes bytes;
      for (const double value : values) bytes += bytesOf(static_cast<decltype(kind)>(value));
      return bytes;
    };
    const fs::path file = path("four.mat");
    const Bytes good = variable("K", 0, 2, 2, numbers(0.0, {2, -1, -1, 0.5})) +
                       variable("S", 10, 2, 2, numbers(0.0F, {2, -1, -1, 0.5})) +
                       variable("I", 20, 2, 2, numbers(std::int32_t{}, {2, -1, -1, 7})) +
                       variable("J", 30, 2, 2, numbers(std::int16_t{}, {2, -1, -1, 7})) +
                       variable("sp", 2, 5, 3, numbers(0.0, {1, 2, 1, 2, 2, 1, 1, 2, 2, 2, 2, -1, -1, 0.5, 0})) +
                       variable("text", 1, 1, 2, numbers(0.0, {65, 66})) +
                       variable("z", 0, 1, 1, numbers(0.0, {1, 2}), 1) + variable("m", 0, 2, 1, numbers(0.0, {10, 20}));
    spill(file, good);
    const auto read = [&](const char* name) { return Eigen::MatrixXd(readMatrixFile(file, name).matrix); };
    const Eigen::MatrixXd k = (Eigen::MatrixXd(2, 2) << 2, -1, -1, 0.5).finished();
    QCOMPARE(read("K"), k);
    QCOMPARE(read("S"), k);
    QCOMPARE(read("I"), (Eigen::MatrixXd(2, 2) << 2, -1, -1, 7).finished());
    QCOMPARE(read("J"), (Eigen::MatrixXd(2, 2) << 2, -1, -1, 7).finished());
    QCOMPARE(read("sp"), k);
    QCOMPARE(read("m"), Eigen::MatrixXd(Eigen::Vector2d(10, 20).asDiagonal()));
    QVERIFY(faultOf(file, "text").find("is text") != std::string::npos);
    QVERIFY(faultOf(file, "z").find("is complex") != std::string::npos);
    for (std::size_t size = 20; size < good.size(); size += 7) {
      spill(file, good.substr(0, size));
      QVERIFY(!faultOf(file, "m").empty());
    }
  }

  /// Whatever is in a file, reading it ends in a matrix or in an InputError.
  void damagedFiles_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kind");
    for (int i = 0; i < 4; ++i) QTest::newRow(kMatKinds[i].name) << "bad.mat" << i;
    QTest::newRow("Abaqus") << "bad.mtx" << -5;
    QTest::newRow("Harwell-Boeing") << "bad.rsa" << -6;
    QTest::newRow("DMIG") << "bad.pch" << -7;
    QTest::newRow("Octave") << "bad.txt" << -8;
    QTest::newRow("list") << "bad.csv" << -9;
    QTest::newRow("csv") << "bad.csv" << -1;
    QTest::newRow("labelled csv") << "bad.csv" << -2;
    QTest::newRow("coordinate") << "bad.mtx" << -3;
    QTest::newRow("array") << "bad.mtx" << -4;
  }
  void damagedFiles() {
    QFETCH(QString, name);
    QFETCH(int, kind);
    const fs::path file = path(name.toUtf8().constData());
    if (kind >= 0)
      MatWriter(file, kMatKinds[kind].version, kMatKinds[kind].compression)
          .full<double>("M", triangles())
          .sparse("K", triangles())
          .nested("model", triangles())
          .cell("list")
          .full<std::uint8_t>("C", Eigen::MatrixXd::Ones(4, 4));
    else
      spill(
          file,
          kind == -1   ? "1,2,3\n2,5,6\n3,6,9\n"
          : kind == -2 ? ",\"a\",b\n# here\na,1.5e3,-2\nb,-2,7.25\n"
          : kind == -5 ? "1,1, 1,1, 2.\n2,1, 1,1, -1.\n2,1, 2,1, .5\n3,1, 3,1, 1e+36\n"
          : kind == -6 ? boeingText().toStdString()
          : kind == -7 ? dmigText().toStdString()
          : kind == -8
              ? "# name: FE\n# type: scalar struct\n# ndims: 2\n 1 1\n# length: 2\n# name: K\n# type: sparse matrix\n"
                "# nnz: 1\n# rows: 1\n# columns: 1\n1 1 2\n\n\n# name: M\n# type: matrix\n# rows: 1\n# columns: 1\n 2\n"
          : kind == -9 ? "row,col,value\n1,1,2\n2,1,-1\n2,2,0.5\n"
          : kind == -3 ? "%%MatrixMarket matrix coordinate real symmetric\n% k\n3 3 4\n1 1 2\n2 1 -1\n2 2 2\n3 3 1\n"
                       : "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n");
    const Bytes good = slurp(file);
    const auto survives = [&](const Bytes& bytes, const char* what, std::size_t seed) {
      spill(file, bytes);
      for (const char* variable : {"M", "K", "C", "model.part.M", ""}) {
        try {
          const MatrixFile read = readMatrixFile(file, variable, "K");
          for (Eigen::Index i = 0; i < read.matrix.nonZeros(); ++i) QVERIFY(std::isfinite(read.matrix.valuePtr()[i]));
        } catch (const InputError& error) {
          QVERIFY(!error.issues().empty());
        } catch (const std::exception& error) {
          QFAIL(qPrintable(QString("%1 %2: %3").arg(what).arg(seed).arg(error.what())));
        }
        if (kind < 0) break;
      }
    };
    const int seeds = qEnvironmentVariableIsSet("HYB_MUTATIONS") ? qEnvironmentVariableIntValue("HYB_MUTATIONS")
                      : test::kThorough                          ? 300
                                                                 : 20;  // fuzzers try more
    for (int seed = 0; seed < seeds; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
      Bytes bytes = good;
      switch (seed % 5) {
        case 0:
          bytes.resize(below(good.size()));
          break;
        case 1:
          bytes[below(good.size())] = static_cast<char>(random());
          break;
        case 2:
          for (std::size_t i = 0, n = 2 + below(8); i < n; ++i) bytes[below(good.size())] = static_cast<char>(random());
          break;
        case 3: {  // a word of zeros, ones, a huge or a negative number
          const std::size_t at = below(good.size());
          const std::size_t length = std::min<std::size_t>(std::size_t{1} << below(4), good.size() - at);
          bytes.replace(at, length, length, "\x00\xFF\x7F\x80"[below(4)]);
          break;
        }
        default: {  // a piece again or away
          const std::size_t from = below(good.size()),
                            length = below(std::min<std::size_t>(64, good.size() - from) + 1);
          if (random() % 2 != 0)
            bytes.insert(below(good.size()), good.substr(from, length));
          else
            bytes.erase(from, length);
        }
      }
      survives(bytes, "seed", static_cast<std::size_t>(seed));
    }
    spill(file, good);  // nothing of the damaged ones stays behind
    if (kind >= 0) QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "K").matrix), triangles());
  }

  /// The library would read what follows as indices, and a length out of their midst.
  void indicesOfASparseMatrixAreWholeNumbers() {
    const fs::path file = path("claims.mat");
    MatWriter(file, MAT_FT_MAT5, MAT_COMPRESSION_NONE).full<double>("M", triangles()).sparse("K", triangles());
    QVERIFY(matrix_file::soundMat5(file));
    Bytes bytes = slurp(file);
    constexpr std::size_t kClassOfTheFirst = 128 + 8 + 8;
    QCOMPARE(bytes[kClassOfTheFirst], static_cast<char>(MAT_C_DOUBLE));
    bytes[kClassOfTheFirst] = static_cast<char>(MAT_C_SPARSE);
    spill(file, bytes);
    QVERIFY(!matrix_file::soundMat5(file));
    QVERIFY(faultOf(file).find("is damaged") != std::string::npos);
  }

  /// A file that ends early is never taken for a whole one.
  void cutMatFiles_data() { matIsRead_data(); }
  void cutMatFiles() {
    QFETCH(int, kind);
    const fs::path file = path("cut.mat");
    MatWriter(file, kMatKinds[kind].version, kMatKinds[kind].compression).full<double>("K", triangles());
    const Bytes good = slurp(file);
    QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "").matrix), triangles());
    const std::size_t cuts = test::kThorough ? 400 : 50;
    for (std::size_t size = 0; size < good.size(); size += 1 + good.size() / cuts) {
      spill(file, good.substr(0, size));
      try {
        QCOMPARE(Eigen::MatrixXd(readMatrixFile(file, "").matrix), triangles());  // what is missing was padding
      } catch (const InputError&) {
      }
    }
  }
};

HYB_SUITE(matrix_files, MatrixFiles)
#include "matrix_files.moc"
