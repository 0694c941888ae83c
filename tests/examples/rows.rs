//! Prints an answer as rows, for compare.py, as rows.cpp does: rows summary|check INPUT...

use hkpd::{check, summary, AnswerOptions, Error};
use std::fmt::Display;

fn cell(value: impl Display) -> String {
    value.to_string().chars().map(|c| if c < ' ' { ' ' } else { c }).collect()
}

fn optional<T: Display>(value: Option<T>) -> String {
    value.map_or(String::new(), cell)
}

fn print_summary(paths: &[String]) -> Result<(), Error> {
    println!("machine\tobject\tcounterset\tparent\tinstance\tpid\tinstance_id\tlife\tcounter\tunit\tcount\tfirst\tlast\tmin\tmean\tp50\tp95\tp99\tmax\tstddev\tdelta\tslope\taverage");
    for row in summary(paths, &AnswerOptions::default())?.series {
        let s = row.statistics;
        let mut cells = vec![cell(row.machine), cell(row.object), optional(row.counterset), optional(row.parent)];
        cells.extend([optional(row.instance), optional(row.pid), optional(row.instance_id)]);
        cells.extend([optional(Some(row.life).filter(|&life| life != 0)), cell(row.counter), cell(row.unit)]);
        cells.push(cell(s.count));
        let numbers = [s.first, s.last, s.min, s.mean, s.p50, s.p95, s.p99, s.max, s.stddev, s.delta, s.slope];
        cells.extend(numbers.iter().chain([&row.average]).map(cell));
        println!("{}", cells.join("\t"));
    }
    Ok(())
}

fn print_check(paths: &[String]) -> Result<(), Error> {
    println!("severity\tcode\tmachine\tobject_name\tinstance_name\trule\trepair\tperflib_event\tservice\tlibrary");
    for one in check(paths, &AnswerOptions::default())?.findings {
        let severity = format!("{:?}", one.fault.severity).to_lowercase();
        let mut cells = vec![severity, cell(one.fault.code), optional(one.machine), optional(one.object)];
        cells.extend([optional(one.instance), optional(one.rule), optional(one.repair), optional(one.event)]);
        cells.extend([optional(one.service), optional(one.library)]);
        println!("{}", cells.join("\t"));
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments[0] == "check" {
        print_check(&arguments[1..])
    } else {
        print_summary(&arguments[1..])
    }
}
