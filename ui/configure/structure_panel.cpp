#include "ui/configure/structure_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>

#include "ui/base/icons.h"
#include "ui/configure/schematic.h"
#include "ui/configure/structure_view.h"
#include "ui/document/project_document.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {

StructurePanel::StructurePanel(ProjectDocument* document, QWidget* parent)
    : Panel(parent),
      document_(document),
      schematic_(new Schematic(document)),
      schematic_area_(new QScrollArea),
      view_(new StructureView(document)),
      stack_(new QStackedWidget),
      owner_(new QComboBox),
      number_(new QComboBox),
      play_(new QToolButton),
      line_(new QPushButton(tr("Cut by a line"))) {
  // Only a long row of masses scrolls.
  schematic_area_->setWidget(schematic_);
  schematic_area_->setWidgetResizable(true);
  schematic_area_->setFrameShape(QFrame::NoFrame);
  schematic_area_->setFocusPolicy(Qt::NoFocus);
  schematic_->setAutoFillBackground(false);
  schematic_area_->viewport()->setAutoFillBackground(false);
  stack_->addWidget(schematic_area_);
  stack_->addWidget(view_);
  stack_->setMinimumHeight(150);

  owner_->addItem(tr("Undeformed"));
  owner_->addItem(tr("Modes: whole"), static_cast<int>(ModeOwner::whole));
  owner_->addItem(tr("Modes: NS, interface held"), static_cast<int>(ModeOwner::numerical));
  owner_->addItem(tr("Modes: PS, interface held"), static_cast<int>(ModeOwner::physical));
  owner_->setObjectName(QStringLiteral("mode-owner"));
  owner_->setAccessibleName(tr("Modes to draw"));
  owner_->setToolTip(tr("Draws a mode of the whole structure, or of one side with its interface held"));
  number_->setObjectName(QStringLiteral("mode-number"));
  number_->setAccessibleName(tr("Mode"));
  number_->setToolTip(tr("Mode to draw, in order of frequency"));
  number_->setMinimumWidth(120);
  play_->setObjectName(QStringLiteral("mode-play"));
  play_->setIcon(icon(QStringLiteral("play")));
  play_->setCheckable(true);
  play_->setFixedSize(28, 28);
  play_->setToolTip(tr("Animate the mode"));
  play_->setAccessibleName(tr("Animate the mode"));
  line_->setObjectName(QStringLiteral("cut-by-line"));
  line_->setToolTip(tr("Replaces the list of parts on the rig by a cut line that can be dragged"));
  for (QWidget* control : {static_cast<QWidget*>(owner_), static_cast<QWidget*>(number_)})
    control->setFont(figureFont(0.9));

  auto* head = new QHBoxLayout;
  head->setContentsMargins(4, 0, 4, 0);
  head->setSpacing(6);
  head->addWidget(owner_);
  head->addWidget(number_);
  head->addWidget(play_);
  head->addStretch();
  head->addWidget(line_);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(4, 6, 4, 4);
  box->setSpacing(4);
  box->addLayout(head);
  box->addWidget(stack_, 1);

  connect(owner_, &QComboBox::currentIndexChanged, this, &StructurePanel::fillModes);
  connect(number_, &QComboBox::currentIndexChanged, this, &StructurePanel::showMode);
  connect(play_, &QToolButton::toggled, view_, &StructureView::setPlaying);
  connect(view_, &StructureView::sceneChanged, this, &StructurePanel::showFitting);
  connect(line_, &QPushButton::clicked, this, [this] {
    const StructureScene& scene = view_->scene();
    const std::optional<CutLine> now = scene.presentLine();
    const bool along_y = now ? now->along_y : scene.places_x.empty();
    const std::vector<double>& places = scene.places(along_y);
    if (places.empty()) return;
    document_->cutByLine(along_y, now ? now->position_m : places[places.size() / 2]);
    view_->setFocus();
  });
  fillModes();
}

void StructurePanel::setEditing(bool on) {
  editing_ = on;
  schematic_->setEditing(on);
  view_->setEditing(on);
  showFitting();
}

void StructurePanel::showFitting() {
  const StructureScene& scene = view_->scene();
  const Json* kind = document_->at("/structure/kind");
  const bool chain = kind && *kind == "lumped";
  // The schematic shows values and excitation of a chain, also if the structure cannot be built yet.
  const bool schematic = chain && (!scene.drawable() || (scene.by == "elements" && owner_->currentIndex() == 0));
  QWidget* wanted = schematic ? static_cast<QWidget*>(schematic_area_) : view_;
  if (stack_->currentWidget() != wanted) stack_->setCurrentWidget(wanted);
  const bool places = !scene.places_x.empty() || !scene.places_y.empty();
  line_->setVisible(editing_ && scene.drawable() && !scene.line && places);
}

void StructurePanel::setModes(const ModeSet* modes) {
  modes_ = modes ? *modes : ModeSet();
  fillModes();
}

void StructurePanel::fillModes() {
  const int kept = std::max(0, number_->currentIndex());
  {
    const QSignalBlocker quiet(number_);
    number_->clear();
    if (owner_->currentIndex() > 0) {
      const auto& shapes = modes_.of(static_cast<ModeOwner>(owner_->currentData().toInt()));
      for (std::size_t i = 0; i < shapes.size(); ++i)
        number_->addItem(QStringLiteral("%1: %2\u2009Hz").arg(i + 1).arg(numberText(shapes[i].frequency_hz, 4)));
      number_->setCurrentIndex(std::min(kept, static_cast<int>(shapes.size()) - 1));
    }
  }
  const bool any = owner_->currentIndex() > 0;
  number_->setVisible(any);
  play_->setVisible(any);
  number_->setEnabled(number_->count() > 0);
  play_->setEnabled(number_->count() > 0);
  showMode();
}

void StructurePanel::showMode() {
  const int index = number_->currentIndex();
  if (owner_->currentIndex() > 0 && index >= 0) {
    const auto& shapes = modes_.of(static_cast<ModeOwner>(owner_->currentData().toInt()));
    const ModeShape& mode = shapes[static_cast<std::size_t>(index)];
    view_->setMode(mode, captionOf(mode, index + 1));
    view_->setPlaying(play_->isChecked());
  } else {
    view_->setMode({});
  }
  showFitting();
}

QString StructurePanel::captionOf(const ModeShape& mode, int number) const {
  const QString owner[] = {tr("whole structure"), tr("computed side, interface held"),
                           tr("side on the rig, interface held")};
  return tr("Mode %1, %2: %3\u2009Hz, damping %4\u2009%")
      .arg(number)
      .arg(owner[owner_->currentData().toInt()], numberText(mode.frequency_hz, 4),
           numberText(100.0 * mode.damping_ratio, 3));
}

}  // namespace hyb::ui
