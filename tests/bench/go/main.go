// Prints the values of a V1 blob as JSON Lines, as a Go program of an agent's author would: with a parser of the shape
// of windows_exporter's, and encoding/json. processes.py compares its time with that of `hkpd dump --format jsonl`.
//
//	dump TITLES BLOB          prints one line per value; TITLES is a Counter value as a file (perfc009.dat)
//	dump -decode N TITLES BLOB  decodes N times and prints the nanoseconds per value of the median
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"
	"unicode/utf16"
)

// readTitles reads index and name in turn, each with a NUL at its end, in UTF-16: the form of the registry's Counter value.
func readTitles(path string) (map[uint32]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var texts []string
	var units []uint16
	for i := 0; i+1 < len(data); i += 2 {
		if unit := order.Uint16(data[i:]); unit != 0 {
			units = append(units, unit)
			continue
		}
		texts = append(texts, string(utf16.Decode(units)))
		units = units[:0]
	}
	titles := make(map[uint32]string, len(texts)/2)
	for i := 0; i+1 < len(texts); i += 2 {
		index, err := strconv.ParseUint(texts[i], 10, 32)
		if err != nil {
			continue
		}
		titles[uint32(index)] = texts[i+1]
	}
	return titles, nil
}

type line struct {
	Time         string `json:"time"`
	Machine      string `json:"machine"`
	Object       string `json:"object"`
	Instance     string `json:"instance"`
	Counter      string `json:"counter"`
	CounterIndex uint   `json:"counter_index"`
	Type         uint32 `json:"type"`
	Raw          uint64 `json:"raw"`
}

func write(sample *PerfSample) error {
	out := bufio.NewWriterSize(os.Stdout, 1<<18)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	t := sample.SystemTime
	at := time.Date(int(t.Year), time.Month(t.Month), int(t.Day), int(t.Hour), int(t.Minute), int(t.Second),
		int(t.Milliseconds)*1e6, time.UTC).Format("2006-01-02T15:04:05.000Z")
	for _, object := range sample.Objects {
		for _, instance := range object.Instances {
			for _, counter := range instance.Counters {
				err := encoder.Encode(line{at, sample.Machine, object.Name, instance.Name, counter.Def.Name,
					counter.Def.NameIndex, counter.Def.CounterType, uint64(counter.Value)})
				if err != nil {
					return err
				}
			}
		}
	}
	return out.Flush()
}

// timeDecoding prints the median time per value of decoding alone.
func timeDecoding(blob []byte, titles map[uint32]string, times int) error {
	var found []float64
	for i := 0; i < times; i++ {
		start := time.Now()
		sample, err := QueryPerformanceData(blob, titles)
		took := time.Since(start)
		if err != nil {
			return err
		}
		values := 0
		for _, object := range sample.Objects {
			values += len(object.Instances) * len(object.CounterDefs)
		}
		found = append(found, float64(took.Nanoseconds())/float64(values))
	}
	sort.Float64s(found)
	fmt.Println(found[len(found)/2])
	return nil
}

func run() error {
	decode := flag.Int("decode", 0, "decode so many times and print the median in nanoseconds per value")
	flag.Parse()
	if flag.NArg() != 2 {
		return fmt.Errorf("usage: dump [-decode N] TITLES BLOB")
	}
	titles, err := readTitles(flag.Arg(0))
	if err != nil {
		return err
	}
	blob, err := os.ReadFile(flag.Arg(1))
	if err != nil {
		return err
	}
	if *decode > 0 {
		return timeDecoding(blob, titles, *decode)
	}
	sample, err := QueryPerformanceData(blob, titles)
	if err != nil {
		return err
	}
	return write(sample)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
