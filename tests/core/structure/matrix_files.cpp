#include <algorithm>
#include <bit>
#include <random>

#include "tests/support/matrix_folder.h"

using namespace hyb;
using namespace hyb::test;

class MatrixFiles : public MatrixFolder {
  Q_OBJECT

 private Q_SLOTS:
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
};

HYB_SUITE(matrix_files, MatrixFiles)
#include "matrix_files.moc"
