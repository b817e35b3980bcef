#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "core/record/hdf5.h"
#include "core/record/place.h"

namespace hyb::h5 {

/// A file that HDF5 writes through a descriptor held here: its name may come to mean another file meanwhile, and that
/// one is never touched. HDF5 learns of no refused write, because its own ways out of a failure crash: from the first
/// one on nothing more reaches the file, HDF5 goes on in memory, and check() tells.
class HeldFile {
 public:
  /// Takes the descriptor over. `file`: the name that it was opened by.
  HeldFile(int descriptor, std::filesystem::path file);
  /// Opens for reading and writing. Throws DeviceError in the system's words.
  static HeldFile open(const std::filesystem::path& file);
  /// Creates; refuses a file that is there. Throws DeviceError in the system's words.
  static HeldFile create(const std::filesystem::path& file);
  HeldFile(HeldFile&& other) noexcept;
  HeldFile& operator=(HeldFile&& other) noexcept;
  ~HeldFile();

  int descriptor() const noexcept;
  /// A file access list by which H5Fcreate and H5Fopen use the descriptor. This object must outlive what they open.
  Handle access() const;
  /// A new, empty HDF5 file; H5P_DEFAULT or a list of h5::creation(H5P_FILE_CREATE). Throws DeviceError.
  Handle makeHdf5(hid_t creation_list) const;
  /// The HDF5 file that is there, for reading and writing. Throws DeviceError.
  Handle openHdf5() const;
  Handle openHdf5(hid_t list) const;  // of access(), with more in it
  /// Likewise, and what is written waits for closeHdf5(), which writes what is new before what it changes, and
  /// puts that back where a write is refused. For small changes to a file that is whole.
  Handle openForChanges() const;
  /// Closes what these gave. Throws DeviceError, also for writes refused before.
  void closeHdf5(Handle file) const;

  /// Throws DeviceError in the system's words where a write was refused since the last call, or ever if it was given
  /// up.
  void check() const;
  /// From a refused write on nothing more reaches the file.
  bool givenUp() const noexcept;
  /// Keeps so many bytes of the disk aside, for closing the file on a full disk: given back at the first write that
  /// does not fit, which is tried again and still counts as refused.
  void keepRoom(std::uint64_t bytes);
  void releaseRoom() noexcept;

  FilePlace place() const;
  /// The same file as the name it was opened by, or was last found by, still leads to. Empty: it has none.
  std::filesystem::path path() const;
  /// What became of the name since it was last looked at, if anything did; a new name is looked at from then on.
  std::optional<FilePlace> look();
  /// A name that leads to this file in this process as long as it is held, whatever happens to its own.
  std::filesystem::path alias() const;
  /// It was given this name.
  void rename(std::filesystem::path name);
  /// Deletes the file if its name still leads to it.
  void remove() const noexcept;
  /// Waits until everything is on the disk, the name too. Throws DeviceError.
  void sync() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

/// Waits until the name of a file is on the disk. Throws DeviceError.
void syncFolderOf(const std::filesystem::path& file);

}  // namespace hyb::h5
