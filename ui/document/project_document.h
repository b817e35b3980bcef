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

/// The project being edited: the JSON document, its undo history, its file and what is wrong with it. Every edit is
/// undoable, and is checked in the background shortly afterwards. Pointers are JSON pointers from the document's root.
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

  /// Of the newest check; stale for a moment after an edit.
  const std::vector<Issue>& issues() const { return issues_; }
  bool checking() const { return delay_.isActive() || task_.busy(); }
  /// The structure as far as it can be built, also while other sections have errors; of the newest check. Null: not.
  const std::shared_ptr<const Model>& model() const { return model_; }
  /// Degrees of freedom at the cut, of the newest check that found a sound one.
  const std::vector<std::string>& interfaceDofs() const { return interface_dofs_; }
  /// What the signals of the actuators' axes are, likewise.
  const std::vector<AxisSignals>& axes() const { return axes_; }
  /// Columns of scheme and rig beside those of the interface, of the newest check that found the project sound.
  const std::vector<Channel>& furtherChannels() const { return further_channels_; }
  /// The project as it stands, parsed now. Throws InputError.
  Project parse() const { return parseProject(json_, folder_); }

  // Edits. One field edited several times in a row is one step of the history until endEdit().
  void set(const std::string& pointer, Json value);
  void erase(const std::string& pointer);  // a key, or an element of an array
  void insert(const std::string& array, std::size_t index, Json value);
  void replace(Json document, const QString& what);
  /// A name at ".../name", together with everything that refers to it.
  void rename(const std::string& pointer, const std::string& name);
  /// Moves a part of the structure, or a node, between the computed and the tested side.
  void togglePhysical(const std::string& name) { setPhysical({name}, !isPhysical(name)); }
  bool isPhysical(const std::string& name) const;
  /// Puts parts on the rig by name, or takes them off together with all that names single pieces of them.
  void setPhysical(const std::vector<std::string>& names, bool on_rig);
  /// Moves the line of a cut by position.
  void moveCut(double position_m);
  /// Cuts by a line from now on; axes, sensors and reduction stay.
  void cutByLine(bool along_y, double position_m);
  void endEdit() { ++edit_; }
  /// Checks without waiting for more: while something is being dragged.
  void checkNow();

  // Files; all throw InputError or DeviceError and then leave the document as it was.
  void open(const std::string& file_or_template);
  void save();
  void saveAs(const QString& file);

  /// What another program has changed in the file since it was opened or saved here, one place each with its value
  /// before and after; empty: nothing.
  QStringList changesOnDisk() const;

  static QStringList recentFiles();

 Q_SIGNALS:
  void opened();                            // another project, or the file anew; changed() and so on come after it
  void changed();                           // the JSON
  void checked();                           // issues(), model(), interfaceDofs()
  void valid(const hyb::Project& project);  // after a check without issues
  void diskChanged();                       // another program may have written the file
  void fileChanged();                       // file(), displayName(), modified()

 private:
  class Edit;
  void edit(const QString& what, const std::string& merge_key, const std::function<void(Json&)>& change);
  void assign(const Json& document);
  void check();
  void remember(const QString& file);
  void noteDisk();  // the file is as this window has it

  Json json_;
  std::filesystem::path folder_;
  QString file_, template_name_;
  QUndoStack undo_;
  std::uint64_t edit_ = 0;
  std::vector<Issue> issues_;
  std::shared_ptr<const Model> model_;
  Json model_of_;  // the section that the model was built from
  std::vector<std::string> interface_dofs_;
  std::vector<AxisSignals> axes_;
  std::vector<Channel> further_channels_;
  Json on_disk_;  // the file as this window read or wrote it last
  QFileSystemWatcher watcher_;
  QTimer delay_;
  LatestTask task_;
};

}  // namespace hyb::ui
