#pragma once
#include <QTreeWidget>
#include <optional>

#include "core/project/project.h"

namespace hyb::ui {

/// Figures of one or two runs side by side.
class FiguresTable : public QTreeWidget {
  Q_OBJECT
 public:
  explicit FiguresTable(QWidget* parent = nullptr);
  /// Results of metrics(); empty: not available (yet).
  void show(const std::optional<Json>& a, const std::optional<Json>& b);
};

}  // namespace hyb::ui
