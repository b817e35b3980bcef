#include "ui/fidelity/study_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cstring>

#include "core/study/study.h"
#include "ui/base/scrolled.h"
#include "ui/document/field_editors.h"
#include "ui/document/schema_tools.h"
#include "ui/fidelity/random_edit.h"
#include "ui/fidelity/variation_edit.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

const Json& node(const char* key) { return studySchema().at("properties").at(key); }

const Json& jobsNode() {
  static const Json schema = {{"type", "integer"}, {"minimum", 1}, {"maximum", 256}};
  return schema;
}

QString helpOf(const char* key) { return schemaText(node(key), "description"); }

}  // namespace

StudyForm::StudyForm(QWidget* parent)
    : QWidget(parent),
      list_(new QVBoxLayout),
      title_(new QLineEdit),
      seeds_(new QLineEdit),
      set_(new QLineEdit),
      combine_(new QComboBox),
      pace_(new QComboBox),
      combine_row_(new QWidget),
      samples_(new SamplesEdit),
      samples_label_(new QLabel(tr("Samples"))),
      search_text_(new QLabel),
      search_label_(new QLabel(tr("Search"))),
      pause_(new NumberEdit(node("pause_s"), true)),
      jobs_(new NumberEdit(jobsNode(), true)),
      pause_label_(new QLabel(tr("Pause"))),
      jobs_label_(new QLabel(tr("At once"))),
      runs_(new QLabel),
      problems_(new QLabel),
      all_figures_(new QCheckBox(tr("all figures"))),
      traces_(new QCheckBox(tr("keep every channel of every run"))),
      figures_(new QWidget),
      add_(new QPushButton(tr("Add variation"))),
      back_(new QPushButton(tr("Undo removal"))) {
  title_->setPlaceholderText(tr("Title of the study"));
  seeds_->setPlaceholderText(QStringLiteral("1"));
  seeds_->setToolTip(helpOf("seeds"));
  set_->setPlaceholderText(tr("{\"/loop/duration_s\": 10}"));
  set_->setToolTip(helpOf("set"));
  combine_->addItem(tr("each with each"), "grid");
  combine_->addItem(tr("side by side"), "together");
  combine_->setToolTip(helpOf("combine"));
  pace_->addItem(tr("free run, several at once"), "free-run");
  pace_->addItem(tr("real time, one after the other"), "real-time");
  pace_->setToolTip(helpOf("pace"));
  pause_->setToolTip(helpOf("pause_s"));
  jobs_->setPlaceholderText(tr("one per core"));
  jobs_->setToolTip(tr("Runs at the same time. The number does not change the results."));
  traces_->setToolTip(helpOf("traces"));
  all_figures_->setChecked(true);
  const std::pair<QLineEdit*, const char*> names[] = {
      {title_, "study-title"}, {seeds_, "seeds"}, {set_, "set"}, {pause_, "pause_s"}, {jobs_, "jobs"}};
  for (const auto& [field, name] : names) {
    field->setObjectName(QString::fromLatin1(name));
    connect(field, &QLineEdit::textChanged, this, &StudyForm::changed);
  }
  pace_->setObjectName(QStringLiteral("pace"));
  combine_->setObjectName(QStringLiteral("combine"));
  add_->setObjectName(QStringLiteral("add-variation"));
  back_->setObjectName(QStringLiteral("take-back"));
  back_->setToolTip(tr("Restores the variation that was removed last"));

  auto* boxes = new QVBoxLayout(figures_);
  boxes->setContentsMargins(0, 0, 0, 0);
  boxes->setSpacing(2);
  for (const FigureKind& kind : figureKinds()) {
    auto* box = new QCheckBox(QString::fromLatin1(kind.name).replace(QLatin1Char('_'), QLatin1Char(' ')));
    box->setObjectName(QString::fromLatin1(kind.name));
    box->setToolTip(QString::fromLatin1(kind.description));
    box->setChecked(true);
    boxes->addWidget(box);
    figure_boxes_.push_back(box);
    connect(box, &QCheckBox::toggled, this, &StudyForm::changed);
  }
  auto* figures = new QWidget;
  auto* figures_box = new QVBoxLayout(figures);
  figures_box->setContentsMargins(0, 0, 0, 0);
  figures_box->setSpacing(2);
  figures_box->addWidget(all_figures_);
  figures_box->addWidget(figures_);
  figures_->hide();

  auto* combine_layout = new QGridLayout(combine_row_);
  combine_layout->setContentsMargins(0, 0, 0, 0);
  combine_layout->addWidget(combine_);
  auto* content = new QWidget;
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(1, 1);
  const auto row = [grid](QLabel* label, QWidget* editor) {
    const int at = grid->rowCount();
    label->setBuddy(editor);
    label->setMinimumHeight(26);
    label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    editor->setAccessibleName(label->text());
    grid->addWidget(label, at, 0, Qt::AlignTop | Qt::AlignLeft);
    grid->addWidget(editor, at, 1);
  };
  row(new QLabel(tr("Title")), title_);
  auto* vary = new QWidget;
  list_->setContentsMargins(0, 0, 0, 0);
  list_->setSpacing(6);
  auto* vary_box = new QVBoxLayout(vary);
  vary_box->setContentsMargins(0, 0, 0, 0);
  vary_box->setSpacing(6);
  vary_box->addLayout(list_);
  auto* add_line = new QHBoxLayout;
  add_line->addWidget(add_);
  add_line->addWidget(back_);
  add_line->addWidget(combine_row_);
  add_line->addStretch(1);
  vary_box->addLayout(add_line);
  grid->addWidget(vary, grid->rowCount(), 0, 1, 2);
  search_text_->setWordWrap(true);
  row(search_label_, search_text_);
  row(samples_label_, samples_);
  row(new QLabel(tr("Seeds")), seeds_);
  row(new QLabel(tr("Pace")), pace_);
  row(jobs_label_, jobs_);
  row(pause_label_, pause_);
  row(new QLabel(tr("Figures")), figures);
  row(new QLabel(tr("Traces")), traces_);
  row(new QLabel(tr("Set in all")), set_);
  auto* box = new QVBoxLayout(content);
  box->setContentsMargins(0, 0, 8, 0);
  box->addLayout(grid);
  box->addStretch(1);
  auto* scroll = scrolled(content, Qt::ScrollBarAsNeeded);  // wide numbers must not be cut off

  runs_->setFont(figureFont(1.0, true));
  runs_->setObjectName(QStringLiteral("runs"));
  problems_->setWordWrap(true);
  problems_->setObjectName(QStringLiteral("problems"));
  setMark(problems_, "error");
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(scroll, 1);
  layout->addWidget(runs_);
  layout->addWidget(problems_);

  connect(add_, &QPushButton::clicked, this, [this] {
    addVariation()->placeEdit()->chooser()->setFocus();
    Q_EMIT changed();
  });
  connect(back_, &QPushButton::clicked, this, &StudyForm::takeBack);
  connect(all_figures_, &QCheckBox::toggled, this, [this](bool on) {
    figures_->setVisible(!on);
    Q_EMIT changed();
  });
  samples_->setObjectName(QStringLiteral("samples"));
  connect(samples_, &SamplesEdit::changed, this, &StudyForm::changed);
  connect(traces_, &QCheckBox::toggled, this, &StudyForm::changed);
  connect(combine_, &QComboBox::currentIndexChanged, this, &StudyForm::changed);
  connect(pace_, &QComboBox::currentIndexChanged, this, [this] {
    updateControls();
    Q_EMIT changed();
  });
  addVariation();
  for (QWidget* widget : std::initializer_list<QWidget*>{search_text_, search_label_}) widget->hide();
  updateControls();
}

