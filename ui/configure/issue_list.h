#pragma once
#include <QWidget>
#include <vector>

#include "core/base/error.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace hyb::ui {

/// Errors of the project with place, message and a link to the field.
class IssueList : public QWidget {
  Q_OBJECT
 public:
  explicit IssueList(QWidget* parent = nullptr);
  void setIssues(const std::vector<Issue>& issues);

 Q_SIGNALS:
  void goTo(const QString& pointer);

 private:
  QLabel* title_;
  QListWidget* list_;
  QPushButton* go_;
};

}  // namespace hyb::ui
