#pragma once
#include <QComboBox>
#include <QString>
#include <vector>

#include "ui/plot/run_history.h"
#include "ui/plot/time_plot.h"

namespace hyb::ui {

/// z, u, x, force and, where there is one, the reference of interface i (from 0).
std::vector<TimeCurve> motionCurves(const RowLayout& layout, std::size_t i);
/// Axes in the units of interface i (from 0): of its motion on the left, of its force on the right.
void showUnits(TimePlot& plot, const RowLayout& layout, std::size_t i);
/// What the tracking plot shows, with the signs: from the catalogue of measures.
QString trackingMeaning();
/// Tracking indicators left, energy error right.
void showTracking(TimePlot& plot, const RowLayout& layout);
/// Fills `choice` with the groups of what is adapted and of the further columns of scheme and rig; there to be seen
/// where there is more than what compensators adapt.
void offerGroups(QComboBox& choice, const RowLayout& layout);
/// The chosen group; quantities of its first unit left, the others right.
void showGroup(TimePlot& plot, const RowLayout& layout, const QComboBox& choice);

}  // namespace hyb::ui
