#include "ui/plot/plot_export.h"

#include <qwt_plot.h>
#include <qwt_plot_renderer.h>

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QImage>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "ui/plot/plot_view.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr QSizeF kPicture_mm(180.0, 110.0);
constexpr int kDpi = 200;
constexpr double kMm = kDpi / 25.4, kSample_mm = 6.0, kGap_mm = 1.5, kBetween_mm = 5.0;

/// Ends curves at the axes: an SVG file cannot clip, and a curve outside the canvas follows its edge.
class PictureRenderer : public QwtPlotRenderer {
 public:
  explicit PictureRenderer(const QRectF& page) : page_(page) {}
  void renderCanvas(const QwtPlot* plot, QPainter* painter, const QRectF& canvas,
                    const QwtScaleMap* maps) const override {
    painter->save();
    painter->setClipRect(canvas);
    plot->drawItems(painter, canvas, maps);
    painter->restore();
    const QRectF page = painter->transform().inverted().mapRect(page_);
    const QRectF beside[] = {{page.topLeft(), QPointF(page.right(), canvas.top())},
                             {QPointF(page.left(), canvas.bottom()), page.bottomRight()},
                             {page.topLeft(), QPointF(canvas.left(), page.bottom())},
                             {QPointF(canvas.right(), page.top()), page.bottomRight()}};
    for (const QRectF& margin : beside) painter->fillRect(margin, Qt::white);
  }

 private:
  QRectF page_;
};

/// Title, followed by samples with their names, as many per line as fit; returns the lower end.
double layText(QPainter& painter, const PictureText& text, const QRectF& page, bool drawn) {
  QFont font = figureFont(1.0, true);
  painter.setPen(Qt::black);
  painter.setFont(font);
  constexpr int kFlags = Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap;
  const QRectF used = painter.boundingRect(page, kFlags, text.title);
  if (drawn) painter.drawText(page, kFlags, text.title);
  double x = page.left(), y = used.bottom() + kGap_mm * kMm;
  font = figureFont(0.85);
  painter.setFont(font);
  const QFontMetricsF metrics(font, painter.device());
  for (const LegendEntry& entry : text.legend) {
    const double width = (kSample_mm + kGap_mm) * kMm + metrics.horizontalAdvance(entry.text);
    if (x > page.left() && x + width > page.right()) x = page.left(), y += metrics.lineSpacing();
    if (drawn) {
      const double middle = y + 0.5 * metrics.height();
      painter.setPen(QPen(colour(entry.role, false), 0.4 * kMm, entry.style, Qt::FlatCap));
      painter.drawLine(QPointF(x, middle), QPointF(x + kSample_mm * kMm, middle));
      painter.setPen(Qt::black);
      painter.drawText(QPointF(x + (kSample_mm + kGap_mm) * kMm, y + metrics.ascent()), entry.text);
    }
    x += width + kBetween_mm * kMm;
  }
  return text.legend.empty() ? y : y + metrics.lineSpacing() + kGap_mm * kMm;
}

void draw(const QwtPlot& plot, const PictureText& text, QPaintDevice& device) {
  QPainter painter(&device);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF page(QPointF(0.0, 0.0), kPicture_mm * kMm);
  PictureRenderer renderer(page);
  renderer.setDiscardFlag(QwtPlotRenderer::DiscardBackground);
  renderer.setDiscardFlag(QwtPlotRenderer::DiscardTitle);
  // The position of the text is known before the plot is drawn; the text is drawn after the margins are cleared.
  const double top = layText(painter, text, page, false);
  renderer.render(const_cast<QwtPlot*>(&plot), &painter, page.adjusted(0.0, top, 0.0, 0.0));
  painter.resetTransform();
  layText(painter, text, page, true);
}

}  // namespace

QByteArray pictureOf(const QwtPlot& plot, const PictureText& text, const QString& kind) {
  const QSize size = (kPicture_mm * kMm).toSize();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (kind == QLatin1String("pdf")) {
    QPdfWriter writer(&buffer);
    writer.setResolution(kDpi);
    writer.setTitle(text.title);
    writer.setPageLayout(QPageLayout(QPageSize(kPicture_mm, QPageSize::Millimeter), QPageLayout::Portrait, {}));
    draw(plot, text, writer);
  } else if (kind == QLatin1String("svg")) {
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(text.title.toHtmlEscaped());
    generator.setResolution(kDpi);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    draw(plot, text, generator);
  } else {
    QImage image(size, QImage::Format_ARGB32);
    image.setDotsPerMeterX(qRound(1000.0 * kMm));
    image.setDotsPerMeterY(qRound(1000.0 * kMm));
    image.fill(Qt::white);
    draw(plot, text, image);
    image.save(&buffer, "PNG");
  }
  return bytes;
}

QString writeFile(const QString& file, const QByteArray& bytes) {
  const auto failed = [&](const QString& why) {
    return QCoreApplication::translate("export", "%1 was not written: %2. Choose another file.").arg(file, why);
  };
  constexpr auto kWritable = QFile::WriteOwner | QFile::WriteGroup | QFile::WriteOther;
  if (QFileInfo::exists(file) && !(QFile::permissions(file) & kWritable))  // an administrator could write to it anyway
    return failed(QCoreApplication::translate("export", "the file is read-only"));
  QSaveFile out(file);
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
    return failed(out.errorString());
  return {};
}

}  // namespace hyb::ui
