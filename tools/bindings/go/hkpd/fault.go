package hkpd

// #include "glue.h"
import "C"

import "unsafe"

// Severity of a fault.
type Severity uint32

const (
	SeverityNote    Severity = C.HKPD_NOTE    // unusual but legal
	SeverityWarning Severity = C.HKPD_WARNING // a rule is broken, but no data was lost
	SeverityError   Severity = C.HKPD_ERROR   // data was lost
)

// Fault is a fault of the input. It is a copy, valid without its reader.
type Fault struct {
	Severity  Severity
	Sample    uint32 // number of samples before the fault's; NoIndex: none
	Record    uint32 // captures and logs: number of records before the fault's; NoIndex: none
	Object    uint32 // index of the object; NoIndex: none
	Instance  uint32 // position of the instance in its object; NoIndex: none
	HasOffset bool
	Offset    uint64 // bytes from the start of the input or, with a record, from the start of the record
	Expected  uint64
	Found     uint64
	Code      string  // name that never changes, such as "counter_outside_block"
	Input     *string // name of the input; nil if there is none
	Structure *string // such as "PERF_OBJECT_TYPE"; nil if there is none
	Field     *string // such as "TotalByteLength"; nil if there is none
	Message   string  // what is wrong, with the expected and the found value
}

// CountFaults returns the number of faults of a severity that were found so far. Not all of them are kept.
func (r *Reader) CountFaults(severity Severity) uint64 {
	return uint64(C.hkpd_count_faults(r.handle, C.hkpd_severity(severity)))
}

// Faults returns the faults that were kept: the first 1,000 of each severity, in the order in which they were found.
func (r *Reader) Faults() []Fault {
	count := int(C.hkpd_fault_count(r.handle))
	if count == 0 {
		return nil
	}
	filled := r.faults.reserve(1)
	if filled == nil {
		r.keep(C.HKPD_ERROR_MEMORY)
		return nil
	}
	faults := make([]Fault, 0, count)
	for f := 0; f < count; f++ {
		filled[0].struct_size = C.size_t(unsafe.Sizeof(filled[0]))
		if !r.keep(C.hkpd_get_fault(r.handle, C.size_t(f), &filled[0])) {
			break
		}
		faults = append(faults, faultOf(&filled[0]))
	}
	return faults
}

func faultOf(from *C.hkpd_fault) Fault {
	return Fault{
		Severity:  Severity(from.severity),
		Sample:    uint32(from.sample),
		Record:    uint32(from.record),
		Object:    uint32(from.object),
		Instance:  uint32(from.instance),
		HasOffset: from.has_offset != 0,
		Offset:    uint64(from.offset),
		Expected:  uint64(from.expected),
		Found:     uint64(from.found),
		Code:      C.GoString(from.code),
		Input:     copied(textOf(from.input, from.input_size)),
		Structure: copied(textOf(from.structure, from.structure_size)),
		Field:     copied(textOf(from.field, from.field_size)),
		Message:   textOf(from.message, from.message_size).String(),
	}
}

// copied returns a copy of a text; nil if there is none.
func copied(text Text) *string {
	if !text.Exists() {
		return nil
	}
	copied := text.String()
	return &copied
}
