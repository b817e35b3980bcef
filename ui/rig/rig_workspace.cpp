#include "ui/rig/rig_workspace.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/base/scrolled.h"
#include "ui/base/widgets.h"
#include "ui/control/library_question.h"
#include "ui/control/preflight_list.h"
#include "ui/control/preflight_source.h"
#include "ui/control/recording_folder.h"
#include "ui/document/project_document.h"
#include "ui/plot/link_plot.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/rig/channels_panel.h"
#include "ui/rig/connection_panel.h"
#include "ui/rig/identify_page.h"
#include "ui/rig/jog_panel.h"
#include "ui/rig/plant_page.h"
#include "ui/rig/rig_session.h"

namespace hyb::ui {
namespace {

constexpr int kLeft_px = 448, kRefresh_ms = 1000;
constexpr std::size_t kRowBytes = 256;  // estimate; known exactly once a test is armed

}  // namespace

RigWorkspace::RigWorkspace(ProjectDocument* document, RunController* controller, const HardwareAccess& hardware,
                           QWidget* parent)
    : QWidget(parent),
      document_(document),
      session_(new RigSession(hardware.devices, this)),
      connection_(new ConnectionPanel(document, session_, hardware)),
      channels_(new ChannelsPanel(document, session_)),
      jog_(new JogPanel(session_)),
      identify_(new IdentifyPage(document, controller)),
      plant_(new PlantPage),
      question_(new LibraryQuestion(QStringLiteral("driver"), tr("Connect"))),
      pages_(new PageTabs),
      link_(new LinkPlot(tr("Link"))),
      link_panel_(new PlotPanel(link_)),
      checks_(new PreflightSource(this)),
      list_(new PreflightList),
      has_devices_(hardware.devices != nullptr) {
  setAccessibleName(tr("Rig"));
  link_->setEmptyText(tr("Round trips of the connection to the rig.\nPress Connect."));
  pages_->setDocumentMode(true);
  pages_->addTab(makeSetUp(), tr("Set-up"));
  pages_->addTab(identify_, tr("Identification"));
  pages_->addTab(plant_, tr("Plant"));
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(8, 4, 8, 8);
  box->addWidget(question_);
  box->addWidget(pages_);
  const auto follow = [this] {
    QWidget* first = connection_;
    if (pages_->currentIndex() > 0) first = pages_->currentWidget();
    setFocusProxy(first);
  };
  connect(pages_, &QTabWidget::currentChanged, this, follow);
  follow();

  connect(document, &ProjectDocument::changed, this, [this] {
    project_.reset();
    question_->withdraw();
    identify_->setProject({});
    plant_->setProject({});
    updateConnect();
  });
  connect(document, &ProjectDocument::opened, identify_, &IdentifyPage::forget);
  connect(document, &ProjectDocument::checked, this, [this] {
    // A connected rig keeps the axes that it had at Connect.
    if (!session_->active()) showAxes();
    updateConnect();
  });
  connect(document, &ProjectDocument::valid, this, [this](const Project& project) {
    project_ = project;
    channels_->setProject(project);
    checks_->setProject(project);
    identify_->setProject(project);
    plant_->setProject(project);
    updateConnect();
  });
  connect(question_, &LibraryQuestion::said, connection_, &ConnectionPanel::say);
  connect(connection_, &ConnectionPanel::connectWanted, this, [this] {
    if (project_ && question_->allows(librariesOfRig(*project_))) session_->connectTo(*project_);
  });
  connect(session_, &RigSession::stateChanged, this, [this] {
    if (!session_->active()) showAxes();
    updateConnect();
  });
  connect(session_, &RigSession::stateChanged, this, &RigWorkspace::showLink);
  connect(session_, &RigSession::updated, this, &RigWorkspace::showLink);
  connect(session_, &RigSession::wiringChecked, channels_, &ChannelsPanel::showFindings);
  connect(checks_, &PreflightSource::changed, this, &RigWorkspace::showPreflight);
  connect(session_, &RigSession::stateChanged, this, &RigWorkspace::showPreflight);
  refresh_.setInterval(kRefresh_ms);
  connect(&refresh_, &QTimer::timeout, this, [this] {
    if (session_->link() && isVisible()) showPreflight();
  });
  refresh_.start();
  updateConnect();
}

QWidget* RigWorkspace::makeSetUp() {
  auto* left = new QVBoxLayout;
  left->setSpacing(8);
  left->addWidget(connection_, 1);
  left->addWidget(jog_);
  auto* left_column = new QWidget;
  left_column->setFixedWidth(kLeft_px);
  left_column->setLayout(left);
  left->setContentsMargins(0, 0, 0, 0);
  auto* right = new Splitter(Qt::Vertical);
  right->setChildrenCollapsible(false);
  right->addWidget(channels_);
  auto* checks = new Panel;
  auto* checks_title = new QLabel(tr("Before you run"));
  checks_title->setFont(figureFont(1.0, true));
  auto* checks_box = new QVBoxLayout(checks);
  checks_box->setContentsMargins(12, 6, 8, 8);
  checks_box->addWidget(checks_title);
  checks_box->addWidget(scrolled(list_), 1);
  auto* bottom = new Splitter(Qt::Horizontal);
  bottom->setChildrenCollapsible(false);
  bottom->addWidget(link_panel_);
  bottom->addWidget(checks);
  bottom->setSizes({380, 420});
  right->addWidget(bottom);
  right->setStretchFactor(0, 3);
  right->setStretchFactor(1, 1);
  right->setSizes({520, 180});
  auto* page = new QWidget;
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(0, 8, 0, 0);
  row->setSpacing(8);
  row->addWidget(left_column);
  row->addWidget(right, 1);
  return page;
}

void RigWorkspace::showAxes() { jog_->setAxes(document_->actuatorAxes()); }

void RigWorkspace::showPreflight() {
  if (!project_) return;
  list_->show(checks_->items((recordingFolder(*project_) / "run.h5").string(), kRowBytes, {}, session_->link(),
                             interfaceReadings(*project_, session_->readings(document_->actuatorAxes().size()))));
}

void RigWorkspace::updateConnect() {
  const bool address = document_->at("/rig/connection/address") || document_->at("/rig/connection/library");
  connection_->setBlocked(!has_devices_      ? tr("This program has no hardware drivers.")
                          : test_active_     ? tr("A test is active and uses the rig. End the test first.")
                          : !held_.isEmpty() ? held_
                          : !address         ? tr("Choose a protocol and give an address first.")
                          : !project_        ? tr("The project has errors: Configure (Ctrl+1) lists them.")
                                             : QString());
}

void RigWorkspace::setTestActive(bool active) {
  test_active_ = active;
  connection_->setReadOnly(active);
  channels_->setReadOnly(active);
  identify_->setTestActive(active);
  plant_->setTestActive(active);
  updateConnect();
}

void RigWorkspace::setHeld(const QString& why) {
  held_ = why;
  updateConnect();
}

void RigWorkspace::showLink() {
  link_->setSource(session_->link());
  if (!isVisible()) return;
  link_->refresh();
  link_panel_->updateReading();
  link_panel_->setFootnote(link_->detail(), link_->detailMeaning());
}

void RigWorkspace::goTo(const std::string& pointer) {
  pages_->setCurrentIndex(0);
  if (pointer.starts_with("/rig/channels"))
    channels_->focusField(pointer);
  else
    connection_->focusField(pointer);
}

QString RigWorkspace::helpPage() const {
  if (pages_->currentWidget() == identify_) return QStringLiteral("identify");
  if (pages_->currentWidget() == plant_) return QStringLiteral("plant");
  return channels_->isAncestorOf(focusWidget()) ? QStringLiteral("rig-channels") : QStringLiteral("rig-page");
}

}  // namespace hyb::ui
