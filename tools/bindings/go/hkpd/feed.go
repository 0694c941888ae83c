package hkpd

// #include "glue.h"
import "C"

import (
	"fmt"
	"strings"
	"time"
	"unsafe"
)

// RecordKind is the kind of a record that is fed: which function of Windows returned it.
type RecordKind uint32

const (
	RecordV1             RecordKind = C.HKPD_RECORD_V1              // RegQueryValueEx(HKEY_PERFORMANCE_DATA)
	RecordTitles         RecordKind = C.HKPD_RECORD_TITLES          // a title database, in any form that hkpd reads
	RecordV2             RecordKind = C.HKPD_RECORD_V2              // PerfQueryCounterData
	RecordV2Identifiers  RecordKind = C.HKPD_RECORD_V2_IDENTIFIERS  // PerfQueryCounterInfo, before the blocks of this query
	RecordV2Registration RecordKind = C.HKPD_RECORD_V2_REGISTRATION // PerfQueryCounterSetRegistrationInfo, before the blocks with the counterset
)

// Record is a whole message, as a function of Windows returned it.
type Record struct {
	Kind       RecordKind
	Data       []byte
	Request    uint32    // registration: PERF_REG_* that was requested
	Counterset [16]byte  // registration: GUID of the counterset, as Windows stores it in memory
	Machine    string    // titles, V2: name of the machine; "": unknown
	Language   string    // titles, registration: such as "009"; "": unknown
	Time       time.Time // when the record was received; the zero time: unknown
}

// Feed is a reader of records that the program adds, for agents that query Windows themselves. Each sample is cooked
// against the previous one of its machine.
type Feed struct {
	Reader
}

// NewFeed opens a feed with default options.
func NewFeed() (*Feed, error) { return Options{}.NewFeed() }

// NewFeed opens a feed.
func (o Options) NewFeed() (*Feed, error) {
	reader, err := o.open(func(options *C.hkpd_options, reader **C.hkpd_reader, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_open_feed(options, reader, failure)
	})
	if err != nil {
		return nil, err
	}
	feed := &Feed{Reader{handle: reader.handle, fed: true}}
	return feed, nil
}

// Add adds a record, whose data it copies. Call Next until it returns false. A V1 block is a complete sample.
func (f *Feed) Add(record Record) error {
	f.forget()
	if f.handle == nil {
		return errorOf(C.HKPD_ERROR_STATE)
	}
	if strings.IndexByte(record.Machine, 0) >= 0 || strings.IndexByte(record.Language, 0) >= 0 {
		return &Error{Status: StatusArgument, Message: fmt.Sprintf("the name of the machine or the language contains a NUL: %q, %q",
			record.Machine, record.Language)}
	}
	var call owned
	defer call.free()
	made := (*C.hkpd_record)(call.zeros(unsafe.Sizeof(C.hkpd_record{})))
	made.struct_size = C.size_t(unsafe.Sizeof(*made))
	made.kind = C.uint32_t(record.Kind)
	made.request = C.uint32_t(record.Request)
	made.data = f.memory.bytes(unsafe.Pointer(first(record.Data)), len(record.Data))
	made.size = C.size_t(len(record.Data))
	if record.Machine != "" {
		made.machine = call.text(record.Machine)
	}
	if record.Language != "" {
		made.language = call.text(record.Language)
	}
	for b, value := range record.Counterset {
		made.counterset[b] = C.uint8_t(value)
	}
	if !record.Time.IsZero() {
		made.time = C.int64_t(record.Time.UnixNano())
	}
	if status := C.hkpd_feed(f.handle, made); status != C.HKPD_OK {
		return errorOf(status)
	}
	return nil
}
