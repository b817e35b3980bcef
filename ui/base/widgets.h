#pragma once
#include <QComboBox>
#include <QFrame>
#include <QSplitter>

namespace hyb::ui {

/// A frame that the style sheet draws as a card: a separate part of a page.
class Panel : public QFrame {
 public:
  explicit Panel(QWidget* parent = nullptr);
};

/// A splitter with a handle that is easy to grasp; `thin` between related plots.
class Splitter : public QSplitter {
 public:
  enum class Handle { normal, thin };
  explicit Splitter(Qt::Orientation orientation, QWidget* parent = nullptr, Handle handle = Handle::normal);
};

/// A combo box as high as the title line of a plot.
class TitleCombo : public QComboBox {
 public:
  explicit TitleCombo(QWidget* parent = nullptr);
};

}  // namespace hyb::ui
