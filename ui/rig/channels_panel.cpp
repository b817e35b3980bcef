#include "ui/rig/channels_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/numbers.h"
#include "core/project/rig_legs.h"
#include "core/rig/sensed_rig.h"
#include "ui/base/confirm_button.h"
#include "ui/base/icons.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/document/schema_tools.h"
#include "ui/document/section_form.h"
#include "ui/plot/quantity_text.h"
#include "ui/rig/channel_table.h"
#include "ui/rig/rig_session.h"
#include "ui/rig/sensor_map.h"

namespace hyb::ui {
namespace {

constexpr auto kChannels = "/rig/channels";

/// Default channels of the rig of a project without channels.
Json impliedChannels(std::size_t interfaces, std::size_t sensors) {
  const Json& roles = resolved(projectSchema()["definitions"]["channel"]["properties"]["role"])["enum"];
  Json list = Json::array();
  for (const ChannelSpec& channel : rigChannels({}, interfaces, sensors))
    list.push_back(Json::object({{"name", channel.name},
                                 {"role", roles[static_cast<std::size_t>(channel.role)]},
                                 {"interface", channel.interface},
                                 {"units", channel.units}}));
  return list;
}

Json withoutTares(Json channels) {
  for (Json& channel : channels)
    if (channel.is_object()) channel.erase("tare");
  return channels;
}

}  // namespace

ChannelsPanel::ChannelsPanel(ProjectDocument* document, RigSession* session, QWidget* parent)
    : Panel(parent),
      document_(document),
      session_(session),
      table_(new ChannelTable),
      tabs_(new QTabWidget),
      form_(new SectionForm(document)),
      map_(new SensorMap),
      note_(new QLabel),
      set_up_(new QPushButton(tr("Set up channels"))),
      add_(new QPushButton(tr("Add"))),
      remove_(new QPushButton(tr("Remove"))),
      zero_(new ConfirmButton),
      readings_(new ValueField(tr("Readings averaged for the tare"), tr("readings"), 1.0, 100000.0, 1000.0)) {
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // shrinks before the buttons do
  note_->setObjectName(QStringLiteral("channels-note"));
  auto* title = new QLabel(tr("Channels"));
  title->setFont(figureFont(1.0, true));
  note_->setProperty("muted", true);
  set_up_->setObjectName(QStringLiteral("set-up-channels"));
  set_up_->setToolTip(tr("Writes the channels into the project. Then edit their names, gains and calibrations."));
  add_->setIcon(icon(QStringLiteral("plus")));
  add_->setToolTip(tr("Adds a copy of the chosen channel"));
  remove_->setToolTip(tr("Removes the chosen channels"));
  zero_->setObjectName(QStringLiteral("zero"));
  readings_->setWhole(true);
  connect(readings_, &ValueField::textChecked, this, &ChannelsPanel::updateButtons);
  auto* head = new QHBoxLayout;
  head->addWidget(title);
  head->addWidget(note_, 1);
  head->addStretch();
  for (QWidget* widget : std::initializer_list<QWidget*>{set_up_, add_, remove_, zero_, readings_})
    head->addWidget(widget);
  tabs_->setDocumentMode(true);
  tabs_->addTab(form_, tr("Chosen channel"));
  tabs_->addTab(map_, tr("Sensor map"));
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(table_);
  splitter->addWidget(tabs_);
  splitter->setSizes({230, 200});
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(12, 8, 8, 8);
  box->setSpacing(6);
  box->addLayout(head);
  box->addWidget(splitter, 1);

  connect(document, &ProjectDocument::changed, this, &ChannelsPanel::refresh);
  connect(document, &ProjectDocument::checked, this, &ChannelsPanel::refresh);
  connect(table_, &QTableWidget::itemSelectionChanged, this, &ChannelsPanel::showChosen);
  connect(session, &RigSession::updated, this, &ChannelsPanel::showLive);
  connect(session, &RigSession::updated, this, &ChannelsPanel::updateButtons);
  connect(session, &RigSession::stateChanged, this, [this] {
    if (session_->state() == RigSession::State::connecting) connected_ = withoutTares(channels());
    showLive();
    updateButtons();
  });
  connect(session, &RigSession::zeroed, this, &ChannelsPanel::takeTares);
  connect(set_up_, &QPushButton::clicked, this, &ChannelsPanel::setUp);
  connect(add_, &QPushButton::clicked, this, [this] {
    write(tr("new channel"), [this](Json& list) {
      const std::vector<std::size_t> rows = chosen();
      Json channel = rows.empty() ? initialValue(projectSchema()["definitions"]["channel"]) : list[rows.front()];
      std::set<std::string> taken;
      for (const Json& other : list) taken.insert(nameOf(other));
      int number = 1;
      while (taken.contains("channel_" + std::to_string(number))) ++number;
      channel["name"] = "channel_" + std::to_string(number);
      list.push_back(std::move(channel));
    });
    table_->selectRow(table_->rowCount() - 1);
  });
  connect(remove_, &QPushButton::clicked, this, [this] {
    const std::vector<std::size_t> rows = chosen();
    form_->clear();
    write(tr("removal of channels"), [&rows](Json& list) {
      for (auto row = rows.rbegin(); row != rows.rend(); ++row) list.erase(*row);
    });
  });
  connect(zero_, &ConfirmButton::confirmed, this, &ChannelsPanel::zero);
  refresh();
}

std::size_t ChannelsPanel::sensors() const {
  const Json* list = document_->at("/partition/sensors");
  return list && list->is_array() ? list->size() : 0;
}

Json ChannelsPanel::channels() const {
  const Json* list = document_->at(kChannels);
  if (list && list->is_array() && !list->empty()) return *list;
  return impliedChannels(document_->actuatorAxes().size(), sensors());
}

std::vector<std::size_t> ChannelsPanel::chosen() const {
  std::set<std::size_t> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows())
    rows.insert(static_cast<std::size_t>(index.row()));
  return {rows.begin(), rows.end()};
}

