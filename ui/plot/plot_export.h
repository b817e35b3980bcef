#pragma once
#include <QString>
#include <vector>

class QwtPlot;

namespace hyb::ui {

struct LegendEntry;

/// A plot as a picture for a report: title and legend above it, white ground, nothing outside its axes.
struct PictureText {
  QString title;
  std::vector<LegendEntry> legend;  // of the curves that are shown
};

/// The picture as the bytes of a file of this kind: "png", "svg" or "pdf".
QByteArray pictureOf(const QwtPlot& plot, const PictureText& text, const QString& kind);

/// Writes the whole file, or leaves what was there and says why; a file that is read-only stays.
QString writeFile(const QString& file, const QByteArray& bytes);

}  // namespace hyb::ui
