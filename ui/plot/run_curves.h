#pragma once
#include <QComboBox>
#include <QString>
#include <vector>

#include "ui/plot/run_history.h"
#include "ui/plot/time_plot.h"

namespace hyb::ui {

/// z, u, x, force and, if available, the reference of interface i (from 0).
std::vector<TimeCurve> motionCurves(const RowLayout& layout, std::size_t i);
/// Axes in the units of interface i (from 0): motion on the left, force on the right.
void showUnits(TimePlot& plot, const RowLayout& layout, std::size_t i);
/// Meaning and signs of the tracking plot, from the catalogue of measures.
QString trackingMeaning();
/// Tracking indicators left, energy error right.
void showTracking(TimePlot& plot, const RowLayout& layout);
/// Fills `choice` with the groups of adapted quantities and of further columns of scheme and rig; visible if there is
/// more than the adapted quantities of compensators.
void offerGroups(QComboBox& choice, const RowLayout& layout);
/// Shows the selected group; quantities of its first unit left, the others right.
void showGroup(TimePlot& plot, const RowLayout& layout, const QComboBox& choice);

}  // namespace hyb::ui
