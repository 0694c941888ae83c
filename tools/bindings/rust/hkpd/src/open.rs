//! Opening, feeding and closing readers.

use crate::{sys, text::status_text, Sample};
use std::{
    ffi::{CStr, CString},
    fmt,
    marker::PhantomData,
    mem,
    os::raw::c_char,
    path::Path,
    ptr::{self, NonNull},
};

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// An argument is invalid.
    Argument,
    /// There is no current sample.
    State,
    /// No input can be opened, or the input is empty.
    Open,
    /// Out of memory.
    Memory,
    /// A fault of the library itself.
    Internal,
}

/// A failure of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub status: Status,
    /// Error number of the operating system.
    pub system: Option<i32>,
    /// One line of text, which can contain a name of the input.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for Error {}

impl Error {
    fn new(status: sys::hkpd_status, message: String, system: i32) -> Self {
        let system = if system == 0 { None } else { Some(system) };
        let status = match status {
            sys::HKPD_ERROR_ARGUMENT => Status::Argument,
            sys::HKPD_ERROR_STATE => Status::State,
            sys::HKPD_ERROR_OPEN => Status::Open,
            sys::HKPD_ERROR_MEMORY => Status::Memory,
            _ => Status::Internal,
        };
        Error { status, system, message }
    }

    /// Returns the failure that the library has described.
    pub(crate) fn of(status: sys::hkpd_status, error: &sys::hkpd_error) -> Self {
        // SAFETY: the library terminates the message by NUL; a message that it did not write is empty.
        let message = unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_string_lossy().into_owned();
        Self::new(status, message, error.system)
    }

    fn argument(message: String) -> Self {
        Error { status: Status::Argument, system: None, message }
    }

    /// Returns the failure of a function that returns only a status; nothing if it is `HKPD_OK`.
    pub(crate) fn check(status: sys::hkpd_status) -> Result<(), Self> {
        if status == sys::HKPD_OK {
            Ok(())
        } else {
            Err(Self::new(status, status_text(status).to_string(), 0))
        }
    }
}

/// Options for opening. The default reads everything, with English names.
#[derive(Clone, Debug, Default)]
pub struct Options<'o> {
    /// Limit percentages to 100, as PdhGetFormattedCounterValue does.
    pub cap: bool,
    /// 0 instead of no value if a counter, clock or base went back.
    pub clamp: bool,
    /// Treat a 32-bit counter as wrapped if it decreased by more than half of its range.
    pub unwrap: bool,
    /// Multiply cooked values by 10^scale.
    pub scale: bool,
    /// Cook nothing that needs two samples; for programs that read raw values only.
    pub raw_only: bool,
    /// Names come from the built-in titles and `titles` alone.
    pub no_input_titles: bool,
    /// Most machines whose samples may be interleaved; 0: 64.
    pub machines: u32,
    /// First moment to read, in nanoseconds since 1970 (UTC).
    pub from: Option<i64>,
    /// Last moment to read, in nanoseconds since 1970 (UTC).
    pub to: Option<i64>,
    /// Number of the first sample to read, counted from 0.
    pub first_sample: u64,
    /// Number of samples to read; 0: all.
    pub sample_count: u64,
    /// N: only each N-th sample of each machine and source; 0: all.
    pub every: u64,
    /// Preferred languages of names, such as `007,00c`.
    pub languages: Option<&'o str>,
    /// Zones of text logs that state none, one a line: `Europe/Berlin`, or `FILE=Europe/Berlin` for one input.
    pub log_zones: Option<&'o str>,
    /// Encoding of text logs without a byte order mark, such as `1251`; none: guessed from names and time zone.
    pub encoding: Option<&'o str>,
    /// Content of a title database, such as perfc009.dat.
    pub titles: Option<&'o [u8]>,
}

/// The texts of options as C has them.
pub(crate) struct Texts {
    languages: Option<CString>,
    log_zones: Option<CString>,
    encoding: Option<CString>,
}

