//! Answers about whole runs: summaries, what stands out, what changed, and what an input is. All of them are copies.

use crate::{
    fault::{faults_of, Fault},
    open::{c_optional, c_path, c_text, pointer_to},
    sys, Error, Options, Source, Text, NO_INDEX,
};
use std::{
    ffi::{CStr, CString},
    mem,
    os::raw::c_char,
    path::Path,
    ptr,
};

/// A column of statistics by which rows are sorted, the largest number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Statistic {
    Count = sys::HKPD_SORT_COUNT,
    First = sys::HKPD_SORT_FIRST,
    Last = sys::HKPD_SORT_LAST,
    Min = sys::HKPD_SORT_MIN,
    Mean = sys::HKPD_SORT_MEAN,
    P50 = sys::HKPD_SORT_P50,
    P95 = sys::HKPD_SORT_P95,
    P99 = sys::HKPD_SORT_P99,
    Max = sys::HKPD_SORT_MAX,
    Stddev = sys::HKPD_SORT_STDDEV,
    Delta = sys::HKPD_SORT_DELTA,
    Slope = sys::HKPD_SORT_SLOPE,
    /// [`top`]: processor time in seconds, the default of processes.
    Processor = sys::HKPD_SORT_PROCESSOR,
    WorkingSet = sys::HKPD_SORT_WORKING_SET,
    PrivateBytes = sys::HKPD_SORT_PRIVATE_BYTES,
    Handles = sys::HKPD_SORT_HANDLES,
    Io = sys::HKPD_SORT_IO,
    /// [`top`]: growth of the private bytes per hour, first of the processes that grow steadily.
    Growth = sys::HKPD_SORT_GROWTH,
    Name = sys::HKPD_SORT_NAME,
}

/// Options of an answer about a whole run.
#[derive(Clone, Debug, Default)]
pub struct AnswerOptions<'o> {
    /// What is read, and how.
    pub reading: Options<'o>,
    /// Counter paths with wildcards that select the counters; none: all.
    pub counters: &'o [&'o str],
    /// Column by which rows are sorted; by default the mean in [`top`], and the order of appearance in [`summary`].
    pub sort: Option<Statistic>,
    /// Most rows; 0: 10 in [`top`], all otherwise.
    pub top: u64,
    /// [`top`]: include `_Total` and Idle.
    pub all_instances: bool,
    /// [`overview`]: read all samples, however many there are.
    pub all_samples: bool,
    /// [`check`]: also report objects that have a title, but are in no V1 sample.
    pub missing: bool,
    /// [`check`]: path of an export of the key Services, which names the providers.
    pub services: Option<&'o str>,
}

/// The statistics of the cooked values of a series. Numbers that do not exist are NaN. They have the unit of the counter,
/// `slope` that unit per hour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    pub count: u64,
    pub first: f64,
    pub last: f64,
    pub min: f64,
    pub mean: f64,
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub stddev: f64,
    pub delta: f64,
    pub slope: f64,
    /// Largest relative error of the percentiles; 0 if they are exact.
    pub percentile_error: f64,
}

/// One counter of one instance over a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Series {
    /// Empty if it is unknown.
    pub machine: String,
    pub object: String,
    /// V2: GUID.
    pub counterset: Option<String>,
    /// Name of the direct parent.
    pub parent: Option<String>,
    /// Name, or `name#number` if neither pid nor id identifies it; none if it is damaged.
    pub instance: Option<String>,
    /// A text that no other instance of the object has in this run.
    pub label: String,
    pub counter: String,
    /// Unit of the counter type, such as `%`.
    pub unit: String,
    pub source: Source,
    pub object_index: Option<u32>,
    pub counter_index: Option<u32>,
    /// Counter type of winperf.h.
    pub counter_type: u32,
    pub pid: Option<u32>,
    pub instance_id: Option<i32>,
    /// 1; 2 and so on if the ids are used again; 0 if the name is damaged.
    pub life: u32,
    /// Whether it is the sum of several instances of one name.
    pub is_sum: bool,
    /// Times of the first and the last sample with the series, in nanoseconds since 1970 (UTC).
    pub time: Option<(i64, i64)>,
    pub statistics: Statistics,
    /// Over the whole run, by the counter's formula; NaN if there is none.
    pub average: f64,
    /// Why there is no average, or a substitute: for [`crate::reason_name`].
    pub reason: u8,
}

