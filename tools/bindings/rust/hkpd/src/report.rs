//! The report of a run: an HTML page, and the findings of rules on it. It is a copy.

use crate::{
    answers::{c_paths, AnswerOptions},
    fault::Fault,
    open::{c_optional, c_text, pointer_to},
    sys, Error, Options,
};
use std::{mem, path::Path};

/// The colours of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Theme {
    /// As the reader's system is set.
    #[default]
    Automatic = sys::HKPD_THEME_AUTOMATIC,
    Light = sys::HKPD_THEME_LIGHT,
    Dark = sys::HKPD_THEME_DARK,
}

/// Options of a report.
#[derive(Clone, Debug, Default)]
pub struct ReportOptions<'o> {
    /// What is read, and how.
    pub reading: Options<'o>,
    /// Counter paths with wildcards that select the counters; none: all.
    pub counters: &'o [&'o str],
    /// Heading of the page; by default the machine and the day.
    pub title: Option<&'o str>,
    /// Path of a rule file of PAL (XML); by default hkpd's own rules for Windows.
    pub rules: Option<&'o str>,
    /// Answers to questions of the rules, such as `PhysicalMemory=16`.
    pub answers: &'o [&'o str],
    /// Path of an earlier run, with which the run is compared.
    pub baseline: Option<&'o str>,
    pub theme: Theme,
    /// Most bytes of the page, if coarser curves are enough for that; 0: 1,900,000.
    pub page_bytes: u64,
}

/// A series that exceeds a threshold of the rules. Each value stands for the time since the previous sample of its
/// machine. Times are in nanoseconds since 1970 (UTC), lengths of time in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleFinding {
    /// Name of the rule.
    pub analysis: String,
    /// What is wrong.
    pub threshold: String,
    /// Otherwise it is a warning.
    pub is_critical: bool,
    pub machine: String,
    pub object: String,
    /// Empty if the object has no list of instances.
    pub instance: String,
    pub counter: String,
    /// The number with which values, or the slope, were compared.
    pub limit: f64,
    /// Units per hour, if the slope was compared. All members below are then 0.
    pub slope: Option<f64>,
    /// The value farthest beyond the limit.
    pub worst: f64,
    pub worst_time: i64,
    pub values: u64,
    /// Number of values that exceed.
    pub exceeding: u64,
    /// Length of time of all values.
    pub time: i64,
    pub exceeding_time: i64,
    /// Times of the first and the last value that exceeds.
    pub first: i64,
    pub last: i64,
    /// The longest time in which all values exceed.
    pub longest: (i64, i64),
}

/// The page of a report and the findings on it.
#[derive(Clone, Debug)]
pub struct Report {
    /// An HTML document that needs no other file and no network.
    pub page: String,
    /// Number of samples that the page is about.
    pub samples: u64,
    /// Critical ones first, then those with the longest time.
    pub findings: Vec<RuleFinding>,
    pub faults: Vec<Fault>,
}

/// Returns the page that `hkpd report` writes: what exceeds a threshold, when and how long, charts, and every counter that
/// varied.
pub fn report<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, options: &ReportOptions) -> Result<Report, Error> {
    let paths = c_paths(paths)?;
    let pointers: Vec<_> = paths.iter().map(|path| path.as_ptr()).collect();
    let answers = options.answers.iter().map(|text| c_text(text.as_bytes())).collect::<Result<Vec<_>, _>>()?;
    let answer_pointers: Vec<_> = answers.iter().map(|text| text.as_ptr()).collect();
    let (title, rules, baseline) =
        (c_optional(options.title)?, c_optional(options.rules)?, c_optional(options.baseline)?);
    let raw_options = sys::hkpd_report_options {
        struct_size: mem::size_of::<sys::hkpd_report_options>(),
        theme: options.theme as u32,
        reserved: 0,
        title: pointer_to(title.as_ref()),
        rules: pointer_to(rules.as_ref()),
        answers: answer_pointers.as_ptr(),
        answer_count: answer_pointers.len(),
        baseline: pointer_to(baseline.as_ref()),
        page_bytes: options.page_bytes,
    };
    let reading =
        AnswerOptions { reading: options.reading.clone(), counters: options.counters, ..AnswerOptions::default() };
    let answer = reading.ask(|reading, _, answer, error| unsafe {
        sys::hkpd_report(pointers.as_ptr(), pointers.len(), reading, &raw_options, answer, error)
    })?;
    // SAFETY: all members are numbers and pointers, for which zero is valid.
    let mut page: sys::hkpd_page = unsafe { mem::zeroed() };
    page.struct_size = mem::size_of_val(&page);
    Error::check(unsafe { sys::hkpd_get_page(answer.0, &mut page) })?;
    let rows = answer.structs::<sys::hkpd_rule_finding>(page.finding_count, sys::hkpd_get_rule_findings)?;
    Ok(Report {
        page: answer.text(page.html, page.html_size).unwrap_or_default(),
        samples: page.samples,
        findings: (rows.iter())
            .map(|raw| RuleFinding {
                analysis: answer.text(raw.analysis, raw.analysis_size).unwrap_or_default(),
                threshold: answer.text(raw.threshold, raw.threshold_size).unwrap_or_default(),
                is_critical: raw.is_critical != 0,
                machine: answer.text(raw.machine, raw.machine_size).unwrap_or_default(),
                object: answer.text(raw.object, raw.object_size).unwrap_or_default(),
                instance: answer.text(raw.instance, raw.instance_size).unwrap_or_default(),
                counter: answer.text(raw.counter, raw.counter_size).unwrap_or_default(),
                limit: raw.limit,
                slope: Some(raw.slope).filter(|_| raw.is_trend != 0),
                worst: raw.worst,
                worst_time: raw.worst_time,
                values: raw.values,
                exceeding: raw.exceeding,
                time: raw.time,
                exceeding_time: raw.exceeding_time,
                first: raw.first,
                last: raw.last,
                longest: (raw.longest_from, raw.longest_to),
            })
            .collect(),
        faults: answer.faults()?,
    })
}
