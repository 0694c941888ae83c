//! The safe layer over files of testdata.

use hkpd::{
    reason_name, Error, Feed, Kind, Options, Reader, Record, RecordKind, Sample, Severity, Source, Status, Storage,
};
use std::{fs, thread};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../testdata/captures/demo.bin");
const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../testdata/captures/text-and-bytes.bin");

/// Sums of all numbers and of all cooked values, and the number of values.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    raw: u64,
    cooked: f64,
    count: usize,
}

impl Sums {
    fn add(&mut self, sample: &Sample) {
        for column in sample.objects().flat_map(|object| object.columns()) {
            self.raw = column.values.iter().fold(self.raw, |sum, value| sum.wrapping_add(*value));
            self.cooked += column.cooked().unwrap().values.iter().filter(|value| !value.is_nan()).sum::<f64>();
            self.count += column.values.len();
        }
    }

    fn of(mut reader: Reader) -> Self {
        let mut sums = Sums::default();
        while let Some(sample) = reader.next_sample().unwrap() {
            sums.add(&sample);
        }
        sums
    }
}

#[test]
fn values_are_those_that_the_builder_of_the_file_wrote() {
    let mut reader = Reader::open([DEMO]).unwrap();
    let mut times = Vec::new();
    let mut last = Vec::new();
    while let Some(sample) = reader.next_sample().unwrap() {
        assert_eq!(sample.source, Source::V1);
        assert!(sample.machine.unwrap() == "DEMO");
        times.push(sample.time.unwrap() / 1_000_000_000);
        let processor = sample.objects().find(|object| object.index == 238).unwrap();
        assert!(processor.name.unwrap() == "Processor" && processor.kind == Kind::Multi);
        let instances = processor.instances().unwrap();
        let names: Vec<_> = instances.iter().map(|instance| instance.name.unwrap().to_string()).collect();
        assert_eq!(names, ["0", "1", "_Total"]);
        let time = processor.columns().next().unwrap();
        assert!(
            time.name.unwrap() == "% Processor Time" && time.values.len() == 3 && time.is_valid(2) && !time.is_valid(3)
        );
        let cooked = time.cooked().unwrap();
        if sample.number == 0 {
            assert!(cooked.values[0].is_nan());
            assert_eq!(reason_name(cooked.reasons[0]), "first_sample");
        }
        last = cooked.values.to_vec();
    }
    assert_eq!(times.len(), 3);
    assert_eq!(times[0], 1_715_679_000);
    for (found, expected) in last.iter().zip([38.0, 19.0, 28.5]) {
        assert!((found - expected).abs() < 1e-9, "expected {expected}, found {found}");
    }
}

#[test]
fn parents_are_positions_in_the_sample() {
    let mut reader = Reader::open([DEMO]).unwrap();
    let sample = reader.next_sample().unwrap().unwrap();
    let threads = sample.objects().find(|object| object.index == 232).unwrap();
    for thread in threads.instances().unwrap() {
        let (object, parent) = thread.parent.unwrap();
        let process = sample.objects().nth(object).unwrap();
        assert!(process.name.unwrap() == "Process" && parent < process.instance_count);
    }
}

#[test]
fn instances_are_identified() {
    let mut reader = Reader::open([DEMO]).unwrap();
    let sample = reader.next_sample().unwrap().unwrap();
    let find = |index| sample.objects().find(|object| object.index == index).unwrap();
    let ids = find(230).columns().find(|column| column.index == 784).unwrap();
    let processes = find(230).instances().unwrap();
    for (process, id) in processes.iter().zip(ids.values) {
        let name = process.name.unwrap().to_string();
        assert_eq!(process.pid.map(u64::from), if name == "_Total" { None } else { Some(*id) });
        assert!(process.parent_name.is_none() && process.instance_id.is_none() && process.life == Some(1));
        assert_eq!(process.instance().unwrap(), name);
        let numbered = if process.number == 0 { name } else { format!("{name}#{}", process.number) };
        assert_eq!(process.pdh_instance().unwrap(), numbered);
    }
    for thread in find(232).instances().unwrap() {
        let process = &processes[thread.parent.unwrap().1];
        assert_eq!(thread.pid, process.pid);
        assert!(thread.parent_name == process.name);
        assert!(thread.pdh_instance().unwrap().starts_with(&format!("{}/", process.name.unwrap())));
    }
}