/// A process and what it uses. Numbers that do not exist are NaN.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its rows of [`Answer::series`].
    pub series: std::ops::Range<usize>,
    /// % Processor Time; 100 is one whole processor.
    pub processor_mean: f64,
    pub processor_max: f64,
    /// Bytes, in the last sample.
    pub working_set: f64,
    pub private_bytes: f64,
    /// Of the private bytes, per hour.
    pub private_growth: f64,
    /// In the last sample.
    pub handles: f64,
    /// Bytes per second, mean.
    pub io: f64,
    /// Processor time.
    pub processor_seconds: f64,
    /// Means over the whole run, also of a process that did not live so long.
    pub processor_of_run: f64,
    pub io_of_run: f64,
    pub working_set_peak: f64,
    pub private_peak: f64,
    /// Of the private bytes: slope per hour that single steps do not turn; NaN for fewer than 10 values or a tenth of the
    /// run.
    pub growth: f64,
    /// How much of the variance of the private bytes `growth` explains: 0 to 1.
    pub growth_r_squared: f64,
    /// Time of the first sample with `processor_max`, in nanoseconds since 1970 (UTC).
    pub processor_max_time: Option<i64>,
}

/// A run of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub samples: u64,
    /// Times of the earliest and the latest sample, in nanoseconds since 1970 (UTC).
    pub time: Option<(i64, i64)>,
    pub machines: Vec<String>,
    /// False if a limit left out series.
    pub is_complete: bool,
}

/// An answer of [`summary`] or [`top`].
#[derive(Clone, Debug)]
pub struct Answer {
    pub run: Run,
    pub series: Vec<Series>,
    /// [`top`]: who uses most; none if the rows are counters of instances.
    pub processes: Vec<Process>,
    /// Of the inputs: the first 1,000 of each severity.
    pub faults: Vec<Fault>,
}

/// By how much a series changed from one run to another: the differences of the medians and of the 95th percentiles,
/// divided by the noise, by which values of the series differ anyway.
#[derive(Clone, Debug)]
pub struct Change {
    pub before: Series,
    pub after: Series,
    pub median_effect: f64,
    pub p95_effect: f64,
    pub noise: f64,
}

/// What changed from one run to another.
#[derive(Clone, Debug)]
pub struct Changes {
    pub before: Run,
    pub after: Run,
    /// The largest effect first.
    pub changed: Vec<Change>,
    pub only_before: Vec<Series>,
    pub only_after: Vec<Series>,
    /// Number of series that are equal in both runs.
    pub unchanged: u64,
    /// Number of series that are sums of instances of one name.
    pub sums: u64,
    pub faults: Vec<Fault>,
}

/// An object of one machine in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputObject {
    pub machine: String,
    pub name: String,
    pub source: Source,
    /// Whether the object has instances.
    pub is_list: bool,
    /// The most in one sample.
    pub instances: u64,
    /// Including bases.
    pub counters: u64,
}

/// What an input is.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Such as `capture`, `log`, `v1`, `text_log`, `unknown`.
    pub kind: String,
    /// Size of the file or of all files; 0 for standard input.
    pub bytes: u64,
    /// An estimate unless `samples_exact`.
    pub samples: u64,
    pub samples_exact: bool,
    /// Whether all samples were read; otherwise the first and the last ones.
    pub is_complete: bool,
    /// Times of the first and the last sample, in nanoseconds since 1970 (UTC).
    pub time: Option<(i64, i64)>,
    /// Median time from one sample to the next, in nanoseconds.
    pub interval: Option<i64>,
    /// Times without samples that are longer than one and a half intervals.
    pub gaps: u64,
    pub machines: Vec<String>,
    pub objects: Vec<InputObject>,
    pub faults: Vec<Fault>,
}

