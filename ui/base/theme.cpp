#include "ui/base/theme.h"

#include <QStyle>
#include <QStyleFactory>
#include <array>
#include <cmath>

// Icons and help live in a static library: the linker keeps them only where they are asked for. Global by Qt's rule.
static void keepResources() { Q_INIT_RESOURCE(ui); }

namespace hyb::ui {
namespace {

struct Pair {
  QRgb light, dark;
};

// Okabe-Ito hues distinguish curves; every line colour has a contrast of at least 3:1 to its background.
constexpr Pair pairOf(Role role) {
  switch (role) {
    case Role::window:
      return {0xFFF7F8FA, 0xFF16181D};
    case Role::panel:
      return {0xFFFFFFFF, 0xFF1E2127};
    case Role::text:
      return {0xFF1F2328, 0xFFE6E8EB};
    case Role::mutedText:
      return {0xFF5B6470, 0xFF9AA1AB};
    case Role::border:
      return {0xFFD0D5DB, 0xFF3A3F48};
    case Role::accent:
    case Role::target:
      return {0xFF0072B2, 0xFF56B4E9};
    case Role::measured:
      return {0xFFD55E00, 0xFFE69F00};
    case Role::command:
      return {0xFF009E73, 0xFF009E73};
    case Role::force:
      return {0xFFA94F85, 0xFFCC79A7};
    case Role::gap:
      return {0xFF000000, 0xFFF2F3F5};
    case Role::excitation:
      return {0xFF6B7280, 0xFF8A9099};
    case Role::toleranceBand:
      return {0xFFE3F1FB, 0xFF1D2A36};
    case Role::toleranceEdge:
      return {0xFF5A93B8, 0xFF4F7C99};
    case Role::limit:
      return {0xFFD55E00, 0xFFE69F00};
    case Role::grid:
      return {0xFFE3E5E8, 0xFF2E323A};
    case Role::zeroLine:
      return {0xFFA9AFB7, 0xFF5A616C};
    case Role::numerical:
      return {0xFF0072B2, 0xFF56B4E9};
    case Role::physical:
      return {0xFFD55E00, 0xFFE69F00};
    case Role::interface:
      return {0xFFA94F85, 0xFFCC79A7};
    case Role::stateDisconnected:
      return {0xFF8A9099, 0xFF8A9099};
    case Role::stateReady:
      return {0xFF6B7280, 0xFF9AA1AB};
    case Role::stateSetUp:
      return {0xFF7B4FB5, 0xFFB694E8};
    case Role::stateArmed:
      return {0xFF0072B2, 0xFF56B4E9};
    case Role::stateRunning:
      return {0xFF00805D, 0xFF1DBA8B};
    case Role::stateHolding:
    case Role::stateStopping:
      return {0xFFA86400, 0xFFE69F00};
    case Role::stateFault:
      return {0xFFC4262E, 0xFFFF6B63};
    case Role::error:
      return {0xFFC4262E, 0xFFFF7B72};
    case Role::warning:
      return {0xFF9A6000, 0xFFE3A83B};
    case Role::ok:
      return {0xFF00805D, 0xFF1DBA8B};
  }
  return {0xFF000000, 0xFFFFFFFF};
}

QPalette makePalette(bool dark) {
  const auto c = [dark](Role role) { return colour(role, dark); };
  QPalette palette;
  palette.setColor(QPalette::Window, c(Role::window));
  palette.setColor(QPalette::WindowText, c(Role::text));
  palette.setColor(QPalette::Base, c(Role::panel));
  palette.setColor(QPalette::AlternateBase, c(Role::window));
  palette.setColor(QPalette::Text, c(Role::text));
  palette.setColor(QPalette::PlaceholderText, c(Role::mutedText));
  palette.setColor(QPalette::Button, dark ? QColor(0x2A2E36) : QColor(0xFFFFFF));
  palette.setColor(QPalette::ButtonText, c(Role::text));
  palette.setColor(QPalette::BrightText, c(Role::error));
  palette.setColor(QPalette::ToolTipBase, dark ? QColor(0x2A2E36) : QColor(0x1F2328));
  palette.setColor(QPalette::ToolTipText, QColor(0xF2F3F5));
  palette.setColor(QPalette::Highlight, dark ? QColor(0x1F5F8B) : QColor(0x0072B2));
  palette.setColor(QPalette::HighlightedText, QColor(0xFFFFFF));
  palette.setColor(QPalette::Link, c(Role::accent));
  palette.setColor(QPalette::LinkVisited, c(Role::force));
  palette.setColor(QPalette::Light, dark ? QColor(0x3A3F48) : QColor(0xFFFFFF));
  palette.setColor(QPalette::Midlight, dark ? QColor(0x32363F) : QColor(0xEEF0F3));
  palette.setColor(QPalette::Mid, c(Role::border));
  palette.setColor(QPalette::Dark, dark ? QColor(0x0F1114) : QColor(0xA9AFB7));
  palette.setColor(QPalette::Shadow, QColor(dark ? 0x000000 : 0x8A9099));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, dark ? QColor(0x6C737E) : QColor(0x8C939D));
  palette.setColor(QPalette::Disabled, QPalette::Base, c(Role::window));
  palette.setColor(QPalette::Disabled, QPalette::Highlight, c(Role::border));
  return palette;
}

// Only what the Fusion style does not provide: 28 px fields, flat borders, panels and lists. {name} = colour.
constexpr auto kStyleSheet = R"(
QToolTip { color: #F2F3F5; background: {tip}; border: 1px solid {border}; padding: 4px 8px; }
QLineEdit, QComboBox { min-height: 26px; max-height: 26px; border: 1px solid {border}; border-radius: 4px;
  background: {panel}; padding: 0 8px; selection-background-color: {highlight}; }
QComboBox { padding-left: 10px; padding-right: 4px; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: url(:/icons/chevron-down-{theme}.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { border: 1px solid {border}; background: {panel}; outline: 0; padding: 4px; }
QLineEdit:focus, QComboBox:focus, QPlainTextEdit:focus { border: 2px solid {accent}; padding-left: 7px; }
QPlainTextEdit:focus { padding-left: 0; }
QLineEdit:disabled, QLineEdit:read-only, QComboBox:disabled { background: {window}; color: {muted}; }
QLineEdit[mark="error"], QComboBox[mark="error"] { border: 2px solid {error}; padding-left: 7px; }
QLineEdit[mark="warning"], QComboBox[mark="warning"] { border: 2px solid {warning}; padding-left: 7px; }
QCheckBox { spacing: 8px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid {muted}; border-radius: 3px; background: {panel}; }
QCheckBox::indicator:checked { background: {highlight}; border-color: {highlight}; image: url(:/icons/check.svg); }
QCheckBox::indicator:focus { border: 1px solid {accent}; }
QCheckBox::indicator:disabled { border-color: {border}; }
QCheckBox::indicator:checked:disabled { background: {disabled}; }
QPlainTextEdit, QTextBrowser { border: 1px solid {border}; border-radius: 4px; background: {panel}; }
QPushButton { min-height: 26px; border: 1px solid {border}; border-radius: 4px; background: {button}; padding: 0 12px; }
QPushButton:hover, QToolButton:hover { background: {hover}; }
QPushButton:pressed, QPushButton:checked { background: {pressed}; }
QPushButton:focus { border: 2px solid {accent}; padding: 0 11px; }
QPushButton:disabled { color: {disabled}; background: {window}; }
QPushButton:flat { border: none; background: transparent; }
QPushButton:flat:hover { background: {hover}; }
QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 4px; }
QToolButton:pressed, QToolButton:checked { background: {pressed}; }
QToolButton:focus { border: 2px solid {accent}; padding: 3px; }
QMenuBar { background: {panel}; } QMenuBar::item { padding: 4px 8px; background: transparent; }
QMenuBar::item:selected { background: {hover}; border-radius: 4px; }
QMenu { background: {panel}; border: 1px solid {border}; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 24px; border-radius: 4px; }
QMenu::item:selected { background: {hover}; }
QMenu::item:disabled { color: {disabled}; }
QMenu::separator { height: 1px; background: {border}; margin: 4px 8px; }
QMenu::indicator { left: 6px; }
QTabBar::tab { padding: 4px 12px; min-height: 20px; border: none; border-bottom: 2px solid transparent; color: {muted}; }
QTabBar::tab:selected { color: {text}; border-bottom: 2px solid {accent}; }
QTabBar::tab:hover { color: {text}; }
QTabWidget::pane { border: none; border-top: 1px solid {border}; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: {border}; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; } QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: {muted}; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: {window}; }
QHeaderView::section { background: {window}; color: {muted}; border: none; border-bottom: 1px solid {border};
  padding: 4px 6px; }
QListWidget[nav="true"] { background: transparent; outline: 0; }
QListWidget[nav="true"]::item { padding-left: 8px; border-radius: 4px; color: {text}; }
QListWidget[nav="true"]::item:hover { background: {hover}; }
QListWidget[nav="true"]::item:selected { background: {pressed}; color: {text}; }
QLabel[chip="true"] { border: 1px solid {border}; border-radius: 6px; padding: 6px 10px; color: {muted}; }
QFrame[panel="true"] { background: {panel}; border: 1px solid {border}; border-radius: 6px; }
QLabel[muted="true"] { color: {muted}; }
QLabel[mark="error"] { color: {error}; } QLabel[mark="warning"] { color: {warning}; } QLabel[mark="ok"] { color: {ok}; }
QDockWidget { color: {text}; } QDockWidget::title { padding: 4px 8px; background: {window}; }
)";

QString makeStyleSheet(bool dark) {
  const auto name = [dark](Role role) { return colour(role, dark).name(); };
  const std::array<std::pair<const char*, QString>, 16> values{{
      {"{theme}", dark ? "dark" : "light"},
      {"{tip}", dark ? "#2A2E36" : "#1F2328"},
      {"{border}", name(Role::border)},
      {"{panel}", name(Role::panel)},
      {"{window}", name(Role::window)},
      {"{text}", name(Role::text)},
      {"{muted}", name(Role::mutedText)},
      {"{accent}", name(Role::accent)},
      {"{error}", name(Role::error)},
      {"{warning}", name(Role::warning)},
      {"{ok}", name(Role::ok)},
      {"{button}", dark ? "#2A2E36" : "#FFFFFF"},
      {"{hover}", dark ? "#343942" : "#EDF1F5"},
      {"{pressed}", dark ? "#22465F" : "#D9E9F4"},
      {"{disabled}", dark ? "#6C737E" : "#8C939D"},
      {"{highlight}", dark ? "#1F5F8B" : "#0072B2"},
  }};
  QString sheet = QString::fromLatin1(kStyleSheet);
  for (const auto& [key, value] : values) sheet.replace(QLatin1String(key), value);
  return sheet;
}

}  // namespace

