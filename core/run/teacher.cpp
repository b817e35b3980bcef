#include "core/run/teacher.h"

#include <chrono>

namespace hyb {

Teacher::Teacher(Loop& loop) {
  using namespace std::chrono_literals;
  if (!loop.hasLessons()) return;
  loop.teachElsewhere();
  thread_ = std::thread([this, &loop] {
    while (!over_.load(std::memory_order_acquire))
      if (!loop.teach()) std::this_thread::sleep_for(1ms);
  });
}

Teacher::~Teacher() {
  over_.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
}

}  // namespace hyb
