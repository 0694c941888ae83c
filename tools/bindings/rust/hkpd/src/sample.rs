//! The current sample, its objects and instances.

use crate::{open::Handle, sys, Column, Error, Text};
use std::{marker::PhantomData, mem};

/// Interface through which a sample was collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Source {
    /// Registry.
    V1 = sys::HKPD_SOURCE_V1,
    /// PerfLib.
    V2 = sys::HKPD_SOURCE_V2,
    /// A log, binary or text.
    Log = sys::HKPD_SOURCE_LOG,
}

/// Whether an object has a list of instances, and whether V1 described it without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    Single = sys::HKPD_KIND_SINGLE,
    Multi = sys::HKPD_KIND_MULTI,
    MetadataSingle = sys::HKPD_KIND_METADATA_SINGLE,
    MetadataMulti = sys::HKPD_KIND_METADATA_MULTI,
}

/// A moment of one machine. It borrows from its reader, which cannot read the next sample meanwhile.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Sample<'r> {
    /// Number of samples before this one in the input.
    pub number: u32,
    pub source: Source,
    /// Name of the machine; `None` if it is damaged.
    pub machine: Option<Text<'r>>,
    /// Nanoseconds since 1970 (UTC).
    pub time: Option<i64>,
    /// V1: index of the object to show first; -1 if there is none.
    pub default_object: i32,
    /// PerfTime of the block.
    pub perf_time: i64,
    /// PerfFreq of the block.
    pub perf_frequency: i64,
    /// PerfTime100nSec.
    pub perf_time_100ns: i64,
    /// Size of the blocks of the sample, or of its row in a log.
    pub bytes: u64,
    /// Whether times are local times, taken as UTC, because the text log states no zone.
    pub is_local_time: bool,
    handle: &'r Handle,
    object_count: usize,
}

impl<'r> Sample<'r> {
    pub(crate) fn new(handle: &'r Handle, raw: &sys::hkpd_sample) -> Self {
        Sample {
            number: raw.number,
            source: match raw.source {
                sys::HKPD_SOURCE_V1 => Source::V1,
                sys::HKPD_SOURCE_V2 => Source::V2,
                _ => Source::Log,
            },
            // SAFETY: texts of a sample are valid until the next call that needs `&mut` of the reader.
            machine: unsafe { Text::new(raw.machine, raw.machine_size) },
            time: if raw.has_time == 0 { None } else { Some(raw.time) },
            default_object: raw.default_object,
            perf_time: raw.perf_time,
            perf_frequency: raw.perf_frequency,
            perf_time_100ns: raw.perf_time_100ns,
            bytes: raw.bytes,
            is_local_time: raw.local_time != 0,
            handle,
            object_count: raw.object_count,
        }
    }

    /// Returns the objects and countersets of the sample.
    pub fn objects(&self) -> Objects<'r> {
        Objects { handle: self.handle, next: 0, end: self.object_count }
    }
}

/// Iterator over the objects of a sample.
pub struct Objects<'r> {
    handle: &'r Handle,
    next: usize,
    end: usize,
}

impl<'r> Iterator for Objects<'r> {
    type Item = Object<'r>;

    fn next(&mut self) -> Option<Object<'r>> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(Object::new(self.handle, self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl ExactSizeIterator for Objects<'_> {}

/// An object or counterset of a sample.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Object<'r> {
    /// V1: title index; otherwise a number that identifies the object in this run.
    pub index: u32,
    pub help_index: u32,
    /// `None` if it is unknown.
    pub name: Option<Text<'r>>,
    /// `None` if it is unknown.
    pub help: Option<Text<'r>>,
    /// V2: GUID as Windows stores it in memory.
    pub counterset: Option<[u8; 16]>,
    pub kind: Kind,
    pub detail_level: u32,
    /// V1: code page of instance names; 0: UTF-16.
    pub code_page: u32,
    /// PerfTime of the object.
    pub perf_time: i64,
    /// PerfFreq of the object.
    pub perf_frequency: i64,
    /// 1 for an object without instances.
    pub instance_count: usize,
    handle: &'r Handle,
    position: usize,
    column_count: usize,
}

impl<'r> Object<'r> {
    fn new(handle: &'r Handle, position: usize) -> Self {
        let mut raw: sys::hkpd_object = unsafe { mem::zeroed() };
        raw.struct_size = mem::size_of_val(&raw);
        // It fails only for a position that the sample does not have.
        let status = unsafe { sys::hkpd_get_object(handle.get(), position, &mut raw) };
        assert_eq!(status, sys::HKPD_OK, "object {position} of the sample");
        Object {
            index: raw.index,
            help_index: raw.help_index,
            // SAFETY: as in `Sample::new`.
            name: unsafe { Text::new(raw.name, raw.name_size) },
            help: unsafe { Text::new(raw.help, raw.help_size) },
            counterset: if raw.has_counterset == 0 { None } else { Some(raw.counterset) },
            kind: match raw.kind {
                sys::HKPD_KIND_SINGLE => Kind::Single,
                sys::HKPD_KIND_MULTI => Kind::Multi,
                sys::HKPD_KIND_METADATA_SINGLE => Kind::MetadataSingle,
                _ => Kind::MetadataMulti,
            },
            detail_level: raw.detail_level,
            code_page: raw.code_page,
            perf_time: raw.perf_time,
            perf_frequency: raw.perf_frequency,
            instance_count: raw.instance_count,
            handle,
            position,
            column_count: raw.column_count,
        }
    }

