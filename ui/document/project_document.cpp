#include "ui/document/project_document.h"

#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QUndoCommand>
#include <algorithm>
#include <set>

#include "core/project/further_channels.h"
#include "core/project/reading.h"
#include "core/project/schema.h"
#include "core/structure/interface_map.h"
#include "ui/document/references.h"
#include "ui/document/schema_tools.h"

namespace hyb::ui {
namespace {

constexpr int kCheckDelayMs = 150;
/// Parses JSON; the result is discarded if invalid.
Json jsonOf(const QString& name) {
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray bytes = file.readAll();
  return Json::parse(bytes.begin(), bytes.end(), nullptr, false);
}

constexpr int kRecentFiles = 8;
const auto kRecentKey = QStringLiteral("recent_files");

}  // namespace

// Undo stores whole documents: a project is a few kilobytes, and any edit can be undone without knowing its kind.
class ProjectDocument::Edit : public QUndoCommand {
 public:
  Edit(ProjectDocument* document, const QString& what, std::string merge_key, Json after)
      : QUndoCommand(what),
        document_(document),
        merge_key_(std::move(merge_key)),
        edit_(document->edit_),
        before_(document->json_),
        after_(std::move(after)) {}
  void undo() override { document_->assign(before_); }
  void redo() override { document_->assign(after_); }
  int id() const override { return 1; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const Edit*>(other);
    if (merge_key_.empty() || next->merge_key_ != merge_key_ || next->edit_ != edit_) return false;
    after_ = next->after_;
    setObsolete(after_ == before_);
    return true;
  }

 private:
  ProjectDocument* document_;
  std::string merge_key_;
  std::uint64_t edit_;
  Json before_, after_;
};

ProjectDocument::ProjectDocument(QObject* parent) : QObject(parent) {
  delay_.setSingleShot(true);
  delay_.setInterval(kCheckDelayMs);
  connect(&delay_, &QTimer::timeout, this, &ProjectDocument::check);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, [this](const QString& file) {
    if (QFileInfo::exists(file)) watcher_.addPath(file);  // the watcher drops a replaced file
    Q_EMIT diskChanged();
  });
  connect(&undo_, &QUndoStack::cleanChanged, this, &ProjectDocument::fileChanged);
}

ProjectDocument::~ProjectDocument() { undo_.disconnect(this); }  // its destruction emits signals

const Json* ProjectDocument::at(const std::string& pointer) const {
  const Json::json_pointer place(pointer);
  return json_.contains(place) ? &json_.at(place) : nullptr;
}

QString ProjectDocument::displayName() const {
  return file_.isEmpty() ? tr("%1 (not saved)").arg(template_name_) : QFileInfo(file_).fileName();
}

void ProjectDocument::edit(const QString& what, const std::string& merge_key,
                           const std::function<void(Json&)>& change) {
  Json after = json_;
  try {
    change(after);
  } catch (const Json::exception&) {
    return;  // the document does not fit this edit; the list of errors gives the reason
  }
  if (after != json_) undo_.push(new Edit(this, what, merge_key, std::move(after)));
}

void ProjectDocument::set(const std::string& pointer, Json value) {
  edit(tr("edit of %1").arg(QString::fromStdString(pointer)), pointer,
       [&](Json& document) { document[Json::json_pointer(pointer)] = std::move(value); });
}

void ProjectDocument::erase(const std::string& pointer) {
  if (!at(pointer)) return;
  const Json::json_pointer place(pointer);
  Json& parent_now = json_[place.parent_pointer()];
  // Clearing a field is part of typing in it; removing a row is a separate undo step.
  edit(tr("removal of %1").arg(QString::fromStdString(pointer)), parent_now.is_array() ? std::string() : pointer,
       [&](Json& document) {
         Json& parent = document[place.parent_pointer()];
         if (parent.is_array())
           parent.erase(static_cast<std::size_t>(std::stoul(place.back())));
         else
           parent.erase(place.back());
       });
}

void ProjectDocument::insert(const std::string& array, std::size_t index, Json value) {
  edit(tr("addition to %1").arg(QString::fromStdString(array)), {}, [&](Json& document) {
    Json& target = document[Json::json_pointer(array)];
    if (!target.is_array()) target = Json::array();
    target.insert(target.begin() + static_cast<std::ptrdiff_t>(std::min(index, target.size())), std::move(value));
  });
}

