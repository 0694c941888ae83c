//! Texts of the input, and names of the library's numbers.

use crate::sys;
use std::{borrow::Cow, ffi::CStr, fmt, os::raw::c_char, slice};

/// A name or another text of the input in UTF-8, in memory of the library. It can contain any character, also NUL and
/// control characters. The bytes of a counter of bytes are one, too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<'r>(&'r [u8]);

impl<'r> Text<'r> {
    /// Returns the text at an address; `None` for NULL.
    ///
    /// # Safety
    /// `size` bytes at the address are valid for `'r`.
    pub(crate) unsafe fn new(data: *const c_char, size: usize) -> Option<Self> {
        slice_of(data.cast::<u8>(), size).map(Text)
    }

    /// Returns the bytes.
    pub fn as_bytes(self) -> &'r [u8] {
        self.0
    }

    /// Returns the text. It is a copy only if it is not UTF-8, as values of a counter of bytes can be: then each wrong
    /// part is U+FFFD.
    pub fn to_str(self) -> Cow<'r, str> {
        String::from_utf8_lossy(self.0)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_str().fmt(f)
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_str().fmt(f)
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

/// Returns memory of C as a slice; `None` for NULL.
///
/// # Safety
/// `size` elements at the address are valid and unchanged for `'r`.
pub(crate) unsafe fn slice_of<'r, T>(data: *const T, size: usize) -> Option<&'r [T]> {
    if data.is_null() {
        None
    } else {
        Some(slice::from_raw_parts(data, size))
    }
}

/// Returns a text that is a constant of the library.
fn constant(text: *const c_char) -> &'static str {
    // SAFETY: the functions of the C interface that return only a pointer return a terminated constant.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("")
}

/// Returns the version of the library, such as `0.1.0`.
pub fn version() -> &'static str {
    constant(unsafe { sys::hkpd_version() })
}

/// Returns the name of a reason (see [`crate::Cooked::reasons`]), such as `counter_went_back`; `""` for 0 and for
/// numbers that are no reason.
pub fn reason_name(reason: u8) -> &'static str {
    constant(unsafe { sys::hkpd_reason_name(reason) })
}

/// Returns the name of a counter type, such as `PERF_COUNTER_COUNTER`; `""` for a type without a name.
pub fn type_name(counter_type: u32) -> &'static str {
    constant(unsafe { sys::hkpd_type_name(counter_type) })
}

pub(crate) fn status_text(status: sys::hkpd_status) -> &'static str {
    constant(unsafe { sys::hkpd_status_text(status) })
}
