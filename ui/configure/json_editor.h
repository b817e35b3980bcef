#pragma once
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace hyb::ui {

class ProjectDocument;

/// The project as text. Nothing changes until Apply; invalid JSON is reported with line and column.
class JsonEditor : public QWidget {
  Q_OBJECT
 public:
  explicit JsonEditor(ProjectDocument* document, QWidget* parent = nullptr);
  void setReadOnly(bool read_only);
  bool pending() const;  // edits that are not applied
  void apply();
  void revert();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  void updateState();

  ProjectDocument* document_;
  QPlainTextEdit* text_;
  QLabel* message_;
  QPushButton *apply_, *revert_;
  bool read_only_ = false;
};

}  // namespace hyb::ui
