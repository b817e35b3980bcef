#pragma once

namespace hyb {

/// Makes exit() within a plug-in stop its thread instead of ending the program; the test is ended from outside. Exit
/// handlers registered after the last call, for example by a file library, would run before: call it again as late as
/// possible before a plug-in runs.
void heedExit();

}  // namespace hyb
