//go:build !windows

package perflib

import (
	"errors"
	"runtime"
)

func queryPerformanceData(string, string) ([]*PerfObject, error) {
	return nil, errors.New("perflib: HKEY_PERFORMANCE_DATA exists on Windows only, this is " + runtime.GOOS +
		": use Decode with the bytes of a reply")
}
