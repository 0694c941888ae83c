package hkpd

// #include "glue.h"
import "C"

import (
	"fmt"
	"strings"
	"time"
	"unsafe"
)

// Options for opening. The zero value stands for the defaults.
type Options struct {
	Cap           bool // limit percentages to 100, as PdhGetFormattedCounterValue does
	Clamp         bool // 0 instead of no value if a counter, clock or base went back
	Unwrap        bool // treat a 32-bit counter as wrapped if it decreased by more than half of its range
	Scale         bool // multiply cooked values by 10^scale
	RawOnly       bool // cook nothing that needs two samples; for programs that read raw values only
	NoInputTitles bool // names come from the built-in titles and Titles alone

	Machines    uint32    // most machines whose samples may be interleaved; 0: 64
	From, To    time.Time // moments to read, inclusive; the zero time: no bound
	FirstSample uint64    // number of the first sample to read, counted from 0
	SampleCount uint64    // number of samples to read; 0: all
	Every       uint64    // N: only each N-th sample of each machine and source; 0: all
	Languages   []string  // preferred languages of names, such as "007"; none: English
	LogZones    []string  // zones of text logs that state none: "Europe/Berlin", or "FILE=Europe/Berlin" for one input
	Encoding    string    // of text logs without a byte order mark, such as "1251"; empty: guessed
	Titles      []byte    // content of a title database, such as perfc009.dat
}

// Open opens files and directories with default options: V1 blocks, captures, logs, text logs, each of them possibly
// compressed. The path "-" is standard input. Several paths are read as one run of samples.
func Open(paths ...string) (*Reader, error) { return Options{}.Open(paths...) }

// OpenBytes opens the content of a file with default options. It copies the bytes.
func OpenBytes(data []byte) (*Reader, error) { return Options{}.OpenBytes(data) }

// Open is as the function Open, with options.
func (o Options) Open(paths ...string) (*Reader, error) {
	for _, path := range paths {
		if err := checkText("path", path); err != nil {
			return nil, err
		}
	}
	var memory owned
	defer memory.free()
	pointers := make([]*C.char, len(paths))
	for p, path := range paths {
		pointers[p] = memory.text(path)
	}
	list := (**C.char)(memory.bytes(unsafe.Pointer(first(pointers)), len(pointers)*int(unsafe.Sizeof((*C.char)(nil)))))
	return o.open(func(options *C.hkpd_options, reader **C.hkpd_reader, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_open(list, C.size_t(len(paths)), options, reader, failure)
	})
}

// OpenBytes is as the function OpenBytes, with options.
func (o Options) OpenBytes(data []byte) (*Reader, error) {
	var memory owned
	bytes := memory.bytes(unsafe.Pointer(first(data)), len(data))
	reader, err := o.open(func(options *C.hkpd_options, reader **C.hkpd_reader, failure *C.hkpd_error) C.hkpd_status {
		return C.hkpd_open_memory(bytes, C.size_t(len(data)), options, reader, failure)
	})
	if err != nil {
		memory.free()
		return nil, err
	}
	reader.memory = memory
	return reader, nil
}

// open calls a function of the C interface that opens a reader.
func (o Options) open(call func(*C.hkpd_options, **C.hkpd_reader, *C.hkpd_error) C.hkpd_status) (*Reader, error) {
	var memory owned
	defer memory.free()
	options, err := o.in(&memory)
	if err != nil {
		return nil, err
	}
	failure := (*C.hkpd_error)(memory.zeros(unsafe.Sizeof(C.hkpd_error{})))
	failure.struct_size = C.size_t(unsafe.Sizeof(*failure))
	handle := (**C.hkpd_reader)(memory.zeros(unsafe.Sizeof((*C.hkpd_reader)(nil))))
	if status := call(options, handle, failure); status != C.HKPD_OK {
		return nil, &Error{Status(status), errno(failure.system), C.GoString(&failure.message[0])}
	}
	return &Reader{handle: *handle}, nil
}

