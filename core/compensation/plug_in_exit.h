#pragma once

namespace hyb {

/// exit() within a plug-in stops its thread from now on instead of ending the program; its test is ended from outside.
/// What was set up since the last call, a library of files above all, would be torn down before: call it again as late
/// as can be before a plug-in runs.
void heedExit();

}  // namespace hyb
