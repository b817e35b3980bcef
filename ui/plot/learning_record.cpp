#include "ui/plot/learning_record.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace hyb::ui {

LearningRecord::LearningRecord(const Project& project, const RowLayout& layout) : width_(layout.width()) {
  const double hz = project.coupling->firstHarmonic_hz();
  if (!(hz > 0.0)) return;
  period_s_ = 1.0 / hz;
  begins_s_ = project.coupling->excitationFrom_s();
  if (project.loop.duration_s > 0.0) ends_s_ = project.loop.duration_s - project.loop.soft_end_s;
  const auto column = [&](const std::string& name) {
    for (std::size_t a = 0; a < layout.adapted().size(); ++a)
      if (layout.adapted()[a].name == name) return layout.adaptedColumn(a);
    return width_;
  };
  const auto pair = [&](const std::string& name) { return Pair{column(name + "_re"), column(name + "_im")}; };
  const std::size_t axes = layout.interfaces();
  for (const Adapted& quantity : layout.adapted()) {  // "command_1_h3_re"
    const std::string &name = quantity.name, stem = "command_1_h";
    if (!name.starts_with(stem) || !name.ends_with("_re")) continue;
    orders_.push_back(std::stoi(name.substr(stem.size())));
    command_unit_ = quantity.units;
  }
  for (std::size_t a = 1; a <= axes; ++a)
    for (const int order : orders_)
      command_columns_.push_back(pair("command_" + std::to_string(a) + "_h" + std::to_string(order)));
  for (std::size_t i = 1; i <= axes; ++i)
    for (std::size_t a = 1; a <= axes; ++a)
      for (const int order : orders_)
        response_columns_.push_back(
            pair("response_" + std::to_string(i) + "_" + std::to_string(a) + "_h" + std::to_string(order)));
  const auto missing = [this](const Pair& p) { return p.re == width_ || p.im == width_; };
  if (orders_.empty() || std::any_of(command_columns_.begin(), command_columns_.end(), missing)) {
    orders_.clear();  // rows of another kind, or of a test that has not begun
    command_columns_.clear();
    response_columns_.clear();
    return;
  }
  if (std::any_of(response_columns_.begin(), response_columns_.end(), missing)) response_columns_.clear();
  for (const Adapted& quantity : layout.adapted())
    if (quantity.name.starts_with("response_")) response_unit_ = quantity.units;
  for (std::size_t i = 0; i < axes; ++i) {
    curves_.emplace_back(period_s_);
    gaps_.push_back(layout.gap(i));
    coupled_.push_back(layout.hasReference() ? layout.reference(i) : layout.moved(i));
  }
}

void LearningRecord::push(std::span<const double> rows) {
  if (!any()) return;
  for (std::size_t at = 0; at + width_ <= rows.size(); at += width_) take(rows.subspan(at, width_));
}

void LearningRecord::read(const RunHistory& history) {
  const RowHistory& rows = history.rows();
  if (!any() || history.layout().width() != width_) return;
  std::vector<std::size_t> needed = gaps_;
  needed.insert(needed.end(), coupled_.begin(), coupled_.end());
  needed.push_back(RowLayout::kTime);
  for (const auto* pairs : {&command_columns_, &response_columns_})
    for (const Pair& pair : *pairs) needed.insert(needed.end(), {pair.re, pair.im});
  std::vector<double> row(width_, 0.0);
  for (std::uint64_t r = rows.begin(); r < rows.end(); ++r) {
    for (const std::size_t column : needed) row[column] = rows.at(column, r);
    take(row);
  }
}

void LearningRecord::take(std::span<const double> row) {
  newest_.assign(row.begin(), row.end());
  now_s_ = row[RowLayout::kTime];
  const double time_s = now_s_ - begins_s_;
  if (time_s < 0.0 || now_s_ > ends_s_) return;  // the motion after the soft end is not learnt
  for (std::size_t i = 0; i < curves_.size(); ++i) curves_[i].add(time_s, row[gaps_[i]], row[coupled_[i]]);
  const auto number = static_cast<std::int64_t>(std::floor(time_s / period_s_));
  if (number == last_period_) return;
  last_period_ = number;
  Moment& moment = moments_.emplace_back();
  moment.time_s = time_s;
  for (const Pair& pair : command_columns_) moment.amplitudes.push_back(std::abs(at(pair)));
}

HarmonicSet LearningRecord::commands() const {
  HarmonicSet set{QCoreApplication::translate("LearningRecord", "Commands"), command_unit_, {}, {}};
  if (newest_.empty()) return set;
  set.orders = orders_;
  constexpr Role kRoles[] = {Role::command, Role::force, Role::target, Role::measured};
  for (std::size_t a = 0; a < interfaces(); ++a) {
    HarmonicSet::Signal signal{
        QString::number(a + 1), kRoles[a % std::size(kRoles)], a == 0 ? Qt::SolidLine : Qt::DashLine, {}};
    for (std::size_t h = 0; h < orders_.size(); ++h)
      signal.values.push_back(at(command_columns_[a * orders_.size() + h]));
    set.signals.push_back(std::move(signal));
  }
  return set;
}

std::complex<double> LearningRecord::response(std::size_t i, std::size_t a, std::size_t h) const {
  if (response_columns_.empty() || newest_.empty()) return {};
  return at(response_columns_[(i * interfaces() + a) * orders_.size() + h]);
}

}  // namespace hyb::ui
