#include "ui/base/page_stack.h"

#include <QStackedWidget>

namespace hyb::ui {

void showPage(QStackedWidget* pages, int page) {
  for (int p = 0; p < pages->count(); ++p) {
    const auto policy = p == page ? QSizePolicy::Preferred : QSizePolicy::Ignored;
    pages->widget(p)->setSizePolicy(policy, policy);
  }
  pages->setCurrentIndex(page);
}

}  // namespace hyb::ui
