//! columns FILE ROUNDS: reads a file as columns, and adds up all raw and all cooked values. Prints the processor time of
//! the fastest round in milliseconds, the sums and the number of values, as the programs of this name in other languages.

use hkpd::{Error, Reader};
use std::{env, process::ExitCode};

#[derive(Default)]
struct Sums {
    raw: u64,
    cooked: f64,
    values: usize,
}

fn add_up(path: &str) -> Result<Sums, Error> {
    let mut sums = Sums::default();
    let mut reader = Reader::open([path])?;
    while let Some(sample) = reader.next_sample()? {
        for object in sample.objects() {
            for column in object.columns() {
                for value in column.values {
                    sums.raw = sums.raw.wrapping_add(*value);
                }
                sums.cooked += column.cooked()?.values.iter().filter(|value| !value.is_nan()).sum::<f64>();
                sums.values += column.values.len();
            }
        }
    }
    Ok(sums)
}

/// Returns the processor time of this process in milliseconds, on 64-bit Linux.
fn processor_time() -> f64 {
    extern "C" {
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut time = [0; 2];
    // SAFETY: a timespec is a pair of 64-bit integers, which the call fills.
    assert_eq!(unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time) }, 0);
    time[0] as f64 * 1e3 + time[1] as f64 * 1e-6
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let rounds = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    if arguments.len() != 2 || rounds < 1 {
        eprintln!("usage: columns FILE ROUNDS");
        return ExitCode::from(2);
    }
    let mut fastest = f64::INFINITY;
    let mut sums = Sums::default();
    for _ in 0..rounds {
        let before = processor_time();
        match add_up(&arguments[0]) {
            Ok(found) => sums = found,
            Err(error) => {
                eprintln!("columns: {error}");
                return ExitCode::from(3);
            }
        }
        fastest = fastest.min(processor_time() - before);
    }
    println!("{fastest:.3} {} {} {}", sums.raw, sums.cooked, sums.values);
    ExitCode::SUCCESS
}
