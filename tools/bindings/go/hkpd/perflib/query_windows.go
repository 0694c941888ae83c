package perflib

import (
	"fmt"
	"sync"
	"syscall"
	"time"
)

const (
	firstSize   = 256 << 10 // most machines' "Global" needs more than this once and less than 4 MiB
	largestSize = 256 << 20
	attempts    = 8 // while a provider is busy: 2.5 s together
	errorBusy   = syscall.Errno(170)
)

// registry keeps what one query has learnt for the next one. Queries are made one after another: Windows does the same.
var registry struct {
	sync.Mutex
	size    int // of the buffer that the last query needed
	decoder Decoder
}

func queryPerformanceData(query string, counterName string) ([]*PerfObject, error) {
	registry.Lock()
	defer registry.Unlock()
	defer syscall.RegCloseKey(syscall.HKEY_PERFORMANCE_DATA) // unloads the providers
	if registry.decoder.Titles == nil {
		if err := readTitles(); err != nil {
			return nil, err
		}
	}
	blob, err := queryValue(query)
	if err != nil {
		return nil, err
	}
	return registry.decoder.decode(blob, counterName)
}

func queryNames(table string) ([]byte, error) {
	registry.Lock()
	defer registry.Unlock()
	defer syscall.RegCloseKey(syscall.HKEY_PERFORMANCE_DATA)
	return queryValue(table)
}

// readTitles reads the English names once. A provider that is installed later has names after a restart of the program.
func readTitles() error {
	counters, err := queryValue("Counter 009")
	if err != nil {
		return err
	}
	help, err := queryValue("Help 009")
	if err != nil {
		return err
	}
	registry.decoder.Titles = mergeTitles(counters, help)
	return nil
}

// queryValue returns a value of HKEY_PERFORMANCE_DATA. The size that RegQueryValueEx returns together with
// ERROR_MORE_DATA is undefined for this key, so the buffer is doubled until the value fits.
func queryValue(name string) ([]byte, error) {
	text, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, fmt.Errorf("perflib: query %q: %w", name, err)
	}
	if registry.size == 0 {
		registry.size = firstSize
	}
	for busy := 0; ; {
		buffer := make([]byte, registry.size)
		var kind uint32
		size := uint32(len(buffer))
		err := syscall.RegQueryValueEx(syscall.HKEY_PERFORMANCE_DATA, text, nil, &kind, &buffer[0], &size)
		switch {
		case err == nil && int(size) <= len(buffer):
			return buffer[:size], nil
		case err == syscall.ERROR_MORE_DATA && len(buffer) < largestSize:
			registry.size *= 2
		case err == errorBusy && busy < attempts:
			time.Sleep(10 * time.Millisecond << busy)
			busy++
		case err == nil:
			return nil, fmt.Errorf("perflib: query %q: expected at most %d bytes, found %d", name, len(buffer), size)
		default:
			return nil, fmt.Errorf("perflib: query %q of HKEY_PERFORMANCE_DATA: %w", name, err)
		}
	}
}
