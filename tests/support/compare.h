#pragma once
#include <QtTest>
#include <cmath>

namespace hyb::test {

/// Within `tolerance` of what is expected; says what it is about where it is not.
inline void compare(double actual, double expected, double tolerance, const char* what) {
  if (std::abs(actual - expected) <= tolerance) return;
  const QString text = QString("%1: %2 instead of %3").arg(what).arg(actual, 0, 'g', 12).arg(expected, 0, 'g', 12);
  QFAIL(qPrintable(text));
}
/// The same, to be asked; `share` of what is expected.
inline bool isNear(double actual, double expected, double share) {
  return std::abs(actual - expected) <= share * std::abs(expected);
}
/// The tolerance is a share of what is expected.
inline void compareRelative(double actual, double expected, double share, const char* what) {
  compare(actual, expected, share * std::abs(expected), what);
}

}  // namespace hyb::test
