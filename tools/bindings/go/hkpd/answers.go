package hkpd

// #include "glue.h"
import "C"

import (
	"strconv"
	"time"
	"unsafe"
)

// Statistic is a column of statistics by which rows are sorted, the largest number first.
type Statistic uint32

const (
	ByDefault Statistic = C.HKPD_SORT_DEFAULT // Top: by the mean; Summarize: in the order of appearance
	ByCount   Statistic = C.HKPD_SORT_COUNT
	ByFirst   Statistic = C.HKPD_SORT_FIRST
	ByLast    Statistic = C.HKPD_SORT_LAST
	ByMin     Statistic = C.HKPD_SORT_MIN
	ByMean    Statistic = C.HKPD_SORT_MEAN
	ByP50     Statistic = C.HKPD_SORT_P50
	ByP95     Statistic = C.HKPD_SORT_P95
	ByP99     Statistic = C.HKPD_SORT_P99
	ByMax     Statistic = C.HKPD_SORT_MAX
	ByStddev  Statistic = C.HKPD_SORT_STDDEV
	ByDelta   Statistic = C.HKPD_SORT_DELTA
	BySlope   Statistic = C.HKPD_SORT_SLOPE

	// Orders of processes, of Top. ByGrowth: of the private bytes per hour, first of those that grow steadily.
	ByProcessor    Statistic = C.HKPD_SORT_PROCESSOR // time in seconds, the default
	ByWorkingSet   Statistic = C.HKPD_SORT_WORKING_SET
	ByPrivateBytes Statistic = C.HKPD_SORT_PRIVATE_BYTES
	ByHandles      Statistic = C.HKPD_SORT_HANDLES
	ByIO           Statistic = C.HKPD_SORT_IO
	ByGrowth       Statistic = C.HKPD_SORT_GROWTH
	ByName         Statistic = C.HKPD_SORT_NAME
)

// AnswerOptions are options of an answer about a whole run. The zero value stands for the defaults.
type AnswerOptions struct {
	Reading      Options   // what is read, and how
	Counters     []string  // counter paths with wildcards that select the counters; none: all
	Sort         Statistic // column by which rows are sorted
	Top          uint64    // most rows; 0: 10 in Top, all otherwise
	AllInstances bool      // Top: include _Total and Idle
	AllSamples   bool      // Describe: read all samples, however many there are
	Missing      bool      // Check: also report objects that have a title, but are in no V1 sample
	Services     string    // Check: path of an export of the key Services, which names the providers
}

// Statistics are the statistics of the cooked values of a series. Numbers that do not exist are NaN. They have the unit
// of the counter, Slope that unit per hour.
type Statistics struct {
	Count                                                            uint64
	First, Last, Min, Mean, P50, P95, P99, Max, Stddev, Delta, Slope float64
	PercentileError                                                  float64 // largest relative error of the percentiles
}

// ID is an id that an instance may have; NoIndex if it has none.
type ID uint32

// String returns the number; "" if there is none.
func (i ID) String() string {
	if i == NoIndex {
		return ""
	}
	return strconv.FormatUint(uint64(i), 10)
}

// Series is one counter of one instance over a run. It is a copy.
type Series struct {
	Machine, Object string
	Counterset      string // V2: GUID; "" if there is none
	Parent          string // name of the direct parent; "" if there is none
	Instance        string // name, or name#number if neither pid nor id identifies it; "" if it is damaged
	Label           string // a text that no other instance of the object has in this run
	Counter         string
	Unit            string    // unit of the counter type, such as "%"
	Source          Source    // interface
	ObjectIndex     uint32    // title index; NoIndex if there is none
	CounterIndex    uint32    // title index or counter id; NoIndex if there is none
	Type            uint32    // counter type of winperf.h
	PID             ID        // of its process; NoIndex if there is none
	InstanceID      *int32    // nil if there is none
	Life            uint32    // 1; 2 and so on if the ids are used again; 0 if the name is damaged
	IsSum           bool      // whether it is the sum of several instances of one name
	From, To        time.Time // of the first and the last sample with the series; zero if unknown
	Statistics
	Average float64 // over the whole run, by the counter's formula
	Reason  Reason  // why there is no average, or a substitute
}

