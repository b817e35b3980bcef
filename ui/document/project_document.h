#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <QUndoStack>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "ui/base/latest_task.h"

namespace hyb::ui {

/// The project being edited: JSON document, undo history, file and errors. Every edit can be undone, and is checked in
/// the background shortly afterwards. Pointers are JSON pointers from the document's root.
class ProjectDocument : public QObject {
  Q_OBJECT
 public:
  explicit ProjectDocument(QObject* parent = nullptr);
  ~ProjectDocument() override;

  const Json& json() const { return json_; }
  /// Value at the pointer, or null.
  const Json* at(const std::string& pointer) const;
  const std::filesystem::path& folder() const { return folder_; }
  QString file() const { return file_; }  // empty: never saved
  QString displayName() const;            // file name, or "three-mass (new)"
  bool modified() const { return !undo_.isClean(); }
  QUndoStack* undoStack() { return &undo_; }

  /// Errors of the newest check; out of date for a moment after an edit.
  const std::vector<Issue>& issues() const { return issues_; }
  bool checking() const { return delay_.isActive() || task_.busy(); }
  /// The structure of the newest check, also while other sections have errors. Null: it cannot be built.
  const std::shared_ptr<const Model>& model() const { return model_; }
  /// Degrees of freedom at the cut, from the newest check with a valid cut.
  const std::vector<std::string>& interfaceDofs() const { return interface_dofs_; }
  /// Signal kinds of the actuators' axes, likewise.
  const std::vector<AxisSignals>& axes() const { return axes_; }
  /// Signals of what the channels of the rig count: legs of a geometry, else axes().
  std::vector<AxisSignals> actuatorAxes() const;
  /// Columns of scheme and rig beside those of the interface, from the newest check without errors.
  const std::vector<Channel>& furtherChannels() const { return further_channels_; }
  /// Parses the present document. Throws InputError.
  Project parse() const { return parseProject(json_, folder_); }

  // Edits. Successive edits of one field are one undo step until endEdit().
  void set(const std::string& pointer, Json value);
  void erase(const std::string& pointer);  // a key, or an element of an array
  void insert(const std::string& array, std::size_t index, Json value);
  void replace(Json document, const QString& what);
  /// Renames the name at ".../name" and all references to it.
  void rename(const std::string& pointer, const std::string& name);
  /// Moves a part of the structure, or a node, between the computed and the tested side.
  void togglePhysical(const std::string& name) { setPhysical({name}, !isPhysical(name)); }
  bool isPhysical(const std::string& name) const;
  /// Puts parts on the rig by name, or removes them together with all entries for single elements of them.
  void setPhysical(const std::vector<std::string>& names, bool on_rig);
  /// Moves the line of a cut by position.
  void moveCut(double position_m);
  /// Changes to a cut by position; axes, sensors and reduction stay.
  void cutByLine(bool along_y, double position_m);
  void endEdit() { ++edit_; }
  /// Checks without delay, for use during a drag.
  void checkNow();

  // Files; all throw InputError or DeviceError and then leave the document as it was.
  void open(const std::string& file_or_template);
  void save();
  void saveAs(const QString& file);

  /// Changes in the file by another program since it was opened or saved here: place with value before and after.
  /// Empty: no changes.
  QStringList changesOnDisk() const;

  static QStringList recentFiles();

 Q_SIGNALS:
  void opened();                            // another project, or the file reloaded; changed() and others follow
  void changed();                           // the JSON
  void checked();                           // issues(), model(), interfaceDofs()
  void valid(const hyb::Project& project);  // after a check without errors
  void diskChanged();                       // another program may have written the file
  void fileChanged();                       // file(), displayName(), modified()

 private:
  class Edit;
  void edit(const QString& what, const std::string& merge_key, const std::function<void(Json&)>& change);
  void assign(const Json& document);
  void check();
  void remember(const QString& file);
  void noteDisk();  // records that file and window agree

  Json json_;
  std::filesystem::path folder_;
  QString file_, template_name_;
  QUndoStack undo_;
  std::uint64_t edit_ = 0;
  std::vector<Issue> issues_;
  std::shared_ptr<const Model> model_;
  Json model_of_;  // section from which the model was built
  std::vector<std::string> interface_dofs_;
  std::vector<AxisSignals> axes_;
  std::vector<Channel> further_channels_;
  Json on_disk_;  // the file as this window read or wrote it last
  QFileSystemWatcher watcher_;
  QTimer delay_;
  LatestTask task_;
};

}  // namespace hyb::ui
