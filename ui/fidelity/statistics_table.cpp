#include "ui/fidelity/statistics_table.h"

#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/study/study.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kMostShown = 2000;  // the file has all of them

QTableWidget* table(const QString& name, const QStringList& heads) {
  auto* made = new QTableWidget;
  made->setAccessibleName(name);
  made->setColumnCount(static_cast<int>(heads.size()));
  made->setHorizontalHeaderLabels(heads);
  made->setEditTriggers(QAbstractItemView::NoEditTriggers);
  made->setSelectionBehavior(QAbstractItemView::SelectRows);
  made->setShowGrid(false);
  made->setFrameShape(QFrame::NoFrame);
  made->setFont(figureFont(0.9));
  made->verticalHeader()->hide();
  made->verticalHeader()->setDefaultSectionSize(22);
  made->horizontalHeader()->setFont(figureFont(0.85));
  made->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  return made;
}

/// Numbers of one row in the unit of the largest of them.
class Numbers {
 public:
  Numbers(const std::string& unit, double largest) : unit_(unit), largest_(largest) {}
  QString operator()(double value) const {
    return std::isfinite(value) ? QString::fromStdString(hyb::quantityText(value, unit_, 4, largest_))
                                : QStringLiteral("–");
  }
  QString operator()(const Estimate& estimate) const {
    QString value = (*this)(estimate.value);
    if (!std::isfinite(estimate.low) && !std::isfinite(estimate.high)) return value;
    return QStringLiteral("%1 [%2, %3]").arg(value, (*this)(estimate.low), (*this)(estimate.high));
  }

 private:
  const std::string& unit_;
  double largest_;
};

void addRow(QTableWidget* table, const QStringList& cells) {
  const int row = table->rowCount();
  table->insertRow(row);
  for (int c = 0; c < cells.size(); ++c) table->setItem(row, c, new QTableWidgetItem(cells[c]));
}

QString name(const std::string& figure) { return QString::fromStdString(figure).replace(u'_', u' '); }

}  // namespace

StatisticsTable::StatisticsTable(QWidget* parent)
    : QWidget(parent),
      statistics_(table(
          tr("Statistics of the figures"),
          {tr("Combination"), tr("Figure"), tr("Runs"), tr("Mean [95 %]"), tr("Deviation [95 %]"), tr("Median [95 %]"),
           tr("5 % of runs below"), tr("95 % of runs below"), tr("Outliers"), tr("Runs for 5 %")})),
      indices_(table(tr("Sobol indices"), {tr("Combination"), tr("Figure"), tr("Random setting"),
                                           tr("First order [95 %]"), tr("Total [95 %]")})) {
  statistics_->setObjectName(QStringLiteral("statistics"));
  indices_->setObjectName(QStringLiteral("indices"));
  statistics_->horizontalHeaderItem(2)->setToolTip(tr("Runs that came to their end, of all runs"));
  statistics_->horizontalHeaderItem(8)->setToolTip(tr("Runs beyond 1.5 quartile distances from the quartiles"));
  statistics_->horizontalHeaderItem(9)->setToolTip(
      tr("Runs after which the interval of the mean is within 5 % of the mean"));
  indices_->horizontalHeaderItem(3)->setToolTip(tr("Share of the variance by this setting alone"));
  indices_->horizontalHeaderItem(4)->setToolTip(tr("Share by this setting alone and together with others"));
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->addWidget(statistics_, 1);
  box->addWidget(indices_, 1);
}

StatisticsTable::Content StatisticsTable::contentOf(const StudyTable& table, const std::filesystem::path& folder) {
  Content content;
  const Study study = studyOf(table, folder);
  if (study.runs() != table.status.size() || study.search) return content;  // candidates are not to be compared
  content.rows = studyStatistics(study, table.status, table.figures.size(), [&](std::size_t column, std::size_t run) {
    return table.figures[column].numbers[run];
  });
  for (std::size_t c = 0; c < study.combinations(); ++c) content.labels.push_back(study.words(c));
  for (const StudyTable::Column& figure : table.figures) {
    content.figures.push_back(figure.name);
    content.units.push_back(figure.units);
  }
  for (const RandomSetting& setting : study.random.settings) content.settings.push_back(setting.name);
  return content;
}

void StatisticsTable::show(const StudyTable& table, const std::filesystem::path& folder) {
  working_.submit([this, table, folder]() -> LatestTask::Deliver {
    Content content;
    try {
      content = contentOf(table, folder);
    } catch (const InputError&) {  // a study of another version: its runs are shown all the same
    }
    return [this, content = std::move(content)] {
      fill(content);
      Q_EMIT ready();
    };
  });
}

void StatisticsTable::fill(const Content& content) {
  statistics_->setRowCount(0);
  indices_->setRowCount(0);
  any_ = !content.rows.empty();
  for (const FigureStatistics& row : content.rows) {
    const SampleStatistics& s = row.sample;
    if (statistics_->rowCount() == kMostShown) break;
    if (s.missing == s.count) continue;  // a figure that no run has
    const QString label = QString::fromStdString(content.labels[row.combination]);
    const Numbers number(content.units[row.column], std::max(std::abs(s.least), std::abs(s.most)));
    const std::size_t enough = runsForMean(s, 0.05);
    addRow(statistics_,
           {label, name(content.figures[row.column]), tr("%1 of %2").arg(s.count - s.missing).arg(s.count),
            number(s.mean), number(s.deviation), number(s.median), number(s.low5.value), number(s.high95.value),
            QString::number(s.outliers.size()), enough > 0 ? QString::number(enough) : QStringLiteral("–")});
    static const std::string kShare;
    const Numbers share(kShare, 1.0);
    for (std::size_t i = 0; i < row.indices.size(); ++i)
      addRow(indices_, {label, name(content.figures[row.column]), QString::fromStdString(content.settings[i]),
                        share(row.indices[i].first), share(row.indices[i].total)});
  }
  indices_->setVisible(indices_->rowCount() > 0);
  for (QTableWidget* one : {statistics_, indices_}) {
    one->resizeColumnsToContents();
    one->setColumnHidden(0, content.labels.size() < 2);
  }
}

}  // namespace hyb::ui
