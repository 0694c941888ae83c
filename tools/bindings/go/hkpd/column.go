package hkpd

// #include "glue.h"
import "C"

import "unsafe"

// Storage states what the values of a column are.
type Storage uint32

const (
	StorageNumber Storage = C.HKPD_STORAGE_NUMBER
	StorageText   Storage = C.HKPD_STORAGE_TEXT  // Column.Text returns them
	StorageBytes  Storage = C.HKPD_STORAGE_BYTES // Column.Text returns them
)

// Status of a value (Column.Status): valid, one of hkpd, or a status of PDH (pdhmsg.h).
const (
	ValueValid       uint32 = C.HKPD_STATUS_VALID
	ValueNoInstance  uint32 = C.HKPD_STATUS_NO_INSTANCE  // PDH_CSTATUS_NO_INSTANCE
	ValueDamaged     uint32 = C.HKPD_STATUS_DAMAGED      // the value cannot be read; a status of hkpd, not of PDH
	ValueNotRecorded uint32 = C.HKPD_STATUS_NOT_RECORDED // the text log states that there is no value; of hkpd, too
)

// Column is a counter of an object and its raw values: value i belongs to instance i. Slices are nil if the column has
// no such values. They are memory of the library: valid as long as the sample, and not to be changed.
type Column struct {
	Index       uint32 // V1: title index; V2: counter id; NoIndex if it is unknown
	HelpIndex   uint32
	Name, Help  Text    // do not exist if they are unknown
	Type        uint32  // counter type of winperf.h; NoIndex if it is unknown
	Storage     Storage // numbers, texts or bytes
	Attributes  uint64  // V2: PERF_ATTRIB_*
	ValueSize   uint32  // bytes of a value in the input
	Offset      uint32  // offset of the value in its counter block
	Scale       int32   // DefaultScale: programs show value x 10^scale
	DetailLevel uint32
	Base        int32 // positions of related columns in the object; negative if there are none
	Time        int32
	Frequency   int32
	Multi       int32
	Values      []uint64 // numbers; for texts and bytes, positions that only Text uses
	Second      []uint64 // base, clock or instance count of each value, where the column has it itself
	Status      []uint32 // nil if all values are valid
	MultiCount  []uint64 // raw counters of a log
	Taken       []uint64 // raw counters of a log: when each value was collected, in 100 ns since 1601 (UTC)
	TimeBase    int64    // raw counters of a log: ticks per second of the type's clock, if HasTimeBase
	HasTimeBase bool
	object      *Object
	position    int
}

// IsValid returns whether a value can be used.
func (c *Column) IsValid(row int) bool { return c.Status == nil || c.Status[row] == ValueValid }

// Columns returns the counters of the object.
func (o *Object) Columns() []Column {
	if !o.isCurrent() {
		return nil
	}
	if len(o.columns) == o.ColumnCount {
		return o.columns
	}
	r := o.reader
	filled := r.columns.reserve(o.ColumnCount)
	if filled == nil || !r.keep(C.hkpd_go_columns(r.handle, C.size_t(o.position), C.size_t(o.ColumnCount), first(filled))) {
		r.keep(C.HKPD_ERROR_MEMORY)
		return nil
	}
	o.columns = resize(o.columns, o.ColumnCount)
	for c := range filled {
		o.columns[c].set(o, c, &filled[c])
	}
	return o.columns
}

func (c *Column) set(object *Object, position int, from *C.hkpd_column) {
	count := int(from.count)
	*c = Column{
		Index:       uint32(from.index),
		HelpIndex:   uint32(from.help_index),
		Name:        textOf(from.name, from.name_size),
		Help:        textOf(from.help, from.help_size),
		Type:        uint32(from._type),
		Storage:     Storage(from.storage),
		Attributes:  uint64(from.attributes),
		ValueSize:   uint32(from.value_size),
		Offset:      uint32(from.offset),
		Scale:       int32(from.scale),
		DetailLevel: uint32(from.detail_level),
		Base:        int32(from.base),
		Time:        int32(from.time),
		Frequency:   int32(from.frequency),
		Multi:       int32(from.multi),
		Values:      view[uint64](unsafe.Pointer(from.values), count),
		Second:      view[uint64](unsafe.Pointer(from.second), count),
		Status:      view[uint32](unsafe.Pointer(from.status), count),
		MultiCount:  view[uint64](unsafe.Pointer(from.multi_count), count),
		Taken:       view[uint64](unsafe.Pointer(from.taken), count),
		TimeBase:    int64(from.time_base),
		HasTimeBase: from.has_time_base != 0,
		object:      object,
		position:    position,
	}
}

// view returns memory of C as a slice; nil for NULL.
func view[T any](memory unsafe.Pointer, count int) []T {
	if memory == nil {
		return nil
	}
	return unsafe.Slice((*T)(memory), count)
}

// Cooked are the cooked values of a column. The slices are memory of the library, valid as long as the sample.
type Cooked struct {
	Values  []float64 // NaN where there is no value
	Reasons []Reason  // why there is no value, or a substitute
}

// Cooked returns the cooked values of the column alone. It computes them in the first call for a sample.
func (c *Column) Cooked() Cooked {
	if !c.object.isCurrent() {
		return Cooked{}
	}
	if len(c.object.cooked) > c.position {
		return c.object.cooked[c.position]
	}
	var one [1]Cooked
	c.object.cook(one[:], c.position)
	return one[0]
}

// Cooked returns the cooked values of all columns, in one call into the library.
func (o *Object) Cooked() []Cooked {
	if !o.isCurrent() {
		return nil
	}
	if len(o.cooked) != o.ColumnCount {
		cooked := resize(o.cooked, o.ColumnCount)
		if !o.cook(cooked, 0) {
			return nil
		}
		o.cooked = cooked
	}
	return o.cooked
}

// cook fills `cooked` with the cooked values of the columns from a position on.
func (o *Object) cook(cooked []Cooked, position int) bool {
	r := o.reader
	filled := r.cooked.reserve(len(cooked))
	if filled == nil ||
		!r.keep(C.hkpd_go_cooked(r.handle, C.size_t(o.position), C.size_t(position), C.size_t(len(cooked)), first(filled))) {
		return r.keep(C.HKPD_ERROR_MEMORY)
	}
	for c := range filled {
		count := int(filled[c].count)
		cooked[c] = Cooked{
			Values:  view[float64](unsafe.Pointer(filled[c].values), count),
			Reasons: view[Reason](unsafe.Pointer(filled[c].reasons), count),
		}
	}
	return true
}

// Text returns a value of a column of texts (UTF-8) or bytes: empty if the value is damaged. It does not exist if the
// column has numbers or no such row.
func (c *Column) Text(row int) Text {
	if row < 0 || row >= len(c.Values) || !c.object.isCurrent() {
		return Text{}
	}
	var text *C.char
	var size C.size_t
	handle := c.object.reader.handle
	if C.hkpd_get_text(handle, C.size_t(c.object.position), C.size_t(c.position), C.size_t(row), &text, &size) != C.HKPD_OK {
		return Text{}
	}
	return textOf(text, size)
}
