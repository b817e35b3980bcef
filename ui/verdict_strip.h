#pragma once
#include <QFrame>
#include <QStringList>
#include <array>

class QLabel;

namespace hyb::ui {

/// The verdict on a run as the window says it: did it end as planned, are the data whole, was it a good test. Three
/// words that must not be taken for one another; nothing is green that is not good.
struct VerdictText {
  struct Word {
    QString title, word;
    const char* mark = "";  // "ok", "warning", "error"; "": nothing is known
  };
  std::array<Word, 3> words;  // ended, data, test
  QStringList reasons;
  QString sentence() const;  // "ended operator, data whole, test poor"
};

/// The verdict on the test that ended, below the header until the next one or until it is put away.
class VerdictStrip : public QFrame {
  Q_OBJECT
 public:
  explicit VerdictStrip(QWidget* parent = nullptr);
  void show(const VerdictText& verdict);
  void clear();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::array<QLabel*, 3> words_;
  QLabel* reasons_;
};

}  // namespace hyb::ui
