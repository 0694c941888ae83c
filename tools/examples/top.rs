//! Prints who uses most in a run, as `hkpd top --format csv` does: the values are data.

use hkpd::{top, AnswerOptions, Error};

fn main() -> Result<(), Error> {
    println!("machine,object,parent,instance,pid,counter,count,mean,p95,max,last");
    for row in top(std::env::args_os().skip(1), &AnswerOptions::default())?.series {
        let parent = row.parent.unwrap_or_default();
        let instance = row.instance.unwrap_or_default();
        let pid = row.pid.map_or(String::new(), |pid| pid.to_string());
        let s = row.statistics;
        print!(r#""{}","{}","{parent}","#, row.machine, row.object);
        print!(r#""{instance}",{pid},"{}","#, row.counter);
        println!("{},{},{},{},{}", s.count, s.mean, s.p95, s.max, s.last);
    }
    Ok(())
}
