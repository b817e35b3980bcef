#include <QTest>
#include <limits>

#include "core/loop/row.h"
#include "core/tick/event.h"
#include "tests/support/suite.h"

using namespace hyb;

class EventTest : public QObject {
  Q_OBJECT
  const EventNames names_{{"gap 2", "link-lost"}, {"m", ""}, {"ramped to zero", "stopped"}, {"alpha"}, {""}};

  QString words(const Event& event) const { return QString::fromStdString(message(event, names_)); }

 private Q_SLOTS:
  void columnsFollowTheAccessors() {
    const RowLayout layout(2, {{"walls", "m", "", 0}, {"shaker", "N", "force on m1", 0}}, true,
                           {{"prediction_1", "s", ""}});
    const auto channel = [&](std::size_t column) {
      return QString::fromStdString(layout.channels()[column - RowLayout::kFirstChannel].name);
    };
    QCOMPARE(channel(layout.excitation(1)), "excitation_2");
    QCOMPARE(channel(layout.target(0)), "target_1");
    QCOMPARE(channel(layout.command(1)), "command_2");
    QCOMPARE(channel(layout.measured(0)), "measured_1");
    QCOMPARE(channel(layout.force(1)), "force_2");
    QCOMPARE(channel(layout.gap(0)), "gap_1");
    QCOMPARE(channel(layout.velocity(1)), "velocity_2");
    QCOMPARE(channel(layout.reference(1)), "reference_2");
    QCOMPARE(layout.adaptedColumn(0), RowLayout::kFirstChannel + layout.channels().size());
    QCOMPARE(layout.width(), layout.adaptedColumn(0) + 1);
    QCOMPARE(QString::fromStdString(layout.channels()[1].description), "force on m1");
    const RowLayout without(2, {}, false, {});
    QCOMPARE(without.width(), RowLayout::kFirstChannel + 12u);
  }

  void limitsSayValueThresholdAndAction() {
    QCOMPARE(words({.code = EventCode::limit_hit, .index = 0, .value = 0.00612, .bound = 0.006}),
             "limit gap 2 reached: 6.12 mm, threshold 6 mm; ramped to zero");
    QCOMPARE(words({.code = EventCode::limit_hit, .index = 0, .value = 1.05, .bound = 0.9}),
             "limit gap 2 reached: 1.05 m, threshold 0.9 m; ramped to zero");
    QCOMPARE(words({.code = EventCode::limit_hit, .index = 1, .value = 1}), "limit link-lost reached; stopped");
    QCOMPARE(words({.code = EventCode::limit_hit, .index = 0, .value = std::numeric_limits<double>::quiet_NaN()}),
             "limit gap 2 is not a number; ramped to zero");
    QCOMPARE(words({.code = EventCode::limit_changed, .index = 0, .value = 0.004, .bound = 0.006}),
             "limit gap 2 changed from 6 mm to 4 mm");
    QCOMPARE(words({.code = EventCode::parameter_changed, .index = 0, .value = 0.4, .bound = 0.2}),
             "alpha changed from 0.2 to 0.4");
    QCOMPARE(words({.code = EventCode::state_changed, .index = static_cast<int>(State::fault)}), "state fault");
  }

  void everyCodeHasNameAndWords() {
    for (const auto& [code, name] : eventCodeNames()) {
      QVERIFY(!name.empty());
      for (const int index : {-1, 0, 99}) {  // an index out of range is said, not followed
        Event event{.code = static_cast<EventCode>(code), .index = index};
        event.setText(std::string(200, 'x') + "\n\xC3\xBC");
        const std::string text = message(event, names_);
        QVERIFY(!text.empty() && text.size() <= 159);
        for (const char c : text) QVERIFY(c >= 0x20 && c < 0x7F);
      }
    }
  }

  void textIsCutBetweenCharacters() {
    Event event;
    event.setText(std::string(126, 'x').append("\xC3\xBC"));
    QCOMPARE(std::string(event.text.data()), std::string(126, 'x'));
    event.setText("short");
    QCOMPARE(std::string(event.text.data()), std::string("short"));
  }
};

HYB_SUITE(events_and_rows, EventTest)
#include "event_test.moc"
