//! processor_time FILE...: prints the processor time of each processor, in per cent.

use hkpd::{Error, Reader};

fn main() -> Result<(), Error> {
    let mut reader = Reader::open(std::env::args_os().skip(1))?;
    while let Some(sample) = reader.next_sample()? {
        for object in sample.objects().filter(|object| object.index == 238) {
            let instances = object.instances()?;
            for column in object.columns().filter(|column| column.index == 6) {
                let cooked = column.cooked()?;
                for (row, instance) in instances.iter().enumerate() {
                    if cooked.reasons[row] == 0 {
                        println!("{:?} {:.1} %", instance.name, cooked.values[row]);
                    }
                }
            }
        }
    }
    Ok(())
}
