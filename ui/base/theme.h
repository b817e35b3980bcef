#pragma once
#include <QApplication>
#include <QColor>
#include <QPalette>

namespace hyb::ui {

/// What a colour means; the same everywhere (resources/help/reading-the-plots).
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

/// Palette (window lightness) says whether a widget is dark.
bool isDark(const QPalette& palette);
QColor colour(Role role, bool dark);
inline QColor colour(Role role, const QPalette& palette) { return colour(role, isDark(palette)); }
/// a at 0, b at 1.
QColor between(const QColor& a, const QColor& b, double share);
/// Sets palette, style and style sheet of the whole program; widgets and plots follow through QEvent::PaletteChange.
void applyTheme(QApplication& app, ThemeChoice choice);

/// While one lives, widgets are made without the style sheet of the program; the outermost puts it back. Qt polishes
/// all that is in a widget again with every parent that the widget gets: half of the time that a window takes to be
/// built. What is made meanwhile must not ask widgets how large they are.
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
