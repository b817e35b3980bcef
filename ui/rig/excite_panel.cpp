#include "ui/rig/excite_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/base/number_field.h"
#include "ui/document/schema_tools.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kPause_ms = 250, kField_px = 28;

/// Title and description of a signal kind, as in the form of section Excitation.
std::pair<QString, QString> wordsOf(std::string_view kind) {
  for (const Json& branch : resolved(projectSchema()["definitions"]["signal"])["oneOf"]) {
    const Json& of_kind = branch["properties"]["kind"];
    if (of_kind["const"] == kind) return {schemaText(branch, "title"), schemaText(of_kind, "description")};
  }
  return {QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())), {}};
}

ValueField* numberField(const QString& name, const QString& object, const QString& unit, double least, double most,
                        const QString& tip) {
  auto* field = new ValueField(name, unit, least, most);
  field->setObjectName(object);
  field->setAccessibleDescription(ExcitePanel::tr("%1 to %2 %3. %4").arg(least).arg(most).arg(unit, tip));
  field->setTip(tip);
  field->setMinimumHeight(kField_px);
  return field;
}

}  // namespace

ExcitePanel::ExcitePanel(QWidget* parent)
    : Panel(parent),
      axis_(new QComboBox),
      kind_(new QComboBox),
      pace_(new QComboBox),
      from_(numberField(tr("Band from"), QStringLiteral("excite-from"), tr("Hz"), 0.001, 10000.0,
                        tr("Lowest frequency of the excitation"))),
      to_(numberField(tr("Band to"), QStringLiteral("excite-to"), tr("Hz"), 0.001, 10000.0,
                      tr("Highest frequency of the excitation. Choose it above the highest frequency of the test."))),
      amplitude_(numberField(tr("Amplitude"), QStringLiteral("excite-amplitude"), tr("mm"), 0.0, 1000.0,
                             tr("Largest command in both directions"))),
      period_(numberField(tr("Period"), QStringLiteral("excite-period"), tr("s"), 0.001, 3600.0,
                          tr("The excitation repeats after this time, and the response is averaged over the "
                             "repetitions. The spacing of its frequencies is 1/period."))),
      duration_(numberField(tr("Duration"), QStringLiteral("excite-duration"), tr("s"), 0.001, 3600.0,
                            tr("Length of the analysed part; soft start and soft end add 1 s each. For a periodic "
                               "excitation, give whole periods, at least five."))),
      count_(numberField(tr("Frequencies"), QStringLiteral("excite-count"), {}, 2.0, kMostSteps,
                         tr("Number of frequencies from the first to the last"))),
      settle_(numberField(tr("Settling"), QStringLiteral("excite-settling"), tr("s"), 0.0, 3600.0,
                          tr("Time at each frequency before the measured periods, in which vibrations decay. The soft "
                             "start lies within that of the first frequency."))),
      periods_(numberField(tr("Measured periods"), QStringLiteral("excite-periods"), {}, 2.0, 10000.0,
                           tr("Measured periods at each frequency. Their scatter gives the interval of the "
                              "response."))),
      outcome_(new QLabel),
      refusal_(new QLabel),
      message_(new QLabel),
      why_(new QLabel),
      suggest_(new QPushButton(tr("Suggest"))),
      excite_(new QPushButton),
      stop_(new QPushButton(tr("Stop"))),
      progress_(new QProgressBar) {
  auto* title = new QLabel(tr("Excite"));
  title->setFont(figureFont(1.0, true));
  axis_->setObjectName(QStringLiteral("excite-axis"));
  axis_->setAccessibleName(tr("Actuator to excite"));
  axis_->setToolTip(tr("Actuator that moves; the others rest"));
  kind_->setObjectName(QStringLiteral("excite-kind"));
  kind_->setAccessibleName(tr("Kind of excitation"));
  for (const RigExcitationKind& kind : rigExcitationKinds()) {
    const auto [text, description] = wordsOf(kind.signal);
    kind_->addItem(text);
    kind_->setItemData(kind_->count() - 1, description, Qt::ToolTipRole);
  }
  pace_->addItem(tr("Real time"), static_cast<int>(Pace::real_time));
  pace_->addItem(tr("Free run"), static_cast<int>(Pace::free_run));
  pace_->setObjectName(QStringLiteral("excite-pace"));
  pace_->setAccessibleName(tr("Pace"));
  pace_->setToolTip(
      tr("Real time: one tick per period of the clock. Free run: as fast as the computer can, only on the twin."));
  suggest_->setObjectName(QStringLiteral("excite-suggest"));
  suggest_->setToolTip(
      tr("Sets band, amplitude and duration for this project: up to twice the highest frequency of its excitation, "
         "with a third of what limits and actuator allow"));
  excite_->setObjectName(QStringLiteral("excite"));
  excite_->setMinimumHeight(32);
  stop_->setObjectName(QStringLiteral("excite-stop"));
  stop_->setMinimumHeight(32);
  stop_->setToolTip(tr("Ramps to the safe state (Esc, Space)"));
  progress_->setTextVisible(false);
  progress_->setFixedHeight(4);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of the excitation"));
  outcome_->setObjectName(QStringLiteral("excite-outcome"));
  refusal_->setObjectName(QStringLiteral("excite-refusal"));
  message_->setObjectName(QStringLiteral("excite-message"));
  why_->setObjectName(QStringLiteral("excite-blocked"));
  for (QLabel* label : {outcome_, refusal_, message_, why_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  for (QLabel* label : {outcome_, why_}) label->setProperty("muted", true);
  setMark(refusal_, "error");

  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  const auto field = [grid](int row, int column, const QString& text, QWidget* editor, int columns = 1) {
    auto* label = new QLabel(text);
    label->setBuddy(editor);
    label->setToolTip(editor->toolTip());
    grid->addWidget(label, row, column);
    grid->addWidget(editor, row, column + 1, 1, columns);
    return std::vector<QWidget*>{label, editor};
  };
  const auto join = [](std::vector<QWidget*>& all, const std::vector<QWidget*>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  field(0, 0, tr("Actuator"), axis_);
  field(0, 2, tr("Pace"), pace_);
  field(1, 0, tr("Kind"), kind_, 3);
  field(2, 0, tr("From"), from_);
  field(2, 2, tr("To"), to_);
  field(3, 0, tr("Amplitude"), amplitude_);
  join(of_others_, field(3, 2, tr("Period"), period_));
  join(of_others_, field(4, 0, tr("Duration"), duration_));
  join(of_stepped_, field(3, 2, tr("Frequencies"), count_));
  join(of_stepped_, field(4, 0, tr("Settling"), settle_));
  join(of_stepped_, field(4, 2, tr("Periods"), periods_));
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  auto* head = new QHBoxLayout;
  head->addWidget(title, 1);
  head->addWidget(suggest_);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(excite_, 2);
  buttons->addWidget(stop_, 1);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(12, 8, 12, 8);
  box->setSpacing(6);
  box->addLayout(head);
  box->addLayout(grid);
  box->addWidget(outcome_);
  box->addWidget(refusal_);
  box->addWidget(why_);
  box->addLayout(buttons);
  box->addWidget(progress_);
  box->addWidget(message_);

  pause_.setSingleShot(true);
  pause_.setInterval(kPause_ms);
  connect(&pause_, &QTimer::timeout, this, [this] { tryOut(false); });
  for (ValueField* editor : {from_, to_, amplitude_, period_, duration_, count_, settle_, periods_}) {
    connect(editor, &ValueField::valueChanged, this, &ExcitePanel::edited);
    connect(editor, &ValueField::textChecked, this, &ExcitePanel::updateButtons);
  }
  connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
    showFields();
    edited();
  });
  connect(axis_, &QComboBox::currentIndexChanged, this, [this] {
    if (showing_ || axis_->currentIndex() < 0) return;
    tryOut(!own_);
  });
  connect(suggest_, &QPushButton::clicked, this, [this] {
    own_ = false;
    tryOut(true);
  });
  connect(excite_, &QPushButton::clicked, this, &ExcitePanel::exciteWanted);
  connect(stop_, &QPushButton::clicked, this, &ExcitePanel::stopWanted);
  for (ValueField* whole : {count_, periods_}) whole->setWhole(true);
  show(RigExcitation());
  showFields();
  say({}, false);
  updateButtons();
}

ExcitePanel::~ExcitePanel() {
  if (wanted_) *wanted_ = false;
}

RigExcitation ExcitePanel::asked() const {
  RigExcitation asked;
  asked.axis = static_cast<std::size_t>(std::max(0, axis_->currentIndex()));
  asked.kind = static_cast<std::size_t>(std::max(0, kind_->currentIndex()));
  asked.amplitude = 1e-3 * amplitude_->value();
  asked.from_hz = from_->value();
  asked.to_hz = to_->value();
  asked.period_s = period_->value();
  asked.duration_s = duration_->value();
  asked.count = static_cast<int>(std::lround(count_->value()));
  asked.settle_s = settle_->value();
  asked.periods = static_cast<int>(std::lround(periods_->value()));
  return asked;
}

const RigExcitationKind& ExcitePanel::kind() const {
  return rigExcitationKinds()[static_cast<std::size_t>(std::max(0, kind_->currentIndex()))];
}

/// Those that the chosen kind has.
void ExcitePanel::showFields() {
  for (QWidget* widget : of_stepped_) widget->setVisible(kind().steps);
  for (QWidget* widget : of_others_) widget->setVisible(!kind().steps);
}

void ExcitePanel::show(const RigExcitation& asked) {
  showing_ = true;
  amplitude_->setValue(1e3 * asked.amplitude);
  from_->setValue(asked.from_hz);
  to_->setValue(asked.to_hz);
  period_->setValue(asked.period_s);
  duration_->setValue(asked.duration_s);
  count_->setValue(asked.count);
  settle_->setValue(asked.settle_s);
  periods_->setValue(asked.periods);
  showing_ = false;
}

void ExcitePanel::setProject(const std::optional<Project>& project) {
  project_ = project;
  QStringList wanted, shown;
  if (project)
    for (std::size_t i = 0; i < project->axes.size(); ++i)
      wanted << QStringLiteral("%1 %2").arg(i + 1).arg(QString::fromStdString(project->axes[i].name));
  for (int i = 0; i < axis_->count(); ++i) shown << axis_->itemText(i);
  if (project && shown != wanted) {
    showing_ = true;
    axis_->clear();
    axis_->addItems(wanted);
    showing_ = false;
  }
  if (project && project->rig.use != RigUse::twin) pace_->setCurrentIndex(0);
  if (project)
    tryOut(!own_);
  else
    ready_.reset();
  updateButtons();
}

void ExcitePanel::forget() {
  own_ = false;
  message_->clear();
}

void ExcitePanel::edited() {
  if (showing_) return;
  own_ = true;
  ready_.reset();
  refusals_.clear();
  pause_.start();
  updateButtons();
}

void ExcitePanel::showEvent(QShowEvent* event) {
  QFrame::showEvent(event);
  if (due_) tryOut(!own_);
}

/// Runs in the background; `propose`: first sets suggested values.
void ExcitePanel::tryOut(bool propose) {
  pause_.stop();
  ready_.reset();
  refusals_.clear();
  due_ = !isVisible();
  if (due_ || !project_) return updateButtons();
  if (wanted_) *wanted_ = false;
  wanted_ = std::make_shared<std::atomic<bool>>(true);
  task_.submit([this, propose, project = *project_, given = asked(), wanted = wanted_]() -> LatestTask::Deliver {
    const auto going = [wanted] { return wanted->load(); };
    RigExcitation asked = given;
    QStringList refusals, unwatched;
    std::optional<Ready> ready;
    try {
      if (propose) {
        asked = proposedExcitation(project, given.axis, going);
        asked.kind = given.kind;
      }
      const ExcitingTest test = excitingTest(project, asked);
      for (const std::string& limit : test.unwatched) unwatched << QString::fromStdString(limit);
      Project exciting = parseProject(test.document, project.folder);
      const RigForecast found = forecast(exciting, asked, going);
      for (const std::string& refusal : found.refusals) refusals << QString::fromStdString(refusal);
      if (refusals.isEmpty()) ready = Ready{std::move(exciting), asked, found};
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues())
        refusals << QString::fromStdString((issue.where.empty() ? "" : issue.where + " ") + issue.message);
    } catch (const std::exception& error) {
      refusals << QString::fromUtf8(error.what());
    }
    return [this, propose, asked, refusals, unwatched, ready = std::move(ready)] {
      if (propose && !own_) show(asked);
      ready_ = ready;
      refusals_ = refusals;
      for (QString& sentence : refusals_) sentence = sentence.left(1).toUpper() + sentence.mid(1);
      unwatched_ = unwatched;
      updateButtons();
    };
  });
  updateButtons();
}

