#pragma once
#include <QComboBox>
#include <QFrame>
#include <QSplitter>
#include <QTabWidget>

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

/// Tabs whose pages use the height that is available. QTabWidget asks for the preferred height of a page with wrapped
/// text, so that a message on one page would push the other controls out of the screen.
class PageTabs : public QTabWidget {
 public:
  using QTabWidget::QTabWidget;
  bool hasHeightForWidth() const override { return false; }
};

/// A combo box as high as the title line of a plot.
class TitleCombo : public QComboBox {
 public:
  explicit TitleCombo(QWidget* parent = nullptr);
};

}  // namespace hyb::ui
