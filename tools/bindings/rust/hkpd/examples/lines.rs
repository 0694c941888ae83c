//! lines FILE...: prints everything that the crate reads from files. The programs of the same name in other languages
//! print the same, byte for byte, so that a test can compare them.

use hkpd::{reason_name, type_name, Column, Error, Fault, Reader, Sample, Severity, Storage, Text};
use std::{
    env,
    error::Error as AnyError,
    ffi::OsStr,
    fmt::{Display, Write as _},
    io::{self, BufWriter, Write},
    process::ExitCode,
};

type Result = std::result::Result<(), Box<dyn AnyError>>;

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).unwrap_or('?'));
        }
    }
    text
}

fn bytes_text(bytes: Option<&[u8]>) -> String {
    match bytes {
        None => "-".to_string(),
        Some(bytes) if bytes.is_empty() => "\"\"".to_string(),
        Some(bytes) => hex(bytes),
    }
}

fn text(text: Option<Text>) -> String {
    bytes_text(text.map(Text::as_bytes))
}

fn optional(value: Option<impl Display>) -> String {
    value.map_or("-".to_string(), |value| value.to_string())
}

/// Prints the memory of an array on a little-endian machine.
fn array<const N: usize, T: Copy>(out: &mut impl Write, word: &str, values: &[T], bytes: fn(T) -> [u8; N]) -> Result {
    if !values.is_empty() || word == "cooked" {
        writeln!(out, "{word} {}", hex(&values.iter().flat_map(|value| bytes(*value)).collect::<Vec<_>>()))?;
    }
    Ok(())
}

fn print_column(out: &mut impl Write, column: &Column) -> Result {
    let type_text = Some(type_name(column.counter_type)).filter(|name| !name.is_empty());
    write!(out, "column {} {} {} {} ", column.index, column.help_index, text(column.name), text(column.help))?;
    write!(out, "{} {} {} ", column.counter_type, optional(type_text), column.storage as u32)?;
    write!(out, "{} {} {} {} ", column.attributes, column.value_size, column.offset, column.scale)?;
    write!(out, "{} {} {} {} ", column.detail_level, column.base, column.time, column.frequency)?;
    writeln!(out, "{} {}", column.multi, optional(column.time_base))?;
    array(out, "values", column.values, u64::to_ne_bytes)?;
    array(out, "second", column.second, u64::to_ne_bytes)?;
    array(out, "status", column.status, u32::to_ne_bytes)?;
    array(out, "multi_count", column.multi_count, u64::to_ne_bytes)?;
    array(out, "taken", column.taken, u64::to_ne_bytes)?;
    if column.storage != Storage::Number {
        for row in 0..column.values.len() {
            writeln!(out, "text {}", text(column.text(row)))?;
        }
    }
    let cooked = column.cooked()?;
    array(out, "cooked", cooked.values, f64::to_ne_bytes)?;
    let mut runs = String::new();
    let mut rest = cooked.reasons;
    while let Some(&reason) = rest.first() {
        let count = rest.iter().take_while(|other| **other == reason).count();
        let name = if reason == 0 { "none" } else { reason_name(reason) };
        write!(runs, "{}{name}*{count}", if runs.is_empty() { "" } else { "," })?;
        rest = &rest[count..];
    }
    writeln!(out, "reasons {runs}")?;
    Ok(())
}

fn print_sample(out: &mut impl Write, sample: &Sample) -> Result {
    write!(out, "sample {} {} {} ", sample.number, sample.source as u32, optional(sample.time))?;
    write!(out, "{} {} {} ", text(sample.machine), sample.perf_time, sample.perf_frequency)?;
    writeln!(out, "{} {} {}", sample.perf_time_100ns, sample.bytes, sample.default_object)?;
    for object in sample.objects() {
        let counterset = object.counterset.map(|guid| hex(&guid));
        write!(out, "object {} {} {} {} ", object.index, object.help_index, text(object.name), text(object.help))?;
        write!(out, "{} {} {} ", optional(counterset), object.kind as u32, object.detail_level)?;
        writeln!(out, "{} {} {}", object.code_page, object.perf_time, object.perf_frequency)?;
        for instance in object.instances()? {
            let (parent_object, parent) = instance.parent.unwrap_or((u32::MAX as usize, u32::MAX as usize));
            write!(out, "instance {} {} {} ", text(instance.name), instance.number, optional(instance.id))?;
            write!(out, "{parent_object} {parent} {} {} ", instance.offset, text(instance.parent_name))?;
            writeln!(out, "{} {} {}", optional(instance.pid), optional(instance.instance_id), optional(instance.life))?;
        }
        for column in object.columns() {
            print_column(out, &column)?;
        }
    }
    Ok(())
}

fn print_fault(out: &mut impl Write, fault: &Fault) -> Result {
    write!(out, "fault {} {} {} {} ", fault.severity as u32, fault.code, fault.sample, fault.record)?;
    write!(out, "{} {} {} ", fault.object, fault.instance, optional(fault.offset))?;
    write!(out, "{} {} {} ", fault.expected, fault.found, bytes_text(fault.input.as_deref()))?;
    let [structure, field] = [&fault.structure, &fault.field].map(|text| text.as_deref().map(str::as_bytes));
    writeln!(out, "{} {} {}", bytes_text(structure), bytes_text(field), bytes_text(Some(fault.message.as_bytes())))?;
    Ok(())
}

fn print_file(out: &mut impl Write, path: &OsStr) -> Result {
    writeln!(out, "file {}", path.to_string_lossy())?;
    let mut reader = match Reader::open([path]) {
        Ok(reader) => reader,
        Err(Error { message, .. }) => return Ok(writeln!(out, "open failed: {message}")?),
    };
    while let Some(sample) = reader.next_sample()? {
        print_sample(out, &sample)?;
    }
    for fault in reader.faults()? {
        print_fault(out, &fault)?;
    }
    let counts = [Severity::Note, Severity::Warning, Severity::Error].map(|severity| reader.count_faults(severity));
    writeln!(out, "faults {} {} {}", counts[0], counts[1], counts[2])?;
    Ok(())
}

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    for path in env::args_os().skip(1) {
        if let Err(error) = print_file(&mut out, &path) {
            eprintln!("lines: {}: {error}", path.to_string_lossy());
            return ExitCode::from(3);
        }
    }
    match out.flush() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lines: {error}");
            ExitCode::from(3)
        }
    }
}