const ExcitePanel::Ready* ExcitePanel::ready() const { return ready_ ? &*ready_ : nullptr; }

Pace ExcitePanel::pace() const { return static_cast<Pace>(pace_->currentData().toInt()); }

void ExcitePanel::showOutcome() {
  const bool trying = project_ && !ready_ && refusals_.isEmpty() && isVisible();
  refusal_->setText(refusals_.join(QLatin1Char('\n')));
  refusal_->setVisible(!refusals_.isEmpty());
  QString text = trying ? tr("Testing on the twin...") : QString();
  if (ready_) {
    const PistonDemand& demand = ready_->forecast.demand;
    text = tr("Lasts %1 s, needs %2, %3 and %4")
               .arg(figureText(ready_->project.loop.duration_s))
               .arg(quantityText(demand.stroke_m, displayUnit("m")),
                    figureText(1e3 * demand.velocity_m_per_s) + QChar(0x2009) + tr("mm/s"),
                    figureText(demand.force_n) + QChar(0x2009) + QLatin1Char('N'));
    text += ready_->forecast.used > 0.0
                ? tr(": %1 % of what limits and actuator allow.").arg(figureText(100.0 * ready_->forecast.used, 2))
                : tr(". The project has no limits to compare with.");
    if (!unwatched_.isEmpty())
      text += tr(" Inactive limits, because this test has no target motion: %1.")
                  .arg(unwatched_.join(QStringLiteral(", ")));
  }
  outcome_->setText(text);
  outcome_->setVisible(!text.isEmpty());
}

