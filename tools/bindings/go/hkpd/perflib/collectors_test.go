package perflib_test

import (
	"fmt"
	"reflect"
	"strings"

	"hkpd.example/hkpd/perflib"
)

// The shapes of exporters' collectors: structs whose fields state their counters in a tag, filled by reflection. A
// counter that is a base has the suffix _Base; "secondvalue" takes the base through the counter itself.

type cpu struct {
	Name                   string
	PercentProcessorTime   float64 `perflib:"% Processor Time"`
	PercentPrivilegedTime  float64 `perflib:"% Privileged Time"`
	PercentUserTime        float64 `perflib:"% User Time"`
	PercentInterruptTime   float64 `perflib:"% Interrupt Time"`
	PercentDPCTime         float64 `perflib:"% DPC Time"`
	PercentIdleTime        float64 `perflib:"% Idle Time"`
	PercentC1Time          float64 `perflib:"% C1 Time"`
	InterruptsPerSec       float64 `perflib:"Interrupts/sec"`
	DPCsQueuedPerSec       float64 `perflib:"DPCs Queued/sec"`
	C1TransitionsPerSec    float64 `perflib:"C1 Transitions/sec"`
	unexportedIsNotTouched float64
}

type processorInformation struct {
	Name                 string
	PercentProcessorTime float64 `perflib:"% Processor Time"`
	PercentIdleTime      float64 `perflib:"% Idle Time"`
	ProcessorFrequency   float64 `perflib:"Processor Frequency"`
	InterruptsPerSec     float64 `perflib:"Interrupts/sec"`
}

type logicalDisk struct {
	Name                   string
	CurrentDiskQueueLength float64 `perflib:"Current Disk Queue Length"`
	AvgDiskReadQueueLength float64 `perflib:"Avg. Disk Read Queue Length"`
	DiskReadBytesPerSec    float64 `perflib:"Disk Read Bytes/sec"`
	DiskReadsPerSec        float64 `perflib:"Disk Reads/sec"`
	DiskWriteBytesPerSec   float64 `perflib:"Disk Write Bytes/sec"`
	DiskWritesPerSec       float64 `perflib:"Disk Writes/sec"`
	PercentDiskReadTime    float64 `perflib:"% Disk Read Time"`
	PercentFreeSpace       float64 `perflib:"% Free Space"`
	PercentFreeSpaceBase   float64 `perflib:"% Free Space_Base"`
	PercentFreeSpaceSecond float64 `perflib:"% Free Space,secondvalue"`
	FreeMegabytes          float64 `perflib:"Free Megabytes"`
	PercentIdleTime        float64 `perflib:"% Idle Time"`
	SplitIOPerSec          float64 `perflib:"Split IO/Sec"`
	AvgDiskSecPerRead      float64 `perflib:"Avg. Disk sec/Read"`
	AvgDiskSecPerReadBase  float64 `perflib:"Avg. Disk sec/Read_Base"`
	AvgBytesPerRead        float64 `perflib:"Avg. Disk Bytes/Read"`
	AvgBytesPerReadSecond  float64 `perflib:"Avg. Disk Bytes/Read,secondvalue"`
}

type memory struct {
	AvailableBytes           float64 `perflib:"Available Bytes"`
	CacheBytes               float64 `perflib:"Cache Bytes"`
	CacheFaultsPerSec        float64 `perflib:"Cache Faults/sec"`
	CommitLimit              float64 `perflib:"Commit Limit"`
	CommittedBytes           float64 `perflib:"Committed Bytes"`
	DemandZeroFaultsPerSec   float64 `perflib:"Demand Zero Faults/sec"`
	FreeSystemPageTableItems float64 `perflib:"Free System Page Table Entries"`
	PageFaultsPerSec         float64 `perflib:"Page Faults/sec"`
	PageReadsPerSec          float64 `perflib:"Page Reads/sec"`
	PagesPerSec              float64 `perflib:"Pages/sec"`
	PoolNonpagedBytes        float64 `perflib:"Pool Nonpaged Bytes"`
	PoolPagedBytes           float64 `perflib:"Pool Paged Bytes"`
	TransitionFaultsPerSec   float64 `perflib:"Transition Faults/sec"`
}

