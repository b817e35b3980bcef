#pragma once
#include <QWidget>
#include <filesystem>
#include <string>
#include <vector>

#include "core/study/study_file.h"
#include "core/study/study_statistics.h"
#include "ui/base/latest_task.h"

class QTableWidget;

namespace hyb::ui {

/// Statistics of the figures of a study, a row for each combination and figure; with the Sobol indices of each random
/// setting if the study has them.
class StatisticsTable : public QWidget {
  Q_OBJECT
 public:
  explicit StatisticsTable(QWidget* parent = nullptr);
  /// `folder`: base of relative paths of the study's project. Works beside the window; then ready().
  void show(const StudyTable& table, const std::filesystem::path& folder);
  /// False: no combination has several runs.
  bool any() const { return any_; }

 Q_SIGNALS:
  void ready();

 private:
  struct Content {
    std::vector<std::string> labels, figures, units, settings;  // of combinations; of figures; of random settings
    std::vector<FigureStatistics> rows;
  };
  static Content contentOf(const StudyTable& table, const std::filesystem::path& folder);
  void fill(const Content& content);
  QTableWidget *statistics_, *indices_;
  bool any_ = false;
  LatestTask working_;  // last: its worker must end before the members that it uses
};

}  // namespace hyb::ui
