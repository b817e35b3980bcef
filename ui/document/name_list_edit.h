#pragma once
#include <QStringList>
#include <QWidget>
#include <functional>

class QCheckBox;
class QGridLayout;
class QLineEdit;
class QPushButton;

namespace hyb::ui {

/// A list of names from given choices. Few choices are check boxes; with many, the list shows chosen names and a field
/// to add more. Names outside the choices (ranges such as "column/3-8") are listed below and can be removed.
class NameListEdit : public QWidget {
  Q_OBJECT
 public:
  /// `pointer`: object names are "<pointer>#<name>".
  explicit NameListEdit(const QString& pointer, QWidget* parent = nullptr);
  /// `note` gives the meaning of a name.
  void show(const QStringList& names, const QStringList& choices, const std::function<QString(const QString&)>& note);

 Q_SIGNALS:
  void toggled(const QString& name, bool on);

 private:
  void rebuild(const QStringList& extra);
  void addTyped();

  QString pointer_;
  QStringList choices_, shown_extra_;
  bool built_ = false;
  QGridLayout *boxes_layout_, *extra_layout_;
  QList<QCheckBox*> boxes_;
  QLineEdit* typed_;
  QPushButton* add_;
};

}  // namespace hyb::ui
