//! Prints who uses most in a run, as `hkpd top --format csv` does: the values are data.

use hkpd::{top, AnswerOptions, Error};

fn main() -> Result<(), Error> {
    println!("machine,object,parent,instance,pid,counter,count,mean,p95,max,last");
    for row in top(std::env::args_os().skip(1), &AnswerOptions::default())?.series {
        let (parent, instance) = (row.parent.unwrap_or_default(), row.instance.unwrap_or_default());
        let pid = row.pid.map_or(String::new(), |pid| pid.to_string());
        let (names, s) = (format!(r#""{}","{}","{parent}","{instance}",{pid}"#, row.machine, row.object), row.statistics);
        println!(r#"{names},"{}",{},{},{},{},{}"#, row.counter, s.count, s.mean, s.p95, s.max, s.last);
    }
    Ok(())
}
