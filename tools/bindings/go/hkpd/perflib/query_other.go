//go:build !windows

package perflib

import (
	"errors"
	"runtime"
)

func queryPerformanceData(string, string) ([]*PerfObject, error) {
	return nil, onWindowsOnly("Decode with the bytes of a reply")
}

func queryNames(string) ([]byte, error) {
	return nil, onWindowsOnly("ParseNameTable with the bytes of a table")
}

func onWindowsOnly(instead string) error {
	return errors.New("perflib: HKEY_PERFORMANCE_DATA exists on Windows only, this is " + runtime.GOOS + ": use " + instead)
}
