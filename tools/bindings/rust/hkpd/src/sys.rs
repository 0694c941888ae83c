//! The declarations of hkpd.h, which describes each member. `tests/layout.rs` compares sizes, offsets and numbers with
//! what a C compiler makes of the header.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_int, c_void};

pub type hkpd_status = c_int;

pub const HKPD_OK: hkpd_status = 0;
pub const HKPD_END: hkpd_status = 1;
pub const HKPD_ERROR_ARGUMENT: hkpd_status = -1;
pub const HKPD_ERROR_STATE: hkpd_status = -2;
pub const HKPD_ERROR_OPEN: hkpd_status = -3;
pub const HKPD_ERROR_MEMORY: hkpd_status = -4;
pub const HKPD_ERROR_INTERNAL: hkpd_status = -5;

pub const HKPD_SOURCE_V1: u32 = 0;
pub const HKPD_SOURCE_V2: u32 = 1;
pub const HKPD_SOURCE_LOG: u32 = 2;

pub const HKPD_KIND_SINGLE: u32 = 0;
pub const HKPD_KIND_MULTI: u32 = 1;
pub const HKPD_KIND_METADATA_SINGLE: u32 = 2;
pub const HKPD_KIND_METADATA_MULTI: u32 = 3;

pub const HKPD_STORAGE_NUMBER: u32 = 0;
pub const HKPD_STORAGE_TEXT: u32 = 1;
pub const HKPD_STORAGE_BYTES: u32 = 2;

pub const HKPD_NOTE: u32 = 0;
pub const HKPD_WARNING: u32 = 1;
pub const HKPD_ERROR: u32 = 2;

pub const HKPD_RECORD_V1: u32 = 0;
pub const HKPD_RECORD_TITLES: u32 = 1;
pub const HKPD_RECORD_V2: u32 = 3;
pub const HKPD_RECORD_V2_IDENTIFIERS: u32 = 4;
pub const HKPD_RECORD_V2_REGISTRATION: u32 = 5;

pub const HKPD_CAP: u32 = 1;
pub const HKPD_CLAMP: u32 = 2;
pub const HKPD_UNWRAP: u32 = 4;
pub const HKPD_SCALE: u32 = 8;
pub const HKPD_HAS_FROM: u32 = 16;
pub const HKPD_HAS_TO: u32 = 32;
pub const HKPD_RAW_ONLY: u32 = 64;
pub const HKPD_NO_INPUT_TITLES: u32 = 128;

pub const HKPD_SORT_DEFAULT: u32 = 0;
pub const HKPD_SORT_COUNT: u32 = 1;
pub const HKPD_SORT_FIRST: u32 = 2;
pub const HKPD_SORT_LAST: u32 = 3;
pub const HKPD_SORT_MIN: u32 = 4;
pub const HKPD_SORT_MEAN: u32 = 5;
pub const HKPD_SORT_P50: u32 = 6;
pub const HKPD_SORT_P95: u32 = 7;
pub const HKPD_SORT_P99: u32 = 8;
pub const HKPD_SORT_MAX: u32 = 9;
pub const HKPD_SORT_STDDEV: u32 = 10;
pub const HKPD_SORT_DELTA: u32 = 11;
pub const HKPD_SORT_SLOPE: u32 = 12;
pub const HKPD_SORT_PROCESSOR: u32 = 32;
pub const HKPD_SORT_WORKING_SET: u32 = 33;
pub const HKPD_SORT_PRIVATE_BYTES: u32 = 34;
pub const HKPD_SORT_HANDLES: u32 = 35;
pub const HKPD_SORT_IO: u32 = 36;
pub const HKPD_SORT_GROWTH: u32 = 37;
pub const HKPD_SORT_NAME: u32 = 38;
pub const HKPD_ALL_INSTANCES: u32 = 1;
pub const HKPD_MISSING: u32 = 4;
pub const HKPD_ALL_SAMPLES: u32 = 2;
pub const HKPD_LIST_ROWS: u32 = 0;
pub const HKPD_LIST_BEFORE: u32 = 1;
pub const HKPD_LIST_AFTER: u32 = 2;
pub const HKPD_LIST_ONLY_BEFORE: u32 = 3;
pub const HKPD_LIST_ONLY_AFTER: u32 = 4;

