#include "ui/fidelity/face_verdict.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/base/scrolled.h"
#include "ui/document/field_editors.h"
#include "ui/fidelity/face_plot.h"

namespace hyb::ui {
namespace {

const Json& toleranceNode() {
  static const Json node = {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1000}, {"x-unit", "%"}};
  return node;
}

struct Word {
  QString text;
  const char* mark;
};

/// Shape and word in addition to the colour.
Word wordOf(const FaceAssessment& curve) {
  switch (curve.verdict) {
    case FaceVerdict::accepted:
      return {FaceVerdictPanel::tr("✓ ACCEPT"), "ok"};
    case FaceVerdict::rejected:
      return {FaceVerdictPanel::tr("✕ REJECT"), "error"};
    case FaceVerdict::undecided:
      return {FaceVerdictPanel::tr("? UNDECIDED"), "warning"};
    case FaceVerdict::none:
      return {FaceVerdictPanel::tr("– NO VERDICT"), "warning"};
  }
  return {};
}

/// Full description of the interval.
QString kindOf(const FacePrediction& prediction) {
  if (prediction.level)
    return FaceVerdictPanel::tr("%1\u2009% confidence interval").arg(numberText(100.0 * *prediction.level, 3));
  return FaceVerdictPanel::tr("A range, not a confidence interval: %1.")
      .arg(QString::fromStdString(prediction.range_because));
}
/// The same as a short line name.
QString predictionName(const FacePrediction& prediction) {
  if (!prediction.carried) return FaceVerdictPanel::tr("interval");
  return prediction.level ? FaceVerdictPanel::tr("%1\u2009% interval").arg(numberText(100.0 * *prediction.level, 3))
                          : FaceVerdictPanel::tr("range");
}

QString percent(double value) {
  return std::isfinite(value) ? numberText(value, 3) + QStringLiteral("\u2009%") : QStringLiteral("–");
}

}  // namespace

void FaceVerdictPanel::showInterval(QLabel* name, QLabel* value, const FaceReport& report,
                                    const FacePrediction& prediction) {
  name->setText(predictionName(prediction));
  value->setAccessibleName(name->text());
  value->setText(prediction.carried ? intervalText(report, prediction.interval) : QStringLiteral("–"));
  for (QLabel* label : {name, value}) label->setToolTip(prediction.carried ? kindOf(prediction) : QString());
}

QLabel* FaceVerdictPanel::addLine(QGridLayout* grid, const QString& title, const QString& tip, QLabel** name_label) {
  auto* name = new QLabel(title);
  name->setProperty("muted", true);
  name->setToolTip(tip);
  if (name_label != nullptr) *name_label = name;
  auto* value = new QLabel(QStringLiteral("–"));
  value->setAlignment(Qt::AlignRight);
  value->setToolTip(tip);
  value->setAccessibleName(title);
  value->setTextInteractionFlags(Qt::TextSelectableByMouse);
  const int row = grid->rowCount();
  grid->addWidget(name, row, 0);
  grid->addWidget(value, row, 1);
  return value;
}

