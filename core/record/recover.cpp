#include <algorithm>
#include <set>

#include "core/record/file_in_making.h"
#include "core/record/finish.h"
#include "core/record/run_file_reader.h"
#include "core/record/salvage.h"

namespace hyb {

namespace {

namespace fs = std::filesystem;

/// A copy that any program can open as a plain file.
void makePlainCopy(const fs::path& file, FileInMaking& copy, bool live) {
  copy.copyFrom(file);
  if (!live) return;
  try {
    releaseFromSwmr(copy.held());
  } catch (const DeviceError&) {
    copyThroughReader(file, copy.held());  // a library without the private names
  }
}

void verify(const fs::path& copy, std::uint64_t rows) {
  const RunFileReader reader(copy);
  std::set<std::size_t> lengths;
  for (const std::string& path : reader.info().row_columns) lengths.insert(reader.read(path).size());
  if (reader.info().live || lengths.size() != 1 || *lengths.begin() != rows)
    throw DeviceError("the recovered copy does not read back as one table");
}

/// Renames the file, then gives the copy its old name.
void putInPlaceOf(const fs::path& file, const fs::path& original, FileInMaking& copy) {
  renameToNew(file, original);
  try {
    copy.publish();
  } catch (const DeviceError&) {
    renameToNew(original, file);
    throw;
  }
}

/// File to be repaired.
struct Patient {
  bool whole = false, live = false, cut_off = false;
  std::uint64_t rows = 0;  // as recorded in it; 0 if that cannot be read
};
Patient examine(const fs::path& file) {
  Patient patient;
  try {
    const RunFileReader reader(file);
    const RunFileInfo& info = reader.info();
    patient.live = info.live;
    patient.rows = info.rows;
    // A process may also end between closing the file and its final entries.
    patient.whole = !info.live && (info.recovered || info.verdict.ended != EndReason::killed);
  } catch (const DeviceError&) {
    const h5::Handle plain(H5Fopen(file.c_str(), H5F_ACC_RDONLY, h5::fileAccess()));
    if (plain.valid() || H5Fis_hdf5(file.c_str()) <= 0) throw;  // readable, but not a run file; or not HDF5
    patient.cut_off = true;                                     // or damaged otherwise; salvage() reports it
  }
  if (patient.live && !h5::writerAlive(file)) patient.cut_off = cutOff(file);
  return patient;
}

}  // namespace

RecoverReport recover(const fs::path& file, const fs::path& output) {
  h5::prepare();
  const Patient patient = examine(file);
  if (patient.whole) return {false, patient.rows, 0, file, file};
  if (h5::writerAlive(file)) throw DeviceError(file.string() + ": the run is still active; stop it first");
  if (!output.empty() && fs::exists(output))
    throw DeviceError(output.string() + ": exists already and is not overwritten; choose another name");
  RecoverReport report;
  report.original = output.empty() ? fs::path(file.string() + ".killed.h5") : file;
  report.file = output.empty() ? file : output;
  if (output.empty() && fs::exists(report.original))
    throw DeviceError(report.original.string() + ": exists already; move it or give an output file");
  try {
    FileInMaking copy(report.file, ".recovering");
    if (patient.cut_off)
      salvage(file, copy.held());
    else
      makePlainCopy(file, copy, patient.live);
    Finish finish;
    // During a write, or after the loss of its end, a file refers to data beyond its end.
    const char* const reason = !patient.cut_off ? "writer was killed"
                               : patient.live   ? "writer was killed in the middle of a write, or the file was cut off"
                                                : "the file was cut off";
    finish.end = {.stop_reason = reason, .ended = EndReason::killed};
    finish.recovered = true;
    const Finished finished = finishRunFile(copy.held(), finish);
    report.rows = finished.rows;
    report.dropped = std::max(finished.dropped, patient.rows > finished.rows ? patient.rows - finished.rows : 0);
    verify(copy.path(), report.rows);
    if (output.empty())
      putInPlaceOf(file, report.original, copy);
    else
      copy.publish();
  } catch (const std::exception& error) {
    throw DeviceError(file.string() + ": cannot be recovered: " + error.what());
  }
  return report;
}

}  // namespace hyb
