#pragma once
#include <QIcon>
#include <QPixmap>
#include <QString>

#include "ui/base/theme.h"

namespace hyb::ui {

/// Icon of resources/icons in the colour of its role; follows the theme by itself.
QIcon icon(const QString& name, Role role = Role::text);
/// The same as a pixmap for labels; does not follow the theme.
QPixmap iconPixmap(const QString& name, Role role, const QPalette& palette, int size, qreal device_pixel_ratio);

}  // namespace hyb::ui
