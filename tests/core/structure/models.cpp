#include <cmath>

#include "core/structure/frame.h"
#include "core/structure/modes.h"
#include "core/structure/partition.h"
#include "core/structure/shear_building.h"
#include "tests/support/suite.h"
#include "tests/support/values.h"

using namespace hyb;
using hyb::test::kNan;

namespace {

std::vector<Issue> faultsOf(const Structure& structure) {
  try {
    buildModel(structure);
  } catch (const InputError& error) {
    return error.issues();
  }
  return {};
}

void expectIssue(const std::vector<Issue>& issues, const std::string& where, const std::string& part) {
  QString text;
  for (const Issue& issue : issues) {
    if (issue.where == where && issue.message.find(part) != std::string::npos) return;
    text += QString::fromStdString(issue.where + ": " + issue.message + "\n");
  }
  QFAIL(qPrintable(QString::fromStdString(where + ": ..." + part + "... is not among\n") + text));
}

/// reference/araya-2023, section 1.2.
ShearBuilding threeStoreys(bool wall) {
  return {{{"1", 98.3, wall ? 10.836e6 : 0.516e6}, {"2", 98.3, 0.684e6}, {"3", 98.3, 0.684e6}}, "ground"};
}

BeamStructure steelCantilever() {
  BeamStructure beam;
  beam.sections = {{"s", 2.1e11, 1e-8, 1e-4, 7850.0, 0.0}};
  beam.segments = {{"a", 0.4, "s", 4}, {"b", 0.6, "s", 6}};
  beam.supports = {{0.0, true, true}};
  return beam;
}

FrameStructure angle() {
  FrameStructure frame;
  frame.sections = {{"s", 2.1e11, 1e-8, 1e-4, 7850.0, 0.0}};
  frame.nodes = {{"A", 0, 0, true, true, true}, {"B", 0, 1}, {"C", 1, 1}};
  frame.members = {{"column", "A", "B", "s", 3}, {"arm", "B", "C", "s", 2}};
  return frame;
}

std::vector<std::string> elementNames(const Model& model) {
  std::vector<std::string> list;
  for (const ModelElement& element : model.elements) list.push_back(element.name);
  return list;
}

}  // namespace

class ModelsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// reference/araya-2023, sections 1.2 and 1.3: C to the printed digits, frequencies, mode shapes.
  void publishedShearBuilding() {
    Structure structure{threeStoreys(true), {}, {}};
    structure.damping.kind = DampingSpec::Kind::modal;
    structure.damping.ratios = {0.05};
    const SystemMatrices system = assemble(buildModel(structure));
    const Eigen::Matrix3d c{
        {3361.6648, -152.2486, -13.7892}, {-152.2486, 1088.1852, -370.6984}, {-13.7892, -370.6984, 731.2760}};
    QVERIFY((Eigen::Matrix3d(system.c) - c).cwiseAbs().maxCoeff() <= 0.5e-4);
    QVERIFY(system.m_support == Eigen::Vector3d::Constant(-98.3));
    QCOMPARE(names(system.dofs), (std::vector<std::string>{"1", "2", "3"}));

    const auto check = [](bool wall, const Eigen::Vector3d& hz, const Eigen::Matrix3d& shapes) {
      const Modes found = modes(assemble(shearModel(threeStoreys(wall))));
      QVERIFY((found.frequency_hz - hz).cwiseAbs().maxCoeff() <= 0.5e-4);
      for (Eigen::Index i = 0; i < 3; ++i) {
        Eigen::Index largest = 0;
        found.shape.col(i).cwiseAbs().maxCoeff(&largest);
        const Eigen::Vector3d shape = found.shape.col(i) / found.shape(largest, i);
        const double sign = shapes(largest, i);
        QVERIFY((sign * shape - shapes.col(i)).cwiseAbs().maxCoeff() <= 0.5e-4);
      }
    };
    check(true, {8.0192, 21.2741, 54.5929},
          Eigen::Matrix3d{{0.0385, 0.0701, 1}, {0.6351, 1, -0.0674}, {1, -0.6378, 0.0042}});
    check(false, {5.4400, 15.8097, 23.6315},
          Eigen::Matrix3d{{0.5245, 1, 0.7072}, {0.8321, 0.3363, -1}, {1, -0.8043, 0.4612}});
  }

  void namesAndPlaces() {
    const Model building = shearModel(threeStoreys(true));
    QCOMPARE(elementNames(building),
             (std::vector<std::string>{"1/floor", "1/columns", "2/floor", "2/columns", "3/floor", "3/columns"}));
    QCOMPARE(building.nodes[2].name, std::string("2"));
    QCOMPARE(building.nodes[2].y_m, 2.0);

    const Model beam = buildModel({steelCantilever(), {}, {}});
    QCOMPARE(beam.nodes.size(), std::size_t{11});
    QCOMPARE(beam.nodes[0].name, std::string("a/0"));
    QCOMPARE(beam.nodes[4].name, std::string("a/4"));
    QCOMPARE(beam.nodes[5].name, std::string("b/1"));
    QCOMPARE(beam.nodes[10].x_m, 1.0);
    QCOMPARE(beam.dofs.front().name, std::string("a/1.y"));
    QCOMPARE(beam.dofs.back().name, std::string("b/6.rotation"));
    QVERIFY(beam.dofs.back().motion == Motion::rotation);
    QCOMPARE(beam.elements[4].name, std::string("b/1"));
    QCOMPARE(beam.elements[4].member, std::string("b"));

    const Model frame = buildModel({angle(), {}, {}});
    QCOMPARE(names(frame.dofs),
             (std::vector<std::string>{"B.x", "B.y", "B.rotation", "C.x", "C.y", "C.rotation", "column/1.x",
                                       "column/1.y", "column/1.rotation", "column/2.x", "column/2.y",
                                       "column/2.rotation", "arm/1.x", "arm/1.y", "arm/1.rotation"}));
    QCOMPARE(elementNames(frame), (std::vector<std::string>{"column/1", "column/2", "column/3", "arm/1", "arm/2"}));
    QCOMPARE(frame.nodes[frame.elements[1].nodes[0]].name, std::string("column/1"));
    QCOMPARE(frame.nodes[frame.elements[2].nodes[1]].name, std::string("B"));
  }

  /// The lower part of a building may stand on the rig, the ground being a place too.
  void buildingsCutAlongTheirHeight() {
    const Model building = shearModel(threeStoreys(true));
    const Partition p = cut(building, {CutByPosition{true, 2.0, true}, {}, {}, {}, {}});
    QCOMPARE(names(p.interface), std::vector<std::string>{"2"});
    QCOMPARE(names(p.physical.dofs), (std::vector<std::string>{"2", "3"}));
    const Partition lower = cut(building, {CutByPosition{true, 2.0, false}, {}, {}, {}, {}});
    QCOMPARE(names(lower.physical.dofs), (std::vector<std::string>{"1", "2"}));
    QCOMPARE(cutPositions(building, true), (std::vector<double>{1.0, 2.0}));
  }

  void nonlinearLinksBecomeElements() {
    Structure structure{threeStoreys(false), {}, {}};
    structure.nonlinear = {{"isolator", "1", "", BoucWenSpring{2e5, 1e-3, 0.1, 0.5, 0.5, 2.0}},
                           {"bumper", "3", "2", CubicSpring{0.0, 1e9}}};
    const Model model = buildModel(structure);
    const SystemMatrices system = assemble(model);
    const SystemMatrices linear = assemble(shearModel(threeStoreys(false)));
    Eigen::Matrix3d added = Eigen::Matrix3d::Zero();
    added(0, 0) = 2e5;
    QVERIFY(Eigen::Matrix3d(system.k) == Eigen::Matrix3d(linear.k) + added);
    QCOMPARE(system.nonlinear.size(), std::size_t{2});
    QCOMPARE(system.nonlinear[1].from, Eigen::Index{2});
    QCOMPARE(system.nonlinear[1].to, Eigen::Index{1});
    QCOMPARE(system.nonlinear[0].to, Eigen::Index{-1});
    QCOMPARE(model.elements.back().nodes, (std::vector<std::size_t>{3, 2}));

    MatrixStructure plain;
    plain.m.rows = {{2.0, 0.0}, {0.0, 1.0}};
    plain.k.rows = {{30.0, -10.0}, {-10.0, 10.0}};
    Structure matrices{plain, {}, {{"link", "1", "2", BilinearSpring{5.0, 1.0, 0.1}}}};
    const SystemMatrices whole = assemble(buildModel(matrices));
    QVERIFY(Eigen::MatrixXd(whole.k) == (Eigen::MatrixXd{{35.0, -15.0}, {-15.0, 15.0}}));
    QCOMPARE(whole.nonlinear.size(), std::size_t{1});
  }

  /// A frame held by nonlinear links and dampers alone is no mechanism.
  void anythingThatResistsHolds() {
    FrameStructure frame = angle();
    frame.nodes[0] = {"A", 0, 0, false, true, true};
    expectIssue(faultsOf({frame, {}, {}}), "/structure", "\"A.x\" can move without any stiffness");
    QVERIFY(faultsOf({frame, {}, {{"bumper", "C.x", "", CubicSpring{0.0, 1e9}}}}).empty());
    frame.springs = {{"damper", "C", "", FrameStructure::Direction::x, 0.0, 3.0}};
    QVERIFY(faultsOf({frame, {}, {}}).empty());
  }

  void mechanismsAreNamed() {
    BeamStructure beam = steelCantilever();
    beam.supports = {{0.0, true, false}};
    expectIssue(faultsOf({beam, {}, {}}), "/structure", "\"b/6.y\" can move without any stiffness");
    beam.supports.push_back({1.0, false, true});  // deflection and rotation: held
    QVERIFY(faultsOf({beam, {}, {}}).empty());
    beam.supports = {{0.0, false, true}};
    expectIssue(faultsOf({beam, {}, {}}), "/structure", ".y\" can move without any stiffness");
    beam.supports = {};
    QCOMPARE(faultsOf({beam, {}, {}}).size(), std::size_t{2});
    for (BeamStructure::Segment& segment : beam.segments) segment.elements *= 2000;  // no matter how fine
    QCOMPARE(faultsOf({beam, {}, {}}).size(), std::size_t{2});
    beam.supports = {{0.4, true, true}};
    QVERIFY(faultsOf({beam, {}, {}}).empty());

    FrameStructure frame = angle();
    frame.nodes.push_back({"D", 2, 2});
    frame.springs = {{"s1", "D", "C", FrameStructure::Direction::x, 10.0, 0.0},
                     {"s2", "D", "", FrameStructure::Direction::y, 10.0, 0.0}};
    const std::vector<Issue> issues = faultsOf({frame, {}, {}});
    QCOMPARE(issues.size(), std::size_t{1});
    expectIssue(issues, "/structure", "\"D.rotation\" can move without any stiffness");
  }

  void badBeamsAreExplained() {
    BeamStructure beam = steelCantilever();
    beam.sections.push_back({"s", -1.0, 0.0, kNan, -7.0, -1.0});
    beam.segments.push_back({"", 0.0, "ghost", 0});
    beam.segments.push_back({"a/b", kNan, "s", 100001});
    beam.springs = {{"a", 0.1, 0.0, 0.0, 0.0, 0.0}, {"k", 0.1, -1.0, kNan, -1.0, -1.0}};
    beam.masses = {{"k", 0.1, 0.0, 0.0}, {"m", 0.1, -1.0, kNan}};
    beam.supports.push_back({0.1, false, false});
    beam.ground = "";
    Structure structure{beam, {}, {}};
    structure.damping.kind = DampingSpec::Kind::modal;
    structure.damping.ratios = {0.1, 5.0};
    const std::vector<Issue> issues = faultsOf(structure);
    expectIssue(issues, "/structure/sections/1/name", "already the name of /structure/sections/0");
    expectIssue(issues, "/structure/sections/1/youngs_modulus_n_per_m2", "-1 N/m^2");
    expectIssue(issues, "/structure/sections/1/second_moment_m4", "greater than 0");
    expectIssue(issues, "/structure/sections/1/area_m2", "nan");
    expectIssue(issues, "/structure/sections/1/density_kg_per_m3", "at least 0");
    expectIssue(issues, "/structure/sections/1/added_mass_kg_per_m", "at least 0");
    expectIssue(issues, "/structure/segments/2/name", "is empty");
    expectIssue(issues, "/structure/segments/2/length_m", "0 m");
    expectIssue(issues, "/structure/segments/2/section", "\"ghost\" is not a section");
    expectIssue(issues, "/structure/segments/2/elements", "between 1 and 100000");
    expectIssue(issues, "/structure/segments/3/name", "\"/\"");
    expectIssue(issues, "/structure/segments/3/length_m", "nan");
    expectIssue(issues, "/structure/segments/3/elements", "100001");
    expectIssue(issues, "/structure/springs/0/name", "already the name of /structure/segments/0");
    expectIssue(issues, "/structure/springs/0", "neither stiffness nor damping");
    for (const char* key : {"stiffness_n_per_m", "damping_n_s_per_m", "rotational_stiffness_n_m_per_rad",
                            "rotational_damping_n_m_s_per_rad"})
      expectIssue(issues, std::string("/structure/springs/1/") + key, "at least 0");
    expectIssue(issues, "/structure/masses/0/name", "already the name of /structure/springs/1");
    expectIssue(issues, "/structure/masses/0", "neither mass nor inertia");
    expectIssue(issues, "/structure/masses/1/mass_kg", "-1 kg");
    expectIssue(issues, "/structure/masses/1/inertia_kg_m2", "nan");
    expectIssue(issues, "/structure/supports/1", "holds no motion");
    expectIssue(issues, "/structure/ground", "is empty");
    expectIssue(issues, "/structure/damping/ratios/1", "is 5");
    expectIssue(faultsOf({BeamStructure{}, {}, {}}), "/structure/segments", "at least one segment");
  }

  void partsMustMeetNodes() {
    BeamStructure beam = steelCantilever();
    beam.supports.push_back({0.55, true, false});
    beam.springs = {{"k", -0.1, 1.0, 0.0, 0.0, 0.0}, {"stiff", 0.0, 1.0, 0.0, 0.0, 0.0}};
    beam.masses = {{"m", 0.9 + 1e-8, 1.0, 0.0}, {"n", kNan, 1.0, 0.0}, {"o", 0.4 + 0.6 / std::sqrt(2.0), 1.0, 0.0}};
    const std::vector<Issue> issues = faultsOf({beam, {}, {}});
    QCOMPARE(issues.size(), std::size_t{5});
    expectIssue(issues, "/structure/supports/1/position_m",
                "is 0.55 m; no node is at this position; the nearest are at 0.5 m and 0.6 m; use one of them, or "
                "divide segment "
                "\"b\" into 4 elements");
    expectIssue(issues, "/structure/springs/0/position_m", "is -0.1 m");
    expectIssue(issues, "/structure/springs/1", "only in a motion that the ground holds");
    expectIssue(issues, "/structure/masses/1/position_m", "nan");
    expectIssue(issues, "/structure/masses/2/position_m", "into two there");

    beam = steelCantilever();
    beam.sections[0].density_kg_per_m3 = 0.0;
    expectIssue(faultsOf({beam, {}, {}}), "/structure", "has no mass");
    beam.segments = {{"a", 1.0, "s", 1}};
    beam.supports.push_back({1.0, true, true});
    expectIssue(faultsOf({beam, {}, {}}), "/structure", "nothing that can move");
  }

  void badFramesAreExplained() {
    FrameStructure frame = angle();
    frame.nodes.push_back({"A", kNan, 0});
    frame.nodes.push_back({"lonely", 5, 5});
    frame.nodes.push_back({"C2", 1, 1});
    frame.members.push_back({"arm", "A", "ghost", "none", 0});
    frame.members.push_back({"nought", "C", "C2", "s", 1});
    frame.springs = {{"k", "B", "B", FrameStructure::Direction::x, 1.0, 0.0},
                     {"k2", "ghost", "ghost2", FrameStructure::Direction::rotation, -1.0, 0.0},
                     {"k3", "B", "C", FrameStructure::Direction::x, 0.0, 0.0}};
    frame.masses = {{"m", "ghost", 0.0, 0.0}, {"arm", "B", kNan, 0.0}};
    const std::vector<Issue> issues = faultsOf({frame, {}, {}});
    expectIssue(issues, "/structure/nodes/3/name", "already the name of /structure/nodes/0");
    expectIssue(issues, "/structure/nodes/3/x_m", "nan");
    expectIssue(issues, "/structure/nodes/4", "\"lonely\" is not connected to a member");
    expectIssue(issues, "/structure/members/2/name", "already the name of /structure/members/1");
    expectIssue(issues, "/structure/members/2/to", "\"ghost\" is not a node");
    expectIssue(issues, "/structure/members/2/section", "\"none\" is not a section");
    expectIssue(issues, "/structure/members/2/elements", "between 1 and");
    expectIssue(issues, "/structure/members/3/to", "has zero length");
    expectIssue(issues, "/structure/springs/0/to", "same as \"from\"");
    expectIssue(issues, "/structure/springs/1/from", "\"ghost\" is not a node");
    expectIssue(issues, "/structure/springs/1/to", "\"ghost2\" is not a node");
    expectIssue(issues, "/structure/springs/1/stiffness", "-1 N m/rad");
    expectIssue(issues, "/structure/springs/2", "neither stiffness nor damping");
    expectIssue(issues, "/structure/masses/0/node", "\"ghost\" is not a node");
    expectIssue(issues, "/structure/masses/0", "neither mass nor inertia");
    expectIssue(issues, "/structure/masses/1/name", "already the name");
    expectIssue(issues, "/structure/masses/1/mass_kg", "nan");

    frame = angle();
    frame.springs = {{"k", "A", "", FrameStructure::Direction::x, 1.0, 0.0}};
    frame.masses = {{"m", "A", 1.0, 1.0}};
    expectIssue(faultsOf({frame, {}, {}}), "/structure/springs/0", "motions that the ground holds");
    expectIssue(faultsOf({frame, {}, {}}), "/structure/masses/0", "only in a motion that the ground holds");
    frame = angle();
    frame.members[0].elements = frame.members[1].elements = 60'000;
    expectIssue(faultsOf({frame, {}, {}}), "/structure/members/1/elements", "more than 100000 elements in all");
    expectIssue(faultsOf({FrameStructure{}, {}, {}}), "/structure/members", "at least one member");
  }

  void badBuildingsAndLinksAreExplained() {
    ShearBuilding building{{{"1", 0.0, -1.0, kNan}, {"1", 1.0, 1.0}, {"", 1.0, 1.0}}, "1"};
    std::vector<Issue> issues = faultsOf({building, {}, {}});
    expectIssue(issues, "/structure/storeys/0/mass_kg", "0 kg");
    expectIssue(issues, "/structure/storeys/0/stiffness_n_per_m", "-1 N/m");
    expectIssue(issues, "/structure/storeys/0/damping_n_s_per_m", "nan");
    expectIssue(issues, "/structure/storeys/1/name", "already the name");
    expectIssue(issues, "/structure/storeys/2/name", "is empty");
    expectIssue(issues, "/structure/ground/name", "already the name");
    expectIssue(faultsOf({ShearBuilding{}, {}, {}}), "/structure/storeys", "at least one storey");

    Structure links{angle(), {}, {}};
    links.nonlinear = {{"arm", "B.x", "B.rotation", CubicSpring{0.0, 0.0}},
                       {"y", "ghost", "ground-x", BilinearSpring{0.0, 0.0, 1.0}},
                       {"y", "C.x", "C.x", BoucWenSpring{0.0, -1.0, -0.1, -1.0, 0.5, 0.5}}};
    issues = faultsOf(links);
    expectIssue(issues, "/structure/nonlinear/0/name", "already a part of the structure");
    expectIssue(issues, "/structure/nonlinear/0", "a translation and a rotation");
    expectIssue(issues, "/structure/nonlinear/0/cubic_n_per_m3", "not 0");
    expectIssue(issues, "/structure/nonlinear/1/from", "\"ghost\" is no degree of freedom");
    expectIssue(issues, "/structure/nonlinear/1/to", "is a support");
    expectIssue(issues, "/structure/nonlinear/1/stiffness_n_per_m", "greater than 0");
    expectIssue(issues, "/structure/nonlinear/1/yield_force_n", "greater than 0");
    expectIssue(issues, "/structure/nonlinear/1/hardening_ratio", "less than 1");
    expectIssue(issues, "/structure/nonlinear/2/name", "already the name");
    expectIssue(issues, "/structure/nonlinear/2/to", "two different ends");
    expectIssue(issues, "/structure/nonlinear/2/yield_stretch_m", "-1 m");
    expectIssue(issues, "/structure/nonlinear/2/beta", "at least 0");
    expectIssue(issues, "/structure/nonlinear/2/gamma", "sum with beta");
    expectIssue(issues, "/structure/nonlinear/2/exponent", "between 1 and 100");
  }
};

HYB_SUITE(models, ModelsTest)
#include "models.moc"
