#pragma once
#include <QString>
#include <vector>

class QwtPlot;

namespace hyb::ui {

struct LegendEntry;

/// A plot as a picture for a report: title and legend above it, white background, nothing outside its axes.
struct PictureText {
  QString title;
  std::vector<LegendEntry> legend;  // of the curves that are shown
};

/// The picture as the bytes of a file of this kind: "png", "svg" or "pdf".
QByteArray pictureOf(const QwtPlot& plot, const PictureText& text, const QString& kind);

/// Writes the whole file, or keeps the existing file and returns the reason; a read-only file stays.
QString writeFile(const QString& file, const QByteArray& bytes);

}  // namespace hyb::ui