void ChannelsPanel::write(const QString& what, const std::function<void(Json& channels)>& change) {
  Json document = document_->json();
  Json list = channels();
  change(list);
  document["rig"]["channels"] = std::move(list);
  document_->endEdit();
  document_->replace(std::move(document), what);
  document_->endEdit();
}

void ChannelsPanel::setUp() {
  write(tr("set-up of channels"), [](Json&) {});
  showChosen();
}

void ChannelsPanel::refresh() {
  const Json list = channels();
  const std::vector<AxisSignals> signals = document_->actuatorAxes();
  QStringList axes, units;
  for (const AxisSignals& one : signals) axes << QString::fromStdString(one.name);
  if (const Json* sensors = document_->at("/partition/sensors"); sensors && sensors->is_array())
    for (const Json& sensor : *sensors) {
      const auto says = [&](const char* key, const char* word) {
        return sensor.is_object() && sensor.value(key, Json()) == word;
      };
      const std::string_view unit =
          facts(kindOf(says("motion", "rotation") ? Motion::rotation : Motion::translation)).unit;
      units << QString::fromStdString(motionUnit(unit, says("reads", "acceleration")));
    }
  table_->setChannels(list, signals, units);
  map_->setChannels(axes, list, sensors());
  const bool implied = document_->at(kChannels) == nullptr;
  set_up_->setVisible(implied);
  add_->setVisible(!implied);
  remove_->setVisible(!implied);
  showChosen();
  showLive();
}

void ChannelsPanel::showChosen() {
  const std::vector<std::size_t> rows = chosen();
  const bool implied = document_->at(kChannels) == nullptr;
  if (implied)
    form_->clear(
        tr("The project defines no channels, so the rig has these, in SI units without scaling. Press \"Set up "
           "channels\" to write them into the project and edit names, gains and calibrations."));
  else if (rows.empty())
    form_->clear(tr("Choose a channel above to edit it."));
  else
    form_->showSection(kChannels + ("/" + std::to_string(rows.front())));
  form_->setReadOnly(read_only_);
  updateButtons();
}

void ChannelsPanel::updateButtons() {
  const bool some = !chosen().empty();
  set_up_->setEnabled(!read_only_ && !document_->interfaceDofs().empty());
  add_->setEnabled(!read_only_);
  remove_->setEnabled(!read_only_ && some);
  // A tare is measured with the calibration that was in force at Connect.
  const bool changed = recalibrated(), watching = session_->view().activity == SetupActivity::watching;
  const bool connected = session_->state() == RigSession::State::connected;
  if (!zero_->asking()) zero_->setTexts(tr("Zero"), zeroQuestion());
  readings_->setEnabled(!read_only_ && some && connected && watching && !changed);
  zero_->setEnabled(readings_->isEnabled() && readings_->good());
  const QString again = tr("The calibration changed. Connect again before zeroing.");
  zero_->setToolTip(changed ? again
                    : connected && !watching
                        ? tr("Zeroing needs a rig at rest and without another action.")
                        : tr("Makes the present readings of the chosen displacements and forces zero. The command of "
                             "an axis shifts with its displacement, so that the actuator does not move."));
  const RigSession::Stale stale = session_->stale();
  const QString age = tr("Values are %1 s old.").arg(session_->age_s(), 0, 'f', 1);
  note_->setText(stale == RigSession::Stale::stopped  ? tr("The rig has stopped. %1").arg(age)
                 : stale == RigSession::Stale::silent ? tr("The rig sends no new values. %1").arg(age)
                 : changed                            ? again
                                                      : QString());
  note_->setToolTip(stale == RigSession::Stale::stopped ? tr("%1 Disconnect, then connect again.").arg(note_->text())
                                                        : note_->text());
  setMark(note_, note_->text().isEmpty() ? "" : "warning");
}

void ChannelsPanel::setReadOnly(bool read_only) {
  read_only_ = read_only;
  form_->setReadOnly(read_only);
  updateButtons();
}