impl Options<'_> {
    /// Opens files and directories; see [`Reader::open`].
    pub fn open<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Result<Reader<'static>, Error> {
        let texts = paths.into_iter().map(|path| c_path(path.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        let handle = self.with(|options, reader, error| unsafe {
            sys::hkpd_open(pointers.as_ptr(), pointers.len(), options, reader, error)
        })?;
        Ok(Reader { handle, data: PhantomData })
    }

    /// Opens bytes, which are the content of a file. They are not copied.
    pub fn from_bytes<'d>(&self, data: &'d [u8]) -> Result<Reader<'d>, Error> {
        let handle = self.with(|options, reader, error| unsafe {
            sys::hkpd_open_memory(data.as_ptr().cast(), data.len(), options, reader, error)
        })?;
        Ok(Reader { handle, data: PhantomData })
    }

    /// Opens a reader whose records the program feeds.
    pub fn feed(&self) -> Result<Feed, Error> {
        let handle = self.with(|options, reader, error| unsafe { sys::hkpd_open_feed(options, reader, error) })?;
        Ok(Feed { handle, records: Vec::new() })
    }

    /// Calls a function that opens a reader.
    fn with(
        &self,
        open: impl FnOnce(*const sys::hkpd_options, *mut *mut sys::hkpd_reader, *mut sys::hkpd_error) -> sys::hkpd_status,
    ) -> Result<Handle, Error> {
        let texts = self.texts()?;
        let options = self.raw(&texts);
        let mut error: sys::hkpd_error = unsafe { mem::zeroed() };
        error.struct_size = mem::size_of_val(&error);
        let mut reader = ptr::null_mut();
        let status = open(&options, &mut reader, &mut error);
        match NonNull::new(reader) {
            Some(reader) if status == sys::HKPD_OK => Ok(Handle(reader)),
            _ => Err(Error::of(status, &error)),
        }
    }

    /// Returns the texts as C has them.
    pub(crate) fn texts(&self) -> Result<Texts, Error> {
        Ok(Texts {
            languages: c_optional(self.languages)?,
            log_zones: c_optional(self.log_zones)?,
            encoding: c_optional(self.encoding)?,
        })
    }

    /// Returns the options as C has them; they refer to `texts` and to the titles.
    pub(crate) fn raw(&self, texts: &Texts) -> sys::hkpd_options {
        // SAFETY: all members are numbers and pointers, for which zero is valid.
        let mut options: sys::hkpd_options = unsafe { mem::zeroed() };
        options.struct_size = mem::size_of_val(&options);
        options.flags = self.flags();
        options.machines = self.machines;
        options.from = self.from.unwrap_or(0);
        options.to = self.to.unwrap_or(0);
        options.first_sample = self.first_sample;
        options.sample_count = self.sample_count;
        options.every = self.every;
        options.languages = pointer_to(texts.languages.as_ref());
        options.log_zones = pointer_to(texts.log_zones.as_ref());
        options.encoding = pointer_to(texts.encoding.as_ref());
        if let Some(titles) = self.titles {
            options.titles = titles.as_ptr().cast();
            options.titles_size = titles.len();
        }
        options
    }

    fn flags(&self) -> u32 {
        [
            (self.cap, sys::HKPD_CAP),
            (self.clamp, sys::HKPD_CLAMP),
            (self.unwrap, sys::HKPD_UNWRAP),
            (self.scale, sys::HKPD_SCALE),
            (self.raw_only, sys::HKPD_RAW_ONLY),
            (self.no_input_titles, sys::HKPD_NO_INPUT_TITLES),
            (self.from.is_some(), sys::HKPD_HAS_FROM),
            (self.to.is_some(), sys::HKPD_HAS_TO),
        ]
        .iter()
        .filter(|(set, _)| *set)
        .fold(0, |flags, (_, flag)| flags | flag)
    }
}

pub(crate) fn c_text(bytes: &[u8]) -> Result<CString, Error> {
    CString::new(bytes)
        .map_err(|_| Error::argument(format!("a text contains a NUL: {:?}", String::from_utf8_lossy(bytes))))
}

/// Returns a text as C has it; none if there is none.
pub(crate) fn c_optional(text: Option<&str>) -> Result<Option<CString>, Error> {
    text.map(|text| c_text(text.as_bytes())).transpose()
}

/// Returns the pointer to a text of `c_optional`; null if there is none. Valid as long as the text.
pub(crate) fn pointer_to(text: Option<&CString>) -> *const c_char {
    text.map_or(ptr::null(), |text| text.as_ptr())
}

#[cfg(unix)]
pub(crate) fn c_path(path: &Path) -> Result<CString, Error> {
    use std::os::unix::ffi::OsStrExt;
    c_text(path.as_os_str().as_bytes())
}

/// The library takes names of files in UTF-8.
#[cfg(not(unix))]
pub(crate) fn c_path(path: &Path) -> Result<CString, Error> {
    match path.to_str() {
        Some(text) => c_text(text.as_bytes()),
        None => Err(Error::argument(format!("the path is not Unicode: {path:?}"))),
    }
}

/// The handle of a reader, which it closes.
pub(crate) struct Handle(NonNull<sys::hkpd_reader>);

// A reader may be used by one thread at a time, no matter which. It is not Sync: a call that looks like reading cooks.
unsafe impl Send for Handle {}

impl Handle {
    pub(crate) fn get(&self) -> *mut sys::hkpd_reader {
        self.0.as_ptr()
    }

