#include "ui/configure/spring_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr double kPerMillimetre = 1e3;  // N/m of 1 N/mm

const Json& stiffnessNode() {
  static const Json node = {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1e9}, {"x-unit", "N/mm"}};
  return node;
}

/// Rounds products, which end in meaningless digits.
double inNewtonsPerMetre(double n_per_mm) { return QString::number(kPerMillimetre * n_per_mm, 'g', 12).toDouble(); }

bool within(const std::optional<SpringRange>& range, double stiffness_n_per_m) {
  constexpr double kSame = 1e-9;
  return range && stiffness_n_per_m >= (1.0 - kSame) * range->from_n_per_m &&
         stiffness_n_per_m <= (1.0 + kSame) * range->to_n_per_m;
}

}  // namespace

SpringPanel::SpringPanel(ProjectDocument* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      plot_(new SpringPlot(tr("Which spring?"))),
      panel_(new PlotPanel(plot_)),
      pistons_(new QComboBox),
      stiffness_(new NumberEdit(stiffnessNode(), false)),
      take_(new QPushButton(tr("Take this spring"))),
      verdict_(new QLabel) {
  plot_->setObjectName(QStringLiteral("spring-plot"));
  plot_->setMinimumHeight(120);
  pistons_->setObjectName(QStringLiteral("spring-piston"));
  pistons_->setAccessibleName(tr("Piston"));
  stiffness_->setObjectName(QStringLiteral("spring-stiffness"));
  stiffness_->setAccessibleName(tr("Stiffness of the chosen spring"));
  stiffness_->setToolTip(
      tr("Stiffness of your spring. In the plot, drag the line, or press Shift and an arrow key to step through the "
         "springs."));
  take_->setObjectName(QStringLiteral("take-spring"));
  verdict_->setObjectName(QStringLiteral("spring-verdict"));
  verdict_->setWordWrap(true);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(pistons_);
  row->addWidget(stiffness_);
  row->addWidget(take_);
  row->addStretch();
  auto* box = qobject_cast<QVBoxLayout*>(panel_->layout());
  box->addLayout(row);
  box->addWidget(verdict_);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(panel_);
  connect(plot_, &SpringPlot::chosen, this, [this](double stiffness) { choose(stiffness, false); });
  connect(stiffness_, &NumberEdit::textEdited, this, [this] {
    const std::optional<Json> typed = stiffness_->value();
    if (typed && stiffness_->problem().isEmpty()) choose(inNewtonsPerMetre(typed->get<double>()), true);
    describe();
  });
  connect(pistons_, &QComboBox::currentIndexChanged, this, [this] {
    chosen_ = 0.0;
    start();
  });
  connect(take_, &QPushButton::clicked, this, &SpringPanel::take);
  for (const auto signal : {&ProjectDocument::changed, &ProjectDocument::checked})
    connect(document, signal, this, &SpringPanel::describe);
  describe();
}

SpringPanel::~SpringPanel() { stop(); }

std::size_t SpringPanel::piston() const { return static_cast<std::size_t>(std::max(0, pistons_->currentIndex())); }

void SpringPanel::forget() {
  stop();
  const bool applied = applies();
  project_.reset();
  asked_ = nullptr;
  chosen_ = 0.0;
  plot_->setTrade(nullptr);
  describe();
  if (applied) Q_EMIT appliesChanged();
}

void SpringPanel::setProject(const Project& project) {
  if (project.coupling->springs(project.axes.size()).size() == 0) return forget();
  const bool applied = applies();
  project_ = project;
  QStringList names;
  for (const AxisSignals& axis : project.axes) names << QString::fromStdString(axis.name);
  QStringList shown;
  for (int i = 0; i < pistons_->count(); ++i) shown << pistons_->itemText(i);
  if (names != shown) {
    const QSignalBlocker quiet(pistons_);
    pistons_->clear();
    pistons_->addItems(names);
    chosen_ = 0.0;
  }
  pistons_->setVisible(names.size() > 1);
  Json asked = project.document;  // without sections that do not affect the result
  for (const char* section : {"meta", "recording"}) asked.erase(section);
  due_ = due_ || asked != asked_;
  asked_ = std::move(asked);
  if (!applied) Q_EMIT appliesChanged();
  describe();
  consider();
}

void SpringPanel::setEditing(bool on) {
  if (editing_ == on) return;
  editing_ = on;
  if (!on && computing()) {
    stop();
    due_ = true;
  }
  describe();
  consider();
}

void SpringPanel::consider() {
  if (due_ && applies() && editing_ && isVisible()) start();
}

void SpringPanel::start() {
  if (!applies() || !editing_) return;
  stop();
  due_ = false;
  stop_ = std::make_shared<std::atomic<bool>>(false);
  plot_->setEmptyText(tr("Computing springs from soft to stiff..."));
  describe();
  task_.submit([this, stopped = stop_, project = *project_, i = piston()]() -> LatestTask::Deliver {
    std::shared_ptr<SpringTrade> trade;
    QString failed;
    try {
      trade = std::make_shared<SpringTrade>(
          springTrade(project, i, [&](std::size_t, std::size_t) { return !stopped->load(); }));
    } catch (const std::exception& error) {
      failed = QString::fromUtf8(error.what());
    }
    return [this, stopped, trade, failed] {
      if (stop_ != stopped) return;
      stop_ = nullptr;
      if (!failed.isEmpty()) plot_->setEmptyText(tr("The springs cannot be computed: %1").arg(failed));
      plot_->setTrade(trade);
      if (plot_->trade() != nullptr && !known(chosen_)) choose(trade->present_n_per_m, false);
      describe();
      Q_EMIT finished();
    };
  });
}

void SpringPanel::stop() {
  if (!stop_) return;
  stop_->store(true);
  stop_ = nullptr;
  task_.cancel();
}

bool SpringPanel::known(double stiffness_n_per_m) const {
  const SpringTrade* trade = plot_->trade();
  return trade != nullptr && stiffness_n_per_m >= trade->points.front().stiffness_n_per_m &&
         stiffness_n_per_m <= trade->points.back().stiffness_n_per_m;
}

void SpringPanel::choose(double stiffness_n_per_m, bool typed) {
  chosen_ = stiffness_n_per_m;
  if (!typed) stiffness_->setText(NumberEdit::format(Json(stiffness_n_per_m / kPerMillimetre)));
  describe();
}

Json SpringPanel::taken() const {
  Json document = document_->json();
  try {
    takeSpring(document, project_->axes.size(), piston(), chosen_);
  } catch (const Json::exception&) {  // the document is being edited
    return document_->json();
  }
  return document;
}

/// Shows the verdict on the chosen spring and enables "Take this spring".
void SpringPanel::describe() {
  const SpringTrade* trade = plot_->trade();
  const bool seen = known(chosen_) && stiffness_->problem().isEmpty();
  stiffness_->setEnabled(trade != nullptr);
  setMark(stiffness_, seen || trade == nullptr ? "" : "error");
  plot_->setChosen(seen ? chosen_ : 0.0, editing_);
  const bool changes = seen && taken() != document_->json();
  const bool current = !computing() && !due_ && !document_->checking() && document_->issues().empty();
  take_->setEnabled(editing_ && current && changes);
  take_->setToolTip(!changes ? tr("Choose another spring than the present one")
                             : tr("Writes %1\u2009N/m into coupling scheme and twin; the compensation does not change")
                                   .arg(NumberEdit::format(Json(chosen_))));
  panel_->updateReading();
  if (!seen) {
    setMark(verdict_, "");
    verdict_->setText(trade == nullptr ? QString()
                                       : tr("Choose a spring from %1 to %2.")
                                             .arg(stiffnessText(trade->points.front().stiffness_n_per_m),
                                                  stiffnessText(trade->points.back().stiffness_n_per_m)));
    return fit();
  }
  const bool good = within(trade->suitable, chosen_), possible = within(trade->possible, chosen_);
  const QString judged = good       ? tr("%1 is suitable.")
                         : possible ? tr("%1 is possible, but not recommended.")
                                    : tr("%1 is not possible.");
  verdict_->setText(QString::fromStdString(trade->sentence) + QLatin1Char(' ') + judged.arg(stiffnessText(chosen_)));
  setMark(verdict_, good ? "ok" : possible ? "warning" : "error");
  fit();
}

void SpringPanel::fit() { setMinimumHeight(std::max(0, panel_->layout()->minimumHeightForWidth(width()))); }

void SpringPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void SpringPanel::take() {
  document_->replace(taken(), tr("choice of a spring of %1").arg(stiffnessText(chosen_)));
  document_->checkNow();
}

void SpringPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  consider();
}

void SpringPanel::hideEvent(QHideEvent* event) {
  if (computing()) due_ = true;  // restarts when the page is visible
  stop();
  QWidget::hideEvent(event);
}

}  // namespace hyb::ui
