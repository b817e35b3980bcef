#pragma once
#include <QWidget>
#include <vector>

#include "core/run/preflight.h"

class QGridLayout;
class QLabel;

namespace hyb::ui {

/// The list before a test: each item with its state in a mark and a sentence.
class PreflightList : public QWidget {
  Q_OBJECT
 public:
  explicit PreflightList(QWidget* parent = nullptr);
  void show(const std::vector<PreflightItem>& items);

 private:
  struct Line {
    QLabel *mark, *text;
  };
  QGridLayout* grid_;
  std::vector<Line> lines_;
};

}  // namespace hyb::ui
