#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "core/record/run_file_writer.h"

namespace hyb {

/// The writer thread: empties its rings into the run file and flushes every second. Owns the only handle to the file.
/// After a failure it continues to empty the rings, so that the loop never waits for a faulty disk.
class Recorder {
 public:
  /// Ring capacity: at least 2 s of rows, at least four chunks. Throws DeviceError if the disk has less free space than
  /// the run needs (rate * width * 8 * duration * 1.2; without a duration: ten minutes).
  Recorder(const std::filesystem::path& file, const RunFileHeader& header, const RowLayout& layout,
           const EventNames& names, double rate_hz, double duration_s, double flush_s);
  ~Recorder();  // close({}) if it was not closed
  RowRing& rows() noexcept { return rows_; }
  EventRing& events() noexcept { return events_; }
  RowRing& segments() noexcept { return segments_; }
  void setRealtime(const RealtimeOutcome& outcome);  // any thread, when the loop thread has the result
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  const std::atomic<bool>& failedFlag() const noexcept { return failed_; }
  std::string failure() const;  // after failed()
  std::uint64_t writtenRows() const noexcept { return written_rows_.load(std::memory_order_relaxed); }
  std::uint64_t writtenBytes() const noexcept { return written_bytes_.load(std::memory_order_relaxed); }
  std::uint64_t lostRows() const noexcept {  // did not fit into the ring, or came after the failure
    return rows_.dropped() + lost_rows_.load(std::memory_order_relaxed);
  }
  /// Drains the rings, joins the thread, closes the file. valid is cleared on any lost row. Never throws: a file that
  /// cannot be closed sets failed(). Idempotent.
  void close(const RunFileEnd& end);

  /// Message for the operator: the file was moved or deleted. Once for each; any thread.
  std::optional<PlaceNotice> takeNotice();
  // After close(), as in RunFileWriter:
  std::filesystem::path path() const;
  std::filesystem::path alias() const;
  void sync();
  void removeFile() noexcept;
  /// Closes the descriptor of the file; no other member may be called after it.
  void letGo() noexcept;

 private:
  struct Impl;
  RowRing rows_, segments_;
  EventRing events_;
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> written_rows_{0}, written_bytes_{0}, lost_rows_{0};
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyb
