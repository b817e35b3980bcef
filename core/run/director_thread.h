#pragma once
#include <atomic>
#include <thread>

#include "core/loop/loop.h"

namespace hyb {

/// Works out beside a paced loop what its scheme learns between two trials, on a thread without real-time priority. For
/// a loop without trials it does nothing. Lives as long as the loop is driven; make it before the loop's thread asks
/// for real time.
class DirectorThread {
 public:
  explicit DirectorThread(Loop& loop);
  ~DirectorThread();
  DirectorThread(const DirectorThread&) = delete;
  DirectorThread& operator=(const DirectorThread&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace hyb
