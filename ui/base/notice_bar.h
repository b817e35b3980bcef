#pragma once
#include <QFrame>

class QLabel;
class QHBoxLayout;

namespace hyb::ui {

/// A line below the header that wraps instead of being cut off. Hidden while it has no text.
class NoticeBar : public QFrame {
  Q_OBJECT
 public:
  /// mark: "error" or "warning".
  explicit NoticeBar(const char* mark, QWidget* parent = nullptr);
  void setText(const QString& text);
  QString text() const;
  /// Buttons stand right of the text.
  void addWidget(QWidget* widget);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString mark_;
  QLabel* text_;
  QHBoxLayout* row_;
};

}  // namespace hyb::ui
