// Prints an answer as rows, for compare.py, as rows.cpp does: rows summary|check INPUT...
package main

import (
	"fmt"
	"os"
	"strings"

	"hkpd.example/hkpd"
)

func show(cells ...any) {
	for _, cell := range cells {
		text := strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, fmt.Sprint(cell))
		fmt.Print(text, "\t")
	}
	fmt.Println()
}

// known returns a number; "" if it is 0, which stands for none.
func known(number uint32) any {
	if number == 0 {
		return ""
	}
	return number
}

func summary(paths []string) error {
	answer, err := hkpd.Summarize(paths...)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(strings.Fields("machine object counterset parent instance pid instance_id life counter unit count first last min mean p50 p95 p99 max stddev delta slope average"), "\t"))
	for _, s := range answer.Series {
		var id any = ""
		if s.InstanceID != nil {
			id = *s.InstanceID
		}
		show(s.Machine, s.Object, s.Counterset, s.Parent, s.Instance, s.PID, id, known(s.Life), s.Counter, s.Unit, s.Count, s.First, s.Last,
			s.Min, s.Mean, s.P50, s.P95, s.P99, s.Max, s.Stddev, s.Delta, s.Slope, s.Average)
	}
	return nil
}

func check(paths []string) error {
	checked, err := hkpd.Check(paths...)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(strings.Fields("severity code machine object_name instance_name rule repair perflib_event service library"), "\t"))
	for _, f := range checked.Findings {
		show([]string{"note", "warning", "error"}[f.Severity], f.Code, f.Machine, f.ObjectName, f.InstanceName, f.Rule, f.Repair, known(f.Event), f.Service, f.Library)
	}
	return nil
}

func main() {
	answer := summary
	if os.Args[1] == "check" {
		answer = check
	}
	if err := answer(os.Args[2:]); err != nil {
		panic(err)
	}
}