/// A fault, where it is, who causes it, and what to do.
#[derive(Clone, Debug)]
pub struct Finding {
    pub fault: Fault,
    pub machine: Option<String>,
    pub object: Option<String>,
    /// After the names of its ancestors.
    pub instance: Option<String>,
    /// The rule that the fault breaks.
    pub rule: Option<String>,
    /// How to repair the machine.
    pub repair: Option<String>,
    /// The service that provides the object.
    pub service: Option<String>,
    /// Its DLL.
    pub library: Option<String>,
    /// Id of the event that Perflib writes for such a fault.
    pub event: Option<u32>,
}

/// What a check has found, and the amount of input that was checked.
#[derive(Clone, Debug)]
pub struct Check {
    /// Notes are findings, too: see [`Fault::severity`].
    pub findings: Vec<Finding>,
    pub samples: u64,
    pub title_tables: u64,
    pub services: u64,
}

/// Returns the statistics of each counter of each instance over a run.
pub fn summary<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, options: &AnswerOptions) -> Result<Answer, Error> {
    options.rows(paths, sys::hkpd_summary)
}

/// Returns what stands out in a run: the processes that use most or, without the object Process or with counter paths,
/// the instances with the largest numbers.
pub fn top<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, options: &AnswerOptions) -> Result<Answer, Error> {
    options.rows(paths, sys::hkpd_top)
}

/// Returns what changed from one run to another. Instances of one name are compared as their sum.
pub fn compare(before: impl AsRef<Path>, after: impl AsRef<Path>, options: &AnswerOptions) -> Result<Changes, Error> {
    let (before, after) = (c_path(before.as_ref())?, c_path(after.as_ref())?);
    let answer = options.ask(|reading, options, answer, error| unsafe {
        sys::hkpd_compare(before.as_ptr(), after.as_ptr(), reading, options, answer, error)
    })?;
    let (first, second) = (answer.sizes(0)?, answer.sizes(1)?);
    let count = first.change_count;
    let earlier = answer.series(sys::HKPD_LIST_BEFORE, count)?;
    let later = answer.series(sys::HKPD_LIST_AFTER, count)?;
    let changes = answer.structs::<sys::hkpd_change>(count, sys::hkpd_get_changes)?;
    Ok(Changes {
        before: answer.run(0, &first),
        after: answer.run(1, &second),
        changed: (earlier.into_iter().zip(later).zip(changes))
            .map(|((before, after), change)| Change {
                before,
                after,
                median_effect: change.median_effect,
                p95_effect: change.p95_effect,
                noise: change.noise,
            })
            .collect(),
        only_before: answer.series(sys::HKPD_LIST_ONLY_BEFORE, first.only_count)?,
        only_after: answer.series(sys::HKPD_LIST_ONLY_AFTER, second.only_count)?,
        unchanged: first.unchanged,
        sums: first.sums,
        faults: answer.faults()?,
    })
}

