#pragma once
#include <complex>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/fidelity/harmonic_fit.h"
#include "core/run/build.h"
#include "core/run/test_run.h"

namespace hyb::test {

/// A project run freely by the product's loop, tick by tick, for tests too long to keep: what is asked for is taken
/// from the rows as they come; there is no reference among them. `around` may put something around the twin.
class StreamedRun {
 public:
  explicit StreamedRun(const Json& document,
                       const std::function<std::unique_ptr<Rig>(std::unique_ptr<Rig>)>& around = {})
      : project_(parseProject(document)), loop_(makeLoop(around)), rows_(loop_->layout().width(), 64) {
    loop_->attachDisplay(&rows_, &events_);
    loop_->arm();
    loop_->post({Request::Kind::start, -1, 0.0, {}, {}});
  }
  /// Rows up to this time since Run; false: the test has ended. `each` sees every one of them.
  bool runTo(double time_s, const std::function<void()>& each = {}) {
    while (goes_ && value_s() < time_s - 0.5 * step_s()) {
      goes_ = loop_->tick(1);
      rows_.pop(row_, 64);
      if (!row_.empty() && each) each();
    }
    return goes_;
  }
  std::string sentence() const { return endSentence(*loop_); }
  double step_s() const { return 1.0 / project_.loop.rate_hz; }
  double value_s() const { return row_.empty() ? -1.0 : row_[RowLayout::kTime]; }
  /// Of the last row, by the channel's or adapted quantity's name.
  double operator[](const std::string& name) const { return row_.at(column(name)); }
  std::size_t column(const std::string& name) const {
    const RowLayout& layout = loop_->layout();
    for (std::size_t c = 0; c < layout.channels().size(); ++c)
      if (layout.channels()[c].name == name) return RowLayout::kFirstChannel + c;
    for (std::size_t a = 0; a < layout.adapted().size(); ++a)
      if (layout.adapted()[a].name == name) return layout.adaptedColumn(a);
    throw std::logic_error("no column " + name);
  }
  /// "response_1_1_h1": with real and imaginary part.
  std::complex<double> adapted(const std::string& name) const { return {(*this)[name + "_re"], (*this)[name + "_im"]}; }
  double at(std::size_t column) const { return row_[column]; }
  /// Amplitudes of channels at w over the next window_s, times counted from origin_s.
  std::vector<std::complex<double>> amplitudes(const std::vector<std::string>& names, const std::vector<double>& w,
                                               double window_s, double origin_s) {
    std::vector<std::vector<double>> samples(names.size());
    std::vector<std::size_t> columns;
    for (const std::string& name : names) columns.push_back(column(name));
    const double first_s = value_s() + step_s();
    runTo(value_s() + window_s, [&] {
      for (std::size_t n = 0; n < columns.size(); ++n) samples[n].push_back(row_[columns[n]]);
    });
    std::vector<std::complex<double>> found;
    for (std::size_t n = 0; n < names.size(); ++n)
      for (const double at : w) {
        const double middle_s = first_s + 0.5 * static_cast<double>(samples[n].size() - 1) * step_s() - origin_s;
        found.push_back(std::polar(1.0, -at * middle_s) * fitHarmonic(samples[n], step_s(), at).amplitude);
      }
    return found;
  }
  Loop& loop() { return *loop_; }
  EventRing& events() { return events_; }
  const Project& project() const { return project_; }

 private:
  std::unique_ptr<Loop> makeLoop(const std::function<std::unique_ptr<Rig>(std::unique_ptr<Rig>)>& around) const {
    const Partition partition = buildPartition(project_);
    std::unique_ptr<Rig> rig =
        around ? around(buildTwin(project_, partition)) : buildRig(project_, partition, DeviceFactory(), false);
    SchemeContext context = schemeContext(project_, partition);
    context.with_reference = false;  // in a long test that costs most, and nobody asks
    return buildLoop(project_, std::move(rig), std::move(context));
  }
  Project project_;
  std::unique_ptr<Loop> loop_;
  RowRing rows_;
  EventRing events_;
  std::vector<double> row_;
  bool goes_ = true;
};

}  // namespace hyb::test
