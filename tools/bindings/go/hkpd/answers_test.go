package hkpd_test

import (
	"errors"
	"io/fs"
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