/// Returns what an input is: its kind, machines, times and objects. The beginning and the end of a large file are enough.
pub fn overview(path: impl AsRef<Path>, options: &AnswerOptions) -> Result<Overview, Error> {
    let path = c_path(path.as_ref())?;
    let answer = options.ask(|reading, options, answer, error| unsafe {
        sys::hkpd_overview(path.as_ptr(), reading, options, answer, error)
    })?;
    // SAFETY: all members are numbers and pointers, for which zero is valid.
    let mut raw: sys::hkpd_input = unsafe { mem::zeroed() };
    raw.struct_size = mem::size_of_val(&raw);
    Error::check(unsafe { sys::hkpd_get_input(answer.0, &mut raw) })?;
    let objects = answer.structs::<sys::hkpd_input_object>(raw.object_count, sys::hkpd_get_input_objects)?;
    Ok(Overview {
        // SAFETY: the kind is a constant of the library, terminated by NUL.
        kind: unsafe { CStr::from_ptr(raw.kind) }.to_string_lossy().into_owned(),
        bytes: raw.bytes,
        samples: raw.samples,
        samples_exact: raw.samples_exact != 0,
        is_complete: raw.is_complete != 0,
        time: if raw.has_time == 0 { None } else { Some((raw.from, raw.to)) },
        interval: if raw.has_interval == 0 { None } else { Some(raw.interval) },
        gaps: raw.gaps,
        machines: answer.machines(0, raw.machine_count),
        objects: (objects.iter())
            .map(|one| InputObject {
                machine: answer.text(one.machine, one.machine_size).unwrap_or_default(),
                name: answer.text(one.name, one.name_size).unwrap_or_default(),
                source: source_of(one.source),
                is_list: one.is_list != 0,
                instances: one.instances,
                counters: one.counters,
            })
            .collect(),
        faults: answer.faults()?,
    })
}

/// Returns what is wrong with inputs: performance data, and title databases, which are checked against each other. Inputs
/// that cannot be read are findings.
pub fn check<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, options: &AnswerOptions) -> Result<Check, Error> {
    let answer = options.ask_paths(paths, sys::hkpd_check)?;
    // SAFETY: all members are numbers, for which zero is valid.
    let mut raw: sys::hkpd_checked = unsafe { mem::zeroed() };
    raw.struct_size = mem::size_of_val(&raw);
    Error::check(unsafe { sys::hkpd_get_checked(answer.0, &mut raw) })?;
    let rows = answer.structs::<sys::hkpd_finding>(raw.finding_count, sys::hkpd_get_findings)?;
    Ok(Check {
        findings: (answer.faults()?.into_iter().zip(&rows))
            .map(|(fault, row)| Finding {
                fault,
                machine: answer.text(row.machine, row.machine_size),
                object: answer.text(row.object, row.object_size),
                instance: answer.text(row.instance, row.instance_size),
                rule: answer.text(row.rule, row.rule_size),
                repair: answer.text(row.repair, row.repair_size),
                service: answer.text(row.service, row.service_size),
                library: answer.text(row.library, row.library_size),
                event: Some(row.event).filter(|&event| event != 0),
            })
            .collect(),
        samples: raw.samples,
        title_tables: raw.title_tables,
        services: raw.services,
    })
}

type AskPaths = unsafe extern "C" fn(
    *const *const c_char,
    usize,
    *const sys::hkpd_options,
    *const sys::hkpd_answer_options,
    *mut *mut sys::hkpd_answer,
    *mut sys::hkpd_error,
) -> sys::hkpd_status;

