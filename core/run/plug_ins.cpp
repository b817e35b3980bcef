#include "core/run/plug_ins.h"

#include <array>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>

#include "core/compensation/plug_in_exit.h"
#include "core/loop/realtime.h"

namespace hyb {
namespace {

/// A thread of this program waits for something other than a processor. False if unknown.
bool sleeps(int thread) {
  std::array<char, 256> line{};
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return false;
  const std::size_t read = std::fread(line.data(), 1, line.size(), file);
  std::fclose(file);
  const std::string_view text(line.data(), read);  // "12 (name) S ..."
  const std::size_t end = text.rfind(')');
  const char state = end != std::string_view::npos && end + 2 < text.size() ? text[end + 2] : 'R';
  return state == 'S' || state == 'D';
}

/// CPU time of a thread of this program, s; 0 if unknown.
double computed_s(int thread) {
  // Clock of another thread from its number, as pthread_getcpuclockid() makes it from a handle.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U);
  std::timespec now{};
  return clock_gettime(clock, &now) == 0 ? static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)
                                         : 0.0;
}

}  // namespace

bool PlugInLook::givesUp() {
  const std::uint64_t now = watch_.underWay();
  if (now == 0) {
    seen_ = 0;
    return false;
  }
  if (watch_.fault() == PlugInFault::exit_called) return watch_.giveUp(now);
  const double now_s = 1e-9 * static_cast<double>(monotonicNs()), spent_s = computed_s(watch_.thread());
  if (now != seen_) {
    seen_ = now;
    own_s_ = 0.0;
  } else {
    own_s_ += sleeps(watch_.thread()) ? now_s - looked_s_ : spent_s - spent_s_;
  }
  looked_s_ = now_s;
  spent_s_ = spent_s;
  const bool overdue = own_s_ >= watch_.longest_s(now);
  const bool pressed = stop_ != nullptr && stop_->presses() > 1 && !isRealTime(PlugInWatch::callOf(now));
  if ((!pressed && !overdue) || !watch_.giveUp(now)) return false;
  by_stop_ = !overdue;
  return true;
}

std::string PlugInLook::sentence() const {
  if (!by_stop_ || watch_.fault() != PlugInFault::no_return) return watch_.sentence();
  const PlugInCall call = watch_.failedCall();
  return "the library \"" + std::string(watch_.failedName()) + "\" was still in " + std::string(name(call)) +
         (call == PlugInCall::load ? "" : "()") + " when STOP was pressed again";
}

void workWatched(const PlugInWatchPtr& watch, const StopToken* stop, std::function<void()> work) {
  struct Shared {
    std::function<void()> work;
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  const auto shared = std::make_shared<Shared>();
  heedExit();
  shared->work = std::move(work);
  std::thread thread([shared] {
    try {
      shared->work();
    } catch (...) {
      shared->failure = std::current_exception();
    }
    const std::scoped_lock lock(shared->mutex);
    shared->done = true;
    shared->changed.notify_one();
  });
  PlugInLook look(*watch, stop);
  for (;;) {
    {
      std::unique_lock lock(shared->mutex);
      if (shared->changed.wait_for(lock, PlugInLook::kEvery, [&] { return shared->done; })) break;
    }
    if (!look.givesUp()) continue;
    thread.detach();
    throw PlugInGivenUp(look.sentence());
  }
  thread.join();
  if (shared->failure) std::rethrow_exception(shared->failure);
}

Project withPlugIns(Project project, const StopToken* stop) {
  if (project.compensation.method->notLoaded().empty()) return project;
  const auto watch = std::make_shared<PlugInWatch>();
  const auto loaded = std::make_shared<CompensationMethodPtr>();
  workWatched(watch, stop, [watch, loaded, method = project.compensation.method] { *loaded = method->loaded(watch); });
  project.compensation.method = *loaded;
  project.compensation.watch = watch;
  return project;
}

void tryOutPlugIns(const Project& project, const StopToken* stop) {
  const CompensationMethodPtr method = project.compensation.method;
  if (project.compensation.watch)
    workWatched(project.compensation.watch, stop, [method] { method->tryOut(); });
  else
    method->tryOut();
}

}  // namespace hyb
