package hkpd

// #include "glue.h"
import "C"

import (
	"strconv"
	"time"
)

// Source is the interface through which a sample was collected.
type Source uint32

const (
	SourceV1  Source = C.HKPD_SOURCE_V1  // registry
	SourceV2  Source = C.HKPD_SOURCE_V2  // PerfLib
	SourceLog Source = C.HKPD_SOURCE_LOG // a log, binary or text
)

// Kind states whether an object has a list of instances, and whether V1 described it without its values.
type Kind uint32

const (
	KindSingle         Kind = C.HKPD_KIND_SINGLE
	KindMulti          Kind = C.HKPD_KIND_MULTI
	KindMetadataSingle Kind = C.HKPD_KIND_METADATA_SINGLE
	KindMetadataMulti  Kind = C.HKPD_KIND_METADATA_MULTI
)

// Sample is a moment of one machine. It is valid until the next call of Reader.Next, Feed.Add or Reader.Close.
type Sample struct {
	Number        uint32 // number of samples before this one in the input
	Source        Source
	Machine       Text  // does not exist if it is damaged
	UnixNano      int64 // nanoseconds since 1970 (UTC), if HasTime
	HasTime       bool
	DefaultObject int32 // V1: index of the object to show first; -1 if there is none
	PerfTime      int64 // PerfTime and PerfFreq of the block, PerfTime100nSec
	PerfFrequency int64
	PerfTime100ns int64
	Bytes         uint64 // size of the blocks of the sample, or of its row in a log
	LocalTime     bool   // times are local times, taken as UTC, because the text log states no zone

	reader  *Reader
	count   int
	listed  bool
	objects []*Object // also beyond its length: those of earlier samples, which are reused
}

func (s *Sample) set(reader *Reader, from *C.hkpd_sample) {
	*s = Sample{
		Number:        uint32(from.number),
		Source:        Source(from.source),
		Machine:       textOf(from.machine, from.machine_size),
		UnixNano:      int64(from.time),
		HasTime:       from.has_time != 0,
		DefaultObject: int32(from.default_object),
		PerfTime:      int64(from.perf_time),
		PerfFrequency: int64(from.perf_frequency),
		PerfTime100ns: int64(from.perf_time_100ns),
		Bytes:         uint64(from.bytes),
		LocalTime:     from.local_time != 0,
		reader:        reader,
		count:         int(from.object_count),
		objects:       s.objects[:0],
	}
}

// Time returns the time of the sample (UTC); the zero time if there is none.
func (s *Sample) Time() time.Time {
	if !s.HasTime {
		return time.Time{}
	}
	return time.Unix(0, s.UnixNano).UTC()
}

// Objects returns the objects and countersets of the sample.
func (s *Sample) Objects() []*Object {
	r := s.reader
	if s.listed || r.handle == nil || r.current != s {
		return s.objects
	}
	filled := r.objects.reserve(s.count)
	if (filled == nil && s.count > 0) || !r.keep(C.hkpd_go_objects(r.handle, C.size_t(s.count), first(filled))) {
		r.keep(C.HKPD_ERROR_MEMORY) // unless another failure is kept
		return nil
	}
	if cap(s.objects) < s.count {
		s.objects = append(s.objects[:cap(s.objects)], make([]*Object, s.count-cap(s.objects))...)
	}
	s.objects = s.objects[:s.count]
	for o := range s.objects {
		if s.objects[o] == nil {
			s.objects[o] = new(Object)
		}
		s.objects[o].set(r, o, &filled[o])
	}
	s.listed = true
	return s.objects
}

// Object is an object or counterset of a sample. It is valid as long as the sample.
type Object struct {
	Index         uint32 // V1: title index; otherwise a number that identifies the object in this run
	HelpIndex     uint32
	Name, Help    Text     // do not exist if they are unknown
	Counterset    [16]byte // V2: GUID as Windows stores it in memory, if HasCounterset
	HasCounterset bool
	Kind          Kind
	DetailLevel   uint32
	CodePage      uint32 // V1: code page of instance names; 0: UTF-16
	PerfTime      int64  // PerfTime and PerfFreq of the object
	PerfFrequency int64
	InstanceCount int // 1 for an object without instances
	ColumnCount   int

	reader    *Reader
	position  int
	instances []Instance
	columns   []Column
	cooked    []Cooked
}

