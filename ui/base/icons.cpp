#include "ui/base/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

namespace hyb::ui {
namespace {

void paintIcon(QPainter& painter, const QString& name, const QColor& tint, const QRectF& place) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return;
  QSvgRenderer(file.readAll().replace("currentColor", tint.name().toLatin1())).render(&painter, place);
}

// Takes the colour at painting, so that it follows a change of theme.
class TintedIcon : public QIconEngine {
 public:
  TintedIcon(QString name, Role role) : name_(std::move(name)), role_(role) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const QPalette palette = QApplication::palette();
    const QColor tint =
        mode == QIcon::Disabled ? palette.color(QPalette::Disabled, QPalette::Text) : colour(role_, palette);
    paintIcon(*painter, name_, tint, rect);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap picture(size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    paint(&painter, picture.rect(), mode, state);
    return picture;
  }
  QIconEngine* clone() const override { return new TintedIcon(*this); }

 private:
  QString name_;
  Role role_;
};

}  // namespace

QIcon icon(const QString& name, Role role) { return QIcon(new TintedIcon(name, role)); }

QPixmap iconPixmap(const QString& name, Role role, const QPalette& palette, int size, qreal device_pixel_ratio) {
  QPixmap picture(QSize(size, size) * device_pixel_ratio);
  picture.setDevicePixelRatio(device_pixel_ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  paintIcon(painter, name, colour(role, palette), QRectF(0, 0, size, size));
  return picture;
}

}  // namespace hyb::ui