impl AnswerOptions<'_> {
    fn rows<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>, ask: AskPaths) -> Result<Answer, Error> {
        let answer = self.ask_paths(paths, ask)?;
        let sizes = answer.sizes(0)?;
        let processes = answer.structs::<sys::hkpd_process>(sizes.process_count, sys::hkpd_get_processes)?;
        Ok(Answer {
            run: answer.run(0, &sizes),
            series: answer.series(sys::HKPD_LIST_ROWS, sizes.series_count)?,
            processes: (processes.iter())
                .map(|raw| Process {
                    series: raw.first_series..raw.first_series + raw.series_count,
                    processor_mean: raw.processor_mean,
                    processor_max: raw.processor_max,
                    working_set: raw.working_set,
                    private_bytes: raw.private_bytes,
                    private_growth: raw.private_growth,
                    handles: raw.handles,
                    io: raw.io,
                    processor_seconds: raw.processor_seconds,
                    processor_of_run: raw.processor_of_run,
                    io_of_run: raw.io_of_run,
                    working_set_peak: raw.working_set_peak,
                    private_peak: raw.private_peak,
                    growth: raw.growth,
                    growth_r_squared: raw.growth_r_squared,
                    processor_max_time: (raw.has_processor_max_time != 0).then_some(raw.processor_max_time),
                })
                .collect(),
            faults: answer.faults()?,
        })
    }

    /// Calls a function that makes an answer from paths.
    fn ask_paths<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>, ask: AskPaths) -> Result<Handle, Error> {
        let texts = c_paths(paths)?;
        let pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        self.ask(|reading, options, answer, error| unsafe {
            ask(pointers.as_ptr(), pointers.len(), reading, options, answer, error)
        })
    }

    /// Calls a function that makes an answer.
    pub(crate) fn ask(
        &self,
        ask: impl FnOnce(
            *const sys::hkpd_options,
            *const sys::hkpd_answer_options,
            *mut *mut sys::hkpd_answer,
            *mut sys::hkpd_error,
        ) -> sys::hkpd_status,
    ) -> Result<Handle, Error> {
        let texts = self.reading.texts()?;
        let mut reading = self.reading.raw(&texts);
        let counters = self.counters.iter().map(|path| c_text(path.as_bytes())).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<_> = counters.iter().map(|text| text.as_ptr()).collect();
        if !pointers.is_empty() {
            reading.paths = pointers.as_ptr();
            reading.path_count = pointers.len();
        }
        let services = c_optional(self.services)?;
        let options = sys::hkpd_answer_options {
            struct_size: mem::size_of::<sys::hkpd_answer_options>(),
            flags: if self.all_instances { sys::HKPD_ALL_INSTANCES } else { 0 }
                | if self.all_samples { sys::HKPD_ALL_SAMPLES } else { 0 }
                | if self.missing { sys::HKPD_MISSING } else { 0 },
            sort: self.sort.map_or(sys::HKPD_SORT_DEFAULT, |column| column as u32),
            top: self.top,
            services: pointer_to(services.as_ref()),
        };
        // SAFETY: all members are numbers and pointers, for which zero is valid.
        let mut error: sys::hkpd_error = unsafe { mem::zeroed() };
        error.struct_size = mem::size_of_val(&error);
        let mut answer = ptr::null_mut();
        match ask(&reading, &options, &mut answer, &mut error) {
            sys::HKPD_OK => Ok(Handle(answer)),
            status => Err(Error::of(status, &error)),
        }
    }
}

/// Returns paths for C.
pub(crate) fn c_paths<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Vec<CString>, Error> {
    paths.into_iter().map(|path| c_path(path.as_ref())).collect()
}

/// The handle of an answer, which it frees.
pub(crate) struct Handle(pub(crate) *mut sys::hkpd_answer);

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::hkpd_free_answer(self.0) }
    }
}

impl Handle {
    fn sizes(&self, number: usize) -> Result<sys::hkpd_run, Error> {
        // SAFETY: all members are numbers, for which zero is valid.
        let mut raw: sys::hkpd_run = unsafe { mem::zeroed() };
        raw.struct_size = mem::size_of_val(&raw);
        Error::check(unsafe { sys::hkpd_get_run(self.0, number, &mut raw) })?;
        Ok(raw)
    }

    fn run(&self, number: usize, raw: &sys::hkpd_run) -> Run {
        Run {
            samples: raw.samples,
            time: if raw.has_time == 0 { None } else { Some((raw.from, raw.to)) },
            machines: self.machines(number, raw.machine_count),
            is_complete: raw.is_complete != 0,
        }
    }

    fn machines(&self, number: usize, count: usize) -> Vec<String> {
        (0..count)
            .filter_map(|machine| {
                let (mut text, mut size) = (ptr::null(), 0);
                unsafe { sys::hkpd_get_machine(self.0, number, machine, &mut text, &mut size) };
                self.text(text, size)
            })
            .collect()
    }

