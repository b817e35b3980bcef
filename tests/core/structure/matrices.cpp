#include "core/structure/matrices.h"
#include "tests/support/suite.h"

#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>

using namespace hyb;

namespace {

using Rows = std::vector<std::vector<double>>;

Rows rowsOf(const Eigen::MatrixXd& matrix) {
  Rows rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const Eigen::VectorXd row = matrix.row(i);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

/// Three masses in a row, the first held.
MatrixStructure chain() {
  MatrixStructure s;
  s.dofs = {{"m1"}, {"m2"}, {"m3"}};
  s.m.rows = {{3, 0, 0}, {0, 2, 0}, {0, 0, 1}};
  s.c.rows = {{5, -2, 0}, {-2, 2, 0}, {0, 0, 0}};
  s.k.rows = {{300, -200, 0}, {-200, 250, -50}, {0, -50, 50}};
  s.grounds = {{"table", {}}};
  return s;
}

/// Mass and stiffness of `elements` equal Euler-Bernoulli elements, EI = mass per length = length = 1; deflection and
/// rotation at every node, the first `held` DOF fixed.
std::pair<Rows, Rows> beam(Eigen::Index elements, Eigen::Index held) {
  const double h = 1.0 / static_cast<double>(elements);
  Eigen::Matrix4d m, k;
  m << 156, 22 * h, 54, -13 * h, 22 * h, 4 * h * h, 13 * h, -3 * h * h, 54, 13 * h, 156, -22 * h, -13 * h, -3 * h * h,
      -22 * h, 4 * h * h;
  k << 12, 6 * h, -12, 6 * h, 6 * h, 4 * h * h, -6 * h, 2 * h * h, -12, -6 * h, 12, -6 * h, 6 * h, 2 * h * h, -6 * h,
      4 * h * h;
  const Eigen::Index n = 2 * (elements + 1);
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n, n), stiffness = mass;
  for (Eigen::Index e = 0; e < elements; ++e) {
    mass.block<4, 4>(2 * e, 2 * e) += h / 420.0 * m;
    stiffness.block<4, 4>(2 * e, 2 * e) += k / (h * h * h);
  }
  return {rowsOf(mass.bottomRightCorner(n - held, n - held)), rowsOf(stiffness.bottomRightCorner(n - held, n - held))};
}

}  // namespace