// in returns the options as C has them, in memory that must live until the call returns.
func (o Options) in(memory *owned) (*C.hkpd_options, error) {
	options := (*C.hkpd_options)(memory.zeros(unsafe.Sizeof(C.hkpd_options{})))
	options.struct_size = C.size_t(unsafe.Sizeof(*options))
	for _, flag := range []struct {
		set  bool
		flag C.uint32_t
	}{
		{o.Cap, C.HKPD_CAP}, {o.Clamp, C.HKPD_CLAMP}, {o.Unwrap, C.HKPD_UNWRAP}, {o.Scale, C.HKPD_SCALE},
		{o.RawOnly, C.HKPD_RAW_ONLY}, {o.NoInputTitles, C.HKPD_NO_INPUT_TITLES},
		{!o.From.IsZero(), C.HKPD_HAS_FROM}, {!o.To.IsZero(), C.HKPD_HAS_TO},
	} {
		if flag.set {
			options.flags |= flag.flag
		}
	}
	for _, moment := range []struct {
		from time.Time
		to   *C.int64_t
	}{{o.From, &options.from}, {o.To, &options.to}} {
		if moment.from.IsZero() {
			continue
		}
		*moment.to = C.int64_t(moment.from.UnixNano())
		if !time.Unix(0, int64(*moment.to)).Equal(moment.from) {
			return nil, &Error{Status: StatusArgument, Message: fmt.Sprintf("the time %s is not between 1678 and 2262", moment.from)}
		}
	}
	options.machines = C.uint32_t(o.Machines)
	options.first_sample = C.uint64_t(o.FirstSample)
	options.sample_count = C.uint64_t(o.SampleCount)
	options.every = C.uint64_t(o.Every)
	if len(o.Languages) > 0 {
		languages := strings.Join(o.Languages, ",")
		if strings.IndexByte(languages, 0) >= 0 {
			return nil, &Error{Status: StatusArgument, Message: fmt.Sprintf("a language contains a NUL: %q", languages)}
		}
		options.languages = memory.text(languages)
	}
	if len(o.LogZones) > 0 {
		zones := strings.Join(o.LogZones, "\n")
		if strings.IndexByte(zones, 0) >= 0 {
			return nil, &Error{Status: StatusArgument, Message: fmt.Sprintf("a zone of a log contains a NUL: %q", zones)}
		}
		options.log_zones = memory.text(zones)
	}
	if o.Encoding != "" {
		if strings.IndexByte(o.Encoding, 0) >= 0 {
			return nil, &Error{Status: StatusArgument, Message: fmt.Sprintf("the encoding contains a NUL: %q", o.Encoding)}
		}
		options.encoding = memory.text(o.Encoding)
	}
	if len(o.Titles) > 0 {
		options.titles = memory.bytes(unsafe.Pointer(&o.Titles[0]), len(o.Titles))
		options.titles_size = C.size_t(len(o.Titles))
	}
	return options, nil
}

// owned is memory of C that belongs to a call or a reader. Go panics if there is not enough, as it does for its own.
type owned []unsafe.Pointer

func (o *owned) zeros(size uintptr) unsafe.Pointer {
	memory := C.calloc(1, C.size_t(size))
	if memory == nil {
		panic("hkpd: out of memory")
	}
	*o = append(*o, memory)
	return memory
}

// bytes returns a copy; nil if it would be empty.
func (o *owned) bytes(from unsafe.Pointer, size int) unsafe.Pointer {
	if size == 0 {
		return nil
	}
	memory := o.zeros(uintptr(size))
	copy(unsafe.Slice((*byte)(memory), size), unsafe.Slice((*byte)(from), size))
	return memory
}

// checkText returns an error if C cannot have a text. what names the text.
func checkText(what, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return &Error{Status: StatusArgument, Message: fmt.Sprintf("the %s %q contains a NUL", what, text)}
	}
	return nil
}

// text returns a copy that is terminated by NUL.
func (o *owned) text(text string) *C.char {
	memory := o.zeros(uintptr(len(text)) + 1)
	copy(unsafe.Slice((*byte)(memory), len(text)), text)
	return (*C.char)(memory)
}

func (o *owned) free() {
	for _, memory := range *o {
		C.free(memory)
	}
	*o = nil
}