    /// Fills an array of structs, the first member of which is their size.
    pub(crate) fn structs<T>(
        &self,
        count: usize,
        get: unsafe extern "C" fn(*const sys::hkpd_answer, usize, usize, *mut T) -> sys::hkpd_status,
    ) -> Result<Vec<T>, Error> {
        if count == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: all members are numbers and pointers, for which zero is valid; the first one is the size.
        let mut raw: Vec<T> = (0..count).map(|_| unsafe { mem::zeroed() }).collect();
        unsafe { raw.as_mut_ptr().cast::<usize>().write(mem::size_of::<T>()) };
        Error::check(unsafe { get(self.0, 0, count, raw.as_mut_ptr()) })?;
        Ok(raw)
    }

    fn series(&self, list: u32, count: usize) -> Result<Vec<Series>, Error> {
        if count == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: all members are numbers and pointers, for which zero is valid.
        let mut raw: Vec<sys::hkpd_series> = (0..count).map(|_| unsafe { mem::zeroed() }).collect();
        raw[0].struct_size = mem::size_of::<sys::hkpd_series>();
        Error::check(unsafe { sys::hkpd_get_series(self.0, list, 0, count, raw.as_mut_ptr()) })?;
        Ok(raw.iter().map(|one| self.one_series(one)).collect())
    }

    fn one_series(&self, raw: &sys::hkpd_series) -> Series {
        Series {
            machine: self.text(raw.machine, raw.machine_size).unwrap_or_default(),
            object: self.text(raw.object, raw.object_size).unwrap_or_default(),
            counterset: self.text(raw.counterset, raw.counterset_size),
            parent: self.text(raw.parent, raw.parent_size),
            instance: self.text(raw.instance, raw.instance_size),
            label: self.text(raw.label, raw.label_size).unwrap_or_default(),
            counter: self.text(raw.counter, raw.counter_size).unwrap_or_default(),
            // SAFETY: the unit is a constant of the library, terminated by NUL.
            unit: unsafe { CStr::from_ptr(raw.unit) }.to_string_lossy().into_owned(),
            source: source_of(raw.source),
            object_index: known(raw.object_index),
            counter_index: known(raw.counter_index),
            counter_type: raw.r#type,
            pid: known(raw.pid),
            instance_id: if raw.has_instance_id == 0 { None } else { Some(raw.instance_id) },
            life: raw.life,
            is_sum: raw.is_sum != 0,
            time: if raw.has_time == 0 { None } else { Some((raw.from, raw.to)) },
            statistics: Statistics {
                count: raw.count,
                first: raw.first,
                last: raw.last,
                min: raw.min,
                mean: raw.mean,
                p50: raw.p50,
                p95: raw.p95,
                p99: raw.p99,
                max: raw.max,
                stddev: raw.stddev,
                delta: raw.delta,
                slope: raw.slope,
                percentile_error: raw.percentile_error,
            },
            average: raw.average,
            reason: u8::try_from(raw.reason).unwrap_or(u8::MAX),
        }
    }

    /// Returns a copy of a text of the answer; `None` for NULL.
    pub(crate) fn text(&self, data: *const c_char, size: usize) -> Option<String> {
        // SAFETY: the texts of an answer are valid until it is freed.
        unsafe { Text::new(data, size) }.map(|text| text.to_str().into_owned())
    }

    pub(crate) fn faults(&self) -> Result<Vec<Fault>, Error> {
        // SAFETY: the reader is that of this answer.
        unsafe { faults_of(sys::hkpd_answer_faults(self.0)) }
    }
}

fn known(number: u32) -> Option<u32> {
    Some(number).filter(|&number| number != NO_INDEX)
}

fn source_of(number: u32) -> Source {
    match number {
        sys::HKPD_SOURCE_V1 => Source::V1,
        sys::HKPD_SOURCE_V2 => Source::V2,
        _ => Source::Log,
    }
}
