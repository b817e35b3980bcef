#pragma once
#include <atomic>
#include <thread>

#include "core/loop/loop.h"

namespace hyb {

/// Computes beside a paced loop what its scheme learns between two trials, on a thread without real-time priority. Does
/// nothing for a loop without trials. Must live as long as the loop is driven. Create it before the loop thread
/// requests real time.
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
