#include "ui/configure/partition_editor.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <set>

#include "ui/configure/field_editors.h"
#include "ui/configure/project_document.h"
#include "ui/configure/schema_tools.h"
#include "ui/configure/schematic_model.h"

namespace hyb::ui {

PartitionEditor::PartitionEditor(ProjectDocument* document, QWidget* parent)
    : QWidget(parent), document_(document), summary_(new QLabel), message_(new QLabel) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  outer->addWidget(scroll);
  auto* inside = new QWidget;
  box_ = new QVBoxLayout(inside);
  box_->setContentsMargins(0, 0, 12, 12);
  box_->setSpacing(8);
  for (QLabel* label : {summary_, message_}) {
    label->setWordWrap(true);
    box_->addWidget(label);
  }
  message_->setProperty("mark", "error");
  box_->addStretch();
  scroll->setWidget(inside);
  inside->setAutoFillBackground(false);
  scroll->viewport()->setAutoFillBackground(false);
  connect(document, &ProjectDocument::changed, this, &PartitionEditor::refresh);
  connect(document, &ProjectDocument::checked, this, &PartitionEditor::refresh);
  refresh();
}

void PartitionEditor::setReadOnly(bool read_only) {
  read_only_ = read_only;
  if (content_) content_->setEnabled(!read_only);
}

void PartitionEditor::rebuild() {
  delete content_;
  boxes_.clear();
  content_ = new QWidget;
  auto* grid = new QGridLayout(content_);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(4);
  int column = 0;
  for (const char* kind : {"mass", "link"}) {
    auto* heading = new QLabel(kind[0] == 'm' ? tr("Masses on the rig") : tr("Links on the rig"));
    QFont font = heading->font();
    font.setWeight(QFont::DemiBold);
    heading->setFont(font);
    grid->addWidget(heading, 0, column);
    int row = 1;
    for (const QString& name : referenceChoices(document_->json(), QLatin1String(kind))) {
      auto* box = new QCheckBox(name);
      box->setObjectName(QStringLiteral("/partition/physical#") + name);
      box->setMinimumHeight(28);
      box->setAccessibleDescription(tr("Checked: on the rig. Not checked: computed."));
      connect(box, &QCheckBox::clicked, this, [this, name] { document_->togglePhysical(name.toStdString()); });
      grid->addWidget(box, row++, column);
      boxes_[name.toStdString()] = box;
    }
    grid->setColumnStretch(column++, 1);
  }
  content_->setEnabled(!read_only_);
  box_->insertWidget(0, content_);
}

void PartitionEditor::refresh() {
  std::set<std::string> names, shown;
  for (const QString& name : referenceChoices(document_->json(), QStringLiteral("mass-or-link")))
    names.insert(name.toStdString());
  for (const auto& [name, box] : boxes_) shown.insert(name);
  if (names != shown || !content_) rebuild();
  for (const auto& [name, box] : boxes_) box->setChecked(document_->isPhysical(name));
  QStringList interfaces;
  const SchematicModel model = schematicModel(document_->json());
  const auto label = [this](const std::string& name, const QString& values) {
    const auto found = boxes_.find(name);
    if (found != boxes_.end())
      found->second->setText(QStringLiteral("%1   %2").arg(QString::fromStdString(name), values));
  };
  for (const auto& node : model.nodes) {
    if (node.interface > 0) interfaces << QString::fromStdString(node.name);
    if (!node.support) label(node.name, tr("%1 kg").arg(NumberEdit::format(Json(node.mass_kg))));
  }
  for (const auto& link : model.links)
    label(link.name,
          tr("%1 N/m, %2 N s/m")
              .arg(NumberEdit::format(Json(link.stiffness_n_per_m)), NumberEdit::format(Json(link.damping_n_s_per_m))));
  summary_->setText(
      interfaces.isEmpty()
          ? tr("There is no interface yet: put at least one mass or link on the rig, and leave one computed.")
          : tr("Interface: %1. %2")
                .arg(interfaces.join(QStringLiteral(", ")),
                     interfaces.size() == 1 ? tr("One actuator keeps the two sides together.")
                                            : tr("%1 actuators keep the two sides together.").arg(interfaces.size())));
  QStringList texts;
  for (const Issue& issue : document_->issues())
    if (issue.where.starts_with("/partition")) texts << QString::fromStdString(issue.message);
  message_->setText(texts.join(QLatin1Char('\n')));
  message_->setVisible(!texts.isEmpty());
}

}  // namespace hyb::ui
