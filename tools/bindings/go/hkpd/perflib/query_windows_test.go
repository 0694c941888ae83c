package perflib_test

import (
	"os"
	"strconv"
	"testing"

	"hkpd.example/hkpd/perflib"
)

// TestQuery queries the registry of this Windows. Wine has neither titles nor counters of its own: there, with
// HKPD_TEST_PROVIDER, the counters are those of the provider in tests/systems/wine, whose values are known.
func TestQuery(t *testing.T) {
	index := uint(238)
	if os.Getenv("HKPD_TEST_PROVIDER") != "" {
		index = 3000
	}
	names := perflib.QueryNameTable("Counter 009")
	if names.Err() != nil {
		t.Error(names.Err())
	}
	for _, query := range []string{"Global", strconv.Itoa(int(index))} {
		objects, err := perflib.QueryPerformanceData(query, "")
		if err != nil {
			t.Fatal(err)
		}
		var found *perflib.PerfObject
		for _, object := range objects {
			if object.NameIndex == index {
				found = object
			}
		}
		if found == nil {
			t.Fatalf("%s: no object %d among %d", query, index, len(objects))
		}
		if index == 238 {
			checkProcessor(t, found, names)
		} else {
			checkProvider(t, found)
		}
	}
	if none, err := perflib.QueryPerformanceData("Global", "no such object"); err != nil || len(none) != 0 {
		t.Errorf("expected no object, found %d, %v", len(none), err)
	}
	if _, err := perflib.QueryPerformanceData("Global\x00", ""); err == nil {
		t.Error("expected an error for a query with a NUL")
	}
}

func checkProcessor(t *testing.T, object *perflib.PerfObject, names *perflib.NameTable) {
	if object.Name != "Processor" || object.HelpText == "" || names.LookupIndex("Processor") != 238 {
		t.Errorf("expected Processor, found %q, help %q", object.Name, object.HelpText)
	}
	var processors []cpu
	if err := unmarshalObject(object, &processors); err != nil || len(processors) < 2 || processors[0].PercentIdleTime == 0 {
		t.Errorf("expected processors and _Total, found %v, %v", processors, err)
	}
}

// checkProvider looks for a counter with a base, whose values are always the same.
func checkProvider(t *testing.T, object *perflib.PerfObject) {
	if len(object.Instances) != 1 {
		t.Fatalf("expected one instance, found %d", len(object.Instances))
	}
	for _, counter := range object.Instances[0].Counters {
		if counter.Def.NameIndex == 3030 && !counter.Def.IsBaseValue {
			if counter.Value != 25 || counter.SecondValue != 200 || !counter.Def.IsCounter || !counter.Def.HasSecondValue {
				t.Errorf("expected 25 of 200, found %d of %d", counter.Value, counter.SecondValue)
			}
			return
		}
	}
	t.Errorf("no counter 3030 among %d", len(object.CounterDefs))
}