#[test]
fn failures_are_errors() {
    let missing = Reader::open(["no/such/file"]).err().unwrap();
    assert_eq!(missing.status, Status::Open);
    assert!(missing.to_string().contains("no/such/file") && missing.system == Some(2));
    for wrong in [vec![], vec!["a\0b"]] {
        assert_eq!(Reader::open(wrong).err().unwrap().status, Status::Argument);
    }
    let mut feed = Feed::new().unwrap();
    let nul = Record { machine: Some("a\0b"), ..Record::new(RecordKind::Titles, Vec::new()) };
    assert!(matches!(feed.add(nul), Err(Error { status: Status::Argument, .. })));
}

#[test]
fn bytes_and_fed_blocks_give_the_sums_of_the_file() {
    let expected = Sums::of(Reader::open([DEMO]).unwrap());
    assert!(expected.count > 1000 && expected.cooked != 0.0);
    let bytes = fs::read(DEMO).unwrap();
    assert_eq!(Sums::of(Reader::from_bytes(&bytes).unwrap()), expected);
    let mut feed = Feed::new().unwrap();
    let (mut rest, mut sums) = (&bytes[..], Sums::default());
    while !rest.is_empty() {
        let length = u32::from_le_bytes([rest[20], rest[21], rest[22], rest[23]]) as usize;
        feed.add(Record::new(RecordKind::V1, rest[..length].to_vec())).unwrap();
        rest = &rest[length..];
        while let Some(sample) = feed.next_sample().unwrap() {
            sums.add(&sample);
        }
    }
    assert_eq!(sums, expected);
    assert!(feed.faults().unwrap().is_empty() && feed.count_faults(Severity::Error) == 0);
}

#[test]
fn options_select_samples_and_names() {
    let samples = |options: Options| {
        let mut reader = options.open([DEMO]).unwrap();
        let mut count = 0;
        while reader.next_sample().unwrap().is_some() {
            count += 1;
        }
        count
    };
    let first = 1_715_679_000_000_000_000;
    assert_eq!(samples(Options { from: Some(first + 1), ..Options::default() }), 2);
    assert_eq!(samples(Options { to: Some(first), ..Options::default() }), 1);
    assert_eq!(samples(Options { sample_count: 2, ..Options::default() }), 2);
    assert_eq!(samples(Options { first_sample: 2, ..Options::default() }), 1);
    let titles: Vec<u8> = "238\0Prozessor\0\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let options = Options { titles: Some(&titles), no_input_titles: true, ..Options::default() };
    let mut reader = options.open([DEMO]).unwrap();
    let sample = reader.next_sample().unwrap().unwrap();
    assert!(sample.objects().any(|object| object.name.map_or(false, |name| name == "Prozessor")));
}

#[test]
fn texts_and_faults_of_a_damaged_file() {
    let mut reader = Reader::open([TEXTS]).unwrap();
    let mut texts = 0;
    while let Some(sample) = reader.next_sample().unwrap() {
        for column in sample.objects().flat_map(|object| object.columns()) {
            assert_eq!(column.text(0).is_some(), column.storage != Storage::Number);
            assert!(column.text(column.values.len()).is_none());
            texts += usize::from(column.text(0).map_or(false, |text| !text.as_bytes().is_empty()));
        }
    }
    assert!(texts > 0);
    let faults = reader.faults().unwrap();
    assert!(reader.count_faults(Severity::Warning) > 0);
    assert!(faults.iter().any(|fault| fault.code == "counter_size" && fault.field.as_deref() == Some("CounterSize")));
    assert!(faults.iter().all(|fault| !fault.message.is_empty() && fault.input.is_some()));
}

#[test]
fn readers_move_between_threads() {
    let expected = Sums::of(Reader::open([DEMO]).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let reader = Reader::open([DEMO]).unwrap();
            thread::spawn(move || Sums::of(reader))
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), expected);
    }
}
