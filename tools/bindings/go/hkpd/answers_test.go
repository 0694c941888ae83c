package hkpd_test

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hkpd.example/hkpd"
)

func TestTopHasProcessesAndTheirSeries(t *testing.T) {
	answer, err := hkpd.AnswerOptions{Top: 4}.WhatStandsOut(captures + "simulated.mcap")
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Processes) != 4 || len(answer.Series) != 20 || !answer.Run.IsComplete {
		t.Fatalf("%d processes, %d series", len(answer.Processes), len(answer.Series))
	}
	if len(answer.Run.Machines) != 1 || answer.Run.Machines[0] != "SIMULATED" || !answer.Run.From.Before(answer.Run.To) {
		t.Errorf("the run is %+v", answer.Run)
	}
	before := answer.Processes[0].ProcessorMean
	for _, process := range answer.Processes {
		first := process.Series[0]
		if len(process.Series) != 5 || first.Counter != "% Processor Time" || first.Unit != "%" || first.PID == hkpd.NoIndex {
			t.Errorf("a process begins with %+v", first)
		}
		if process.ProcessorMean > before || process.ProcessorMean != first.Mean || process.ProcessorMax != first.Max {
			t.Errorf("%s has %v after %v", first.Label, process.ProcessorMean, before)
		}
		before = process.ProcessorMean
	}
}

func TestAnswersHaveOptions(t *testing.T) {
	options := hkpd.AnswerOptions{Counters: []string{`\Process(*)\Working Set`}, Sort: hkpd.ByMax, Top: 3}
	answer, err := options.WhatStandsOut(captures + "simulated.mcap")
	if err != nil || len(answer.Series) != 3 || len(answer.Processes) != 0 {
		t.Fatal(answer, err)
	}
	if answer.Series[0].Max < answer.Series[1].Max || answer.Series[0].Instance == "_Total" {
		t.Errorf("the first row is %+v", answer.Series[0])
	}
	options.AllInstances = true
	if answer, err = options.WhatStandsOut(captures + "simulated.mcap"); err != nil || answer.Series[0].PID.String() != "" {
		t.Errorf("%+v %v", answer.Series[0], err)
	}
	if answer, err = options.Summarize(captures + "simulated.mcap"); err != nil || len(answer.Series) != 3 {
		t.Errorf("%+v %v", answer, err)
	}
}

func TestRunsAreCompared(t *testing.T) {
	changes, err := hkpd.Compare(captures+"demo.bin", captures+"simulated.mcap")
	if err != nil || len(changes.Changed) < 10 || len(changes.OnlyAfter) == 0 || changes.Before.Samples != 3 {
		t.Fatal(changes, err)
	}
	for _, change := range changes.Changed {
		if change.Before.Counter != change.After.Counter || change.Noise <= 0 {
			t.Errorf("%+v", change)
		}
	}
}

func TestInputsAreDescribedAndChecked(t *testing.T) {
	overview, err := hkpd.Describe(captures + "demo.bin")
	if err != nil || overview.Kind != "v1" || overview.Samples != 3 || len(overview.Objects) != 5 {
		t.Fatal(overview, err)
	}
	if processor := overview.Objects[2]; processor.Name != "Processor" || processor.Instances != 3 || !processor.IsList {
		t.Errorf("%+v", processor)
	}
	checked, err := hkpd.Check(captures + "damaged.bin")
	if err != nil || checked.Samples == 0 || len(checked.Findings) == 0 {
		t.Fatal(checked, err)
	}
	if first := checked.Findings[0]; first.Code != "object_length" || first.Rule == "" || first.Machine != "DAMAGED" || first.Event != 1003 {
		t.Errorf("%+v", first)
	}
}

func TestAnswersFail(t *testing.T) {
	if _, err := hkpd.Top("no such file"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var failure *hkpd.Error
	options := hkpd.AnswerOptions{Counters: []string{"no path"}}
	if _, err := options.Summarize(captures + "demo.bin"); !errors.As(err, &failure) || failure.Status != hkpd.StatusArgument {
		t.Error(err)
	}
	if _, err := hkpd.Summarize("a\x00b"); !errors.As(err, &failure) || failure.Status != hkpd.StatusArgument {
		t.Error(err)
	}
}

// command runs the C++ command, whose path is in HKPD_COMMAND.
func command(t *testing.T, arguments ...string) {
	t.Helper()
	program := os.Getenv("HKPD_COMMAND")
	if program == "" {
		t.Skip("HKPD_COMMAND is not set: it is the command hkpd, whose page is expected")
	}
	if output, err := exec.Command(program, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", arguments, err, output)
	}
}

func TestAReportHasThePageOfTheCommand(t *testing.T) {
	folder := t.TempDir()
	run, page := filepath.Join(folder, "run.mcap"), filepath.Join(folder, "page.html")
	command(t, "capture", "--simulate", "--count", "120", "--interval", "60", "--seed", "3", "-o", run)
	rules := captures + "../busy.xml"
	command(t, "report", run, "--rules", rules, "--title", "A <title>", "--theme", "dark", "--baseline", captures+"demo.bin", "-o", page)
	expected, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	options := hkpd.ReportOptions{Rules: rules, Title: "A <title>", Theme: hkpd.ThemeDark, Baseline: captures + "demo.bin"}
	report, err := options.MakeReport(run)
	if err != nil || report.Page != string(expected) || report.Samples != 120 || len(report.Findings) == 0 {
		t.Fatalf("%v: %d bytes, expected %d", err, len(report.Page), len(expected))
	}
	for _, finding := range report.Findings {
		if finding.Analysis != "Busy" || finding.Threshold != "at all" || finding.Machine != "SIMULATED" || finding.Counter == "" {
			t.Errorf("%+v", finding)
		}
		if math.IsNaN(finding.Slope) && (finding.Exceeding == 0 || finding.First.After(finding.Last) || finding.ExceedingTime > finding.Time) {
			t.Errorf("%+v", finding)
		}
	}
	if report, err = hkpd.MakeReport(run); err != nil || report.Page == string(expected) {
		t.Error("the defaults make the same page", err)
	}
}

func TestReportsFail(t *testing.T) {
	var failure *hkpd.Error
	for status, options := range map[hkpd.Status]hkpd.ReportOptions{
		hkpd.StatusOpen:     {Rules: "no such file"},
		hkpd.StatusArgument: {Answers: []string{"NoSuchQuestion=1"}},
	} {
		if _, err := options.MakeReport(captures + "demo.bin"); !errors.As(err, &failure) || failure.Status != status {
			t.Error(status, err)
		}
	}
	if _, err := (hkpd.ReportOptions{Title: "a\x00b"}).MakeReport(captures + "demo.bin"); !errors.As(err, &failure) {
		t.Error(err)
	}
}
