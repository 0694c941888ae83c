package perflib_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"

	"hkpd.example/hkpd/perflib"
)

const testdata = "../../../../../testdata/"

// sharedData returns the folder of real captures; it skips the test if there is none.
func sharedData(t *testing.T) string {
	folder := os.Getenv("HKPD_SHARED_DIR")
	if folder == "" {
		folder = "../../../../../../shared"
	}
	folder = filepath.Join(folder, "data")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no shared data: %v", err)
	}
	return folder
}

func read(t testing.TB, path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// dumped is what the C++ command prints of an object.
type dumped struct {
	Index     uint
	Name      string
	Frequency int64 `json:"perf_freq"`
	Counters  []struct {
		Index uint
		Name  string
		Type  uint32
		Base  *int
	}
	Instances []struct {
		Name   string
		Values []json.RawMessage
	}
}

// dump returns what the C++ command, whose path is in HKPD_COMMAND, prints of the first sample of a file.
func dump(t *testing.T, path string) []dumped {
	command := os.Getenv("HKPD_COMMAND")
	if command == "" {
		t.Skip("HKPD_COMMAND is not set: it is the command hkpd, whose values are expected")
	}
	output, err := exec.Command(command, "dump", "--format", "json", path).Output()
	// Status 1: the input is damaged, and what is valid was printed.
	if exit, isExit := err.(*exec.ExitError); err != nil && !(isExit && exit.ExitCode() == 1) {
		t.Fatal(err)
	}
	var printed struct{ Samples []struct{ Objects []dumped } }
	if err := json.Unmarshal(output, &printed); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return printed.Samples[0].Objects
}

// TestDecode compares everything with the C++ command: names, types, bases, and each value.
func TestDecode(t *testing.T) {
	paths := []string{testdata + "captures/demo.bin", testdata + "captures/damaged.bin", testdata + "captures/big-endian.bin",
		testdata + "captures/simulated.mcap", testdata + "captures/text-and-bytes.bin", testdata + "captures/xp-like.bin"}
	if os.Getenv("HKPD_SHARED_DIR") != "" {
		real, _ := filepath.Glob(sharedData(t) + "/v1/vista-2007/s0[0-2]-*.bin")
		if len(real) < 20 {
			t.Fatalf("expected 24 blobs, found %d", len(real))
		}
		paths = append(paths, real...)
	}
	values, bases := 0, 0
	for _, path := range paths {
		expected := dump(t, path)
		objects, err := perflib.Decode(read(t, path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(objects) != len(expected) {
			t.Fatalf("%s: expected %d objects, found %d", path, len(expected), len(objects))
		}
		for o, object := range objects {
			v, b := compareObject(t, path, &expected[o], object)
			values += v
			bases += b
		}
	}
	if values < 2000 || bases < 100 {
		t.Errorf("only %d values and %d bases were compared", values, bases)
	}
}

func compareObject(t *testing.T, path string, expected *dumped, object *perflib.PerfObject) (values, bases int) {
	t.Helper()
	if object.Name != expected.Name || object.NameIndex != expected.Index || object.Frequency != expected.Frequency ||
		len(object.Instances) != len(expected.Instances) || len(object.CounterDefs) != len(expected.Counters) {
		t.Fatalf("%s: expected %s %d with %d instances, found %s %d with %d", path, expected.Name, expected.Index,
			len(expected.Instances), object.Name, object.NameIndex, len(object.Instances))
	}
	for c, def := range object.CounterDefs {
		if def.Name != expected.Counters[c].Name || def.CounterType != expected.Counters[c].Type {
			t.Fatalf("%s: expected %v, found %v", path, expected.Counters[c], *def)
		}
	}
	for i, instance := range object.Instances {
		if instance.Name != expected.Instances[i].Name {
			t.Fatalf("%s: expected the instance %q, found %q", path, expected.Instances[i].Name, instance.Name)
		}
		numbers := map[*perflib.PerfCounterDef]*perflib.PerfCounter{}
		for _, counter := range instance.Counters {
			numbers[counter.Def] = counter
		}
		for c, def := range object.CounterDefs {
			var number uint64
			isNumber := json.Unmarshal(expected.Instances[i].Values[c], &number) == nil && string(expected.Instances[i].Values[c]) != "null"
			counter, found := numbers[def]
			if found != isNumber || (found && uint64(counter.Value) != number) {
				t.Fatalf("%s: %s(%s)\\%s: expected %s, found %v", path, object.Name, instance.Name, def.Name,
					expected.Instances[i].Values[c], counter)
			}
			if !found {
				continue
			}
			values++
			if base := expected.Counters[c].Base; base != nil {
				bases++
				var second uint64
				if err := json.Unmarshal(expected.Instances[i].Values[*base], &second); err != nil || !def.HasSecondValue ||
					uint64(counter.SecondValue) != second {
					t.Fatalf("%s: base of %s\\%s: expected %d, found %d", path, object.Name, def.Name, second, counter.SecondValue)
				}
			}
		}
	}
	return values, bases
}

// TestCollectors fills the structs of collectors, and compares each field with the C++ command's value.
func TestCollectors(t *testing.T) {
	for _, test := range []struct {
		path, object string
		into         interface{}
		fields       int // that the blob has a counter for, at least
	}{
		{testdata + "captures/demo.bin", "Processor", &[]cpu{}, 9},
		{testdata + "captures/demo.bin", "Process", &[]process{}, 18},
		{testdata + "captures/demo.bin", "Memory", &[]memory{}, 12},
		{testdata + "captures/demo.bin", "System", &[]system{}, 7},
		{testdata + "captures/simulated.mcap", "Processor Information", &[]processorInformation{}, 3},
		{"v1/vista-2007/s00-obj236.bin", "LogicalDisk", &[]logicalDisk{}, 17},
		{"v1/vista-2007/s00-obj230.bin", "Process", &[]process{}, 18},
		{"v1/vista-2007/s00-obj238.bin", "Processor", &[]cpu{}, 10},
		{"v1/vista-2007/s00-obj4.bin", "Memory", &[]memory{}, 12},
		{"v1/vista-2007/s00-obj2.bin", "System", &[]system{}, 7},
	} {
		t.Run(test.object+" of "+filepath.Base(test.path), func(t *testing.T) {
			path := test.path
			if strings.HasPrefix(path, "v1/") {
				path = filepath.Join(sharedData(t), path)
			}
			objects, err := perflib.Decode(read(t, path))
			if err != nil {
				t.Fatal(err)
			}
			if err := unmarshalObject(objectNamed(objects, test.object), test.into); err != nil {
				t.Fatal(err)
			}
			filled := reflect.ValueOf(test.into).Elem()
			for _, expected := range dump(t, path) {
				if expected.Name == test.object {
					compareStructs(t, &expected, filled, test.fields)
				}
			}
		})
	}
}

func compareStructs(t *testing.T, expected *dumped, filled reflect.Value, fields int) {
	if filled.Len() != len(expected.Instances) || filled.Len() == 0 {
		t.Fatalf("expected %d structs, found %d", len(expected.Instances), filled.Len())
	}
	for i, instance := range expected.Instances {
		counted, nonzero := 0, 0
		for f := 0; f < filled.Index(i).NumField(); f++ {
			tag, isTagged := filled.Type().Elem().Field(f).Tag.Lookup("perflib")
			if !isTagged {
				continue
			}
			name, option, _ := strings.Cut(tag, ",")
			var value float64
			for c, counter := range expected.Counters {
				isBase := counter.Type&0x000F0C00 == 0x00030400
				if counter.Name != strings.TrimSuffix(name, "_Base") || isBase != strings.HasSuffix(name, "_Base") {
					continue
				}
				from := c
				if option != "" {
					from = *counter.Base
				}
				var raw int64
				if err := json.Unmarshal(instance.Values[from], &raw); err != nil {
					t.Fatalf("%s: %v", tag, err)
				}
				value = float64(raw)
				switch {
				case option != "":
				case counter.Type == perfElapsedTime:
					value = float64(raw-unixEpochIn1601Ticks) / float64(expected.Frequency)
				case counter.Type == perf100nsecTimer || counter.Type == perfPrecision100nsTimer:
					value = float64(raw) * secondsPerHundredNanosec
				}
				counted++
			}
			found := filled.Index(i).Field(f).Float()
			if found != value {
				t.Errorf("%s of %q: expected %v, found %v", tag, instance.Name, value, found)
			}
			if found != 0 {
				nonzero++
			}
		}
		if counted < fields {
			t.Errorf("only %d fields have a counter", counted)
		}
		if i == 0 && nonzero == 0 {
			t.Errorf("all fields of %q are 0", instance.Name)
		}
		if name := filled.Index(i).FieldByName("Name"); name.IsValid() && name.String() != instance.Name {
			t.Errorf("expected the name %q, found %q", instance.Name, name)
		}
	}
}

// TestDamage decodes mutants of a blob on which exporters' parsers panic or allocate without bounds.
func TestDamage(t *testing.T) {
	blob := read(t, testdata+"captures/demo.bin")
	complete, err := perflib.Decode(blob)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][]byte{nil, {}, []byte("PERF"), blob[:40], make([]byte, 500)} {
		if objects, err := perflib.Decode(wrong); err == nil {
			t.Errorf("expected an error for %d bytes, found %d objects", len(wrong), len(objects))
		}
	}
	var decoder perflib.Decoder
	withFaults := 0
	for at := 24; at+4 <= len(blob) && at < 6000; at += 4 {
		mutant := append([]byte(nil), blob...)
		copy(mutant[at:], []byte{0xFF, 0xFF, 0xFF, 0xFF})
		objects, err := decoder.Decode(mutant)
		if err == nil && len(objects) == 0 && len(decoder.Faults()) == 0 {
			t.Errorf("no object and no fault with 4 damaged bytes at %d", at)
		}
		if len(decoder.Faults()) > 0 {
			withFaults++
		}
		for _, object := range objects {
			for _, instance := range object.Instances {
				for _, counter := range instance.Counters {
					if counter == nil || counter.Def == nil {
						t.Fatalf("a counter without a definition with 4 damaged bytes at %d", at)
					}
				}
			}
		}
	}
	if withFaults < 100 {
		t.Errorf("only %d mutants had faults", withFaults)
	}
	truncated, err := perflib.Decode(blob[:len(blob)/6])
	if err != nil || len(truncated) == 0 || len(truncated) > len(complete) {
		t.Errorf("expected the first of %d objects, found %d and %v", len(complete), len(truncated), err)
	}
}

// titles returns a title table as the registry has it.
func titles(texts ...string) []byte {
	var table []byte
	for _, text := range append(texts, "") {
		for _, letter := range []byte(text + "\x00") {
			table = append(table, letter, 0)
		}
	}
	return table
}

// TestTitles decodes with titles of the program.
func TestTitles(t *testing.T) {
	decoder := perflib.Decoder{Titles: titles("238", "Prozessor", "6", "Prozessorzeit (%)")}
	objects, err := decoder.Decode(read(t, testdata+"captures/demo.bin"))
	if err != nil {
		t.Fatal(err)
	}
	object := objectNamed(objects, "Prozessor")
	if object == nil || object.CounterDefs[0].Name != "Prozessorzeit (%)" {
		t.Errorf("expected Prozessor with Prozessorzeit (%%), found %v", object)
	}
}

// TestMergeTitles merges names and help texts, which the registry has in two values.
func TestMergeTitles(t *testing.T) {
	decoder := perflib.Decoder{Titles: perflib.MergeTitles(titles("238", "Prozessor", ""), titles("239", "Hilfe"))}
	objects, err := decoder.Decode(read(t, testdata+"captures/demo.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if object := objectNamed(objects, "Prozessor"); object == nil || object.HelpText != "Hilfe" {
		t.Errorf("expected Prozessor with Hilfe, found %v", object)
	}
}

// TestNameTable compares with the lines that Windows' own table has as text.
func TestNameTable(t *testing.T) {
	table := perflib.ParseNameTable(titles("1", "1847", "6", "% Processor Time", "238", "Processor", "x", "wrong", "9000", "Processor"))
	if table.Err() != nil || table.LookupString(238) != "Processor" || table.LookupIndex("Processor") != 238 ||
		table.LookupString(9000) != "Processor" || table.LookupIndex("wrong") != 0 || table.LookupString(7) != "" {
		t.Errorf("found %v", table)
	}
	for _, wrong := range [][]byte{nil, {1}, make([]byte, 100)} {
		if table := perflib.ParseNameTable(wrong); table.Err() == nil || table.LookupIndex("Processor") != 0 {
			t.Errorf("expected an error for %d bytes", len(wrong))
		}
	}
	real := perflib.ParseNameTable(read(t, sharedData(t)+"/titles/vista-2007-counter-009.multisz"))
	for index, name := range map[uint32]string{2: "System", 4: "Memory", 230: "Process", 238: "Processor", 6: "% Processor Time"} {
		if real.LookupString(index) != name || real.LookupIndex(name) != index {
			t.Errorf("expected %d %s, found %s, %d", index, name, real.LookupString(index), real.LookupIndex(name))
		}
	}
}

func TestQueryNeedsWindows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this is Windows")
	}
	_, err := perflib.QueryPerformanceData("Global", "")
	if err == nil || !strings.Contains(err.Error(), "Decode") {
		t.Errorf("expected an error that names Decode, found %v", err)
	}
	if table := perflib.QueryNameTable("Counter 009"); table.Err() == nil || table.LookupIndex("Processor") != 0 {
		t.Errorf("expected an empty table with an error, found %v", table)
	}
}

// BenchmarkDecode decodes the blob HKPD_BENCH_BLOB, for which `make_machine 60600 1 FILE` of tests/bench writes one.
func BenchmarkDecode(b *testing.B) { benchmark(b, false) }

// BenchmarkDecodeAndFill also fills the structs of the process collector.
func BenchmarkDecodeAndFill(b *testing.B) { benchmark(b, true) }

func benchmark(b *testing.B, fill bool) {
	path := os.Getenv("HKPD_BENCH_BLOB")
	if path == "" {
		path = testdata + "captures/demo.bin"
	}
	blob := read(b, path)
	values := 0
	times := make([]float64, 0, b.N)
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		start := time.Now()
		objects, err := perflib.Decode(blob)
		if err != nil {
			b.Fatal(err)
		}
		if fill {
			var processes []process
			if err := unmarshalObject(objectNamed(objects, "Process"), &processes); err != nil {
				b.Fatal(err)
			}
		}
		times = append(times, float64(time.Since(start).Nanoseconds()))
		values = 0
		for _, object := range objects {
			for _, instance := range object.Instances {
				values += len(instance.Counters)
			}
		}
	}
	// The median, as the stand-in for exporters' parsers in tests/bench/go prints it.
	sort.Float64s(times)
	b.ReportMetric(times[len(times)/2]/float64(values), "ns/value")
}