    /// Reads the next sample. It takes `&mut self`, so that nothing of the sample before is borrowed any more.
    fn next(&mut self) -> Result<Option<sys::hkpd_sample>, Error> {
        let mut sample: sys::hkpd_sample = unsafe { mem::zeroed() };
        sample.struct_size = mem::size_of_val(&sample);
        match unsafe { sys::hkpd_next(self.get(), &mut sample) } {
            sys::HKPD_END => Ok(None),
            status => Error::check(status).map(|()| Some(sample)),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::hkpd_close(self.get()) }
    }
}

/// Reads the samples of an input, one after another. `'d`: how long the bytes live that it reads.
pub struct Reader<'d> {
    pub(crate) handle: Handle,
    data: PhantomData<&'d [u8]>,
}

impl Reader<'static> {
    /// Opens files and directories with default options: V1 blocks, captures, logs, text logs, each of them possibly
    /// compressed. The path `-` is standard input. Several paths are read as one run of samples.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        Options::default().open(paths)
    }
}

impl<'d> Reader<'d> {
    /// Opens bytes, which are the content of a file, with default options. They are not copied.
    pub fn from_bytes(data: &'d [u8]) -> Result<Self, Error> {
        Options::default().from_bytes(data)
    }

    /// Reads the next sample; `None` at the end.
    pub fn next_sample(&mut self) -> Result<Option<Sample<'_>>, Error> {
        let sample = self.handle.next()?;
        let handle = &self.handle;
        Ok(sample.map(|raw| Sample::new(handle, &raw)))
    }
}

/// Kind of a record that is fed: which function of Windows returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// RegQueryValueEx(HKEY_PERFORMANCE_DATA).
    V1,
    /// A title database, in any form that hkpd reads.
    Titles,
    /// PerfQueryCounterData.
    V2,
    /// PerfQueryCounterInfo, before the blocks of this query.
    V2Identifiers,
    /// PerfQueryCounterSetRegistrationInfo, before the blocks with the counterset.
    V2Registration,
}

/// A whole message, as a function of Windows returned it.
#[derive(Clone, Debug)]
pub struct Record<'m> {
    pub kind: RecordKind,
    pub data: Vec<u8>,
    /// Registration: PERF_REG_* that was requested.
    pub request: u32,
    /// Registration: GUID of the counterset, as Windows stores it in memory.
    pub counterset: [u8; 16],
    /// Titles, V2: name of the machine.
    pub machine: Option<&'m str>,
    /// Titles, registration: such as `009`.
    pub language: Option<&'m str>,
    /// When the record was received, in nanoseconds since 1970 (UTC).
    pub time: Option<i64>,
}

impl Record<'_> {
    /// Returns a record without the members that its kind may need.
    pub fn new(kind: RecordKind, data: Vec<u8>) -> Self {
        Record { kind, data, request: 0, counterset: [0; 16], machine: None, language: None, time: None }
    }
}

/// A reader of records that the program adds, for agents that query Windows themselves. Each sample is cooked against
/// the previous one of its machine.
pub struct Feed {
    pub(crate) handle: Handle,
    records: Vec<Vec<u8>>, // what the library reads until it has returned HKPD_END
}

impl Feed {
    /// Opens a feed with default options.
    pub fn new() -> Result<Self, Error> {
        Options::default().feed()
    }

    /// Adds a record. A V1 block is a complete sample.
    pub fn add(&mut self, record: Record<'_>) -> Result<(), Error> {
        let machine = c_optional(record.machine)?;
        let language = c_optional(record.language)?;
        let raw = sys::hkpd_record {
            struct_size: mem::size_of::<sys::hkpd_record>(),
            kind: match record.kind {
                RecordKind::V1 => sys::HKPD_RECORD_V1,
                RecordKind::Titles => sys::HKPD_RECORD_TITLES,
                RecordKind::V2 => sys::HKPD_RECORD_V2,
                RecordKind::V2Identifiers => sys::HKPD_RECORD_V2_IDENTIFIERS,
                RecordKind::V2Registration => sys::HKPD_RECORD_V2_REGISTRATION,
            },
            request: record.request,
            data: record.data.as_ptr().cast(),
            size: record.data.len(),
            machine: pointer_to(machine.as_ref()),
            language: pointer_to(language.as_ref()),
            counterset: record.counterset,
            time: record.time.unwrap_or(0),
        };
        self.records.push(record.data); // moves the owner, not the bytes
        Error::check(unsafe { sys::hkpd_feed(self.handle.get(), &raw) })
    }

    /// Reads the next sample of the added records; `None` if all are read.
    pub fn next_sample(&mut self) -> Result<Option<Sample<'_>>, Error> {
        match self.handle.next()? {
            Some(raw) => Ok(Some(Sample::new(&self.handle, &raw))),
            None => {
                self.records.clear();
                Ok(None)
            }
        }
    }
}