// Process is a process of Top and what it uses. Numbers that do not exist are NaN.
type Process struct {
	Series                      []Series // its rows of Answer.Series
	ProcessorMean, ProcessorMax float64  // % Processor Time; 100 is one whole processor
	WorkingSet, PrivateBytes    float64  // bytes, in the last sample
	PrivateGrowth               float64  // of the private bytes, per hour
	Handles                     float64  // in the last sample
	IO                          float64  // bytes per second, mean
	ProcessorSeconds            float64  // processor time
	ProcessorOfRun, IOOfRun     float64  // means over the whole run, also of a process that did not live so long
	WorkingSetPeak, PrivatePeak float64
	// Growth is the slope of the private bytes per hour, which single steps do not turn; GrowthRSquared is how much of
	// their variance it explains (0 to 1). Both are NaN for fewer than 10 values, or a tenth of the run.
	Growth, GrowthRSquared float64
	ProcessorMaxTime       time.Time // of the first sample with ProcessorMax; zero if unknown
}

// Run is a run of samples.
type Run struct {
	Samples    uint64
	From, To   time.Time // of the earliest and the latest sample; zero if unknown
	Machines   []string
	IsComplete bool // false if a limit left out series
}

// Answer is an answer of Summarize or Top. It is a copy.
type Answer struct {
	Run       Run
	Series    []Series
	Processes []Process // Top: who uses most; none if the rows are counters of instances
	Faults    []Fault   // of the input: the first 1,000 of each severity
}

// Change is by how much a series changed from one run to another: the differences of the medians and of the 95th
// percentiles, divided by the noise, by which values of the series differ anyway.
type Change struct {
	Before, After                  Series
	MedianEffect, P95Effect, Noise float64
}

// Changes are what changed from one run to another.
type Changes struct {
	Before, After         Run
	Changed               []Change // the largest effect first
	OnlyBefore, OnlyAfter []Series // the series that only one run has
	Unchanged, Sums       uint64   // numbers of series that are equal, and that are sums of instances of one name
	Faults                []Fault
}

// InputObject is an object of one machine in an input.
type InputObject struct {
	Machine, Name string
	Source        Source
	IsList        bool   // whether the object has instances
	Instances     uint64 // the most in one sample
	Counters      uint64 // including bases
}

// Overview is what an input is.
type Overview struct {
	Kind         string // such as "capture", "log", "v1", "text_log", "unknown"
	Bytes        uint64 // size of the file or of all files; 0 for standard input
	Samples      uint64 // an estimate unless SamplesExact
	SamplesExact bool
	IsComplete   bool          // whether all samples were read; otherwise the first and the last ones
	From, To     time.Time     // of the first and the last sample; zero if unknown
	Interval     time.Duration // median time from one sample to the next; 0 if unknown
	Gaps         uint64        // times without samples that are longer than one and a half intervals
	Machines     []string
	Objects      []InputObject
	Faults       []Fault
}

// Finding is a fault, where it is, who causes it, and what to do. Texts that are unknown are empty.
type Finding struct {
	Fault
	Machine, ObjectName, InstanceName string // InstanceName: after the names of its ancestors
	Rule                              string // the rule that the fault breaks
	Repair                            string // how to repair the machine
	Service, Library                  string // the service that provides the object, and its DLL
	Event                             uint32 // id of the event that Perflib writes for such a fault; 0 if it writes none
}

// Checked is what a check has found, and the amount of input that was checked.
type Checked struct {
	Findings                       []Finding // notes, too
	Samples, TitleTables, Services uint64
}

// Summarize returns the statistics of each counter of each instance over a run.
func Summarize(paths ...string) (*Answer, error) { return AnswerOptions{}.Summarize(paths...) }

// Top returns what stands out in a run: the processes that use most or, without the object Process or with counter
// paths, the instances with the largest numbers.
func Top(paths ...string) (*Answer, error) { return AnswerOptions{}.WhatStandsOut(paths...) }