VariationEdit* StudyForm::addVariation() {
  auto* edit = new VariationEdit;
  edit->setPlaces(project_, places_);
  list_->addWidget(edit);
  variations_.push_back(edit);
  connect(edit, &VariationEdit::changed, this, [this] {
    updateControls();
    Q_EMIT changed();
  });
  connect(edit, &VariationEdit::removeRequested, this, [this, edit] { remove(edit); });
  renumber();
  return edit;
}

void StudyForm::remove(VariationEdit* edit) {
  const auto at = std::find(variations_.begin(), variations_.end(), edit);
  if (const Json entry = edit->json(); entry.size() > 1 || !entry["pointer"].empty())
    removed_.emplace_back(at - variations_.begin(), entry);
  variations_.erase(at);
  edit->setObjectName({});
  edit->hide();
  edit->deleteLater();
  renumber();
  Q_EMIT changed();
}

void StudyForm::takeBack() {
  const auto [place, entry] = removed_.back();
  removed_.pop_back();
  VariationEdit* edit = addVariation();
  const std::size_t at = std::min(place, variations_.size() - 1);
  variations_.pop_back();
  variations_.insert(variations_.begin() + static_cast<std::ptrdiff_t>(at), edit);
  list_->insertWidget(static_cast<int>(at), edit);
  edit->show(entry);
  renumber();
  Q_EMIT changed();
}

