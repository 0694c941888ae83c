//! Columns: the raw and cooked values of a counter.

use crate::{open::Handle, sys, text::slice_of, Error, Text};
use std::{mem, ptr};

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Storage {
    Number = sys::HKPD_STORAGE_NUMBER,
    /// [`Column::text`] returns them.
    Text = sys::HKPD_STORAGE_TEXT,
    /// [`Column::text`] returns them.
    Bytes = sys::HKPD_STORAGE_BYTES,
}

/// Status of a value: valid, damaged, or a status of PDH (pdhmsg.h).
pub struct ValueStatus;

impl ValueStatus {
    pub const VALID: u32 = sys::HKPD_STATUS_VALID;
    /// PDH_CSTATUS_NO_INSTANCE.
    pub const NO_INSTANCE: u32 = sys::HKPD_STATUS_NO_INSTANCE;
    /// The value cannot be read; a status of hkpd, not of PDH.
    pub const DAMAGED: u32 = sys::HKPD_STATUS_DAMAGED;
    /// The text log states that there is no value; a status of hkpd, too.
    pub const NOT_RECORDED: u32 = sys::HKPD_STATUS_NOT_RECORDED;
}

/// A counter of an object and its raw values: value i belongs to instance i. A slice is empty if the column has no such
/// values.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Column<'r> {
    /// V1: title index; V2: counter id; [`crate::NO_INDEX`] if it is unknown.
    pub index: u32,
    pub help_index: u32,
    /// `None` if it is unknown.
    pub name: Option<Text<'r>>,
    /// `None` if it is unknown.
    pub help: Option<Text<'r>>,
    /// Counter type of winperf.h; [`crate::NO_INDEX`] if it is unknown.
    pub counter_type: u32,
    pub storage: Storage,
    /// V2: PERF_ATTRIB_*.
    pub attributes: u64,
    /// Bytes of a value in the input.
    pub value_size: u32,
    /// Offset of the value in its counter block.
    pub offset: u32,
    /// DefaultScale: programs show value x 10^scale.
    pub scale: i32,
    pub detail_level: u32,
    /// Position of the base in the object; negative if there is none.
    pub base: i32,
    /// Position of the clock in the object; negative if there is none.
    pub time: i32,
    /// Position of the clock's frequency in the object; negative if there is none.
    pub frequency: i32,
    /// Position of the number of instances in the object; negative if there is none.
    pub multi: i32,
    /// Numbers; for texts and bytes, positions that only [`Column::text`] uses.
    pub values: &'r [u64],
    /// Base, clock or instance count of each value, where the column has it itself.
    pub second: &'r [u64],
    /// Status of each value; empty if all values are valid.
    pub status: &'r [u32],
    /// Raw counters of a log.
    pub multi_count: &'r [u64],
    /// Raw counters of a log: when each value was collected, in 100 ns since 1601 (UTC).
    pub taken: &'r [u64],
    /// Raw counters of a log: ticks per second of the type's clock.
    pub time_base: Option<i64>,
    handle: &'r Handle,
    object: usize,
    position: usize,
}

/// The cooked values of a column.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Cooked<'r> {
    /// NaN where there is no value.
    pub values: &'r [f64],
    /// Why there is no value or a substitute, for [`crate::reason_name`]; 0: none.
    pub reasons: &'r [u8],
}

impl<'r> Column<'r> {
    pub(crate) fn new(handle: &'r Handle, object: usize, position: usize) -> Self {
        let mut raw: sys::hkpd_column = unsafe { mem::zeroed() };
        raw.struct_size = mem::size_of_val(&raw);
        // It fails only for a position that the object does not have.
        let status = unsafe { sys::hkpd_get_column(handle.get(), object, position, &mut raw) };
        assert_eq!(status, sys::HKPD_OK, "column {position} of object {object}");
        // SAFETY: texts and arrays of a sample are valid until the next call that needs `&mut` of the reader.
        unsafe {
            Column {
                index: raw.index,
                help_index: raw.help_index,
                name: Text::new(raw.name, raw.name_size),
                help: Text::new(raw.help, raw.help_size),
                counter_type: raw.r#type,
                storage: match raw.storage {
                    sys::HKPD_STORAGE_NUMBER => Storage::Number,
                    sys::HKPD_STORAGE_TEXT => Storage::Text,
                    _ => Storage::Bytes,
                },
                attributes: raw.attributes,
                value_size: raw.value_size,
                offset: raw.offset,
                scale: raw.scale,
                detail_level: raw.detail_level,
                base: raw.base,
                time: raw.time,
                frequency: raw.frequency,
                multi: raw.multi,
                values: slice_of(raw.values, raw.count).unwrap_or(&[]),
                second: slice_of(raw.second, raw.count).unwrap_or(&[]),
                status: slice_of(raw.status, raw.count).unwrap_or(&[]),
                multi_count: slice_of(raw.multi_count, raw.count).unwrap_or(&[]),
                taken: slice_of(raw.taken, raw.count).unwrap_or(&[]),
                time_base: if raw.has_time_base == 0 { None } else { Some(raw.time_base) },
                handle,
                object,
                position,
            }
        }
    }

    /// Returns whether a value can be used; false for a row that does not exist.
    pub fn is_valid(&self, row: usize) -> bool {
        row < self.values.len() && (self.status.is_empty() || self.status[row] == ValueStatus::VALID)
    }

    /// Returns the cooked values. The first call for a column of a sample computes them. Fails if memory runs out.
    pub fn cooked(&self) -> Result<Cooked<'r>, Error> {
        let mut raw: sys::hkpd_cooked = unsafe { mem::zeroed() };
        raw.struct_size = mem::size_of_val(&raw);
        Error::check(unsafe { sys::hkpd_get_cooked(self.handle.get(), self.object, self.position, &mut raw) })?;
        // SAFETY: as in `new`: cooking other columns does not change these.
        unsafe {
            Ok(Cooked {
                values: slice_of(raw.values, raw.count).unwrap_or(&[]),
                reasons: slice_of(raw.reasons, raw.count).unwrap_or(&[]),
            })
        }
    }

    /// Returns a value of a column of texts or bytes: empty if the value is damaged. `None` if the column has numbers,
    /// or no such row.
    pub fn text(&self, row: usize) -> Option<Text<'r>> {
        let mut text = ptr::null();
        let mut size = 0;
        let status =
            unsafe { sys::hkpd_get_text(self.handle.get(), self.object, self.position, row, &mut text, &mut size) };
        // SAFETY: as in `new`.
        Error::check(status).ok().and_then(|()| unsafe { Text::new(text, size) })
    }
}