class Matrices : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path file(const char* name, const std::string& content) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path().toStdString()) / name;
    std::ofstream(path) << content;
    return path;
  }

  /// Every fault as "where: message", one on a line, without the folder.
  QString faultsOf(const MatrixStructure& structure) const {
    try {
      matrixModel(structure);
    } catch (const InputError& error) {
      return QString(error.what()).remove(folder_.path() + "/");
    }
    return {};
  }

 private Q_SLOTS:
  /// A cantilever of two elements whose nodes have mass in deflection alone. Condensed, the stiffness is that of the
  /// flexibilities of a clamped beam, d_ij = x^2 (3 y - x) / (6 EI) with x <= y.
  void masslessRotationsAreCondensed() {
    auto [mass, stiffness] = beam(2, 2);  // deflection and rotation at x = 1/2 and x = 1
    mass = {{0.5, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0.25, 0}, {0, 0, 0, 0}};
    MatrixStructure s;
    s.dofs = {{"1"}, {"1.rotation", Motion::rotation}, {"2"}, {"2.rotation", Motion::rotation}};
    s.m.rows = mass;
    s.k.rows = stiffness;
    s.c.rows = stiffness;
    for (std::vector<double>& row : s.c.rows)
      for (double& entry : row) entry *= 1e-3;
    s.grounds = {{"table", {}}};
    const QString faults = faultsOf(s);
    QCOMPARE(faults.count("no mass"), 1);
    QVERIFY2(faults.contains("gives 2 DOF, \"1.rotation\", \"2.rotation\", no mass") && faults.contains("condense"),
             qPrintable(faults));

    s.massless = Massless::condense;
    const Model model = matrixModel(s);
    QCOMPARE(names(model.dofs), (std::vector<std::string>{"1", "2"}));
    const auto flexibility = [](double x, double y) { return x * x * (3.0 * y - x) / 6.0; };
    Eigen::Matrix2d flexible;
    flexible << flexibility(0.5, 0.5), flexibility(0.5, 1.0), flexibility(0.5, 1.0), flexibility(1.0, 1.0);
    const Eigen::MatrixXd k(model.matrices->k), c(model.matrices->c), m(model.matrices->m);
    QVERIFY((k * flexible - Eigen::Matrix2d::Identity()).norm() < 1e-12);
    QVERIFY((c - 1e-3 * k).norm() < 1e-12 * k.norm());
    QVERIFY(m.isApprox(Eigen::Vector2d(0.5, 0.25).asDiagonal().toDenseMatrix()));
    QVERIFY(model.influence.isApprox(Eigen::Vector2d::Ones()));
    QVERIFY(model.notes.back().starts_with("Condensed statically") && !model.notes.back().ends_with("approximation."));

    s.c.rows[1][1] += 1.0;  // a damper that turns: carried over, but not exactly
    QVERIFY(matrixModel(s).notes.back().ends_with("approximation."));
    s.k.rows = {{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    QVERIFY2(faultsOf(s).contains("stiffness does not hold"), qPrintable(faultsOf(s)));
  }

  void modelIsWhole() {
    MatrixStructure structure = chain();
    structure.dofs[2].motion = Motion::rotation;
    structure.grounds.push_back({"wall", {0.5, 0.25, 2.0}});
    const Model model = matrixModel(structure);
    QVERIFY(model.matrices);
    const SystemMatrices& system = *model.matrices;
    QCOMPARE(rowsOf(system.m), structure.m.rows);
    QCOMPARE(rowsOf(system.c), structure.c.rows);
    QCOMPARE(rowsOf(system.k), structure.k.rows);
    QCOMPARE(model.influence, (Eigen::MatrixXd(3, 2) << 1, 0.5, 1, 0.25, 0, 2).finished());
    QCOMPARE(system.m_support, Eigen::MatrixXd(-(Eigen::MatrixXd(system.m) * model.influence)));
    QVERIFY(system.c_support.isZero() && system.k_support.isZero() && system.k_support.cols() == 2);
    QCOMPARE(names(system.dofs), (std::vector<std::string>{"m1", "m2", "m3"}));
    QCOMPARE(model.supports, (std::vector<std::string>{"table", "wall"}));
    QVERIFY(model.elements.empty() && model.notes.empty());
    QCOMPARE(model.nodes.size(), std::size_t{3});
    for (Eigen::Index i = 0; i < 3; ++i) {
      const ModelNode& node = model.nodes[static_cast<std::size_t>(i)];
      QCOMPARE(node.x_m, static_cast<double>(i));
      QCOMPARE(node.dof[i == 2 ? 2 : 0], i);
    }
  }

  void namesComeFromProjectThenFilesThenNumbers() {
    MatrixStructure structure = chain();
    structure.c = {};
    structure.dofs.clear();
    QCOMPARE(names(matrixModel(structure).dofs), (std::vector<std::string>{"1", "2", "3"}));
    QCOMPARE(matrixModel(structure).matrices->c.nonZeros(), 0);
    structure.k = {.rows = {}, .file = file("k.csv", "a,b,c.rotation\n3,-2,0\n-2,3,-1\n0,-1,1\n"), .variable = {}};
    const Model model = matrixModel(structure);
    QCOMPARE(names(model.dofs), (std::vector<std::string>{"a", "b", "c.rotation"}));
    QVERIFY(model.dofs[2].motion == Motion::rotation && model.dofs[1].motion == Motion::translation);
    structure.dofs = chain().dofs;
    QCOMPARE(names(matrixModel(structure).dofs), (std::vector<std::string>{"m1", "m2", "m3"}));
  }

  void smallAsymmetryIsEvenedOut() {
    MatrixStructure structure = chain();
    structure.k.rows[0][1] += 1e-8;  // of 300
    const Model model = matrixModel(structure);
    QCOMPARE(model.matrices->k.coeff(0, 1), model.matrices->k.coeff(1, 0));
    QVERIFY(std::abs(model.matrices->k.coeff(0, 1) + 200.0 - 5e-9) < 1e-12);
    QCOMPARE(model.notes.size(), std::size_t{1});
    QVERIFY(model.notes[0].starts_with("The stiffness matrix was made symmetric"));
  }

  /// A symmetric matrix in numbers of a given precision, each mirrored entry rounded by itself.
  void precisionOfTheNumbersCounts_data() {
    QTest::addColumn<int>("digits");         // 0: single precision
    QTest::addColumn<double>("difference");  // of mirrored entries, relative
    QTest::addColumn<bool>("taken");
    QTest::newRow("double precision, rounding") << 17 << 1e-12 << true;
    QTest::newRow("double precision, more") << 17 << 1e-7 << false;
    QTest::newRow("single precision, rounding") << 0 << 2e-7 << true;
    QTest::newRow("single precision, more") << 0 << 1e-4 << false;
    QTest::newRow("single precision printed with nine digits") << 9 << 2e-7 << true;
    QTest::newRow("six digits, the last one") << 6 << 3e-6 << true;
    QTest::newRow("six digits, more") << 6 << 5e-5 << false;
    QTest::newRow("three digits are typed") << 3 << 5e-3 << false;
  }
  void precisionOfTheNumbersCounts() {
    QFETCH(int, digits);
    QFETCH(double, difference);
    QFETCH(bool, taken);
    MatrixStructure structure = chain();
    Rows& k = structure.k.rows;
    std::mt19937 random(3);
    std::uniform_real_distribution<double> part(0.1, 0.9);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < i; ++j) k[i][j] = k[j][i] = -part(random) * 50.0;
    k[0][1] *= 1.0 + difference;
    for (auto& row : k)
      for (double& value : row) {
        if (digits == 0 || digits == 9) value = static_cast<double>(static_cast<float>(value));
        if (digits != 0) value = QString::number(value, 'e', digits - 1).toDouble();
      }
    if (!taken) {
      QVERIFY_THROWS_EXCEPTION(InputError, matrixModel(structure));
      return;
    }
    const Model model = matrixModel(structure);
    QCOMPARE(model.matrices->k.coeff(0, 1), model.matrices->k.coeff(1, 0));
    QVERIFY(std::any_of(model.notes.begin(), model.notes.end(), [](const std::string& note) {
      return note.starts_with("The stiffness matrix was made symmetric");
    }));
  }

  /// One in the last of six digits, which is more than single precision allows beside diagonals of this size.
  void theLastDigitOfAPrintedNumberCounts() {
    MatrixStructure structure = chain();
    structure.k.rows = {{100.003, -100.001, 0.0}, {-100.002, 200.015, -100.013}, {0.0, -100.013, 100.014}};
    const Model model = matrixModel(structure);
    QCOMPARE(model.matrices->k.coeff(0, 1), -100.0015);
    QVERIFY(std::any_of(model.notes.begin(), model.notes.end(), [](const std::string& note) {
      return note.ends_with("within the rounding of numbers of 6 digits.") || note.ends_with("of single precision.");
    }));
    structure.k.rows[0][1] = -100.004;
    QVERIFY_THROWS_EXCEPTION(InputError, matrixModel(structure));
  }

  /// A mass matrix without the DOF that have none, a stiffness with one that is held: both come to the DOF that move.
  void filesByNodesAreAligned() {
    MatrixStructure structure = chain();
    structure.dofs.clear();
    structure.c = {};
    structure.grounds.clear();
    structure.k = {.rows = {},
                   .file = file("k.mtx",
                                "4,1, 4,1, 300.\n7,1, 4,1, -100.\n7,1, 7,1, 150.\n7,6, 7,1, -50.\n7,6, 7,6, 60.\n"
                                "9,1, 7,1, -5.\n9,1, 9,1, 1e+36\n"),
                   .variable = {}};
    structure.m = {.rows = {}, .file = file("m.mtx", "4,1, 4,1, 2.\n7,1, 7,1, 3.\n9,1, 9,1, 4.\n"), .variable = {}};
    QVERIFY_THROWS_EXCEPTION(InputError, matrixModel(structure));  // a DOF without mass is named as ever
    structure.massless = Massless::condense;
    const Model model = matrixModel(structure);
    QCOMPARE(names(model.dofs), (std::vector<std::string>{"4.1", "7.1"}));
    QCOMPARE(Eigen::MatrixXd(model.matrices->m), Eigen::MatrixXd(Eigen::Vector2d(2, 3).asDiagonal()));
    QVERIFY(std::abs(model.matrices->k.coeff(1, 1) - (150.0 - 50.0 * 50.0 / 60.0)) < 1e-9);
    structure.m.file = file("m.mtx", "4,1, 4,1, 2.\n7,1, 7,1, 3.\n7,6, 7,6, 1.\n");
    const Model whole = matrixModel(structure);
    QCOMPARE(names(whole.dofs), (std::vector<std::string>{"4.1", "7.1", "7.6"}));
    QVERIFY(whole.dofs[2].motion == Motion::rotation && whole.dofs[1].motion == Motion::translation);
  }

  void rigidBodyModesAreCounted_data() {
    QTest::addColumn<int>("elements");
    QTest::addColumn<int>("held");
    QTest::addColumn<QString>("note");
    QTest::newRow("cantilever, 10") << 10 << 2 << "";
    QTest::newRow("cantilever, 300") << 300 << 2 << "";
    QTest::newRow("pinned, 100") << 100 << 1 << "has 1 rigid-body mode:";
    QTest::newRow("free, 1") << 1 << 0 << "has 2 rigid-body modes:";
    QTest::newRow("free, 300") << 300 << 0 << "has 2 rigid-body modes:";
  }
  void rigidBodyModesAreCounted() {
    QFETCH(int, elements);
    QFETCH(int, held);
    QFETCH(QString, note);
    MatrixStructure structure;
    std::tie(structure.m.rows, structure.k.rows) = beam(elements, held);
    const std::vector<std::string> notes = matrixModel(structure).notes;
    QCOMPARE(notes.empty(), note.isEmpty());
    if (!notes.empty()) QVERIFY2(QString::fromStdString(notes[0]).contains(note), notes[0].c_str());
  }

  void looseMassesAndNegativeDampingAreRemarks() {
    MatrixStructure structure = chain();
    structure.k.rows = {{300, 0, 0}, {0, 50, -50}, {0, -50, 50}};
    structure.c.rows[2][2] = -1.0;
    const std::vector<std::string> notes = matrixModel(structure).notes;
    QCOMPARE(notes.size(), std::size_t{2});
    QVERIFY(notes[0].find("1 rigid-body mode:") != std::string::npos);
    QVERIFY(notes[1].starts_with("The damping matrix has negative eigenvalues"));
    structure.k.rows = Rows(3, std::vector<double>(3, 0.0));
    QVERIFY(matrixModel(structure).notes[0].find("3 rigid-body modes:") != std::string::npos);
  }

  void faults_data() {
    QTest::addColumn<std::function<void(MatrixStructure&)>>("spoil");
    QTest::addColumn<QString>("expected");
    const auto add = [](const char* row, const QString& expected, const std::function<void(MatrixStructure&)>& spoil) {
      QTest::newRow(row) << spoil << expected;
    };
    using S = MatrixStructure;
    add("no mass", "/structure/mass: is missing", [](S& s) { s.m = {}; });
    add("no stiffness", "/structure/stiffness: is missing", [](S& s) { s.k = {}; });
    add("sizes", "/structure/stiffness: has 2 DOF, but /structure/dofs has 3 names", [](S& s) {
      s.k.rows = {{1, 0}, {0, 1}};
    });
    add("sizes without names", "/structure/stiffness: has 2 DOF, but /structure/mass has 3", [](S& s) {
      s.dofs.clear();
      s.k.rows = {{1, 0}, {0, 1}};
    });
    add("ragged", "/structure/stiffness: has 2 entries in row 2 of 3", [](S& s) { s.k.rows[1].pop_back(); });
    add("not finite", "/structure/mass: has an entry in row 2, column 1 that is not finite",
        [](S& s) { s.m.rows[1][0] = NAN; });
    add("asymmetric K", "/structure/stiffness: is not symmetric: (\"m1\", \"m2\") = -200, but (\"m2\", \"m1\") = -201;",
        [](S& s) { s.k.rows[1][0] = -201.0; });
    add("worst pair", "/structure/stiffness: is not symmetric: (\"m2\", \"m3\") = -55, but (\"m3\", \"m2\") = -50;",
        [](S& s) { s.k.rows[1][0] = -201.0, s.k.rows[1][2] = -55.0; });
    add("asymmetric C", "/structure/damping: is not symmetric: (\"m1\", \"m3\") = 1, but (\"m3\", \"m1\") = 0;",
        [](S& s) { s.c.rows[0][2] = 1.0; });
    add("no mass at a DOF", "/structure/mass: gives DOF \"m2\" no mass", [](S& s) { s.m.rows[1][1] = 0.0; });
    add("negative mass", "/structure/mass: gives DOF \"m2\" the mass -2", [](S& s) { s.m.rows[1][1] = -2.0; });
    add("indefinite mass", "/structure/mass: is not positive definite",
        [](S& s) { s.m.rows[0][1] = s.m.rows[1][0] = 3.0; });
    add("singular mass", "/structure/mass: is not positive definite", [](S& s) {
      s.m.rows = {{1, 1, 0}, {1, 1, 0}, {0, 0, 1}};
    });
    add("indefinite stiffness", "/structure/stiffness: has 1 negative eigenvalue, about -1 with",
        [](S& s) { s.k.rows[0][1] = s.k.rows[1][0] = -400.0; });
    add("coarse digits", "write the entries with all 16 digits", [](S& s) {
      s.k.rows = {{100, -100, 0}, {-100, 149.9999, -50}, {0, -50, 50}};
    });
    add("negative spring", "/structure/stiffness: has -50 on the diagonal at DOF \"m3\"",
        [](S& s) { s.k.rows[2][2] = -50.0; });
    add("bare coupling", "/structure/stiffness: has 0 on the diagonal at DOF \"m3\"",
        [](S& s) { s.k.rows[2][2] = 0.0; });
    add("name twice", "/structure/dofs/2: \"m1\" is already the name of /structure/dofs/0",
        [](S& s) { s.dofs[2].name = "m1"; });
    add("no name", "/structure/dofs/1: has an empty name", [](S& s) { s.dofs[1].name.clear(); });
    add("ground without a name", "/structure/grounds/0/name: is empty", [](S& s) { s.grounds[0].name.clear(); });
    add("ground named as a DOF", "/structure/grounds/0/name: \"m2\" is already the name of /structure/dofs/1",
        [](S& s) { s.grounds[0].name = "m2"; });
    add("influence", "/structure/grounds/0/influence: has 2 entries for 3 DOF", [](S& s) {
      s.grounds[0].influence = {1.0, 1.0};
    });
    add("influence not finite", "/structure/grounds/0/influence: has an entry that is not finite", [](S& s) {
      s.grounds[0].influence = {1.0, INFINITY, 0.0};
    });
  }
  void faults() {
    QFETCH(std::function<void(MatrixStructure&)>, spoil);
    QFETCH(QString, expected);
    MatrixStructure structure = chain();
    spoil(structure);
    const QString found = faultsOf(structure);
    QVERIFY2(found.contains(expected), qPrintable(found));
  }

  void filesMustAgree() {
    MatrixStructure structure = chain();
    structure.c = {};
    structure.m = {.rows = {}, .file = file("m.csv", "m1,m2,m3\n3,0,0\n0,2,0\n0,0,1\n"), .variable = {}};
    structure.k = {.rows = {}, .file = file("k.csv", "m1,m3,m2\n3,-2,0\n-2,3,-1\n0,-1,1\n"), .variable = {}};
    QCOMPARE(faultsOf(structure),
             "k.csv: calls DOF 2 \"m3\", but m.csv calls it \"m2\"; all files must label the same "
             "DOF in the same order");
    structure.k = chain().k;
    structure.dofs = {{"m2"}, {"m1"}, {"m3"}};
    QCOMPARE(
        faultsOf(structure),
        "/structure/dofs: calls DOF 1 \"m2\", but m.csv calls it \"m1\"; put the DOF in the order of the matrices");
  }

  void allFaultsAreReported() {
    MatrixStructure structure = chain();
    structure.m = {.rows = {}, .file = file("bad.csv", "1,2\n2,x\n"), .variable = {}};
    structure.c.rows = {{1}};
    structure.k = {};
    structure.dofs[1].name = "m1";
    const QString found = faultsOf(structure);
    for (const char* part : {"bad.csv:2: \"x\" is not a number", "/structure/damping: has 1 DOF",
                             "/structure/stiffness: is", "/structure/dofs/1: \"m1\""})
      QVERIFY2(found.contains(part), qPrintable(found));
  }
};

HYB_SUITE(matrices, Matrices)
#include "matrices.moc"