std::vector<VariationEdit*> StudyForm::filled() const {
  std::vector<VariationEdit*> given;
  for (VariationEdit* edit : variations_)
    if (const Json entry = edit->json(); entry.size() > 1 || !entry["pointer"].empty()) given.push_back(edit);
  return given;
}

void StudyForm::renumber() {
  for (std::size_t v = 0; v < variations_.size(); ++v)
    variations_[v]->setObjectName(QStringLiteral("variation-%1").arg(v));
  updateControls();
}

void StudyForm::updateControls() {
  const bool paced = pace_->currentIndex() == 1;
  for (QWidget* widget : std::initializer_list<QWidget*>{pause_, pause_label_}) widget->setVisible(paced);
  for (QWidget* widget : std::initializer_list<QWidget*>{jobs_, jobs_label_}) widget->setVisible(!paced);
  const bool random = std::ranges::any_of(variations_, &VariationEdit::isRandom);
  for (QWidget* widget : std::initializer_list<QWidget*>{samples_, samples_label_}) widget->setVisible(random);
  combine_row_->setVisible(std::ranges::count_if(variations_, [](auto* edit) { return !edit->isRandom(); }) > 1);
  back_->setVisible(!removed_.empty());
}

void StudyForm::setOnRig(bool on) {
  if (on && !on_rig_) free_pace_ = pace_->currentIndex();
  const bool changes = on != on_rig_;
  on_rig_ = on;
  if (on || changes) pace_->setCurrentIndex(on ? 1 : free_pace_);
  pace_->setEnabled(!on);
  pace_->setToolTip(on ? tr("A rig always runs in real time.") : helpOf("pace"));
}

void StudyForm::setProject(const Json& project) {
  project_ = project;
  places_ = placesOf(project_);
  for (VariationEdit* edit : variations_) edit->setPlaces(project_, places_);
}

Json StudyForm::document(const std::string& project) const {
  Json study = {{"format", "hybridbench-study"}, {"version", 1}};
  if (!title_->text().trimmed().isEmpty()) study["title"] = title_->text().trimmed().toStdString();
  study["project"] = project;
  if (!set_->text().trimmed().isEmpty()) {
    Json set = Json::parse(set_->text().toStdString(), nullptr, false);
    study["set"] = set.is_discarded() ? Json(set_->text().toStdString()) : std::move(set);
  }
  for (const VariationEdit* edit : filled()) study[edit->isRandom() ? "random" : "vary"].push_back(edit->json());
  if (study.value("vary", Json::array()).size() > 1 && combine_->currentIndex() == 1) study["combine"] = "together";
  if (search_.is_object()) study["search"] = search_;
  if (study.contains("random")) {
    study["samples"] = samples_->json();
    if (!correlations_.empty()) study["correlations"] = correlations_;
  }
  if (const std::string seeds = seeds_->text().trimmed().toStdString(); !seeds.empty()) {
    Json list = Json::parse("[" + seeds + "]", nullptr, false);
    study["seeds"] = list.is_discarded() ? Json(seeds) : list.size() == 1 ? list.front() : list;
  }
  if (!all_figures_->isChecked()) {
    study["measures"] = Json::array();
    for (const QCheckBox* box : figure_boxes_)
      if (box->isChecked()) study["measures"].push_back(box->objectName().toStdString());
  }
  if (pace_->currentIndex() == 1) {
    study["pace"] = "real-time";
    if (const auto pause = pause_->value()) study["pause_s"] = *pause;
  }
  if (traces_->isChecked()) study["traces"] = trace_list_.is_array() ? trace_list_ : Json(true);
  return study;
}

