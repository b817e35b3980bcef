#pragma once
#include <QApplication>
#include <QColor>
#include <QPalette>

namespace hyb::ui {

/// Meaning of a colour, equal everywhere (resources/help/reading-the-plots).
enum class Role {
  window,
  panel,
  text,
  mutedText,
  border,
  accent,  // surfaces
  target,
  measured,
  command,
  force,
  gap,
  excitation,  // curves
  toleranceBand,
  toleranceEdge,
  limit,
  grid,
  zeroLine,  // plot furniture
  numerical,
  physical,
  interface,  // schematic: NS, PS, cut
  stateDisconnected,
  stateReady,
  stateSetUp,
  stateArmed,
  stateRunning,
  stateHolding,
  stateStopping,
  stateFault,
  error,
  warning,
  ok,
};

enum class ThemeChoice { followSystem, light, dark };
/// "light", "dark"; anything else follows the system.
ThemeChoice themeChoice(const QString& name);

/// True if the palette (window lightness) is dark.
bool isDark(const QPalette& palette);
QColor colour(Role role, bool dark);
inline QColor colour(Role role, const QPalette& palette) { return colour(role, isDark(palette)); }
/// a at 0, b at 1.
QColor between(const QColor& a, const QColor& b, double share);
/// Sets palette, style and style sheet of the whole program; widgets and plots follow through QEvent::PaletteChange.
void applyTheme(QApplication& app, ThemeChoice choice);

/// During its lifetime, widgets are created without the style sheet; the outermost object restores it. Qt polishes a
/// widget and its children again with every new parent, which takes half of the time to build a window. Code that runs
/// meanwhile must not read sizes of widgets.
class StyledAtTheEnd {
 public:
  StyledAtTheEnd();
  ~StyledAtTheEnd();
  StyledAtTheEnd(const StyledAtTheEnd&) = delete;
  StyledAtTheEnd& operator=(const StyledAtTheEnd&) = delete;

 private:
  QString sheet_;
};

}  // namespace hyb::ui