void ProjectDocument::replace(Json document, const QString& what) {
  edit(what, {}, [&](Json& whole) { whole = std::move(document); });
}

void ProjectDocument::rename(const std::string& pointer, const std::string& name) {
  const Json* now = at(pointer);
  if (!now || !now->is_string() || *now == name) return;
  const std::string old = *now;
  // A duplicate name would merge the references of both entries for good.
  bool taken = old.empty();
  const Json::json_pointer list = Json::json_pointer(pointer).parent_pointer().parent_pointer();
  for (const Json& neighbour : json_.at(list)) taken = taken || nameOf(neighbour) == name;
  edit(tr("renaming of %1").arg(QString::fromStdString(old)), {}, [&](Json& document) {
    document[Json::json_pointer(pointer)] = name;
    if (!taken) followRenaming(document, list.empty() ? std::string() : list.back(), old, name);
  });
}

std::vector<AxisSignals> ProjectDocument::actuatorAxes() const {
  const Json* legs = at("/rig/geometry/legs");
  if (legs == nullptr || !legs->is_array()) return axes_;
  std::vector<AxisSignals> all;
  for (const Json& leg : *legs) all.push_back(motionSignals(nameOf(leg), SignalKind::displacement));
  return all;
}

bool ProjectDocument::isPhysical(const std::string& name) const {
  const Json* physical = at("/partition/physical");
  return physical && std::find(physical->begin(), physical->end(), Json(name)) != physical->end();
}

void ProjectDocument::setPhysical(const std::vector<std::string>& names, bool on_rig) {
  const Json* now = at("/partition/physical");
  Json physical = Json::array();
  const auto named = [&](const Json& entry) {
    return entry.is_string() && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
             const auto& text = entry.get_ref<const std::string&>();
             return text == name || text.starts_with(name + "/");
           });
  };
  if (now && now->is_array())
    for (const Json& entry : *now)
      if (!named(entry)) physical.push_back(entry);
  if (on_rig)
    for (const std::string& name : names) physical.push_back(name);
  endEdit();
  set("/partition/physical", std::move(physical));
  endEdit();
}

void ProjectDocument::moveCut(double position_m) {
  // Rounds sums of lengths, which end in meaningless digits.
  set("/partition/position_m", Json(QString::number(position_m, 'g', 12).toDouble()));
}

void ProjectDocument::cutByLine(bool along_y, double position_m) {
  Json partition = Json::object(
      {{"by", "position"}, {"axis", along_y ? "y" : "x"}, {"position_m", position_m}, {"physical_side", "beyond"}});
  for (const char* key : {"actuators", "sensors", "reduction"})
    if (const Json* kept = at(std::string("/partition/") + key)) partition[key] = *kept;
  endEdit();
  set("/partition", std::move(partition));
  endEdit();
}

void ProjectDocument::assign(const Json& document) {
  json_ = document;
  delay_.start();
  Q_EMIT changed();
}

void ProjectDocument::checkNow() {
  delay_.stop();
  check();
}

