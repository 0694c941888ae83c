//! Faults of the input.

use crate::{open::Handle, sys, Error, Feed, Reader, Text};
use std::{ffi::CStr, mem, os::raw::c_char};

/// Severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Severity {
    /// Unusual but legal.
    Note = sys::HKPD_NOTE,
    /// A rule is broken, but no data was lost.
    Warning = sys::HKPD_WARNING,
    /// Data was lost.
    Error = sys::HKPD_ERROR,
}

/// A fault of the input. It is a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    pub severity: Severity,
    /// Name that never changes, such as `counter_outside_block`.
    pub code: &'static str,
    /// Number of samples before the fault's; [`crate::NO_INDEX`]: none.
    pub sample: u32,
    /// Captures and logs: number of records before the fault's; [`crate::NO_INDEX`]: none.
    pub record: u32,
    /// Index of the object; [`crate::NO_INDEX`]: none.
    pub object: u32,
    /// Position of the instance in its object; [`crate::NO_INDEX`]: none.
    pub instance: u32,
    /// Bytes from the start of the input or, with a record, from the start of the record.
    pub offset: Option<u64>,
    pub expected: u64,
    pub found: u64,
    /// Name of the input, which can have any bytes.
    pub input: Option<Vec<u8>>,
    /// Such as `PERF_OBJECT_TYPE`.
    pub structure: Option<String>,
    /// Such as `TotalByteLength`.
    pub field: Option<String>,
    /// What is wrong, with the expected and the found value.
    pub message: String,
}

impl Handle {
    fn count_faults(&self, severity: Severity) -> u64 {
        unsafe { sys::hkpd_count_faults(self.get(), severity as i32) }
    }

    fn faults(&self) -> Result<Vec<Fault>, Error> {
        // SAFETY: the handle is that of a reader that is open.
        unsafe { faults_of(self.get()) }
    }
}

/// Returns copies of the faults of a reader.
///
/// # Safety
/// `reader` is open.
pub(crate) unsafe fn faults_of(reader: *mut sys::hkpd_reader) -> Result<Vec<Fault>, Error> {
    (0..sys::hkpd_fault_count(reader)).map(|index| fault(reader, index)).collect()
}

unsafe fn fault(reader: *mut sys::hkpd_reader, index: usize) -> Result<Fault, Error> {
    let mut raw: sys::hkpd_fault = mem::zeroed();
    raw.struct_size = mem::size_of_val(&raw);
    Error::check(sys::hkpd_get_fault(reader, index, &mut raw))?;
    Ok(Fault {
        severity: match raw.severity {
            sys::HKPD_NOTE => Severity::Note,
            sys::HKPD_WARNING => Severity::Warning,
            _ => Severity::Error,
        },
        // SAFETY: the code is a constant of the library; `copied` copies texts while they are valid.
        code: CStr::from_ptr(raw.code).to_str().unwrap_or(""),
        sample: raw.sample,
        record: raw.record,
        object: raw.object,
        instance: raw.instance,
        offset: if raw.has_offset == 0 { None } else { Some(raw.offset) },
        expected: raw.expected,
        found: raw.found,
        input: Text::new(raw.input, raw.input_size).map(|text| text.as_bytes().to_vec()),
        structure: copied(raw.structure, raw.structure_size),
        field: copied(raw.field, raw.field_size),
        message: copied(raw.message, raw.message_size).unwrap_or_default(),
    })
}

unsafe fn copied(text: *const c_char, size: usize) -> Option<String> {
    Text::new(text, size).map(|text| text.to_str().into_owned())
}

impl Reader<'_> {
    /// Returns the number of faults of a severity that were found so far. Not all of them are kept.
    pub fn count_faults(&self, severity: Severity) -> u64 {
        self.handle.count_faults(severity)
    }

    /// Returns the faults that were kept: the first 1,000 of each severity, in the order in which they were found. Fails
    /// if memory runs out.
    pub fn faults(&self) -> Result<Vec<Fault>, Error> {
        self.handle.faults()
    }
}

impl Feed {
    /// Returns the number of faults of a severity that were found so far. Not all of them are kept.
    pub fn count_faults(&self, severity: Severity) -> u64 {
        self.handle.count_faults(severity)
    }

    /// Returns the faults that were kept, as [`Reader::faults`] does.
    pub fn faults(&self) -> Result<Vec<Fault>, Error> {
        self.handle.faults()
    }
}
