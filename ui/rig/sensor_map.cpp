#include "ui/rig/sensor_map.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/base/scrolled.h"
#include "ui/document/field_editors.h"
#include "ui/document/schema_tools.h"

namespace hyb::ui {
namespace {

struct MapColumn {
  const char* role;
  QString title;
};

}  // namespace

SensorMap::SensorMap(QWidget* parent) : QWidget(parent), grid_(new QGridLayout), findings_(new QLabel) {
  setAccessibleName(tr("Sensor map of the interface"));
  auto* content = new QWidget;
  auto* inside = new QVBoxLayout(content);
  inside->setContentsMargins(0, 8, 8, 8);
  grid_->setHorizontalSpacing(16);
  grid_->setVerticalSpacing(4);
  findings_->setWordWrap(true);
  findings_->setTextFormat(Qt::RichText);
  findings_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  findings_->setObjectName(QStringLiteral("wiring-findings"));
  inside->addLayout(grid_);
  inside->addWidget(findings_);
  inside->addStretch();
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 0, 0, 0);
  box->addWidget(scrolled(content, Qt::ScrollBarAsNeeded));
  setFindings({});
}

void SensorMap::setChannels(const QStringList& axes, const Json& channels, std::size_t sensors) {
  while (QLayoutItem* old = grid_->takeAt(0)) {
    delete old->widget();
    delete old;
  }
  const MapColumn columns[] = {
      {"command", tr("Actuator takes")}, {"displacement", tr("Displacement from")}, {"force", tr("Force from")}};
  const auto place = [this](const QString& text, int row, int column, const char* mark, bool muted) {
    auto* label = new QLabel(text);
    if (muted) label->setProperty("muted", true);
    if (*mark != '\0') setMark(label, mark);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid_->addWidget(label, row, column);
  };
  place(tr("Interface axis"), 0, 0, "", true);
  for (int c = 0; c < 3; ++c) place(columns[c].title, 0, c + 1, "", true);
  grid_->setColumnStretch(4, 1);
  for (int axis = 0; axis < axes.size(); ++axis) {
    place(QStringLiteral("%1 %2").arg(axis + 1).arg(axes[axis]), axis + 1, 0, "", false);
    for (int c = 0; c < 3; ++c) {
      const bool all = sensors > 0 && std::string_view(columns[c].role) == "displacement";
      QStringList names;
      for (const Json& channel : channels)
        if (channel.is_object() && channel.value("role", Json()) == columns[c].role &&
            (all || channel.value("interface", Json(0)) == axis + 1))
          names << QString::fromStdString(nameOf(channel));
      place(names.isEmpty() ? tr("missing") : names.join(QStringLiteral(" + ")), axis + 1, c + 1,
            names.size() == (all ? static_cast<qsizetype>(sensors) : 1) ? "" : "error", false);
    }
  }
}

void SensorMap::setFindings(const std::vector<WiringFinding>& findings) {
  if (findings.empty())
    return findings_->setText(
        tr("<p>Connect, then press <b>Check wiring</b>. It moves each actuator a little and back, and finds which "
           "sensor responds with which sign.</p>"));
  QStringList lines;
  for (const WiringFinding& finding : findings)
    lines << QStringLiteral("<br>%1 %2")
                 .arg(finding.verdict == WiringVerdict::right ? QStringLiteral("\u2713") : QStringLiteral("<b>!</b>"),
                      QString::fromStdString(finding.sentence).toHtmlEscaped());
  findings_->setText(tr("<p><b>Wiring check</b>%1</p>").arg(lines.join(QString())));
}

}  // namespace hyb::ui
