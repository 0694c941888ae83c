//! Compares the declarations of `src/sys.rs` with the header, by a C program that a compiler makes of it.

use hkpd::sys::*;
use std::{
    env, fs,
    mem::{size_of, MaybeUninit},
    path::PathBuf,
    process::Command,
    ptr::addr_of,
};

/// Appends lines `NAME VALUE` for sizes and members of structs, as Rust has them, and a C program that prints the same.
macro_rules! structs {
    ($lines:ident, $program:ident, $($name:ident { $($member:ident),* })*) => {$(
        $lines.push(format!("{} {}", stringify!($name), size_of::<$name>()));
        $program.push(format!(r#"printf("{0} %zu\n", sizeof({0}));"#, stringify!($name)));
        let instance = MaybeUninit::<$name>::uninit();
        let mut end = 0;
        $(
            // SAFETY: only addresses are computed.
            let (offset, size) = unsafe {
                let member = addr_of!((*instance.as_ptr()).$member);
                (member as usize - instance.as_ptr() as usize, size_of_target(member))
            };
            assert!(offset - end < 8, "{}: a member in front of {} is not in this list", stringify!($name), stringify!($member));
            end = offset + size;
            let member = stringify!($member).trim_start_matches("r#");
            $lines.push(format!("{}.{member} {offset} {size}", stringify!($name)));
            $program.push(format!(r#"printf("{0}.{member} %zu %zu\n", offsetof({0}, {member}), sizeof((({0}*)0)->{member}));"#,
                                  stringify!($name)));
        )*
        assert!(size_of::<$name>() - end < 8, "{}: the last members are not in this list", stringify!($name));
    )*};
}

macro_rules! numbers {
    ($lines:ident, $program:ident, $($name:ident)*) => {$(
        $lines.push(format!("{} {}", stringify!($name), $name as i64));
        $program.push(format!(r#"printf("{0} %lld\n", (long long){0});"#, stringify!($name)));
    )*};
}

fn size_of_target<T>(_: *const T) -> usize {
    size_of::<T>()
}

#[test]
fn declarations_match_the_header() {
    let (mut lines, mut program) = (Vec::<String>::new(), Vec::<String>::new());
    structs! { lines, program,
        hkpd_options { struct_size, flags, machines, from, to, first_sample, sample_count, every, languages, titles,
                       titles_size, paths, path_count, batch_rows, log_zones, encoding }
        hkpd_error { struct_size, status, system, message }
        hkpd_sample { struct_size, number, source, machine, machine_size, time, has_time, default_object, object_count,
                      perf_time, perf_frequency, perf_time_100ns, bytes, local_time, reserved }
        hkpd_object { struct_size, index, help_index, name, name_size, help, help_size, counterset, has_counterset, kind,
                      detail_level, code_page, perf_time, perf_frequency, instance_count, column_count }
        hkpd_instance { struct_size, name, name_size, number, id, has_id, parent_object, parent_instance, reserved, offset,
                        pid, life, instance_id, has_instance_id, parent, parent_size }
        hkpd_column { struct_size, index, help_index, name, name_size, help, help_size, r#type, storage, attributes,
                      value_size, offset, scale, detail_level, base, time, frequency, multi, count, values, second, status,
                      multi_count, taken, time_base, has_time_base, reserved }
        hkpd_cooked { struct_size, count, values, reasons }
        hkpd_fault { struct_size, severity, sample, record, object, instance, has_offset, offset, expected, found, code,
                     input, input_size, structure, structure_size, field, field_size, message, message_size }
        hkpd_record { struct_size, kind, request, data, size, machine, language, counterset, time }
        hkpd_answer_options { struct_size, flags, sort, top, services }
        hkpd_checked { struct_size, samples, title_tables, services, finding_count }
        hkpd_finding { struct_size, machine, machine_size, object, object_size, instance, instance_size, rule,
                       rule_size, repair, repair_size, service, service_size, library, library_size, event,
                       reserved }
        hkpd_report_options { struct_size, theme, reserved, title, rules, answers, answer_count, baseline, page_bytes }
        hkpd_page { struct_size, html, html_size, samples, finding_count }
        hkpd_rule_finding { struct_size, analysis, analysis_size, threshold, threshold_size, machine, machine_size,
                            object, object_size, instance, instance_size, counter, counter_size, is_critical,
                            is_trend, limit, slope, worst, worst_time, values, exceeding, time, exceeding_time,
                            first, last, longest_from, longest_to }
        hkpd_run { struct_size, samples, from, to, has_time, is_complete, machine_count, series_count,
                   process_count, all_processes, has_processes, sort, change_count, only_count, unchanged, sums
                   }
        hkpd_series { struct_size, machine, machine_size, object, object_size, counterset, counterset_size,
                      parent, parent_size, instance, instance_size, label, label_size, counter, counter_size,
                      unit, source, object_index, counter_index, r#type, pid, life, instance_id,
                      has_instance_id, is_sum, has_time, from, to, count, first, last, min, mean, p50, p95, p99,
                      max, stddev, delta, slope, percentile_error, average, reason, reserved }
        hkpd_process { struct_size, first_series, series_count, processor_mean, processor_max, working_set,
                       private_bytes, private_growth, handles, io, processor_seconds, processor_of_run, io_of_run,
                       working_set_peak, private_peak, growth, growth_r_squared, processor_max_time,
                       has_processor_max_time, reserved }
        hkpd_change { struct_size, median_effect, p95_effect, noise }
        hkpd_input { struct_size, kind, bytes, samples, samples_exact, is_complete, has_time, has_interval,
                     from, to, interval, gaps, machine_count, object_count }
        hkpd_input_object { struct_size, machine, machine_size, name, name_size, source, is_list, instances,
                            counters }
    }
    numbers! { lines, program,
        HKPD_OK HKPD_END HKPD_ERROR_ARGUMENT HKPD_ERROR_STATE HKPD_ERROR_OPEN HKPD_ERROR_MEMORY HKPD_ERROR_INTERNAL
        HKPD_SOURCE_V1 HKPD_SOURCE_V2 HKPD_SOURCE_LOG
        HKPD_KIND_SINGLE HKPD_KIND_MULTI HKPD_KIND_METADATA_SINGLE HKPD_KIND_METADATA_MULTI
        HKPD_STORAGE_NUMBER HKPD_STORAGE_TEXT HKPD_STORAGE_BYTES HKPD_NOTE HKPD_WARNING HKPD_ERROR
        HKPD_RECORD_V1 HKPD_RECORD_TITLES HKPD_RECORD_V2 HKPD_RECORD_V2_IDENTIFIERS HKPD_RECORD_V2_REGISTRATION
        HKPD_CAP HKPD_CLAMP HKPD_UNWRAP HKPD_SCALE HKPD_HAS_FROM HKPD_HAS_TO HKPD_RAW_ONLY HKPD_NO_INPUT_TITLES
        HKPD_SORT_DEFAULT HKPD_SORT_COUNT HKPD_SORT_FIRST HKPD_SORT_LAST HKPD_SORT_MIN HKPD_SORT_MEAN
        HKPD_SORT_P50 HKPD_SORT_P95 HKPD_SORT_P99 HKPD_SORT_MAX HKPD_SORT_STDDEV HKPD_SORT_DELTA HKPD_SORT_SLOPE
        HKPD_SORT_PROCESSOR HKPD_SORT_WORKING_SET HKPD_SORT_PRIVATE_BYTES HKPD_SORT_HANDLES HKPD_SORT_IO
        HKPD_SORT_GROWTH HKPD_SORT_NAME
        HKPD_ALL_INSTANCES HKPD_MISSING HKPD_ALL_SAMPLES HKPD_LIST_ROWS HKPD_LIST_BEFORE HKPD_LIST_AFTER
        HKPD_LIST_ONLY_BEFORE HKPD_LIST_ONLY_AFTER HKPD_THEME_AUTOMATIC HKPD_THEME_LIGHT HKPD_THEME_DARK
        HKPD_STATUS_VALID HKPD_STATUS_NO_INSTANCE HKPD_STATUS_DAMAGED HKPD_STATUS_NOT_RECORDED HKPD_NO_INDEX
    }
    assert_eq!(printed_by_c(&program), lines);
}

/// Returns the lines that a C program with these statements prints.
fn printed_by_c(statements: &[String]) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("layout.c"), folder.join("layout"));
    let text =
        format!("#include <hkpd.h>\n#include <stdio.h>\nint main(void) {{\n{}\nreturn 0;\n}}\n", statements.join("\n"));
    fs::write(&source, text).unwrap();
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let header = env::var("HKPD_INCLUDE_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../lib/include").to_string());
    let status =
        Command::new(compiler).arg(format!("-I{header}")).arg("-o").args([&program, &source]).status().unwrap();
    assert!(status.success(), "the C program does not compile");
    let output = Command::new(&program).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}
