package perflib

// QueryPerformanceData queries the registry of this computer and decodes the reply. `query` is "Global", "Costly", or
// indexes of objects separated by spaces, such as "230 238". `counterName` is the name of the objects to return; "" for
// all. It works on Windows only; on other systems use Decode.
func QueryPerformanceData(query string, counterName string) ([]*PerfObject, error) {
	return queryPerformanceData(query, counterName)
}

// mergeTitles makes one table of the values "Counter 009" and "Help 009": lists of texts, each terminated by NUL, and
// terminated by one more. The numbers of names and of help texts differ.
func mergeTitles(counters, help []byte) []byte {
	for len(counters) >= 4 && len(counters)%2 == 0 && string(counters[len(counters)-4:]) == "\x00\x00\x00\x00" {
		counters = counters[:len(counters)-2]
	}
	return append(append([]byte(nil), counters...), help...)
}
