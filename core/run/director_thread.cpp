#include "core/run/director_thread.h"

#include <chrono>

namespace hyb {

DirectorThread::DirectorThread(Loop& loop) {
  using namespace std::chrono_literals;
  if (!loop.hasDirectorWork()) return;
  loop.workElsewhere();
  thread_ = std::thread([this, &loop] {
    while (!over_.load(std::memory_order_acquire))
      if (!loop.workForDirector()) std::this_thread::sleep_for(1ms);
  });
}

DirectorThread::~DirectorThread() {
  over_.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
}

}  // namespace hyb
