#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "tests/support/mat_writer.h"
#include "tests/support/matrix_folder.h"

using namespace hyb;
using namespace hyb::test;

class MatFiles : public MatrixFolder {
  Q_OBJECT

 private Q_SLOTS:
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
};

HYB_SUITE(matrix_files_mat, MatFiles)
#include "matrix_files_mat.moc"