void ExcitePanel::updateButtons() {
  const bool idle = stage_ == Stage::idle, on_twin = !project_ || project_->rig.use == RigUse::twin;
  for (QWidget* widget :
       std::initializer_list<QWidget*>{axis_, kind_, from_, to_, amplitude_, duration_, count_, settle_, periods_})
    widget->setEnabled(idle);
  period_->setEnabled(idle && kind().repeats);
  pace_->setEnabled(idle && on_twin);
  suggest_->setEnabled(idle && project_.has_value());
  excite_->setText(stage_ == Stage::armed        ? tr("Excite now: actuator %1 moves").arg(axis_->currentIndex() + 1)
                   : stage_ == Stage::connecting ? tr("Connecting...")
                   : on_twin                     ? tr("Excite")
                                                 : tr("Arm to excite"));
  const auto good_of = [](std::initializer_list<const ValueField*> fields) {
    return std::ranges::all_of(fields, [](const ValueField* field) { return field->good(); });
  };
  const bool good = good_of({from_, to_, amplitude_}) &&
                    (kind().steps ? good_of({count_, settle_, periods_}) : good_of({period_, duration_}));
  excite_->setEnabled((idle && ready_ && good && blocked_.isEmpty()) || (stage_ == Stage::armed && !waits_));
  excite_->setToolTip(on_twin ? tr("Runs the excitation on the twin and records it")
                      : idle  ? tr("Opens the rig and runs the checks; nothing moves before a second press")
                              : tr("Starts the excitation"));
  stop_->setEnabled(!idle);
  why_->setText(idle                               ? blocked_
                : stage_ == Stage::armed && waits_ ? tr("Acknowledge the marked lines below first.")
                                                   : QString());
  why_->setVisible(!why_->text().isEmpty());
  showOutcome();
}

void ExcitePanel::setBlocked(const QString& why) {
  blocked_ = why;
  updateButtons();
}

void ExcitePanel::setStage(Stage stage, bool waits) {
  if (stage != stage_ && stage == Stage::idle) progress_->setValue(0);
  stage_ = stage;
  waits_ = waits;
  updateButtons();
}

void ExcitePanel::setTime(double elapsed_s, double duration_s) {
  if (duration_s > 0.0) progress_->setValue(std::clamp(static_cast<int>(1000.0 * elapsed_s / duration_s), 0, 1000));
}

void ExcitePanel::say(const QString& text, bool bad) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
  setMark(message_, bad ? "error" : "");
}

}  // namespace hyb::ui