// Compare returns what changed from one run to another.
func Compare(before, after string) (*Changes, error) { return AnswerOptions{}.Compare(before, after) }

// Describe returns what an input is.
func Describe(path string) (*Overview, error) { return AnswerOptions{}.Describe(path) }

// Check returns what is wrong with inputs: performance data, and title databases, which are checked against each other.
// Inputs that cannot be read are findings.
func Check(paths ...string) (*Checked, error) { return AnswerOptions{}.Check(paths...) }

// Check is as the function Check, with options.
func (o AnswerOptions) Check(paths ...string) (*Checked, error) {
	var found *Checked
	call := func(list **C.char, count C.size_t, reading *C.hkpd_options, options *C.hkpd_answer_options, answer **C.hkpd_answer, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_check(list, count, reading, options, answer, failure)
	}
	err := o.ask(paths, call, func(answer *C.hkpd_answer) error {
		var memory owned
		defer memory.free()
		checked := (*C.hkpd_checked)(memory.zeros(unsafe.Sizeof(C.hkpd_checked{})))
		checked.struct_size = C.size_t(unsafe.Sizeof(*checked))
		if status := C.hkpd_get_checked(answer, checked); status != C.HKPD_OK {
			return errorOf(status)
		}
		found = &Checked{Samples: uint64(checked.samples), TitleTables: uint64(checked.title_tables), Services: uint64(checked.services)}
		var findings array[C.hkpd_finding]
		defer findings.free()
		filled, err := structs(&findings, int(checked.finding_count), func(first *C.hkpd_finding, count C.size_t) C.hkpd_status {
			first.struct_size = C.size_t(unsafe.Sizeof(*first))
			return C.hkpd_get_findings(answer, 0, count, first)
		})
		for i, fault := range faultsOf(answer) {
			if i >= len(filled) {
				break
			}
			f := &filled[i]
			found.Findings = append(found.Findings, Finding{
				Fault: fault, Machine: textOf(f.machine, f.machine_size).String(), ObjectName: textOf(f.object, f.object_size).String(),
				InstanceName: textOf(f.instance, f.instance_size).String(), Rule: textOf(f.rule, f.rule_size).String(),
				Repair: textOf(f.repair, f.repair_size).String(), Service: textOf(f.service, f.service_size).String(),
				Library: textOf(f.library, f.library_size).String(), Event: uint32(f.event)})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Summarize is as the function Summarize, with options.
func (o AnswerOptions) Summarize(paths ...string) (*Answer, error) {
	return o.rows(paths, func(list **C.char, count C.size_t, reading *C.hkpd_options, options *C.hkpd_answer_options, answer **C.hkpd_answer, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_summary(list, count, reading, options, answer, failure)
	})
}

// WhatStandsOut is as the function Top, with options.
func (o AnswerOptions) WhatStandsOut(paths ...string) (*Answer, error) {
	return o.rows(paths, func(list **C.char, count C.size_t, reading *C.hkpd_options, options *C.hkpd_answer_options, answer **C.hkpd_answer, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_top(list, count, reading, options, answer, failure)
	})
}

type rowsCall func(**C.char, C.size_t, *C.hkpd_options, *C.hkpd_answer_options, **C.hkpd_answer, *C.hkpd_error) C.hkpd_status

func (o AnswerOptions) rows(paths []string, call rowsCall) (*Answer, error) {
	var found *Answer
	err := o.ask(paths, call, func(answer *C.hkpd_answer) error {
		run, sizes, err := runOf(answer, 0)
		if err != nil {
			return err
		}
		found = &Answer{Run: run}
		if found.Series, err = seriesOf(answer, C.HKPD_LIST_ROWS, int(sizes.series_count)); err != nil {
			return err
		}
		var processes array[C.hkpd_process]
		defer processes.free()
		filled, err := structs(&processes, int(sizes.process_count), func(first *C.hkpd_process, count C.size_t) C.hkpd_status {
			first.struct_size = C.size_t(unsafe.Sizeof(*first))
			return C.hkpd_get_processes(answer, 0, count, first)
		})
		for i := range filled {
			p := &filled[i]
			found.Processes = append(found.Processes, Process{
				Series:        found.Series[p.first_series : p.first_series+p.series_count],
				ProcessorMean: float64(p.processor_mean), ProcessorMax: float64(p.processor_max),
				WorkingSet: float64(p.working_set), PrivateBytes: float64(p.private_bytes),
				PrivateGrowth: float64(p.private_growth), Handles: float64(p.handles), IO: float64(p.io),
				ProcessorSeconds: float64(p.processor_seconds), ProcessorOfRun: float64(p.processor_of_run),
				IOOfRun: float64(p.io_of_run), WorkingSetPeak: float64(p.working_set_peak),
				PrivatePeak: float64(p.private_peak), Growth: float64(p.growth),
				GrowthRSquared: float64(p.growth_r_squared)})
			if p.has_processor_max_time != 0 {
				found.Processes[i].ProcessorMaxTime = time.Unix(0, int64(p.processor_max_time)).UTC()
			}
		}
		found.Faults = faultsOf(answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Compare is as the function Compare, with options.
func (o AnswerOptions) Compare(before, after string) (*Changes, error) {
	var found *Changes
	call := func(list **C.char, _ C.size_t, reading *C.hkpd_options, options *C.hkpd_answer_options, answer **C.hkpd_answer, failure *C.hkpd_error) C.hkpd_status {
		both := unsafe.Slice(list, 2)
		return C.hkpd_compare(both[0], both[1], reading, options, answer, failure)
	}
	err := o.ask([]string{before, after}, call, func(answer *C.hkpd_answer) error {
		first, sizes, err := runOf(answer, 0)
		if err != nil {
			return err
		}
		second, later, err := runOf(answer, 1)
		if err != nil {
			return err
		}
		found = &Changes{Before: first, After: second, Unchanged: uint64(sizes.unchanged), Sums: uint64(sizes.sums)}
		count := int(sizes.change_count)
		lists := map[C.hkpd_list]int{C.HKPD_LIST_BEFORE: count, C.HKPD_LIST_AFTER: count,
			C.HKPD_LIST_ONLY_BEFORE: int(sizes.only_count), C.HKPD_LIST_ONLY_AFTER: int(later.only_count)}
		series := map[C.hkpd_list][]Series{}
		for list, size := range lists {
			if series[list], err = seriesOf(answer, list, size); err != nil {
				return err
			}
		}
		found.OnlyBefore, found.OnlyAfter = series[C.HKPD_LIST_ONLY_BEFORE], series[C.HKPD_LIST_ONLY_AFTER]
		var changes array[C.hkpd_change]
		defer changes.free()
		filled, err := structs(&changes, count, func(first *C.hkpd_change, count C.size_t) C.hkpd_status {
			first.struct_size = C.size_t(unsafe.Sizeof(*first))
			return C.hkpd_get_changes(answer, 0, count, first)
		})
		for i := range filled {
			found.Changed = append(found.Changed, Change{series[C.HKPD_LIST_BEFORE][i], series[C.HKPD_LIST_AFTER][i],
				float64(filled[i].median_effect), float64(filled[i].p95_effect), float64(filled[i].noise)})
		}
		found.Faults = faultsOf(answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Describe is as the function Describe, with options.
func (o AnswerOptions) Describe(path string) (*Overview, error) {
	var found *Overview
	call := func(list **C.char, _ C.size_t, reading *C.hkpd_options, options *C.hkpd_answer_options, answer **C.hkpd_answer, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_overview(*list, reading, options, answer, failure)
	}
	err := o.ask([]string{path}, call, func(answer *C.hkpd_answer) error {
		var memory owned
		defer memory.free()
		input := (*C.hkpd_input)(memory.zeros(unsafe.Sizeof(C.hkpd_input{})))
		input.struct_size = C.size_t(unsafe.Sizeof(*input))
		if status := C.hkpd_get_input(answer, input); status != C.HKPD_OK {
			return errorOf(status)
		}
		found = &Overview{Kind: C.GoString(input.kind), Bytes: uint64(input.bytes), Samples: uint64(input.samples),
			SamplesExact: input.samples_exact != 0, IsComplete: input.is_complete != 0,
			Interval: time.Duration(input.interval), Gaps: uint64(input.gaps),
			Machines: machinesOf(answer, 0, int(input.machine_count))}
		found.From, found.To = times(input.has_time, input.from, input.to)
		var objects array[C.hkpd_input_object]
		defer objects.free()
		filled, err := structs(&objects, int(input.object_count), func(first *C.hkpd_input_object, count C.size_t) C.hkpd_status {
			first.struct_size = C.size_t(unsafe.Sizeof(*first))
			return C.hkpd_get_input_objects(answer, 0, count, first)
		})
		for i := range filled {
			one := &filled[i]
			found.Objects = append(found.Objects, InputObject{textOf(one.machine, one.machine_size).String(),
				textOf(one.name, one.name_size).String(), Source(one.source), one.is_list != 0, uint64(one.instances),
				uint64(one.counters)})
		}
		found.Faults = faultsOf(answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// ask gets an answer, passes it to `use`, and frees it.
func (o AnswerOptions) ask(paths []string, call rowsCall, use func(*C.hkpd_answer) error) error {
	var memory owned
	defer memory.free()
	list, err := memory.texts("path", paths)
	if err != nil {
		return err
	}
	reading, err := o.Reading.in(&memory)
	if err != nil {
		return err
	}
	if len(o.Counters) > 0 {
		if reading.paths, err = memory.texts("counter path", o.Counters); err != nil {
			return err
		}
		reading.path_count = C.size_t(len(o.Counters))
	}
	options := (*C.hkpd_answer_options)(memory.zeros(unsafe.Sizeof(C.hkpd_answer_options{})))
	options.struct_size = C.size_t(unsafe.Sizeof(*options))
	options.sort, options.top = C.uint32_t(o.Sort), C.uint64_t(o.Top)
	if o.AllInstances {
		options.flags |= C.HKPD_ALL_INSTANCES
	}
	if o.AllSamples {
		options.flags |= C.HKPD_ALL_SAMPLES
	}
	if o.Missing {
		options.flags |= C.HKPD_MISSING
	}
	if o.Services != "" {
		if err := checkText("path", o.Services); err != nil {
			return err
		}
		options.services = memory.text(o.Services)
	}
	failure := (*C.hkpd_error)(memory.zeros(unsafe.Sizeof(C.hkpd_error{})))
	failure.struct_size = C.size_t(unsafe.Sizeof(*failure))
	answer := (**C.hkpd_answer)(memory.zeros(unsafe.Sizeof((*C.hkpd_answer)(nil))))
	if status := call(list, C.size_t(len(paths)), reading, options, answer, failure); status != C.HKPD_OK {
		return &Error{Status(status), errno(failure.system), C.GoString(&failure.message[0])}
	}
	defer C.hkpd_free_answer(*answer)
	return use(*answer)
}

// texts returns an array of texts; nil if there are none.
func (o *owned) texts(what string, texts []string) (**C.char, error) {
	pointers := make([]*C.char, len(texts))
	for t, text := range texts {
		if err := checkText(what, text); err != nil {
			return nil, err
		}
		pointers[t] = o.text(text)
	}
	return (**C.char)(o.bytes(unsafe.Pointer(first(pointers)), len(pointers)*int(unsafe.Sizeof((*C.char)(nil))))), nil
}

// structs fills an array by a function of the C interface. It returns nil if it would be empty.
func structs[T any](memory *array[T], count int, call func(*T, C.size_t) C.hkpd_status) ([]T, error) {
	if count == 0 {
		return nil, nil
	}
	filled := memory.reserve(count)
	if filled == nil {
		return nil, errorOf(C.HKPD_ERROR_MEMORY)
	}
	if status := call(&filled[0], C.size_t(count)); status != C.HKPD_OK {
		return nil, errorOf(status)
	}
	return filled, nil
}

func times(known C.uint32_t, from, to C.int64_t) (time.Time, time.Time) {
	if known == 0 {
		return time.Time{}, time.Time{}
	}
	return time.Unix(0, int64(from)).UTC(), time.Unix(0, int64(to)).UTC()
}

func runOf(answer *C.hkpd_answer, number C.size_t) (Run, C.hkpd_run, error) {
	var memory owned
	defer memory.free()
	filled := (*C.hkpd_run)(memory.zeros(unsafe.Sizeof(C.hkpd_run{})))
	filled.struct_size = C.size_t(unsafe.Sizeof(*filled))
	if status := C.hkpd_get_run(answer, number, filled); status != C.HKPD_OK {
		return Run{}, C.hkpd_run{}, errorOf(status)
	}
	run := Run{Samples: uint64(filled.samples), IsComplete: filled.is_complete != 0,
		Machines: machinesOf(answer, number, int(filled.machine_count))}
	run.From, run.To = times(filled.has_time, filled.from, filled.to)
	return run, *filled, nil
}

func machinesOf(answer *C.hkpd_answer, number C.size_t, count int) []string {
	var memory owned
	defer memory.free()
	data := (**C.char)(memory.zeros(unsafe.Sizeof((*C.char)(nil))))
	size := (*C.size_t)(memory.zeros(unsafe.Sizeof(C.size_t(0))))
	machines := make([]string, 0, count)
	for machine := 0; machine < count; machine++ {
		if C.hkpd_get_machine(answer, number, C.size_t(machine), data, size) == C.HKPD_OK {
			machines = append(machines, textOf(*data, *size).String())
		}
	}
	return machines
}

func seriesOf(answer *C.hkpd_answer, list C.hkpd_list, count int) ([]Series, error) {
	var memory array[C.hkpd_series]
	defer memory.free()
	filled, err := structs(&memory, count, func(first *C.hkpd_series, count C.size_t) C.hkpd_status {
		first.struct_size = C.size_t(unsafe.Sizeof(*first))
		return C.hkpd_get_series(answer, list, 0, count, first)
	})
	rows := make([]Series, 0, len(filled))
	for i := range filled {
		s := &filled[i]
		row := Series{
			Machine: textOf(s.machine, s.machine_size).String(), Object: textOf(s.object, s.object_size).String(),
			Counterset: textOf(s.counterset, s.counterset_size).String(), Parent: textOf(s.parent, s.parent_size).String(),
			Instance: textOf(s.instance, s.instance_size).String(), Label: textOf(s.label, s.label_size).String(),
			Counter: textOf(s.counter, s.counter_size).String(), Unit: C.GoString(s.unit), Source: Source(s.source),
			ObjectIndex: uint32(s.object_index), CounterIndex: uint32(s.counter_index), Type: uint32(s._type),
			PID: ID(s.pid), Life: uint32(s.life), IsSum: s.is_sum != 0,
			Statistics: Statistics{
				Count: uint64(s.count), First: float64(s.first), Last: float64(s.last), Min: float64(s.min),
				Mean: float64(s.mean), P50: float64(s.p50), P95: float64(s.p95), P99: float64(s.p99), Max: float64(s.max),
				Stddev: float64(s.stddev), Delta: float64(s.delta), Slope: float64(s.slope),
				PercentileError: float64(s.percentile_error)},
			Average: float64(s.average), Reason: Reason(s.reason)}
		if s.has_instance_id != 0 {
			id := int32(s.instance_id)
			row.InstanceID = &id
		}
		row.From, row.To = times(s.has_time, s.from, s.to)
		rows = append(rows, row)
	}
	return rows, err
}

// faultsOf returns copies of the faults of an answer's inputs.
func faultsOf(answer *C.hkpd_answer) []Fault {
	reader := Reader{handle: C.hkpd_answer_faults(answer)} // not closed: it belongs to the answer
	defer reader.faults.free()
	return reader.Faults()
}
