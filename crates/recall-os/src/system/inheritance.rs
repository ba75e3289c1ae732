//! Which handles a child process gets.

use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE};

/// Keeps the standard handles of this process from processes that it starts later, except where one is passed on by name.
///
/// Windows gives a child all handles that may be inherited, and those that this process got from its own starter may. A child that
/// outlives this process would keep the pipe of the starter open, which then waits for the end of the output.
#[expect(unsafe_code, reason = "the functions of Windows")]
pub fn keep_standard_handles() {
    for name in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        // SAFETY: both functions take any value. A handle that is missing or invalid is refused, and then no child can inherit it.
        unsafe {
            SetHandleInformation(GetStdHandle(name), HANDLE_FLAG_INHERIT, 0);
        }
    }
}
