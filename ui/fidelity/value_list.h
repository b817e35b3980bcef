#pragma once
#include <QString>

#include "core/base/json_fwd.h"

namespace hyb::ui {

/// Values from a line of text: numbers, true, false or words, or a JSON list in brackets.
Json valueList(const QString& text);
/// The line of these values.
QString valueListText(const Json& list);

}  // namespace hyb::ui
