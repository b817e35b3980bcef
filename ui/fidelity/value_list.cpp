#include "ui/fidelity/value_list.h"

#include <QStringList>
#include <algorithm>

#include "core/base/json.h"
#include "ui/base/number_text.h"
#include "ui/document/field_editors.h"

namespace hyb::ui {
namespace {

bool plainList(const Json& list) {
  return std::none_of(list.begin(), list.end(), [](const Json& value) {
    return value.is_structured() ||
           (value.is_string() && value.get<std::string>().find_first_of(" ,;") != std::string::npos);
  });
}

}  // namespace

Json valueList(const QString& text) {
  Json whole = Json::parse(text.toStdString(), nullptr, false);  // nested values in brackets
  if (whole.is_array()) return whole;
  Json list = Json::array();
  for (const QString& part : numberWords(text)) {
    const std::string plain = readNumber(part) ? QString(part).replace(u',', u'.').toStdString() : part.toStdString();
    Json value = Json::parse(plain, nullptr, false);
    list.push_back(value.is_discarded() ? Json(plain) : std::move(value));
  }
  return list;
}

QString valueListText(const Json& list) {
  if (!plainList(list)) return QString::fromStdString(list.dump());
  QStringList parts;
  for (const Json& value : list)
    parts << (value.is_number()   ? NumberEdit::format(value)
              : value.is_string() ? QString::fromStdString(value.get<std::string>())
                                  : QString::fromStdString(value.dump()));
  return parts.join(QStringLiteral(", "));
}

}  // namespace hyb::ui
