#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "core/record/hdf5.h"
#include "core/record/place.h"

namespace hyb::h5 {

/// A file that HDF5 writes through a descriptor held here. Its name may later refer to another file, which is never
/// touched. HDF5 is not informed of a refused write, because its own error paths crash: from the first one on nothing
/// more is written to the file, HDF5 continues in memory, and check() reports the failure.
class HeldFile {
 public:
  /// Takes ownership of the descriptor. `file`: the name used to open it.
  HeldFile(int descriptor, std::filesystem::path file);
  /// Opens for reading and writing. Throws DeviceError with the system's text.
  static HeldFile open(const std::filesystem::path& file);
  /// Creates the file; refuses an existing one. Throws DeviceError with the system's text.
  static HeldFile create(const std::filesystem::path& file);
  HeldFile(HeldFile&& other) noexcept;
  HeldFile& operator=(HeldFile&& other) noexcept;
  ~HeldFile();

  int descriptor() const noexcept;
  /// A file access list that makes H5Fcreate and H5Fopen use the descriptor. This object must outlive the opened files.
  Handle access() const;
  /// Creates an empty HDF5 file; H5P_DEFAULT or a list of h5::creation(H5P_FILE_CREATE). Throws DeviceError.
  Handle makeHdf5(hid_t creation_list) const;
  /// Opens the existing HDF5 file for reading and writing. Throws DeviceError.
  Handle openHdf5() const;
  Handle openHdf5(hid_t list) const;  // list of access() with further properties
  /// The same, but writing is deferred until closeHdf5(), which writes new data before changed data and restores the
  /// latter if a write is refused. For small changes to a complete file.
  Handle openForChanges() const;
  /// Closes a file opened by these functions. Throws DeviceError, also for earlier refused writes.
  void closeHdf5(Handle file) const;

  /// Throws DeviceError with the system's text if a write was refused since the last call, or if writing was given up.
  void check() const;
  /// True after a refused write: nothing more is written to the file.
  bool givenUp() const noexcept;
  /// Reserves this number of bytes on the disk for closing the file on a full disk. They are released at the first
  /// write that does not fit. That write is repeated and still counts as refused.
  void keepRoom(std::uint64_t bytes);
  void releaseRoom() noexcept;

  FilePlace place() const;
  /// The name of this file: that of its opening, or the last one found, if it still refers to it. Empty: none.
  std::filesystem::path path() const;
  /// Change of the name since the last call, if any; a new name is observed from then on.
  std::optional<FilePlace> look();
  /// A name that refers to this file in this process while it is held, independent of its own name.
  std::filesystem::path alias() const;
  /// Reports its new name.
  void rename(std::filesystem::path name);
  /// Deletes the file if its name still refers to it.
  void remove() const noexcept;
  /// Waits until all data and the name are on the disk. Throws DeviceError.
  void sync() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

/// Waits until the name of a file is on the disk. Throws DeviceError.
void syncFolderOf(const std::filesystem::path& file);

}  // namespace hyb::h5
