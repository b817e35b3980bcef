#pragma once
#include <QCoreApplication>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "tests/support/patience.h"
#include "tests/support/patient_clock.h"
#include "ui/base/screen_fit.h"
#include "ui/base/theme.h"

namespace hyb::ui::testing {

/// What every test of the window starts from: settings and folders of its own, which go with the program, the light
/// theme, and tests that no busy computer makes late.
inline void startGuiSession(const char* name) {
  static const QTemporaryDir settings;
  static const test::PatientPacing pacing;
  QStandardPaths::setTestModeEnabled(true);
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  QCoreApplication::setOrganizationName(QStringLiteral("HybridBenchTest"));
  QCoreApplication::setApplicationName(QString::fromLatin1(name));
  applyTheme(*qApp, ThemeChoice::light);
  ScreenFit::available = [](const QWidget&) { return QRect(0, 0, 3840, 2160); };  // each test says its sizes itself
}

/// A button by the start of its text; null: there is none.
inline QPushButton* button(const QWidget& within, const QString& text) {
  for (QPushButton* found : within.findChildren<QPushButton*>())
    if (found->text().startsWith(text)) return found;
  return nullptr;
}

}  // namespace hyb::ui::testing
