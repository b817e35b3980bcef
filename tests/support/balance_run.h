#pragma once
#include <algorithm>
#include <complex>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/linalg/dense.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "core/structure/reduction.h"
#include "tests/support/thorough.h"

namespace hyb::test {

/// A sweep of a harmonic balance, run freely by the product's loop to its end; nothing is kept but what it keeps of
/// each frequency, and the events.
class BalanceRun {
 public:
  explicit BalanceRun(const Json& document) : BalanceRun(parseProject(document)) {}
  explicit BalanceRun(const Project& project) : project_(project), loop_(buildLoop(project_)) {
    RowRing rows(loop_->layout().segmentColumns().size(), loop_->layout().mostSegments());
    EventRing events;
    loop_->attachDisplay(nullptr, &events, &rows);
    loop_->arm();
    loop_->post({Request::Kind::start, -1, 0.0, {}, {}});
    while (loop_->tick(1)) ++ticks_;
    std::vector<double> row;
    while (rows.pop(row, 1) > 0) rows_.push_back(row);
    for (Event event; events.pop(event);) events_.push_back(event);
  }
  std::size_t points() const { return rows_.size(); }
  std::int64_t ticks() const { return ticks_; }
  double value(std::size_t point, const std::string& column) const { return rows_.at(point).at(at(column)); }
  /// "motion", DOF from 1: amplitude and phase together.
  std::complex<double> phasor(std::size_t point, const std::string& name, int dof, int harmonic = 1) const {
    const std::string own = "_" + std::to_string(dof) + "_h" + std::to_string(harmonic);
    return std::polar(value(point, name + own), value(point, name + "_phase" + own) * kPi / 180.0);
  }
  std::vector<double> column(const std::string& name) const {
    std::vector<double> values;
    for (std::size_t p = 0; p < points(); ++p) values.push_back(value(p, name));
    return values;
  }
  std::size_t converged() const {
    const std::vector<double> all = column("converged");
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), 1.0));
  }
  const std::vector<std::vector<double>>& rows() const { return rows_; }
  const std::vector<Event>& events() const { return events_; }
  const Loop& loop() const { return *loop_; }
  const Project& project() const { return project_; }

 private:
  static constexpr double kPi = 3.14159265358979323846;
  std::size_t at(const std::string& name) const {
    const std::vector<Channel>& columns = loop_->layout().segmentColumns();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].name == name) return c;
    throw std::logic_error("no column " + name);
  }
  Project project_;
  std::unique_ptr<Loop> loop_;
  std::int64_t ticks_ = 0;
  std::vector<std::vector<double>> rows_;
  std::vector<Event> events_;
};

/// The template with its frequencies; `clean`: a linear rig without noise and hum.
inline Json cantilever(std::vector<double> frequencies_hz, bool clean = false) {
  Json document = templateDocument("cantilever-iterative");
  document["coupling"]["sweep"] = {{"points", "listed"}, {"frequencies_hz", std::move(frequencies_hz)}};
  if (!clean) return document;
  document["rig"]["actuators"][0]["cubic_n_per_m3"] = 0.0;
  document["rig"]["actuators"][0]["offset_m"] = 0.0;
  document["rig"].erase("displacement_sensor");
  for (Json& sensor : document["rig"]["sensors"]) {
    sensor["noise_rms_n_m"] = 0.0;
    sensor.erase("hum");
  }
  return document;
}
/// Both, under a sanitizer the first alone.
inline std::vector<double> twoFrequencies(double first_hz, double second_hz) {
  if (kThorough) return {first_hz, second_hz};
  return {first_hz};
}
/// 16 to 19 Hz, as in the source.
inline std::vector<double> sweepOfSource() {
  std::vector<double> hz;
  for (int k = 0; k <= 30; ++k) hz.push_back(16.0 + 0.1 * k);
  return hz;
}

/// D_N and D_P of the project in the DOF of the cut, as it is built: the specimen with the modes that the twin has.
struct BothSides {
  explicit BothSides(const Project& project) {
    const Partition whole = cut(buildModel(project.structure), project.partition);
    partition = reduceSides(whole, {}, project.partition.physical);
  }
  Eigen::MatrixXcd numerical(double hz) const {
    return condensedStiffness(partition.numerical, partition.interface_in_numerical, s(hz));
  }
  Eigen::MatrixXcd physical(double hz) const {
    return condensedStiffness(partition.physical, partition.interface_in_physical, s(hz));
  }
  /// Interface motion under a unit shear force.
  Eigen::VectorXcd response(double hz) const {
    return linalg::ComplexLu(numerical(hz) + physical(hz)).solve(Eigen::VectorXcd::Unit(2, 0));
  }
  static std::complex<double> s(double hz) { return {0.0, 2.0 * 3.14159265358979323846 * hz}; }
  Partition partition;
};

}  // namespace hyb::test
