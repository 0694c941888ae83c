package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
)

// The structures of winperf.h that a V1 blob consists of, in its order of fields; binary.Read fills them by reflection.

type systemTime struct {
	Year, Month, DayOfWeek, Day, Hour, Minute, Second, Milliseconds uint16
}

type perfDataBlock struct {
	Signature                                     [4]uint16
	LittleEndian, Version, Revision               uint32
	TotalByteLength, HeaderLength, NumObjectTypes uint32
	DefaultObject                                 int32
	SystemTime                                    systemTime
	_                                             uint32
	PerfTime, PerfFreq, PerfTime100nSec           int64
	SystemNameLength, SystemNameOffset            uint32
}

type perfObjectType struct {
	TotalByteLength, DefinitionLength, HeaderLength uint32
	ObjectNameTitleIndex, ObjectNameTitle           uint32
	ObjectHelpTitleIndex, ObjectHelpTitle           uint32
	DetailLevel, NumCounters                        uint32
	DefaultCounter, NumInstances                    int32
	CodePage                                        uint32
	PerfTime, PerfFreq                              int64
}

type perfCounterDefinition struct {
	ByteLength                              uint32
	CounterNameTitleIndex, CounterNameTitle uint32
	CounterHelpTitleIndex, CounterHelpTitle uint32
	DefaultScale                            int32
	DetailLevel, CounterType                uint32
	CounterSize, CounterOffset              uint32
}

type perfInstanceDefinition struct {
	ByteLength                                   uint32
	ParentObjectTitleIndex, ParentObjectInstance uint32
	UniqueID, NameOffset, NameLength             uint32
}

type perfCounterBlock struct {
	ByteLength uint32
}

// PerfObject, PerfInstance, PerfCounterDef and PerfCounter are what exporters' collectors iterate over: a tree with one
// allocation for each node.

type PerfObject struct {
	Name        string
	NameIndex   uint
	Instances   []*PerfInstance
	CounterDefs []*PerfCounterDef
	Frequency   int64
}

type PerfInstance struct {
	Name     string
	Counters []*PerfCounter
}

type PerfCounterDef struct {
	Name           string
	NameIndex      uint
	CounterType    uint32
	IsCounter      bool
	IsBaseValue    bool
	HasSecondValue bool

	size, offset uint32
}

type PerfCounter struct {
	Value       int64
	Def         *PerfCounterDef
	SecondValue int64
}

// PerfSample is a blob's header and its objects.
type PerfSample struct {
	SystemTime systemTime
	Machine    string
	Objects    []*PerfObject
}

// The counter type whose values are followed by a second one (PERF_AVERAGE_BULK).
const perfAverageBulk = 0x40020500

var order = binary.LittleEndian

// QueryPerformanceData returns the tree of all values in a blob. Like exporters' parsers, it believes the blob's
// lengths: bad ones end in an error of the reader or in a panic.
func QueryPerformanceData(blob []byte, titles map[uint32]string) (*PerfSample, error) {
	r := bytes.NewReader(blob)
	header := new(perfDataBlock)
	if err := readAt(r, 0, header); err != nil {
		return nil, err
	}
	if string(utf16.Decode(header.Signature[:])) != "PERF" {
		return nil, errors.New("not a V1 blob: it does not begin with PERF")
	}
	machine, err := readName(r, int64(header.SystemNameOffset), header.SystemNameLength)
	if err != nil {
		return nil, err
	}
	sample := &PerfSample{header.SystemTime, machine, make([]*PerfObject, header.NumObjectTypes)}
	offset := int64(header.HeaderLength)
	for i := range sample.Objects {
		object := new(perfObjectType)
		if err := readAt(r, offset, object); err != nil {
			return nil, err
		}
		if sample.Objects[i], err = parseObject(blob, r, offset, object, titles); err != nil {
			return nil, err
		}
		offset += int64(object.TotalByteLength)
	}
	return sample, nil
}

func parseObject(blob []byte, r *bytes.Reader, offset int64, raw *perfObjectType, titles map[uint32]string) (*PerfObject, error) {
	object := &PerfObject{
		Name:        titles[raw.ObjectNameTitleIndex],
		NameIndex:   uint(raw.ObjectNameTitleIndex),
		CounterDefs: make([]*PerfCounterDef, raw.NumCounters),
		Frequency:   raw.PerfFreq,
	}
	at := offset + int64(raw.HeaderLength)
	for i := range object.CounterDefs {
		def := new(perfCounterDefinition)
		if err := readAt(r, at, def); err != nil {
			return nil, err
		}
		object.CounterDefs[i] = &PerfCounterDef{
			Name:           titles[def.CounterNameTitleIndex],
			NameIndex:      uint(def.CounterNameTitleIndex),
			CounterType:    def.CounterType,
			IsCounter:      def.CounterType&0x400 == 0x400,
			IsBaseValue:    def.CounterType&0x30000 == 0x30000,
			HasSecondValue: def.CounterType == perfAverageBulk,
			size:           def.CounterSize,
			offset:         def.CounterOffset,
		}
		at += int64(def.ByteLength)
	}
	at = offset + int64(raw.DefinitionLength)
	if raw.NumInstances < 0 {
		_, counters, err := parseCounterBlock(blob, r, at, object.CounterDefs)
		object.Instances = []*PerfInstance{{Counters: counters}}
		return object, err
	}
	object.Instances = make([]*PerfInstance, raw.NumInstances)
	for i := range object.Instances {
		instance := new(perfInstanceDefinition)
		if err := readAt(r, at, instance); err != nil {
			return nil, err
		}
		name, err := readName(r, at+int64(instance.NameOffset), instance.NameLength)
		if err != nil {
			return nil, err
		}
		at += int64(instance.ByteLength)
		length, counters, err := parseCounterBlock(blob, r, at, object.CounterDefs)
		if err != nil {
			return nil, err
		}
		object.Instances[i] = &PerfInstance{name, counters}
		at += length
	}
	return object, nil
}

func parseCounterBlock(blob []byte, r *bytes.Reader, at int64, defs []*PerfCounterDef) (int64, []*PerfCounter, error) {
	block := new(perfCounterBlock)
	if err := readAt(r, at, block); err != nil {
		return 0, nil, err
	}
	counters := make([]*PerfCounter, len(defs))
	for i, def := range defs {
		counter := &PerfCounter{Value: valueAt(blob, at+int64(def.offset), def.size), Def: def}
		if def.HasSecondValue {
			counter.SecondValue = valueAt(blob, at+int64(def.offset)+8, 8)
		}
		counters[i] = counter
	}
	return int64(block.ByteLength), counters, nil
}

func valueAt(blob []byte, at int64, size uint32) int64 {
	switch size {
	case 4:
		return int64(order.Uint32(blob[at : at+4]))
	case 8:
		return int64(order.Uint64(blob[at : at+8]))
	}
	return 0
}

func readAt(r *bytes.Reader, at int64, structure any) error {
	if _, err := r.Seek(at, io.SeekStart); err != nil {
		return err
	}
	return binary.Read(r, order, structure)
}

// readName returns a name of UTF-16 units without the NUL at its end.
func readName(r *bytes.Reader, at int64, length uint32) (string, error) {
	units := make([]uint16, length/2)
	if err := readAt(r, at, units); err != nil {
		return "", err
	}
	for i, unit := range units {
		if unit == 0 {
			units = units[:i]
			break
		}
	}
	return string(utf16.Decode(units)), nil
}
