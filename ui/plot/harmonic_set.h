#pragma once
#include <QString>
#include <complex>
#include <string>
#include <vector>

#include "ui/base/theme.h"

namespace hyb::ui {

/// Harmonics of related signals in one unit: psi of the signal Re(psi e^{j k w t}).
struct HarmonicSet {
  struct Signal {
    QString name;
    Role role = Role::measured;
    Qt::PenStyle style = Qt::SolidLine;
    std::vector<std::complex<double>> values;  // [orders], SI
  };
  QString title;
  std::string unit;         // SI
  std::vector<int> orders;  // ascending
  std::vector<Signal> signals;
};

}  // namespace hyb::ui