type process struct {
	Name                  string
	PercentProcessorTime  float64 `perflib:"% Processor Time"`
	PercentPrivilegedTime float64 `perflib:"% Privileged Time"`
	PercentUserTime       float64 `perflib:"% User Time"`
	CreatingProcessID     float64 `perflib:"Creating Process ID"`
	ElapsedTime           float64 `perflib:"Elapsed Time"`
	HandleCount           float64 `perflib:"Handle Count"`
	IDProcess             float64 `perflib:"ID Process"`
	IODataBytesPerSec     float64 `perflib:"IO Data Bytes/sec"`
	IOOtherOperationsSec  float64 `perflib:"IO Other Operations/sec"`
	PageFaultsPerSec      float64 `perflib:"Page Faults/sec"`
	PageFileBytesPeak     float64 `perflib:"Page File Bytes Peak"`
	PoolPagedBytes        float64 `perflib:"Pool Paged Bytes"`
	PriorityBase          float64 `perflib:"Priority Base"`
	PrivateBytes          float64 `perflib:"Private Bytes"`
	ThreadCount           float64 `perflib:"Thread Count"`
	VirtualBytes          float64 `perflib:"Virtual Bytes"`
	WorkingSet            float64 `perflib:"Working Set"`
	WorkingSetPeak        float64 `perflib:"Working Set Peak"`
}

type system struct {
	ContextSwitchesPerSec     float64 `perflib:"Context Switches/sec"`
	ExceptionDispatchesPerSec float64 `perflib:"Exception Dispatches/sec"`
	ProcessorQueueLength      float64 `perflib:"Processor Queue Length"`
	Processes                 float64 `perflib:"Processes"`
	SystemCallsPerSec         float64 `perflib:"System Calls/sec"`
	SystemUpTime              float64 `perflib:"System Up Time"`
	Threads                   float64 `perflib:"Threads"`
}

const (
	perfElapsedTime          = 0x30240500
	perf100nsecTimer         = 0x20510500
	perfPrecision100nsTimer  = 0x20570500
	unixEpochIn1601Ticks     = 116444736000000000
	secondsPerHundredNanosec = 1e-7
)

// unmarshalObject fills the structs of a slice, one for each instance.
func unmarshalObject(object *perflib.PerfObject, into interface{}) error {
	if object == nil {
		return fmt.Errorf("there is no such object")
	}
	list := reflect.ValueOf(into)
	if list.Kind() != reflect.Ptr || list.Elem().Kind() != reflect.Slice {
		return fmt.Errorf("%T is no pointer to a slice", into)
	}
	list = list.Elem()
	for _, instance := range object.Instances {
		counters := make(map[string]*perflib.PerfCounter, len(instance.Counters))
		for _, counter := range instance.Counters {
			name := counter.Def.Name
			if counter.Def.IsBaseValue && !counter.Def.IsNanosecondCounter {
				name += "_Base"
			}
			counters[name] = counter
		}
		target := reflect.New(list.Type().Elem()).Elem()
		for f := 0; f < target.NumField(); f++ {
			tag, isTagged := target.Type().Field(f).Tag.Lookup("perflib")
			if !isTagged {
				continue
			}
			name, option, _ := strings.Cut(tag, ",")
			counter, found := counters[name]
			if !found {
				continue
			}
			switch {
			case option == "secondvalue" && !counter.Def.HasSecondValue:
				return fmt.Errorf("%s has no second value", name)
			case option == "secondvalue":
				target.Field(f).SetFloat(float64(counter.SecondValue))
			default:
				target.Field(f).SetFloat(scaled(counter, object.Frequency))
			}
		}
		if name := target.FieldByName("Name"); name.IsValid() {
			name.SetString(instance.Name)
		}
		list.Set(reflect.Append(list, target))
	}
	return nil
}

// scaled returns a value in seconds, if the type is a time.
func scaled(counter *perflib.PerfCounter, frequency int64) float64 {
	switch counter.Def.CounterType {
	case perfElapsedTime:
		return float64(counter.Value-unixEpochIn1601Ticks) / float64(frequency)
	case perf100nsecTimer, perfPrecision100nsTimer:
		return float64(counter.Value) * secondsPerHundredNanosec
	}
	return float64(counter.Value)
}

func objectNamed(objects []*perflib.PerfObject, name string) *perflib.PerfObject {
	for _, object := range objects {
		if object.Name == name {
			return object
		}
	}
	return nil
}
