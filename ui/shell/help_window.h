#pragma once
#include <QWidget>

class QListWidget;
class QTextBrowser;

namespace hyb::ui {

/// Help pages of resources/help beside the main window; never modal.
class HelpWindow : public QWidget {
  Q_OBJECT
 public:
  struct Page {
    QString name, title;
  };
  /// All pages; the pages of a family's members follow the page of the family.
  static const QList<Page>& pages();
  explicit HelpWindow(QWidget* parent = nullptr);
  /// Shows a page by name, such as "safety"; an unknown name shows the first page.
  void open(const QString& page);
  QString page() const;

 private:
  void read(const QString& page);
  QListWidget* list_;
  QTextBrowser* text_;
};

}  // namespace hyb::ui
