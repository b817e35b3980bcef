#pragma once
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/structure/matrix_file.h"
#include "tests/support/suite.h"

namespace hyb::test {

namespace fs = std::filesystem;
using Bytes = std::string;

/// Written as one triangle, so that every format can carry it.
inline Eigen::MatrixXd triangles() {
  Eigen::MatrixXd k(4, 4);
  k << 3e4, -2e4, 0, 0, -2e4, 2.5e4, -0.5e4, 0, 0, -0.5e4, 0.75e4, -0.25e4, 0, 0, -0.25e4, 1.0 / 3.0;
  return k;
}

/// [2 -1; -1 0.5] in formats of other programs.
inline QByteArray boeingText() {
  return "two springs                                                             HYB00001\n"
         "             3             1             1             1             0\n"
         "RSA                        2             2             3             0\n"
         "(8I10)          (8I10)          (4E20.12)           \n"
         "         1         3         4\n"
         "         1         2         2\n"
         "  2.000000000000E+00 -1.000000000000E+00  5.000000000000E-01\n";
}
inline QByteArray dmigText() {
  return "$TITLE   = A FRAME\nSUBCASE 1\n"
         "DMIG    KAAX           0       6       2       0       0               2\n"
         "DMIG*   KAAX                           1               1                \n"
         "*                      1               1 2.000000000D+00\n"
         "*                      2               1-1.000000000D+00\n"
         "DMIG*   KAAX                           2               1                \n"
         "*                      2               1 5.000000000D-01\n";
}

inline Bytes slurp(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
inline void spill(const fs::path& file, const Bytes& bytes) {
  fs::remove(file);  // cutting a file to nothing first makes some file systems wait for the disk
  std::ofstream(file, std::ios::binary) << bytes;
}

/// A folder for matrix files, and what reading one says.
class MatrixFolder : public QObject {
 protected:
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

 private:
  QTemporaryDir folder_;
};

}  // namespace hyb::test
