#include <algorithm>
#include <set>

#include "core/record/file_in_making.h"
#include "core/record/finish.h"
#include "core/record/run_file_reader.h"
#include "core/record/salvage.h"

namespace hyb {

namespace {

namespace fs = std::filesystem;

/// A copy that any program opens plainly.
void makePlainCopy(const fs::path& file, FileInMaking& copy, bool live) {
  copy.copyFrom(file);
  if (!live) return;
  try {
    releaseFromSwmr(copy.held());
  } catch (const DeviceError&) {
    copyThroughReader(file, copy.held());  // a library that knows the private names no more
  }
}

void verify(const fs::path& copy, std::uint64_t rows) {
  const RunFileReader reader(copy);
  std::set<std::size_t> lengths;
  for (const std::string& path : reader.info().row_columns) lengths.insert(reader.read(path).size());
  if (reader.info().live || lengths.size() != 1 || *lengths.begin() != rows)
    throw DeviceError("the recovered copy does not read back as one table");
}

/// The file gets another name, then the copy its old one.
void putInPlaceOf(const fs::path& file, const fs::path& original, FileInMaking& copy) {
  renameToNew(file, original);
  try {
    copy.publish();
  } catch (const DeviceError&) {
    renameToNew(original, file);
    throw;
  }
}

/// What is to be mended.
struct Patient {
  bool whole = false, live = false, cut_off = false;
  std::uint64_t rows = 0;  // that it says it has; 0 where it cannot be read
};
Patient examine(const fs::path& file) {
  Patient patient;
  try {
    const RunFileReader reader(file);
    const RunFileInfo& info = reader.info();
    patient.live = info.live;
    patient.rows = info.rows;
    // A process may also die between closing the file and its last words.
    patient.whole = !info.live && (info.recovered || info.verdict.ended != EndReason::killed);
  } catch (const DeviceError&) {
    const h5::Handle plain(H5Fopen(file.c_str(), H5F_ACC_RDONLY, h5::fileAccess()));
    if (plain.valid() || H5Fis_hdf5(file.c_str()) <= 0) throw;  // opens, but is no run file of ours; or is not HDF5
    patient.cut_off = true;                                     // or damaged otherwise; salvage() says so
  }
  if (patient.live && !h5::writerAlive(file)) patient.cut_off = cutOff(file);
  return patient;
}

}  // namespace

RecoverReport recover(const fs::path& file, const fs::path& output) {
  h5::prepare();
  const Patient patient = examine(file);
  if (patient.whole) return {false, patient.rows, 0, file, file};
  if (h5::writerAlive(file)) throw DeviceError(file.string() + ": the run still goes on; stop it first");
  if (!output.empty() && fs::exists(output))
    throw DeviceError(output.string() + ": exists already and is not overwritten; choose another name");
  RecoverReport report;
  report.original = output.empty() ? fs::path(file.string() + ".killed.h5") : file;
  report.file = output.empty() ? file : output;
  if (output.empty() && fs::exists(report.original))
    throw DeviceError(report.original.string() + ": exists already; move it away or give an output file");
  try {
    FileInMaking copy(report.file, ".recovering");
    if (patient.cut_off)
      salvage(file, copy.held());
    else
      makePlainCopy(file, copy, patient.live);
    Finish finish;
    // In the middle of a write a file points beyond its end, as does one of which the end was lost since.
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
