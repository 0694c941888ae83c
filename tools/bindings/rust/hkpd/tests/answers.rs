//! Answers about whole runs of testdata.

use hkpd::{check, compare, overview, report, summary, top, AnswerOptions, ReportOptions, Statistic, Status, Theme};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../testdata/captures/demo.bin");
const DAMAGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../testdata/captures/damaged.bin");
const BUSY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../testdata/busy.xml");
const SIMULATED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../testdata/captures/simulated.mcap");

#[test]
fn top_has_processes_and_their_series() {
    let answer = top([SIMULATED], &AnswerOptions { top: 4, ..Default::default() }).unwrap();
    assert_eq!((answer.processes.len(), answer.series.len()), (4, 20));
    assert_eq!(answer.run.machines, ["SIMULATED"]);
    assert!(answer.run.is_complete);
    let mut before = f64::INFINITY;
    for process in &answer.processes {
        let first = &answer.series[process.series.start];
        assert_eq!((first.counter.as_str(), first.unit.as_str()), ("% Processor Time", "%"));
        assert!(first.pid.is_some());
        assert_eq!(process.processor_mean, first.statistics.mean);
        assert!(process.processor_mean <= before);
        before = process.processor_mean;
    }
}

#[test]
fn options_select_sort_and_cut_rows() {
    let counters = [r"\Process(*)\Working Set"];
    let mut options = AnswerOptions { counters: &counters, sort: Some(Statistic::Max), top: 3, ..Default::default() };
    let answer = top([SIMULATED], &options).unwrap();
    assert_eq!((answer.processes.len(), answer.series.len()), (0, 3));
    assert!(answer.series[0].statistics.max >= answer.series[1].statistics.max);
    assert_ne!(answer.series[0].instance.as_deref(), Some("_Total"));
    options.all_instances = true;
    let answer = top([SIMULATED], &options).unwrap();
    assert_eq!((answer.series[0].instance.as_deref(), answer.series[0].pid), (Some("_Total"), None));
    assert_eq!(summary([SIMULATED], &options).unwrap().series.len(), 3);
}

#[test]
fn runs_are_compared() {
    let changes = compare(DEMO, SIMULATED, &AnswerOptions::default()).unwrap();
    assert!(changes.changed.len() > 10);
    assert_eq!(changes.before.samples, 3);
    assert!(!changes.only_after.is_empty());
    for change in &changes.changed {
        assert_eq!(change.before.counter, change.after.counter);
        assert!(change.noise > 0.0);
    }
}

#[test]
fn inputs_are_described_and_checked() {
    let found = overview(DEMO, &AnswerOptions::default()).unwrap();
    assert_eq!((found.kind.as_str(), found.samples, found.interval), ("v1", 3, Some(2_000_000_000)));
    assert_eq!((found.objects[2].name.as_str(), found.objects[2].instances), ("Processor", 3));
    assert_eq!(found.machines, ["DEMO"]);
    let found = check([DAMAGED], &AnswerOptions::default()).unwrap();
    assert!(found.samples > 0);
    assert_eq!(found.findings[0].fault.code, "object_length");
    assert_eq!(found.findings[0].machine.as_deref(), Some("DAMAGED"));
    assert_eq!(found.findings[0].event, Some(1003));
    assert!(found.findings[0].rule.is_some());
}

#[test]
fn failures_are_described() {
    let error = top(["no such file"], &AnswerOptions::default()).unwrap_err();
    assert_eq!(error.status, Status::Open);
    assert!(error.message.contains("no such file"), "{error}");
    let options = AnswerOptions { counters: &["no path"], ..Default::default() };
    assert_eq!(summary([DEMO], &options).unwrap_err().status, Status::Argument);
    assert_eq!(summary(["a\0b"], &options).unwrap_err().status, Status::Argument);
}

#[test]
fn a_report_has_a_page_and_its_findings() {
    let made = report([SIMULATED], &ReportOptions::default()).unwrap();
    assert!(made.page.starts_with("<!DOCTYPE html>") && made.page.ends_with("</html>\n"));
    assert_eq!(made.samples, summary([SIMULATED], &AnswerOptions::default()).unwrap().run.samples);
    let options = ReportOptions {
        title: Some("A <title>"),
        theme: Theme::Dark,
        baseline: Some(DEMO),
        counters: &[r"\Processor(*)\*"],
        ..Default::default()
    };
    let other = report([SIMULATED], &options).unwrap();
    assert!(other.page.contains("<title>A &lt;title&gt;</title>") && other.page.contains("data-theme=\"dark\""));
    assert!(other.page.len() < made.page.len());

    let made = report([SIMULATED], &ReportOptions { rules: Some(BUSY), ..Default::default() }).unwrap();
    assert!(!made.findings.is_empty());
    for finding in &made.findings {
        assert_eq!((finding.analysis.as_str(), finding.threshold.as_str()), ("Busy", "at all"));
        assert_eq!((finding.machine.as_str(), finding.counter.as_str()), ("SIMULATED", "% Processor Time"));
        assert!(finding.is_critical && finding.slope.is_none() && finding.worst > finding.limit);
        assert!(finding.exceeding <= finding.values && finding.first <= finding.last);
    }
}

#[test]
fn a_report_fails_without_its_rules() {
    let options = ReportOptions { rules: Some("no such file"), ..Default::default() };
    assert_eq!(report([DEMO], &options).unwrap_err().status, Status::Open);
    let options = ReportOptions { answers: &["NoSuchQuestion=1"], ..Default::default() };
    assert_eq!(report([DEMO], &options).unwrap_err().status, Status::Argument);
}