    /// Returns the counters of the object.
    pub fn columns(&self) -> Columns<'r> {
        Columns { handle: self.handle, object: self.position, next: 0, end: self.column_count }
    }

    /// Returns the instances; one with an empty name for an object without instances. Fails if memory runs out.
    pub fn instances(&self) -> Result<Vec<Instance<'r>>, Error> {
        let mut raw: Vec<sys::hkpd_instance> = Vec::with_capacity(self.instance_count);
        // SAFETY: zeros are valid members, and all elements are filled.
        unsafe {
            raw.as_mut_ptr().write_bytes(0, self.instance_count);
            raw.set_len(self.instance_count);
        }
        if let Some(first) = raw.first_mut() {
            first.struct_size = mem::size_of_val(first);
        }
        Error::check(unsafe {
            sys::hkpd_get_instances(self.handle.get(), self.position, 0, raw.len(), raw.as_mut_ptr())
        })?;
        Ok(raw.iter().map(Instance::new).collect())
    }
}

/// An instance of an object. Instances come and go: over a run, one is identified by machine, source, object, and
/// `parent_name`, `name`, `pid`; by `instance_id`, if it has no pid; by `number`, if it has neither; and by `life`. Names
/// are equal regardless of case. `instance` and `pdh_instance` return texts.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Instance<'r> {
    /// Empty for an object without instances; `None` if it is damaged.
    pub name: Option<Text<'r>>,
    /// The number in `name#number`: instances of one name and parent are counted from 0.
    pub number: u32,
    /// UniqueID or InstanceId.
    pub id: Option<i32>,
    /// Position of the parent's object in the sample, and of the parent in that object.
    pub parent: Option<(usize, usize)>,
    /// Offset of the instance in the input.
    pub offset: u64,
    /// Name of the direct parent; `None` if there is none, or it is damaged.
    pub parent_name: Option<Text<'r>>,
    /// Id of its process.
    pub pid: Option<u32>,
    /// `id` of an instance that has no pid.
    pub instance_id: Option<i32>,
    /// 1; 2 and so on if its ids are used again; `None` if the name is damaged.
    pub life: Option<u32>,
    sample: PhantomData<&'r Handle>,
}

impl Instance<'_> {
    /// Returns the name, or `name#number` of an instance that has neither pid nor instance_id, and is known by its place.
    pub fn instance(&self) -> Option<String> {
        let name = self.name?;
        Some(if self.pid.is_some() || self.instance_id.is_some() { name.to_string() } else { self.numbered(name) })
    }

    /// Returns what PerfMon shows in this sample: `parent/name#number`, without `#0`.
    pub fn pdh_instance(&self) -> Option<String> {
        let name = self.numbered(self.name?);
        let parent = || self.parent_name.map_or("?".to_string(), |parent| parent.to_string());
        Some(if self.parent.is_some() { format!("{}/{name}", parent()) } else { name })
    }

    fn numbered(&self, name: Text) -> String {
        if self.number == 0 {
            name.to_string()
        } else {
            format!("{name}#{}", self.number)
        }
    }

    fn new(raw: &sys::hkpd_instance) -> Self {
        Instance {
            // SAFETY: as in `Sample::new`.
            name: unsafe { Text::new(raw.name, raw.name_size) },
            number: raw.number,
            id: if raw.has_id == 0 { None } else { Some(raw.id) },
            parent: if raw.parent_object == sys::HKPD_NO_INDEX {
                None
            } else {
                Some((raw.parent_object as usize, raw.parent_instance as usize))
            },
            offset: raw.offset,
            // SAFETY: as in `Sample::new`.
            parent_name: unsafe { Text::new(raw.parent, raw.parent_size) },
            pid: Some(raw.pid).filter(|pid| *pid != sys::HKPD_NO_INDEX),
            instance_id: if raw.has_instance_id == 0 { None } else { Some(raw.instance_id) },
            life: Some(raw.life).filter(|life| *life != 0),
            sample: PhantomData,
        }
    }
}

/// Iterator over the columns of an object.
pub struct Columns<'r> {
    handle: &'r Handle,
    object: usize,
    next: usize,
    end: usize,
}

impl<'r> Iterator for Columns<'r> {
    type Item = Column<'r>;

    fn next(&mut self) -> Option<Column<'r>> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(Column::new(self.handle, self.object, self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl ExactSizeIterator for Columns<'_> {}
