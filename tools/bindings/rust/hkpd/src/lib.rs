//! Reads Windows performance data: registry blobs (HKEY_PERFORMANCE_DATA), PerfLib blocks, captures and PerfMon's logs
//! (.blg), as columns of raw and cooked values. A safe layer over the C interface, libhkpd.so.1, without other crates.
//!
//! ```no_run
//! # fn main() -> Result<(), hkpd::Error> {
//! let mut reader = hkpd::Reader::open(["perf.blg"])?;
//! while let Some(sample) = reader.next_sample()? {
//!     for object in sample.objects() {
//!         for column in object.columns() {
//!             let cooked = column.cooked()?;
//!             println!("{:?} {:?} {:?} {:?}", object.name, column.name, column.values, cooked.values);
//!         }
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Nothing is copied: texts and slices of values refer to memory of the library. They borrow from the sample, and the
//! sample from the reader, so that they cannot be used after the next sample was read:
//!
//! ```compile_fail,E0499
//! # fn main() -> Result<(), hkpd::Error> {
//! let mut reader = hkpd::Reader::open(["perf.blg"])?;
//! let first = reader.next_sample()?.unwrap();
//! let second = reader.next_sample()?;
//! println!("{}", first.number);
//! # Ok(())
//! # }
//! ```
//!
//! Nor can bytes be freed while a reader reads them:
//!
//! ```compile_fail,E0505
//! # fn main() -> Result<(), hkpd::Error> {
//! let bytes = vec![0u8; 100];
//! let mut reader = hkpd::Reader::from_bytes(&bytes)?;
//! drop(bytes);
//! reader.next_sample()?;
//! # Ok(())
//! # }
//! ```
//!
//! No input is trusted. Damage does not end the reading: valid data is delivered, damaged values are marked in
//! [`Column::status`], and each fault is in [`Reader::faults`].

mod answers;
mod column;
mod fault;
mod open;
mod report;
mod sample;
#[doc(hidden)]
pub mod sys;
mod text;

pub use answers::{
    check, compare, overview, summary, top, Answer, AnswerOptions, Change, Changes, Check, Finding, InputObject,
    Overview, Process, Run, Series, Statistic, Statistics,
};
pub use column::{Column, Cooked, Storage, ValueStatus};
pub use fault::{Fault, Severity};
pub use open::{Error, Feed, Options, Reader, Record, RecordKind, Status};
pub use report::{report, Report, ReportOptions, RuleFinding, Theme};
pub use sample::{Columns, Instance, Kind, Object, Objects, Sample, Source};
pub use text::{reason_name, type_name, version, Text};

/// Stands for an index that is unknown.
pub const NO_INDEX: u32 = sys::HKPD_NO_INDEX;