void ChannelsPanel::setProject(const Project& project) {
  meanings_ = projectChannels(project, document_->interfaceDofs().size());
  rests_.clear();
  if (project.rig.geometry)  // a leg carries the weight of the platform: its force is always asked about
    rests_.assign(project.rig.geometry->legs.size(), {project.analysis.gap_tolerance.motion, 0.0});
  else
    for (std::size_t i = 0; i < project.axes.size(); ++i) rests_.push_back(restOf(project, i));
  showLive();
}

void ChannelsPanel::showLive() {
  constexpr double kUnknown = kNoValue;
  const SetupView& view = session_->view();
  const std::vector<ChannelSpec>& connected = session_->channels();
  const Json list = channels();
  for (int row = 0; row < table_->rowCount(); ++row) {
    // Matches by name: the list may have been edited since Connect.
    const std::string name = nameOf(list[static_cast<std::size_t>(row)]);
    double raw = kUnknown, scaled = kUnknown;
    for (std::size_t c = 0; c < std::min(connected.size(), view.raw.size()); ++c)
      if (connected[c].name == name && session_->state() == RigSession::State::connected) {
        raw = view.raw[c];
        scaled = view.scaled[c];
      }
    for (const ChannelSpec& meaning : meanings_) {
      if (meaning.name != name) continue;
      if (!isOutput(meaning.role)) scaled = scaledValue(meaning, raw);
      // The command sent used the tare at Connect; the table shows it with the present tare.
      for (const ChannelSpec& before : connected)
        if (isOutput(meaning.role) && before.name == name) scaled += before.tare - meaning.tare;
    }
    table_->showLive(row, raw, scaled);
  }
  table_->setStale(session_->stale() != RigSession::Stale::no);
}

/// Zeroing defines the present state as rest. The question names values that are far from zero. Empty: there are none.
QString ChannelsPanel::zeroQuestion() const {
  const Json list = channels();
  QStringList away;
  for (int row = 0; row < table_->rowCount(); ++row) {
    const std::string name = nameOf(list[static_cast<std::size_t>(row)]);
    for (const ChannelSpec& meaning : meanings_) {
      const auto axis = static_cast<std::size_t>(meaning.interface);
      if (meaning.name != name || axis < 1 || axis > rests_.size()) continue;
      const bool motion = meaning.role == ChannelRole::displacement, force = meaning.role == ChannelRole::force;
      const double rest = motion ? rests_[axis - 1].motion : rests_[axis - 1].force;
      if ((motion || force) && std::abs(table_->scaled(row)) > rest)
        away << QStringLiteral("%1 %2").arg(QString::fromStdString(name), table_->scaledText(row));
    }
  }
  constexpr qsizetype kMost = 3;
  const qsizetype more = away.size() - kMost;
  if (more > 0) away = away.mid(0, kMost) << tr("%1 more").arg(more);
  return away.isEmpty() ? QString() : tr("Far from zero: %1. Zero here?").arg(away.join(QStringLiteral(", ")));
}

void ChannelsPanel::zero() {
  const Json list = channels();
  std::vector<std::size_t> wanted;
  for (const std::size_t row : chosen())
    for (std::size_t c = 0; c < session_->channels().size(); ++c) {
      const ChannelSpec& channel = session_->channels()[c];
      const bool sensor = channel.role == ChannelRole::displacement || channel.role == ChannelRole::force;
      if (sensor && channel.name == nameOf(list[row])) wanted.push_back(c);
    }
  session_->zero(wanted, static_cast<std::size_t>(readings_->value()));
}

bool ChannelsPanel::recalibrated() const { return session_->active() && withoutTares(channels()) != connected_; }

void ChannelsPanel::takeTares(const ZeroResult& result) {
  if (recalibrated()) return updateButtons();  // calibration changed while averaging: the note says what to do
  const std::vector<double> tares = taresAfter(result, session_->channels(), session_->sensors());
  const auto touched = [&](std::size_t c) {
    return tares[c] != session_->channels()[c].tare ||
           std::find(result.channels.begin(), result.channels.end(), c) != result.channels.end();
  };
  write(tr("zeroing"), [&](Json& list) {
    for (Json& channel : list)
      for (std::size_t c = 0; c < tares.size(); ++c)
        if (session_->channels()[c].name == nameOf(channel) && touched(c)) channel["tare"] = tares[c];
  });
}

void ChannelsPanel::focusField(const std::string& pointer) {
  tabs_->setCurrentWidget(form_);
  const std::string rest = pointer.substr(std::min(pointer.size(), std::string(kChannels).size() + 1));
  const int row = QString::fromStdString(rest.substr(0, rest.find('/'))).toInt();
  if (row < table_->rowCount()) table_->selectRow(row);
  form_->focusField(pointer);
}

void ChannelsPanel::showFindings(const std::vector<WiringFinding>& findings) {
  map_->setFindings(findings);
  tabs_->setCurrentWidget(map_);
}

}  // namespace hyb::ui