void StudyForm::show(const Json& document) {
  const QSignalBlocker quiet(this);
  title_->setText(QString::fromStdString(document.value("title", "")));
  removed_.clear();
  for (VariationEdit* edit : std::exchange(variations_, {})) {
    edit->setObjectName({});
    edit->hide();
    edit->deleteLater();
  }
  for (const char* list : {"vary", "random"})
    for (const Json& entry : document.value(list, Json::array())) addVariation()->show(entry);
  samples_->show(document.value("samples", Json()));
  correlations_ = document.value("correlations", Json::array());
  search_ = document.value("search", Json());
  const Json method = search_.is_object() ? search_.value("method", Json::object()) : Json::object();
  search_text_->setText(tr("%1 settings, %2 generations, %3; edit it in the study file")
                            .arg(search_.is_object() ? search_.value("settings", Json::array()).size() : 0)
                            .arg(method.value("generations", 30))
                            .arg(QString::fromStdString(method.value("kind", ""))));
  for (QWidget* widget : std::initializer_list<QWidget*>{search_text_, search_label_})
    widget->setVisible(search_.is_object());
  renumber();
  combine_->setCurrentIndex(document.value("combine", "grid") == std::string("together") ? 1 : 0);
  const Json seeds = document.value("seeds", Json());
  QString text = seeds.is_null() ? QString() : QString::fromStdString(seeds.dump());
  seeds_->setText(text.remove(QLatin1Char('[')).remove(QLatin1Char(']')));
  const Json measures = document.value("measures", Json());
  all_figures_->setChecked(!measures.is_array());
  figures_->setVisible(measures.is_array());
  for (QCheckBox* box : figure_boxes_)
    box->setChecked(!measures.is_array() || std::find(measures.begin(), measures.end(),
                                                      Json(box->objectName().toStdString())) != measures.end());
  free_pace_ = document.value("pace", "free-run") == std::string("real-time") ? 1 : 0;
  pace_->setCurrentIndex(on_rig_ ? 1 : free_pace_);
  const auto pause = document.find("pause_s");
  pause_->showValue(pause == document.end() ? nullptr : &*pause);
  trace_list_ = document.value("traces", Json(false));
  traces_->setChecked(trace_list_.is_array() || trace_list_ == Json(true));
  traces_->setText(trace_list_.is_array() ? tr("keep %1 channels of every run").arg(trace_list_.size())
                                          : tr("keep every channel of every run"));
  const auto set = document.find("set");
  set_->setText(set == document.end() ? QString() : QString::fromStdString(set->dump()));
  updateControls();
}

void StudyForm::setIssues(const std::vector<Issue>& issues, std::size_t runs) {
  const std::vector<VariationEdit*> given = filled();
  std::vector<QStringList> own(given.size());
  QStringList others;
  for (const Issue& issue : issues) {
    const QString text = QString::fromStdString(issue.message);
    std::size_t v = given.size();  // place of the entry among the cards
    for (const auto& [list, random] : {std::pair{"/vary/", false}, {"/random/", true}})
      if (issue.where.starts_with(list)) {
        std::size_t left = std::strtoul(issue.where.c_str() + std::strlen(list), nullptr, 10);
        for (v = 0; v < given.size() && (given[v]->isRandom() != random || left-- > 0);) ++v;
      }
    const QString sentence = text.left(1).toUpper() + text.mid(1);
    if (v < given.size())
      own[v] << sentence;
    else
      others << QStringLiteral("%1: %2").arg(QString::fromStdString(issue.where), text);
  }
  for (VariationEdit* edit : variations_) edit->setProblem({});
  for (std::size_t v = 0; v < given.size(); ++v) given[v]->setProblem(own[v].join(QLatin1Char('\n')));
  problems_->setText(others.join(QLatin1Char('\n')));
  problems_->setVisible(!others.isEmpty());
  runs_->setText(runs == 0   ? QString()
                 : runs == 1 ? tr("1 run")
                             : tr("%1 runs").arg(QLocale().toString(static_cast<qulonglong>(runs))));
  runs_->setVisible(runs > 0);
}

unsigned StudyForm::jobs() const {
  const std::optional<Json> value = jobs_->problem().isEmpty() ? jobs_->value() : std::nullopt;
  return value ? value->get<unsigned>() : 0;
}

}  // namespace hyb::ui