FaceVerdictPanel::FaceVerdictPanel(QWidget* parent)
    : Panel(parent),
      word_(new QLabel),
      sentence_(new QLabel),
      reasons_(new QLabel),
      details_(new QLabel),
      missing_(new QLabel),
      more_(new QToolButton),
      tolerance_(new NumberEdit(toleranceNode(), false)) {
  auto* title = new QLabel(tr("Verdict"));
  title->setFont(figureFont(1.0, true));
  word_->setFont(figureFont(1.6, true));
  word_->setObjectName(QStringLiteral("verdict"));
  word_->setAccessibleName(tr("Verdict"));
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(3);
  grid->setColumnStretch(1, 1);
  value_ =
      addLine(grid, tr("error-free"), tr("Quantity of interest of the error-free test, extrapolated along the curve"));
  value_->setFont(figureFont(1.15, true));
  interval_ = addLine(grid, tr("interval"), tr("Uncertainty of the curve at error 0"), &interval_name_);
  best_ = addLine(grid, tr("least-error test"), tr("Quantity of interest of the test with the least error"));
  error_ = addLine(grid, tr("its error"), tr("Estimated distance of the least-error test from the error-free test"));
  reference_ = addLine(grid, tr("reference"),
                       tr("Quantity of the error-free test, if known, and deviation of the extrapolation"));
  model_ = addLine(grid, tr("model says"),
                   tr("Quantity of the identified specimen, coupled without error to the numerical side"));
  model_interval_ = addLine(grid, tr("interval"), tr("Uncertainty of the structural model"), &model_interval_name_);
  auto* tolerance_label = new QLabel(tr("tolerance"));
  tolerance_label->setProperty("muted", true);
  tolerance_label->setBuddy(tolerance_);
  tolerance_->setAccessibleName(tr("Accepted error of the least-error test, percent"));
  tolerance_->setToolTip(tr("Accepted error of the least-error test"));
  tolerance_->setObjectName(QStringLiteral("tolerance"));
  tolerance_->setEnabled(false);
  const int row = grid->rowCount();
  grid->addWidget(tolerance_label, row, 0);
  grid->addWidget(tolerance_, row, 1);
  auto* words = new QWidget;
  auto* words_box = new QVBoxLayout(words);
  words_box->setContentsMargins(0, 0, 4, 0);
  words_box->setSpacing(6);
  for (QLabel* label : {sentence_, reasons_, missing_, details_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (label == details_) words_box->addWidget(more_);
    words_box->addWidget(label);
  }
  words_box->addStretch(1);
  more_->setText(tr("Details"));
  more_->setToolTip(tr("Assumptions, the other way to the error-free test, and all doubts"));
  more_->setObjectName(QStringLiteral("verdict-details"));
  more_->setCheckable(true);
  more_->setArrowType(Qt::RightArrow);
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  details_->hide();
  connect(more_, &QToolButton::toggled, this, [this](bool shown) {
    more_->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
    details_->setVisible(shown);
  });
  sentence_->setObjectName(QStringLiteral("verdict-sentence"));
  setMark(missing_, "warning");
  auto* scroll = scrolled(words);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(8, 6, 8, 8);
  box->setSpacing(6);
  box->addWidget(title);
  box->addWidget(word_);
  box->addLayout(grid);
  box->addWidget(scroll, 1);
  connect(tolerance_, &QLineEdit::editingFinished, this, [this] {
    const bool good = tolerance_->problem().isEmpty();
    setMark(tolerance_, good ? "" : "error");
    tolerance_->setToolTip(good ? tr("Accepted error of the least-error test") : tolerance_->problem());
    if (good) Q_EMIT toleranceChosen(tolerance_->value()->get<double>());
  });
  show(nullptr, false);
}

void FaceVerdictPanel::show(const std::shared_ptr<const FaceReport>& report, bool final) {
  tolerance_->setEnabled(report && final);
  if (!report) {
    word_->setText(QStringLiteral("–"));
    setMark(word_, "");
    sentence_->setText(
        tr("FACE increases the error of the test step by step and extrapolates to the error-free test. The assessment "
           "of the least-error test appears here."));
    reasons_->hide();
    missing_->hide();
    more_->setChecked(false);
    more_->hide();
    for (QLabel* label : {value_, interval_, best_, error_, reference_, model_, model_interval_})
      label->setText(QStringLiteral("–"));
    return;
  }
  const FaceAssessment& curve = report->curve;
  const FacePrediction &found = curve.prediction, &model = report->model;
  const QString none = QStringLiteral("–");
  const Word word = final ? wordOf(curve) : Word{tr("… under way"), ""};
  word_->setText(word.text);
  setMark(word_, word.mark);
  value_->setText(found.carried ? quantityOf(*report, found.value) : none);
  showInterval(interval_name_, interval_, *report, found);
  best_->setText(std::isfinite(curve.measured) ? quantityOf(*report, curve.measured) : none);
  error_->setText(found.carried ? percent(curve.error_percent) : none);
  error_->setToolTip(curve.rests_on_model ? tr("Distance of the least-error test from the structural model")
                                          : tr("Distance of the least-error test from the end of the curve"));
  reference_->setText(
      !report->reference ? tr("not known")
      : found.error_percent
          ? tr("%1 (%2 off)").arg(quantityOf(*report, *report->reference), percent(*found.error_percent))
          : quantityOf(*report, *report->reference));
  model_->setText(model.carried ? quantityOf(*report, model.value) : none);
  model_->setToolTip(model.carried
                         ? tr("Quantity of the identified specimen, coupled without error to the numerical side")
                         : QString::fromStdString(model.why_not));
  showInterval(model_interval_name_, model_interval_, *report, model);
  if (const Json tolerance = report->spec.settings.tolerance_percent; !tolerance_->hasFocus())
    tolerance_->showValue(&tolerance);
  sentence_->setText(QString::fromStdString(found.carried || !curve.sentence.empty() ? curve.sentence : found.why_not));
  const auto list = [](QLabel* label, const std::vector<std::string>& lines, const char* between) {
    QStringList texts;
    for (const std::string& line : lines) texts << QString::fromStdString(line);
    label->setText(texts.join(QLatin1String(between)));
    return !lines.empty();
  };
  reasons_->setVisible(list(reasons_, curve.reasons, "\n"));
  missing_->setVisible(list(missing_, report->missing, "\n"));
  const bool more = list(details_, curve.details, "\n\n");
  if (!more) more_->setChecked(false);
  more_->setVisible(more);
}

QString FaceVerdictPanel::word() const { return word_->text(); }
QString FaceVerdictPanel::sentence() const { return sentence_->text(); }
QString FaceVerdictPanel::reasons() const { return reasons_->text(); }
QString FaceVerdictPanel::details() const { return details_->text(); }

}  // namespace hyb::ui
