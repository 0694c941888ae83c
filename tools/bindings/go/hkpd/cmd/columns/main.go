//go:build unix

// Command columns reads a file as columns, and adds up all raw and all cooked values. It prints the processor time of
// the fastest round in milliseconds, the sums and the number of values, as the programs of this name in other languages.
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"hkpd.example/hkpd"
)

type sums struct {
	raw    uint64
	cooked float64
	values int
}

func addUp(path string) (sums, error) {
	var all sums
	reader, err := hkpd.Open(path)
	if err != nil {
		return all, err
	}
	defer reader.Close()
	for {
		more, err := reader.Next()
		if err != nil || !more {
			return all, err
		}
		for _, object := range reader.Sample().Objects() {
			cooked := object.Cooked()
			columns := object.Columns()
			for c := range columns {
				for _, value := range columns[c].Values {
					all.raw += value
				}
				sum := 0.0
				for _, value := range cooked[c].Values {
					if value == value { // not NaN
						sum += value
					}
				}
				all.cooked += sum
				all.values += len(columns[c].Values)
			}
		}
	}
}

// processorTime returns the processor time of this process in milliseconds.
func processorTime() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func main() {
	rounds := 0
	if len(os.Args) == 3 {
		rounds, _ = strconv.Atoi(os.Args[2])
	}
	if rounds < 1 {
		fmt.Fprintln(os.Stderr, "usage: columns FILE ROUNDS")
		os.Exit(2)
	}
	var all sums
	fastest := 0.0
	for round := 0; round < rounds; round++ {
		before := processorTime()
		var err error
		if all, err = addUp(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "columns:", err)
			os.Exit(3)
		}
		if spent := processorTime() - before; round == 0 || spent < fastest {
			fastest = spent
		}
	}
	fmt.Printf("%.3f %d %.17g %d\n", fastest, all.raw, all.cooked, all.values)
}
