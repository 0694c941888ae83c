// Package hkpd reads Windows performance data: registry blobs (HKEY_PERFORMANCE_DATA), PerfLib blocks, captures and
// PerfMon's logs (.blg), as columns of raw and cooked values. It is a layer over the C interface, libhkpd.so.1; the
// header hkpd.h has the meaning and the unit of every member.
//
//	reader, err := hkpd.Open("perf.blg")
//	if err != nil {
//		return err
//	}
//	defer reader.Close()
//	for {
//		more, err := reader.Next()
//		if err != nil || !more {
//			return err
//		}
//		for _, object := range reader.Sample().Objects() {
//			cooked := object.Cooked()
//			for c, column := range object.Columns() {
//				use(object.Name, column.Name, column.Values, cooked[c].Values)
//			}
//		}
//	}
//
// Nothing is copied: the slices of values and every Text refer to memory of the library, and are valid until the next
// call of Reader.Next, Feed.Add or Reader.Close. Using them later is a fault of the program that Go does not detect.
// Copy what must live longer, a Text by its method String. Errors and faults are copies.
//
// A Reader must be closed: the garbage collector does not do it, because slices of its memory may be in use. It may be
// used by one goroutine at a time; different readers are independent.
//
// No input is trusted. Damage does not end the reading: valid data is delivered, damaged values are marked in
// Column.Status, and each fault is in Reader.Faults.
package hkpd

// #include "glue.h"
import "C"

import (
	"strconv"
	"sync"
	"syscall"
	"unsafe"
)

// NoIndex stands for an index or a position that does not exist.
const NoIndex = 0xFFFFFFFF

// Status is the result of a function of the C interface.
type Status int32

const (
	StatusArgument Status = C.HKPD_ERROR_ARGUMENT // an argument is invalid
	StatusState    Status = C.HKPD_ERROR_STATE    // there is no current sample, or the reader is closed
	StatusOpen     Status = C.HKPD_ERROR_OPEN     // no input can be opened, or the input is empty
	StatusMemory   Status = C.HKPD_ERROR_MEMORY   // out of memory
	StatusInternal Status = C.HKPD_ERROR_INTERNAL // a fault of the library itself
)

// Error is a failure of the library. Message is one line, without control characters of its own; it can contain a name
// of the input.
type Error struct {
	Status  Status
	System  syscall.Errno // error number of the operating system; 0 if there is none
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return "hkpd: " + e.Message }

// Unwrap returns the error of the operating system, so that errors.Is(err, fs.ErrNotExist) works; nil if there is none.
func (e *Error) Unwrap() error {
	if e.System == 0 {
		return nil
	}
	return e.System
}

func errorOf(status C.hkpd_status) *Error {
	return &Error{Status: Status(status), Message: C.GoString(C.hkpd_status_text(status))}
}

// Version returns the version of the library, such as "0.1.0".
func Version() string { return C.GoString(C.hkpd_version()) }

// Text is a name or another text of the input, in UTF-8, in memory of the library. It can contain any character, also
// NUL and control characters. The zero value is a text that does not exist.
type Text struct {
	data *byte
	size int
}

func textOf(data *C.char, size C.size_t) Text {
	return Text{(*byte)(unsafe.Pointer(data)), int(size)}
}

// Exists returns whether there is a text, which can be empty.
func (t Text) Exists() bool { return t.data != nil }

// String returns a copy; "" for a text that does not exist.
func (t Text) String() string { return string(t.Bytes()) }

// Bytes returns the text without copying it; nil for a text that does not exist. It must not be changed.
func (t Text) Bytes() []byte {
	if t.data == nil {
		return nil
	}
	return unsafe.Slice(t.data, t.size)
}

// Reason states why there is no cooked value, or a substitute; 0: there is a value.
type Reason uint8

var reasonNames struct {
	once  sync.Once
	names [256]string
}

// String returns the name of the reason, such as "counter_went_back", and "none" for 0.
func (r Reason) String() string {
	reasonNames.once.Do(func() {
		for number := range reasonNames.names {
			reasonNames.names[number] = C.GoString(C.hkpd_reason_name(C.uint8_t(number)))
			if reasonNames.names[number] == "" {
				reasonNames.names[number] = "reason " + strconv.Itoa(number)
			}
		}
		reasonNames.names[0] = "none"
	})
	return reasonNames.names[r]
}

// TypeName returns the name of a counter type, such as "PERF_COUNTER_COUNTER"; "" for a type without a name.
func TypeName(counterType uint32) string {
	return C.GoString(C.hkpd_type_name(C.uint32_t(counterType)))
}