bool isDark(const QPalette& palette) { return palette.color(QPalette::Window).lightness() < 128; }

QColor between(const QColor& a, const QColor& b, double share) {
  const auto mix = [share](int from, int to) { return static_cast<int>(std::lround(from + share * (to - from))); };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QColor colour(Role role, bool dark) {
  const Pair pair = pairOf(role);
  return QColor::fromRgb(dark ? pair.dark : pair.light);
}

ThemeChoice themeChoice(const QString& name) {
  return name == QLatin1String("dark")    ? ThemeChoice::dark
         : name == QLatin1String("light") ? ThemeChoice::light
                                          : ThemeChoice::followSystem;
}

void applyTheme(QApplication& app, ThemeChoice choice) {
  if (!app.property("hyb_fusion").toBool()) {
    app.setProperty("hyb_fusion", true);
    keepResources();
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  }
  bool dark = choice == ThemeChoice::dark;
  if (choice == ThemeChoice::followSystem) {
    QApplication::setPalette(QPalette());  // restores the system palette to read its lightness
    dark = isDark(QApplication::palette());
  }
  QApplication::setPalette(makePalette(dark));
  app.setStyleSheet(makeStyleSheet(dark));
}

StyledAtTheEnd::StyledAtTheEnd() : sheet_(qApp->styleSheet()) {
  if (!sheet_.isEmpty()) qApp->setStyleSheet({});
}

StyledAtTheEnd::~StyledAtTheEnd() {
  if (!sheet_.isEmpty()) qApp->setStyleSheet(sheet_);
}

}  // namespace hyb::ui