pub const HKPD_THEME_AUTOMATIC: u32 = 0;
pub const HKPD_THEME_LIGHT: u32 = 1;
pub const HKPD_THEME_DARK: u32 = 2;

pub const HKPD_STATUS_VALID: u32 = 0;
pub const HKPD_STATUS_NO_INSTANCE: u32 = 0x8000_07D1;
pub const HKPD_STATUS_DAMAGED: u32 = 0xE000_0001;
pub const HKPD_STATUS_NOT_RECORDED: u32 = 0xE000_0002;
pub const HKPD_NO_INDEX: u32 = 0xFFFF_FFFF;

#[repr(C)]
pub struct hkpd_reader {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct hkpd_answer {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct hkpd_options {
    pub struct_size: usize,
    pub flags: u32,
    pub machines: u32,
    pub from: i64,
    pub to: i64,
    pub first_sample: u64,
    pub sample_count: u64,
    pub every: u64,
    pub languages: *const c_char,
    pub titles: *const c_void,
    pub titles_size: usize,
    pub paths: *const *const c_char,
    pub path_count: usize,
    pub batch_rows: u64,
    pub log_zones: *const c_char,
    pub encoding: *const c_char,
}

#[repr(C)]
pub struct hkpd_error {
    pub struct_size: usize,
    pub status: i32,
    pub system: i32,
    pub message: [c_char; 496],
}

#[repr(C)]
pub struct hkpd_sample {
    pub struct_size: usize,
    pub number: u32,
    pub source: u32,
    pub machine: *const c_char,
    pub machine_size: usize,
    pub time: i64,
    pub has_time: u32,
    pub default_object: i32,
    pub object_count: usize,
    pub perf_time: i64,
    pub perf_frequency: i64,
    pub perf_time_100ns: i64,
    pub bytes: u64,
    pub local_time: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct hkpd_object {
    pub struct_size: usize,
    pub index: u32,
    pub help_index: u32,
    pub name: *const c_char,
    pub name_size: usize,
    pub help: *const c_char,
    pub help_size: usize,
    pub counterset: [u8; 16],
    pub has_counterset: u32,
    pub kind: u32,
    pub detail_level: u32,
    pub code_page: u32,
    pub perf_time: i64,
    pub perf_frequency: i64,
    pub instance_count: usize,
    pub column_count: usize,
}

#[repr(C)]
pub struct hkpd_instance {
    pub struct_size: usize,
    pub name: *const c_char,
    pub name_size: usize,
    pub number: u32,
    pub id: i32,
    pub has_id: u32,
    pub parent_object: u32,
    pub parent_instance: u32,
    pub reserved: u32,
    pub offset: u64,
    pub pid: u32,
    pub life: u32,
    pub instance_id: i32,
    pub has_instance_id: u32,
    pub parent: *const c_char,
    pub parent_size: usize,
}

#[repr(C)]
pub struct hkpd_column {
    pub struct_size: usize,
    pub index: u32,
    pub help_index: u32,
    pub name: *const c_char,
    pub name_size: usize,
    pub help: *const c_char,
    pub help_size: usize,
    pub r#type: u32,
    pub storage: u32,
    pub attributes: u64,
    pub value_size: u32,
    pub offset: u32,
    pub scale: i32,
    pub detail_level: u32,
    pub base: i32,
    pub time: i32,
    pub frequency: i32,
    pub multi: i32,
    pub count: usize,
    pub values: *const u64,
    pub second: *const u64,
    pub status: *const u32,
    pub multi_count: *const u64,
    pub taken: *const u64,
    pub time_base: i64,
    pub has_time_base: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct hkpd_cooked {
    pub struct_size: usize,
    pub count: usize,
    pub values: *const f64,
    pub reasons: *const u8,
}

#[repr(C)]
pub struct hkpd_fault {
    pub struct_size: usize,
    pub severity: u32,
    pub sample: u32,
    pub record: u32,
    pub object: u32,
    pub instance: u32,
    pub has_offset: u32,
    pub offset: u64,
    pub expected: u64,
    pub found: u64,
    pub code: *const c_char,
    pub input: *const c_char,
    pub input_size: usize,
    pub structure: *const c_char,
    pub structure_size: usize,
    pub field: *const c_char,
    pub field_size: usize,
    pub message: *const c_char,
    pub message_size: usize,
}

#[repr(C)]
pub struct hkpd_record {
    pub struct_size: usize,
    pub kind: u32,
    pub request: u32,
    pub data: *const c_void,
    pub size: usize,
    pub machine: *const c_char,
    pub language: *const c_char,
    pub counterset: [u8; 16],
    pub time: i64,
}

#[repr(C)]
pub struct hkpd_answer_options {
    pub struct_size: usize,
    pub flags: u32,
    pub sort: u32,
    pub top: u64,
    pub services: *const c_char,
}

#[repr(C)]
pub struct hkpd_run {
    pub struct_size: usize,
    pub samples: u64,
    pub from: i64,
    pub to: i64,
    pub has_time: u32,
    pub is_complete: u32,
    pub machine_count: usize,
    pub series_count: usize,
    pub process_count: usize,
    pub all_processes: u64,
    pub has_processes: u32,
    pub sort: u32,
    pub change_count: usize,
    pub only_count: usize,
    pub unchanged: u64,
    pub sums: u64,
}

#[repr(C)]
pub struct hkpd_series {
    pub struct_size: usize,
    pub machine: *const c_char,
    pub machine_size: usize,
    pub object: *const c_char,
    pub object_size: usize,
    pub counterset: *const c_char,
    pub counterset_size: usize,
    pub parent: *const c_char,
    pub parent_size: usize,
    pub instance: *const c_char,
    pub instance_size: usize,
    pub label: *const c_char,
    pub label_size: usize,
    pub counter: *const c_char,
    pub counter_size: usize,
    pub unit: *const c_char,
    pub source: u32,
    pub object_index: u32,
    pub counter_index: u32,
    pub r#type: u32,
    pub pid: u32,
    pub life: u32,
    pub instance_id: i32,
    pub has_instance_id: u32,
    pub is_sum: u32,
    pub has_time: u32,
    pub from: i64,
    pub to: i64,
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
    pub percentile_error: f64,
    pub average: f64,
    pub reason: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct hkpd_process {
    pub struct_size: usize,
    pub first_series: usize,
    pub series_count: usize,
    pub processor_mean: f64,
    pub processor_max: f64,
    pub working_set: f64,
    pub private_bytes: f64,
    pub private_growth: f64,
    pub handles: f64,
    pub io: f64,
    pub processor_seconds: f64,
    pub processor_of_run: f64,
    pub io_of_run: f64,
    pub working_set_peak: f64,
    pub private_peak: f64,
    pub growth: f64,
    pub growth_r_squared: f64,
    pub processor_max_time: i64,
    pub has_processor_max_time: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct hkpd_change {
    pub struct_size: usize,
    pub median_effect: f64,
    pub p95_effect: f64,
    pub noise: f64,
}

#[repr(C)]
pub struct hkpd_input {
    pub struct_size: usize,
    pub kind: *const c_char,
    pub bytes: u64,
    pub samples: u64,
    pub samples_exact: u32,
    pub is_complete: u32,
    pub has_time: u32,
    pub has_interval: u32,
    pub from: i64,
    pub to: i64,
    pub interval: i64,
    pub gaps: u64,
    pub machine_count: usize,
    pub object_count: usize,
}

#[repr(C)]
pub struct hkpd_input_object {
    pub struct_size: usize,
    pub machine: *const c_char,
    pub machine_size: usize,
    pub name: *const c_char,
    pub name_size: usize,
    pub source: u32,
    pub is_list: u32,
    pub instances: u64,
    pub counters: u64,
}

#[repr(C)]
pub struct hkpd_checked {
    pub struct_size: usize,
    pub samples: u64,
    pub title_tables: u64,
    pub services: u64,
    pub finding_count: usize,
}

#[repr(C)]
pub struct hkpd_finding {
    pub struct_size: usize,
    pub machine: *const c_char,
    pub machine_size: usize,
    pub object: *const c_char,
    pub object_size: usize,
    pub instance: *const c_char,
    pub instance_size: usize,
    pub rule: *const c_char,
    pub rule_size: usize,
    pub repair: *const c_char,
    pub repair_size: usize,
    pub service: *const c_char,
    pub service_size: usize,
    pub library: *const c_char,
    pub library_size: usize,
    pub event: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct hkpd_report_options {
    pub struct_size: usize,
    pub theme: u32,
    pub reserved: u32,
    pub title: *const c_char,
    pub rules: *const c_char,
    pub answers: *const *const c_char,
    pub answer_count: usize,
    pub baseline: *const c_char,
    pub page_bytes: u64,
}

#[repr(C)]
pub struct hkpd_page {
    pub struct_size: usize,
    pub html: *const c_char,
    pub html_size: usize,
    pub samples: u64,
    pub finding_count: usize,
}

#[repr(C)]
pub struct hkpd_rule_finding {
    pub struct_size: usize,
    pub analysis: *const c_char,
    pub analysis_size: usize,
    pub threshold: *const c_char,
    pub threshold_size: usize,
    pub machine: *const c_char,
    pub machine_size: usize,
    pub object: *const c_char,
    pub object_size: usize,
    pub instance: *const c_char,
    pub instance_size: usize,
    pub counter: *const c_char,
    pub counter_size: usize,
    pub is_critical: u32,
    pub is_trend: u32,
    pub limit: f64,
    pub slope: f64,
    pub worst: f64,
    pub worst_time: i64,
    pub values: u64,
    pub exceeding: u64,
    pub time: i64,
    pub exceeding_time: i64,
    pub first: i64,
    pub last: i64,
    pub longest_from: i64,
    pub longest_to: i64,
}

extern "C" {
    pub fn hkpd_version() -> *const c_char;
    pub fn hkpd_status_text(status: hkpd_status) -> *const c_char;
    pub fn hkpd_reason_name(reason: u8) -> *const c_char;
    pub fn hkpd_type_name(counter_type: u32) -> *const c_char;

    pub fn hkpd_open(
        paths: *const *const c_char,
        path_count: usize,
        options: *const hkpd_options,
        reader: *mut *mut hkpd_reader,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_open_memory(
        data: *const c_void,
        size: usize,
        options: *const hkpd_options,
        reader: *mut *mut hkpd_reader,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_open_feed(
        options: *const hkpd_options,
        reader: *mut *mut hkpd_reader,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_feed(reader: *mut hkpd_reader, record: *const hkpd_record) -> hkpd_status;
    pub fn hkpd_close(reader: *mut hkpd_reader);

    pub fn hkpd_next(reader: *mut hkpd_reader, sample: *mut hkpd_sample) -> hkpd_status;
    pub fn hkpd_get_object(reader: *mut hkpd_reader, object: usize, filled: *mut hkpd_object) -> hkpd_status;
    pub fn hkpd_get_instances(
        reader: *mut hkpd_reader,
        object: usize,
        first: usize,
        count: usize,
        filled: *mut hkpd_instance,
    ) -> hkpd_status;
    pub fn hkpd_get_column(
        reader: *mut hkpd_reader,
        object: usize,
        column: usize,
        filled: *mut hkpd_column,
    ) -> hkpd_status;
    pub fn hkpd_get_cooked(
        reader: *mut hkpd_reader,
        object: usize,
        column: usize,
        filled: *mut hkpd_cooked,
    ) -> hkpd_status;
    pub fn hkpd_get_text(
        reader: *mut hkpd_reader,
        object: usize,
        column: usize,
        row: usize,
        text: *mut *const c_char,
        size: *mut usize,
    ) -> hkpd_status;

    pub fn hkpd_count_faults(reader: *const hkpd_reader, severity: c_int) -> u64;
    pub fn hkpd_fault_count(reader: *const hkpd_reader) -> usize;
    pub fn hkpd_get_fault(reader: *mut hkpd_reader, index: usize, filled: *mut hkpd_fault) -> hkpd_status;

    pub fn hkpd_summary(
        paths: *const *const c_char,
        path_count: usize,
        reading: *const hkpd_options,
        options: *const hkpd_answer_options,
        answer: *mut *mut hkpd_answer,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_top(
        paths: *const *const c_char,
        path_count: usize,
        reading: *const hkpd_options,
        options: *const hkpd_answer_options,
        answer: *mut *mut hkpd_answer,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_compare(
        before: *const c_char,
        after: *const c_char,
        reading: *const hkpd_options,
        options: *const hkpd_answer_options,
        answer: *mut *mut hkpd_answer,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_overview(
        path: *const c_char,
        reading: *const hkpd_options,
        options: *const hkpd_answer_options,
        answer: *mut *mut hkpd_answer,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_check(
        paths: *const *const c_char,
        path_count: usize,
        reading: *const hkpd_options,
        options: *const hkpd_answer_options,
        answer: *mut *mut hkpd_answer,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_get_checked(answer: *const hkpd_answer, filled: *mut hkpd_checked) -> hkpd_status;
    pub fn hkpd_get_findings(
        answer: *const hkpd_answer,
        first: usize,
        count: usize,
        filled: *mut hkpd_finding,
    ) -> hkpd_status;
    pub fn hkpd_report(
        paths: *const *const c_char,
        path_count: usize,
        reading: *const hkpd_options,
        options: *const hkpd_report_options,
        answer: *mut *mut hkpd_answer,
        error: *mut hkpd_error,
    ) -> hkpd_status;
    pub fn hkpd_get_page(answer: *const hkpd_answer, filled: *mut hkpd_page) -> hkpd_status;
    pub fn hkpd_get_rule_findings(
        answer: *const hkpd_answer,
        first: usize,
        count: usize,
        filled: *mut hkpd_rule_finding,
    ) -> hkpd_status;
    pub fn hkpd_free_answer(answer: *mut hkpd_answer);
    pub fn hkpd_get_run(answer: *const hkpd_answer, number: usize, filled: *mut hkpd_run) -> hkpd_status;
    pub fn hkpd_get_machine(
        answer: *const hkpd_answer,
        number: usize,
        machine: usize,
        text: *mut *const c_char,
        size: *mut usize,
    ) -> hkpd_status;
    pub fn hkpd_get_series(
        answer: *const hkpd_answer,
        list: u32,
        first: usize,
        count: usize,
        filled: *mut hkpd_series,
    ) -> hkpd_status;
    pub fn hkpd_get_processes(
        answer: *const hkpd_answer,
        first: usize,
        count: usize,
        filled: *mut hkpd_process,
    ) -> hkpd_status;
    pub fn hkpd_get_changes(
        answer: *const hkpd_answer,
        first: usize,
        count: usize,
        filled: *mut hkpd_change,
    ) -> hkpd_status;
    pub fn hkpd_get_input(answer: *const hkpd_answer, filled: *mut hkpd_input) -> hkpd_status;
    pub fn hkpd_get_input_objects(
        answer: *const hkpd_answer,
        first: usize,
        count: usize,
        filled: *mut hkpd_input_object,
    ) -> hkpd_status;
    pub fn hkpd_answer_faults(answer: *mut hkpd_answer) -> *mut hkpd_reader;
}
