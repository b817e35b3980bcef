/// Bartl et al., adaptive feed-forward filters: two beams with two actuators, by the template. Row B-10 of the note.
#include "core/integration/integrator.h"
#include "core/structure/reduction.h"
#include "tests/support/bartl_beams.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// The computed side once more, from what the rows of a run say it was driven by: of its motions inside they keep none.
class InnerMotion {
 public:
  InnerMotion(const Project& project, const std::string& dof)
      : partition_(buildPartition(project)),
        sides_(reduceSides(partition_, project.partition.numerical, {})),
        integrator_(makeIntegrator(project.integrator, sides_.numerical, 1.0 / project.loop.rate_hz)),
        load_(Eigen::VectorXd::Zero(sides_.numerical.size())),
        pushed_(sides_.numerical_loads *
                Eigen::VectorXd::Unit(sides_.numerical_loads.cols(), dofNamed(partition_.reference, dof))),
        shape_(reduce(partition_.numerical, partition_.interface_in_numerical, project.partition.numerical)
                   .basis.row(dofNamed(partition_.numerical, dof))) {}
  /// A tick; the motion at its end.
  double step(double excitation_n, double force_1_n, double force_2_n) {
    load_ = excitation_n * pushed_;
    load_[sides_.interface_in_numerical[0]] += force_1_n;
    load_[sides_.interface_in_numerical[1]] += force_2_n;
    integrator_->step(load_);
    return shape_ * integrator_->displacement();
  }
  double interface(std::size_t i) const { return integrator_->displacement()[sides_.interface_in_numerical[i]]; }

 private:
  Partition partition_, sides_;
  std::unique_ptr<Integrator> integrator_;
  Eigen::VectorXd load_, pushed_;
  Eigen::RowVectorXd shape_;
};

/// What a test at one frequency says after so long.
BeamFrfs steppedFrfs(const Json& document, const std::string& loaded, double hz, double time_s) {
  StreamedRun run(document);
  InnerMotion inner(run.project(), loaded);
  const std::array<std::size_t, 5> at{run.column("excitation_1"), run.column("force_1"), run.column("force_2"),
                                      run.column("target_1"), run.column("target_2")};
  std::array<std::vector<double>, 3> samples;
  double apart = 0.0, first_s = -1.0;
  const bool goes = run.runTo(time_s, [&] {
    const double p = inner.step(run.at(at[0]), run.at(at[1]), run.at(at[2]));
    apart = std::max(apart, std::abs(inner.interface(0) - run.at(at[3])));
    if (run.value_s() < time_s - 1.0) return;
    if (first_s < 0.0) first_s = run.value_s();
    samples[0].push_back(p);
    samples[1].push_back(run.at(at[3]));
    samples[2].push_back(run.at(at[4]));
  });
  if (!goes || apart > 1e-12) throw std::runtime_error("the rows do not tell the computed side");
  const double middle_s = first_s + 0.5 * static_cast<double>(samples[0].size() - 1) * run.step_s();
  BeamFrfs found;
  for (std::size_t n = 0; n < 3; ++n)
    found[n] = std::polar(1.0, -kTwoPi * hz * middle_s) * fitHarmonic(samples[n], run.step_s(), kTwoPi * hz).amplitude;
  return ofAxes(found[0], found[1], found[2]);
}

Json steppedBeams(double hz, double rate_hz, int substeps, double time_s) {
  Json document = bartlBeams(hz, time_s);
  takeModel(document, time_s + 1.0);
  makeCoarser(document, 5, 8);
  document["coupling"]["adaption"].update({{"forgetting", 0.9999}, {"running_forgetting", 0.9999}});
  document["integrator"]["substeps"] = substeps;
  document["loop"].update({{"rate_hz", rate_hz}, {"soft_start_s", 2}});
  return document;
}

QString percentages(const BeamFrfs& found, const BeamFrfs& expected) {
  QString text;
  for (std::size_t n = 0; n < 3; ++n)
    text += QString::number(100.0 * std::abs(found[n] / expected[n] - 1.0), 'f', 3) + " % ";
  return text;
}

}  // namespace

class BartlStepSine : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void b10StepSine_data() {
    QTest::addColumn<double>("hz");
    QTest::addColumn<double>("time_s");  // from where on the errors, in percent, change by less than 0.01
    for (const auto& [hz, time_s] :
         {std::pair(20.0, 15.0), {34.429, 30.0}, {95.707, 20.0}, {181.310, 15.0}, {311.543, 30.0}, {400.0, 15.0}})
      QTest::newRow(qPrintable(QString::number(hz))) << hz << time_s;
  }
  void b10StepSine() {
    QFETCH(double, hz);
    QFETCH(double, time_s);
    const Json document = steppedBeams(hz, 1e4, 10, time_s);
    const BeamFrfs found = steppedFrfs(document, "thin/1.y", hz, time_s),
                   expected = uncutFrfs(buildPartition(parseProject(document)), "thin/1.y", hz);
    for (std::size_t n = 0; n < 3; ++n)
      QVERIFY2(std::abs(found[n] / expected[n] - 1.0) < 0.015, qPrintable(percentages(found, expected)));
  }

  void b10PlainNewmark_data() {
    QTest::addColumn<double>("rate_hz");
    QTest::addColumn<double>("time_s");
    QTest::addColumn<double>("error");
    QTest::newRow("0.2 ms") << 5e3 << 30.0 << 0.243;
    QTest::newRow("0.1 ms") << 1e4 << 20.0 << 0.073;
    QTest::newRow("0.05 ms") << 2e4 << 15.0 << 0.019;
  }
  void b10PlainNewmark() {
    QFETCH(double, rate_hz);
    QFETCH(double, time_s);
    QFETCH(double, error);
    constexpr double hz = 320.0;
    const Json document = steppedBeams(hz, rate_hz, 1, time_s);
    const BeamFrfs found = steppedFrfs(document, "thin/1.y", hz, time_s),
                   expected = uncutFrfs(buildPartition(parseProject(document)), "thin/1.y", hz);
    const double has = std::abs(found[0] / expected[0] - 1.0);
    QVERIFY2(std::abs(has / error - 1.0) < 0.03, qPrintable(percentages(found, expected)));
  }
};

HYB_SUITE(paper_bartl_step_sine, BartlStepSine)
#include "bartl_step_sine.moc"