void ProjectDocument::check() {
  struct Outcome {
    std::vector<Issue> issues;
    std::optional<Project> project;
    std::shared_ptr<const Model> model;
    Json model_of;
    std::vector<std::string> interface_dofs;
    std::vector<AxisSignals> axes;
    std::optional<std::vector<Channel>> further_channels;
  };
  task_.submit([this, document = json_, folder = folder_, model = model_, model_of = model_of_,
                interface_dofs = interface_dofs_, axes = axes_]() mutable -> LatestTask::Deliver {
    auto outcome = std::make_shared<Outcome>();
    outcome->interface_dofs = std::move(interface_dofs);
    outcome->axes = std::move(axes);
    try {
      outcome->issues = validate(document, folder);
      if (outcome->issues.empty()) outcome->project = parseProject(document, folder);
    } catch (const InputError& error) {
      outcome->issues = error.issues();
    } catch (const std::exception& error) {
      outcome->issues = {{"", error.what()}};
    }
    try {
      // Matrix files may change under the same name, so only structures inside the document are cached.
      const Json& section = document.at("structure");
      const bool same = model && section == model_of && !model->matrices;
      outcome->model = same ? model
                            : std::make_shared<const Model>(
                                  buildModel(parseStructure(sectionWithDefaults(document, "structure"), folder)));
      outcome->model_of = section;
      const PartitionSpec spec = parsePartition(sectionWithDefaults(document, "partition"));
      const Partition partition = cut(*outcome->model, spec);
      outcome->interface_dofs = names(partition.interface);
      const Partition driven = inActuatorAxes(partition, spec.actuators);
      outcome->axes = outcome->project ? outcome->project->coupling->axisSignals(driven.interface)
                                       : motionSignals(driven.interface);
      if (outcome->project) outcome->further_channels = hyb::furtherChannels(*outcome->project, driven);
    } catch (const std::exception&) {
      // The list of errors gives the reason.
    }
    return [this, outcome] {
      issues_ = outcome->issues;
      model_ = outcome->model;
      model_of_ = std::move(outcome->model_of);
      interface_dofs_ = std::move(outcome->interface_dofs);
      axes_ = std::move(outcome->axes);
      if (outcome->further_channels) further_channels_ = std::move(*outcome->further_channels);
      Q_EMIT checked();
      if (outcome->project) Q_EMIT valid(*outcome->project);
    };
  });
}

void ProjectDocument::open(const std::string& file_or_template) {
  std::filesystem::path folder;
  Json document = loadDocument(file_or_template, &folder);
  const QString name = QString::fromStdString(file_or_template);
  const bool is_file = QFileInfo::exists(name);
  undo_.clear();
  folder_ = std::move(folder);
  file_ = is_file ? QFileInfo(name).absoluteFilePath() : QString();
  template_name_ = is_file ? QString() : name;
  if (is_file) remember(file_);
  noteDisk();
  issues_.clear();
  task_.cancel();
  json_ = std::move(document);
  Q_EMIT opened();
  Q_EMIT fileChanged();
  Q_EMIT changed();
  delay_.stop();
  check();  // no typing, so no delay
}

void ProjectDocument::save() {
  saveDocument(json_, file_.toStdString());
  noteDisk();
  undo_.setClean();
}

void ProjectDocument::saveAs(const QString& file) {
  saveDocument(json_, file.toStdString());
  file_ = QFileInfo(file).absoluteFilePath();
  folder_ = QFileInfo(file_).absolutePath().toStdString();
  remember(file_);
  noteDisk();
  undo_.setClean();
  delay_.start();  // the base of relative paths has changed
  Q_EMIT fileChanged();
}

void ProjectDocument::noteDisk() {
  if (!watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  on_disk_ = file_.isEmpty() ? Json() : jsonOf(file_);
  if (!file_.isEmpty()) watcher_.addPath(file_);
}

QStringList ProjectDocument::changesOnDisk() const {
  if (file_.isEmpty() || !QFileInfo::exists(file_)) return {};  // a deleted file is written again
  const Json now = jsonOf(file_);
  if (now == on_disk_) return {};
  if (now.is_discarded()) return {tr("it cannot be read as JSON")};
  if (!now.is_structured() || !on_disk_.is_structured()) return {tr("the whole file")};
  const Json before = on_disk_.flatten(), after = now.flatten();
  const auto text = [](const Json& flat, const std::string& place) {
    return flat.contains(place) ? QString::fromStdString(flat.at(place).dump()) : tr("nothing");
  };
  std::set<std::string> places;
  for (const Json* flat : {&before, &after})
    for (const auto& [place, value] : flat->items()) places.insert(place);
  QStringList changes;
  for (const std::string& place : places)
    if (text(before, place) != text(after, place))
      changes << tr("%1 from %2 to %3").arg(QString::fromStdString(place), text(before, place), text(after, place));
  return changes;
}

QStringList ProjectDocument::recentFiles() {
  QStringList files = QSettings().value(kRecentKey).toStringList();
  files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  return files;
}

void ProjectDocument::remember(const QString& file) {
  QStringList files = recentFiles();
  files.removeAll(file);
  files.prepend(file);
  QSettings().setValue(kRecentKey, QStringList(files.mid(0, kRecentFiles)));
}

}  // namespace hyb::ui
