// Package perflib has the exported shape of the packages perflib in windows_exporter and perflib_exporter, over hkpd:
// objects with instances with counters by name. A collector that fills its structs from []*PerfObject compiles
// against it after its import path was changed.
//
// What differs from those packages: no input makes it panic or fail as a whole, because damaged objects, instances and
// values are left out and the others delivered; a list of no instances is empty; the fields of a counter type are
// compared as a whole, so that precision timers are no bases; and every counter with a base has a second value, not only
// PERF_AVERAGE_BULK.
//
// All results are copies in Go's memory.
package perflib

// PerfObject is an object, such as Process.
type PerfObject struct {
	Name string // English, or in the language of the titles; "" if it is unknown
	// NameIndex is the number of the name: what a query contains.
	NameIndex     uint
	HelpText      string
	HelpTextIndex uint
	Instances     []*PerfInstance // one with an empty name, if the object has no instances by design
	CounterDefs   []*PerfCounterDef
	Frequency     int64 // ticks per second of the object's clock
}

// PerfInstance is an instance of an object, such as one process.
type PerfInstance struct {
	Name     string // as the provider gave it, without #1 for a second one of the name
	Counters []*PerfCounter
}

// PerfCounterDef describes a counter of an object.
type PerfCounterDef struct {
	Name          string
	NameIndex     uint
	HelpText      string
	HelpTextIndex uint
	CounterType   uint32 // as in winperf.h
	// IsCounter: only differences of values have a meaning. Otherwise the value is a gauge.
	IsCounter bool
	// IsBaseValue: the value is only the base of another counter, which usually has the same name.
	IsBaseValue bool
	// IsNanosecondCounter: the clock of the counter ticks every 100 ns.
	IsNanosecondCounter bool
	// HasSecondValue: the counter is divided by a base, whose value is SecondValue.
	HasSecondValue bool
}

// PerfCounter is a value of an instance.
type PerfCounter struct {
	Value       int64
	Def         *PerfCounterDef
	SecondValue int64 // the base, if Def.HasSecondValue; 0 if it is damaged
}

// Fields of a counter type, by winperf.h.
const (
	formMask    = 0x00000C00 // bits 10-11
	formCounter = 0x00000400 // PERF_TYPE_COUNTER
	subtypeMask = 0x000F0000 // bits 16-19
	subtypeBase = 0x00030000 // PERF_COUNTER_BASE, with PERF_TYPE_COUNTER
	timerMask   = 0x00300000 // bits 20-21
	timer100ns  = 0x00100000 // PERF_TIMER_100NS
	unknownType = 0xFFFFFFFF // of a counter that has no registration
)

func (d *PerfCounterDef) setType(counterType uint32) {
	d.CounterType = counterType
	if counterType == unknownType {
		return
	}
	d.IsCounter = counterType&formMask == formCounter
	d.IsBaseValue = d.IsCounter && counterType&subtypeMask == subtypeBase
	d.IsNanosecondCounter = counterType&timerMask == timer100ns
}
