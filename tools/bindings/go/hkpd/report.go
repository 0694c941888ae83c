package hkpd

// #include "glue.h"
import "C"

import (
	"math"
	"time"
	"unsafe"
)

// Theme is the colours of a report's page.
type Theme uint32

const (
	ThemeAutomatic Theme = C.HKPD_THEME_AUTOMATIC // as the reader's system is set
	ThemeLight     Theme = C.HKPD_THEME_LIGHT
	ThemeDark      Theme = C.HKPD_THEME_DARK
)

// ReportOptions are options of a report. The zero value stands for the defaults.
type ReportOptions struct {
	Reading   Options  // what is read, and how
	Counters  []string // counter paths with wildcards that select the counters; none: all
	Title     string   // heading of the page; "": the machine and the day
	Rules     string   // path of a rule file of PAL (XML); "": hkpd's own rules for Windows
	Answers   []string // answers to questions of the rules, such as "PhysicalMemory=16"
	Baseline  string   // path of an earlier run, with which the run is compared; "": none
	Theme     Theme
	PageBytes uint64 // most bytes of the page, if coarser curves are enough for that; 0: 1,900,000
}

// RuleFinding is a series that exceeds a threshold of the rules. Each value stands for the time since the previous sample
// of its machine.
type RuleFinding struct {
	Analysis, Threshold                string // the rule, and what is wrong
	IsCritical                         bool   // otherwise it is a warning
	Machine, Object, Instance, Counter string
	Limit                              float64       // the number with which values, or the slope, were compared
	Slope                              float64       // units per hour; NaN if values were compared. If not, what follows is zero
	Worst                              float64       // the value farthest beyond the limit
	WorstTime                          time.Time     // time of that value
	Values, Exceeding                  uint64        // number of values, and of those that exceed
	Time, ExceedingTime                time.Duration // of all values, and of those that exceed
	First, Last                        time.Time     // of the first and the last value that exceeds
	LongestFrom, LongestTo             time.Time     // the longest time in which all values exceed
}

// Report is the page of a report and the findings on it. It is a copy.
type Report struct {
	Page     string        // an HTML document that needs no other file and no network
	Samples  uint64        // number of samples that the page is about
	Findings []RuleFinding // critical ones first, then those with the longest time
	Faults   []Fault       // of the inputs
}

// MakeReport returns the page that `hkpd report` writes: what exceeds a threshold, when and how long, charts, and every
// counter that varied.
func MakeReport(paths ...string) (*Report, error) { return ReportOptions{}.MakeReport(paths...) }

// MakeReport is as the function MakeReport, with options.
func (o ReportOptions) MakeReport(paths ...string) (*Report, error) {
	var memory owned
	defer memory.free()
	options := (*C.hkpd_report_options)(memory.zeros(unsafe.Sizeof(C.hkpd_report_options{})))
	options.struct_size = C.size_t(unsafe.Sizeof(*options))
	options.theme, options.page_bytes = C.uint32_t(o.Theme), C.uint64_t(o.PageBytes)
	for _, one := range []struct {
		member     **C.char
		what, text string
	}{{&options.title, "title", o.Title}, {&options.rules, "path", o.Rules}, {&options.baseline, "path", o.Baseline}} {
		if err := checkText(one.what, one.text); err != nil {
			return nil, err
		}
		if one.text != "" {
			*one.member = memory.text(one.text)
		}
	}
	var err error
	if options.answers, err = memory.texts("answer", o.Answers); err != nil {
		return nil, err
	}
	options.answer_count = C.size_t(len(o.Answers))
	var found *Report
	call := func(list **C.char, count C.size_t, reading *C.hkpd_options, _ *C.hkpd_answer_options, answer **C.hkpd_answer, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_report(list, count, reading, options, answer, failure)
	}
	err = AnswerOptions{Reading: o.Reading, Counters: o.Counters}.ask(paths, call, func(answer *C.hkpd_answer) error {
		found, err = reportOf(answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func reportOf(answer *C.hkpd_answer) (*Report, error) {
	var memory owned
	defer memory.free()
	page := (*C.hkpd_page)(memory.zeros(unsafe.Sizeof(C.hkpd_page{})))
	page.struct_size = C.size_t(unsafe.Sizeof(*page))
	if status := C.hkpd_get_page(answer, page); status != C.HKPD_OK {
		return nil, errorOf(status)
	}
	found := &Report{Page: textOf(page.html, page.html_size).String(), Samples: uint64(page.samples), Faults: faultsOf(answer)}
	var findings array[C.hkpd_rule_finding]
	defer findings.free()
	filled, err := structs(&findings, int(page.finding_count), func(first *C.hkpd_rule_finding, count C.size_t) C.hkpd_status {
		first.struct_size = C.size_t(unsafe.Sizeof(*first))
		return C.hkpd_get_rule_findings(answer, 0, count, first)
	})
	for i := range filled {
		f := &filled[i]
		finding := RuleFinding{
			Analysis: textOf(f.analysis, f.analysis_size).String(), Threshold: textOf(f.threshold, f.threshold_size).String(),
			IsCritical: f.is_critical != 0, Machine: textOf(f.machine, f.machine_size).String(),
			Object: textOf(f.object, f.object_size).String(), Instance: textOf(f.instance, f.instance_size).String(),
			Counter: textOf(f.counter, f.counter_size).String(), Limit: float64(f.limit), Slope: float64(f.slope)}
		if math.IsNaN(finding.Slope) {
			finding.Worst, finding.Values, finding.Exceeding = float64(f.worst), uint64(f.values), uint64(f.exceeding)
			finding.Time, finding.ExceedingTime = time.Duration(f.time), time.Duration(f.exceeding_time)
			finding.First, finding.Last = times(1, f.first, f.last)
			finding.LongestFrom, finding.LongestTo = times(1, f.longest_from, f.longest_to)
			finding.WorstTime, _ = times(1, f.worst_time, 0)
		}
		found.Findings = append(found.Findings, finding)
	}
	return found, err
}