func (o *Object) set(reader *Reader, position int, from *C.hkpd_object) {
	*o = Object{
		Index:         uint32(from.index),
		HelpIndex:     uint32(from.help_index),
		Name:          textOf(from.name, from.name_size),
		Help:          textOf(from.help, from.help_size),
		HasCounterset: from.has_counterset != 0,
		Kind:          Kind(from.kind),
		DetailLevel:   uint32(from.detail_level),
		CodePage:      uint32(from.code_page),
		PerfTime:      int64(from.perf_time),
		PerfFrequency: int64(from.perf_frequency),
		InstanceCount: int(from.instance_count),
		ColumnCount:   int(from.column_count),
		reader:        reader,
		position:      position,
		instances:     o.instances[:0],
		columns:       o.columns[:0],
		cooked:        o.cooked[:0],
	}
	for b, value := range from.counterset {
		o.Counterset[b] = byte(value)
	}
}

// isCurrent returns whether the object is one of the current sample.
func (o *Object) isCurrent() bool {
	return o.reader.handle != nil && o.reader.current != nil && o.position < len(o.reader.current.objects)
}

// Instance is an instance of an object. Instances come and go: over a run, one is identified by machine, source, object,
// and Parent, Name, PID; by InstanceID, if it has no PID; by Number, if it has neither; and by Life. Names are equal
// regardless of case. Instance and PDHInstance return texts.
type Instance struct {
	Name           Text   // empty for an object without instances; does not exist if it is damaged
	Number         uint32 // the number in name#number: instances of one name and parent are counted from 0
	ID             int32  // UniqueID or InstanceId, if HasID
	HasID          bool
	ParentObject   uint32 // position of the parent's object in the sample; NoIndex if there is no parent
	ParentInstance uint32 // position of the parent in that object; NoIndex if there is no parent
	Offset         uint64 // offset of the instance in the input
	Parent         Text   // name of the direct parent; does not exist if there is none, or it is damaged
	PID            uint32 // id of its process; NoIndex if there is none
	InstanceID     int32  // ID of an instance that has no PID, if HasInstanceID
	HasInstanceID  bool
	Life           uint32 // 1; 2 and so on if its ids are used again; 0 if the name is damaged
}

// HasPID returns whether the instance is a process, or belongs to one, whose id is known.
func (i *Instance) HasPID() bool { return i.PID != NoIndex }

// Instance returns the name, or name#number of an instance that has neither PID nor InstanceID, and is known by its place.
func (i *Instance) Instance() string {
	if i.HasPID() || i.HasInstanceID {
		return i.Name.String()
	}
	return i.numbered()
}

// PDHInstance returns what PerfMon shows in this sample: parent/name#number, without #0.
func (i *Instance) PDHInstance() string {
	switch {
	case !i.Name.Exists() || i.ParentObject == NoIndex:
		return i.numbered()
	case !i.Parent.Exists():
		return "?/" + i.numbered()
	}
	return i.Parent.String() + "/" + i.numbered()
}

func (i *Instance) numbered() string {
	if !i.Name.Exists() || i.Number == 0 {
		return i.Name.String()
	}
	return i.Name.String() + "#" + strconv.FormatUint(uint64(i.Number), 10)
}

// Instances returns the instances; one with an empty name for an object without instances.
func (o *Object) Instances() []Instance {
	if !o.isCurrent() {
		return nil
	}
	if len(o.instances) == o.InstanceCount {
		return o.instances
	}
	r := o.reader
	filled := r.instances.reserve(o.InstanceCount)
	if filled == nil || !r.keep(C.hkpd_go_instances(r.handle, C.size_t(o.position), C.size_t(o.InstanceCount), first(filled))) {
		r.keep(C.HKPD_ERROR_MEMORY)
		return nil
	}
	o.instances = resize(o.instances, o.InstanceCount)
	for i := range filled {
		from := &filled[i]
		o.instances[i] = Instance{
			Name:           textOf(from.name, from.name_size),
			Number:         uint32(from.number),
			ID:             int32(from.id),
			HasID:          from.has_id != 0,
			ParentObject:   uint32(from.parent_object),
			ParentInstance: uint32(from.parent_instance),
			Offset:         uint64(from.offset),
			Parent:         textOf(from.parent, from.parent_size),
			PID:            uint32(from.pid),
			InstanceID:     int32(from.instance_id),
			HasInstanceID:  from.has_instance_id != 0,
			Life:           uint32(from.life),
		}
	}
	return o.instances
}

// resize returns a slice of `count` elements, whose values are not kept.
func resize[T any](elements []T, count int) []T {
	if cap(elements) < count {
		return make([]T, count)
	}
	return elements[:count]
}
