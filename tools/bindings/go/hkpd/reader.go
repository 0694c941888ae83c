package hkpd

// #include "glue.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// Reader reads the samples of an input, one after another.
type Reader struct {
	handle *C.hkpd_reader
	memory owned // the input, if it is in memory
	fed    bool  // records are added; they are kept until all of them are read
	failed error // of a call that returns no error; Next returns it

	sample  Sample
	current *Sample

	// Structs that C fills, reused by all calls.
	samples   array[C.hkpd_sample]
	objects   array[C.hkpd_object]
	instances array[C.hkpd_instance]
	columns   array[C.hkpd_column]
	cooked    array[C.hkpd_cooked]
	faults    array[C.hkpd_fault]
}

// Next reads the next sample. It returns false at the end, and with an error.
func (r *Reader) Next() (bool, error) {
	r.forget()
	if r.handle == nil {
		return false, errorOf(C.HKPD_ERROR_STATE)
	}
	if failed := r.failed; failed != nil {
		r.failed = nil
		return false, failed
	}
	filled := r.samples.reserve(1)
	if filled == nil {
		return false, errorOf(C.HKPD_ERROR_MEMORY)
	}
	filled[0].struct_size = C.size_t(unsafe.Sizeof(filled[0]))
	switch status := C.hkpd_next(r.handle, &filled[0]); status {
	case C.HKPD_OK:
		r.sample.set(r, &filled[0])
		r.current = &r.sample
		return true, nil
	case C.HKPD_END:
		if r.fed {
			r.memory.free()
		}
		return false, nil
	default:
		return false, errorOf(status)
	}
}

// Sample returns the current sample; nil before the first call of Next and after the last one.
func (r *Reader) Sample() *Sample { return r.current }

// Close frees the memory of the reader. It may be called more than once, and always returns nil.
func (r *Reader) Close() error {
	r.forget()
	C.hkpd_close(r.handle)
	r.handle = nil
	r.memory.free()
	r.samples.free()
	r.objects.free()
	r.instances.free()
	r.columns.free()
	r.cooked.free()
	r.faults.free()
	return nil
}

// forget drops the current sample, so that no slice of it is returned again.
func (r *Reader) forget() {
	r.current = nil
	r.sample.listed = false
	r.sample.objects = r.sample.objects[:0]
}

// keep remembers the failure of a call that returns no error.
func (r *Reader) keep(status C.hkpd_status) bool {
	if status != C.HKPD_OK && r.failed == nil {
		r.failed = errorOf(status)
	}
	return status == C.HKPD_OK
}

func errno(number C.int32_t) syscall.Errno { return syscall.Errno(uint32(number)) }
