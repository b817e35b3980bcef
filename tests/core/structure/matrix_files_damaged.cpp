#include <algorithm>
#include <cmath>
#include <random>

#include "core/structure/matrix_file_mat.h"
#include "tests/support/mat_writer.h"
#include "tests/support/matrix_folder.h"

using namespace hyb;
using namespace hyb::test;

// Damaged files make HDF5 1.10 copy a few bytes from behind its attributes as it opens them, and ask for memory that
// there is not, which it takes well; it also forgets to free some.
extern "C" const char* __asan_default_suppressions();
extern "C" const char* __asan_default_suppressions() { return "interceptor_via_lib:libhdf5\n"; }
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

class DamagedMatrixFiles : public MatrixFolder {
  Q_OBJECT

 private Q_SLOTS:
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
  void cutMatFiles_data() {
    QTest::addColumn<int>("kind");
    for (int i = 0; i < 4; ++i) QTest::newRow(kMatKinds[i].name) << i;
  }
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

HYB_SUITE(matrix_files_damaged, DamagedMatrixFiles)
#include "matrix_files_damaged.moc"
