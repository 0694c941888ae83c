package perflib_test

import (
	"testing"

	"hkpd.example/hkpd/perflib"
)

// TestQuery queries the registry of this Windows, or of Wine, which has few objects.
func TestQuery(t *testing.T) {
	names := perflib.QueryNameTable("Counter 009")
	if names.Err() != nil {
		t.Fatal(names.Err())
	}
	index := names.LookupIndex("Processor")
	if index != 238 || names.LookupString(6) != "% Processor Time" {
		t.Errorf("expected 238 and %% Processor Time, found %d and %q", index, names.LookupString(6))
	}
	objects, err := perflib.QueryPerformanceData("Global", "")
	if err != nil {
		t.Fatal(err)
	}
	values := 0
	for _, object := range objects {
		for _, instance := range object.Instances {
			values += len(instance.Counters)
		}
		t.Logf("%d %s: %d instances, %d counters", object.NameIndex, object.Name, len(object.Instances), len(object.CounterDefs))
	}
	if values == 0 {
		t.Error("no value")
	}
	only, err := perflib.QueryPerformanceData("238", "Processor")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range only {
		if object.Name != "Processor" {
			t.Errorf("expected Processor only, found %s", object.Name)
		}
	}
	if found := objectNamed(objects, "Processor"); found != nil && len(only) != 1 {
		t.Errorf("expected Processor, found %d objects", len(only))
	}
	if _, err := perflib.QueryPerformanceData("Counter\x00", ""); err == nil {
		t.Error("expected an error for a query with a NUL")
	}
}
