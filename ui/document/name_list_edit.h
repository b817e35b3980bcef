#pragma once
#include <QStringList>
#include <QWidget>
#include <functional>

class QCheckBox;
class QGridLayout;
class QLineEdit;
class QPushButton;

namespace hyb::ui {

/// A list of names out of those there are: check boxes while they are few, else the chosen ones with a field to add
/// more. Names that are not among the choices (ranges as "column/3-8") stand below and can be taken off.
class NameListEdit : public QWidget {
  Q_OBJECT
 public:
  /// `pointer`: object names are "<pointer>#<name>".
  explicit NameListEdit(const QString& pointer, QWidget* parent = nullptr);
  /// `note` says what a name stands for.
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
