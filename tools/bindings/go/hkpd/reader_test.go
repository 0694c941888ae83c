package hkpd_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hkpd.example/hkpd"
)

const captures = "../../../../testdata/captures/"

func next(t *testing.T, reader interface{ Next() (bool, error) }) bool {
	t.Helper()
	more, err := reader.Next()
	if err != nil {
		t.Fatal(err)
	}
	return more
}

func open(t *testing.T, options hkpd.Options, paths ...string) *hkpd.Reader {
	t.Helper()
	reader, err := options.Open(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// blocks returns the V1 blocks of a file that has them end to end.
func blocks(t *testing.T, path string) [][]byte {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var found [][]byte
	for len(content) > 0 {
		length := int(content[20]) | int(content[21])<<8 | int(content[22])<<16
		found = append(found, content[:length])
		content = content[length:]
	}
	return found
}

// column returns a counter of the current sample.
func column(t *testing.T, sample *hkpd.Sample, object, name string) (*hkpd.Object, *hkpd.Column) {
	t.Helper()
	for _, o := range sample.Objects() {
		columns := o.Columns()
		for c := range columns {
			if o.Name.String() == object && columns[c].Name.String() == name {
				return o, &columns[c]
			}
		}
	}
	t.Fatalf("no %s\\%s", object, name)
	return nil, nil
}

// TestInstancesAreIdentified compares the ids of processes and threads with the counter ID Process.
func TestInstancesAreIdentified(t *testing.T) {
	reader := open(t, hkpd.Options{}, captures+"demo.bin")
	defer reader.Close()
	next(t, reader)
	object, ids := column(t, reader.Sample(), "Process", "ID Process")
	processes := object.Instances()
	for i := range processes {
		process := &processes[i]
		name := process.Name.String()
		if process.HasPID() == (name == "_Total") || (process.HasPID() && uint64(process.PID) != ids.Values[i]) {
			t.Errorf("%s: expected %d, found %d", name, ids.Values[i], process.PID)
		}
		numbered := name
		if process.Number != 0 {
			numbered += "#" + strconv.Itoa(int(process.Number))
		}
		if process.Life != 1 || process.HasInstanceID || process.Parent.Exists() || process.Instance() != name ||
			process.PDHInstance() != numbered {
			t.Errorf("%s: found life %d, %s, %s", name, process.Life, process.Instance(), process.PDHInstance())
		}
	}
	object, _ = column(t, reader.Sample(), "Thread", "ID Thread")
	threads := object.Instances()
	for i := range threads {
		thread, process := &threads[i], &processes[threads[i].ParentInstance]
		if thread.PID != process.PID || thread.Parent.String() != process.Name.String() ||
			!strings.HasPrefix(thread.PDHInstance(), process.Name.String()+"/") {
			t.Errorf("expected a thread of %s, found %s of %d", process.Name, thread.PDHInstance(), thread.PID)
		}
	}
	object, _ = column(t, reader.Sample(), "Processor", "% Processor Time")
	for _, processor := range object.Instances() {
		if processor.HasPID() || processor.Life != 1 || processor.Instance() != processor.Name.String() {
			t.Errorf("expected a processor, found %s", processor.Instance())
		}
	}
}

// TestStatusOfTextLogs compares the status of each kind of cell: typeperf writes -1 where there is no value.
func TestStatusOfTextLogs(t *testing.T) {
	log := filepath.Join(t.TempDir(), "typeperf.csv")
	text := "\"(PDH-CSV 4.0)\",\"\\\\PC\\Process(java)\\% Processor Time\"\n" +
		"\"07/26/2026 14:00:00.000\",\"95.000000\"\n\"07/26/2026 14:00:10.000\",\"-1\"\n" +
		"\"07/26/2026 14:00:20.000\",\"9x\"\n"
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	reader := open(t, hkpd.Options{}, log)
	defer reader.Close()
	for _, expected := range []uint32{hkpd.ValueValid, hkpd.ValueNotRecorded, hkpd.ValueDamaged} {
		if !next(t, reader) {
			t.Fatal("expected three samples")
		}
		_, values := column(t, reader.Sample(), "Process", "% Processor Time")
		status := hkpd.ValueValid
		if values.Status != nil {
			status = values.Status[0]
		}
		if status != expected || values.IsValid(0) != (expected == hkpd.ValueValid) {
			t.Errorf("expected %#x, found %#x", expected, status)
		}
	}
}

// sum returns the sums of all numbers and of all cooked values, and the number of values.
func sum(reader *hkpd.Reader) (raw uint64, cooked float64, count int, err error) {
	for {
		more, err := reader.Next()
		if err != nil || !more {
			return raw, cooked, count, err
		}
		for _, object := range reader.Sample().Objects() {
			all := object.Cooked()
			for c, column := range object.Columns() {
				for row, value := range column.Values {
					if column.Storage == hkpd.StorageNumber {
						raw += value
					}
					if !math.IsNaN(all[c].Values[row]) {
						cooked += all[c].Values[row]
					}
					count++
				}
			}
		}
	}
}

func TestOpenFails(t *testing.T) {
	_, err := hkpd.Open("no/such/file")
	var failure *hkpd.Error
	if !errors.As(err, &failure) || failure.Status != hkpd.StatusOpen || !strings.Contains(err.Error(), "no/such/file") {
		t.Errorf("expected an hkpd.Error that names the file, found %v", err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("expected fs.ErrNotExist, found %v", err)
	}
	for _, wrong := range [][]string{{}, {"a\x00b"}} {
		if _, err := hkpd.Open(wrong...); !errors.As(err, &failure) || failure.Status != hkpd.StatusArgument {
			t.Errorf("expected StatusArgument for %q, found %v", wrong, err)
		}
	}
	if _, err := (hkpd.Options{From: time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)}).Open(captures + "demo.bin"); err == nil {
		t.Error("expected an error for a time that has no nanoseconds since 1970")
	}
}

// TestValues compares with values that the builder of demo.bin wrote, as the README of the project shows them.
func TestValues(t *testing.T) {
	reader := open(t, hkpd.Options{}, captures+"demo.bin")
	defer reader.Close()
	if reader.Sample() != nil {
		t.Error("there is a sample before Next")
	}
	var last []float64
	count := 0
	for ; next(t, reader); count++ {
		object, time := column(t, reader.Sample(), "Processor", "% Processor Time")
		names := []string{}
		for _, instance := range object.Instances() {
			names = append(names, instance.Name.String())
		}
		if strings.Join(names, " ") != "0 1 _Total" || len(time.Values) != 3 || object.Kind != hkpd.KindMulti {
			t.Fatalf("expected the instances 0 1 _Total, found %v", names)
		}
		cooked := time.Cooked()
		if count == 0 && (!math.IsNaN(cooked.Values[0]) || cooked.Reasons[0].String() != "first_sample") {
			t.Errorf("expected no value in the first sample, found %v, %v", cooked.Values, cooked.Reasons)
		}
		last = append([]float64(nil), cooked.Values...)
	}
	if count != 3 || len(last) != 3 || !near(last[0], 38) || !near(last[1], 19) || !near(last[2], 28.5) {
		t.Errorf("expected 38, 19, 28.5 in the third sample, found %v in sample %d", last, count)
	}
	if reader.Sample() != nil {
		t.Error("there is a sample after the last one")
	}
}

func TestOptions(t *testing.T) {
	all := open(t, hkpd.Options{}, captures+"demo.bin")
	defer all.Close()
	next(t, all)
	from := all.Sample().Time()
	if from.Format(time.RFC3339) != "2024-05-14T09:30:00Z" {
		t.Errorf("expected 2024-05-14T09:30:00Z, found %v", from)
	}
	for _, test := range []struct {
		options hkpd.Options
		samples int
	}{
		{hkpd.Options{From: from.Add(time.Nanosecond)}, 2}, {hkpd.Options{To: from}, 1}, {hkpd.Options{SampleCount: 2}, 2},
		{hkpd.Options{FirstSample: 1}, 2}, {hkpd.Options{Every: 2}, 2},
	} {
		reader := open(t, test.options, captures+"demo.bin")
		samples := 0
		for next(t, reader) {
			samples++
		}
		if samples != test.samples {
			t.Errorf("%+v: expected %d samples, found %d", test.options, test.samples, samples)
		}
		reader.Close()
	}
	german := open(t, hkpd.Options{NoInputTitles: true, Titles: titles("238", "Prozessor")}, captures+"demo.bin")
	defer german.Close()
	next(t, german)
	if _, time := column(t, german.Sample(), "Prozessor", "% Processor Time"); time.Index != 6 {
		t.Errorf("expected the index 6, found %d", time.Index)
	}
	raw := open(t, hkpd.Options{RawOnly: true, FirstSample: 1}, captures+"demo.bin")
	defer raw.Close()
	next(t, raw)
	next(t, raw)
	if _, time := column(t, raw.Sample(), "Processor", "% Processor Time"); !math.IsNaN(time.Cooked().Values[0]) {
		t.Errorf("expected no rate with RawOnly, found %v", time.Cooked().Values)
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

// TestBytesAndFeed reads the same blocks as a file, from memory and fed one by one: all sums are equal.
func TestBytesAndFeed(t *testing.T) {
	file := open(t, hkpd.Options{}, captures+"demo.bin")
	defer file.Close()
	raw, cooked, count, err := sum(file)
	if err != nil || count < 1000 || cooked == 0 {
		t.Fatalf("expected values, found %d, %v", count, err)
	}
	all := blocks(t, captures+"demo.bin")
	bytes := bytes.Join(all, nil)
	memory, err := hkpd.OpenBytes(bytes)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	for b := range bytes {
		bytes[b] = 0xAA // the reader has its own copy
	}
	if r, c, n, err := sum(memory); r != raw || c != cooked || n != count || err != nil {
		t.Errorf("from memory: expected %d %v %d, found %d %v %d, %v", raw, cooked, count, r, c, n, err)
	}
	feed, err := hkpd.NewFeed()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	var fedRaw uint64
	var fedCooked float64
	fed := 0
	for _, block := range blocks(t, captures+"demo.bin") {
		if err := feed.Add(hkpd.Record{Kind: hkpd.RecordV1, Data: block}); err != nil {
			t.Fatal(err)
		}
		r, c, n, err := sum(&feed.Reader)
		if err != nil {
			t.Fatal(err)
		}
		fedRaw, fedCooked, fed = fedRaw+r, fedCooked+c, fed+n
	}
	if fedRaw != raw || fed != count || math.Abs(fedCooked-cooked) > 1e-9*math.Abs(cooked) {
		t.Errorf("fed: expected %d %v %d, found %d %v %d", raw, cooked, count, fedRaw, fedCooked, fed)
	}
	if err := feed.Add(hkpd.Record{Kind: 77}); err == nil {
		t.Error("expected an error for a kind that does not exist")
	}
}

// TestFedTitles feeds a title table before a block, which is named by it.
func TestFedTitles(t *testing.T) {
	feed, err := hkpd.Options{Languages: []string{"007"}}.NewFeed()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	for _, record := range []hkpd.Record{
		{Kind: hkpd.RecordTitles, Data: titles("238", "Prozessor"), Language: "007", Time: time.Unix(1, 0)},
		{Kind: hkpd.RecordV1, Data: blocks(t, captures+"demo.bin")[0]},
	} {
		if err := feed.Add(record); err != nil {
			t.Fatal(err)
		}
	}
	if !next(t, feed) {
		t.Fatal("no sample")
	}
	if object, _ := column(t, feed.Sample(), "Prozessor", "% Processor Time"); object.Index != 238 {
		t.Errorf("expected the index 238, found %d", object.Index)
	}
	if next(t, feed) {
		t.Error("expected one sample")
	}
}

func TestTextsAndDamage(t *testing.T) {
	reader := open(t, hkpd.Options{}, captures+"text-and-bytes.bin")
	defer reader.Close()
	texts := 0
	for next(t, reader) {
		for _, object := range reader.Sample().Objects() {
			columns := object.Columns()
			for c := range columns {
				column := &columns[c]
				if column.Storage == hkpd.StorageNumber && column.Text(0).Exists() {
					t.Error("a number has a text")
				}
				if column.Text(-1).Exists() || column.Text(len(column.Values)).Exists() {
					t.Error("a row that does not exist has a text")
				}
				if column.Storage != hkpd.StorageNumber && column.Text(0).String() != "" {
					texts++
				}
			}
		}
	}
	if texts == 0 {
		t.Error("no text was found")
	}
	faults := reader.Faults()
	if len(faults) == 0 || reader.CountFaults(hkpd.SeverityWarning) == 0 || faults[0].Code == "" || faults[0].Message == "" ||
		faults[0].Input == nil {
		t.Errorf("expected faults with all texts, found %+v", faults)
	}
}

// TestUseAfter calls methods of what is no longer valid: they return nothing, and do not crash.
func TestUseAfter(t *testing.T) {
	reader := open(t, hkpd.Options{}, captures+"demo.bin")
	next(t, reader)
	sample := reader.Sample()
	object, counter := column(t, sample, "Processor", "% Processor Time")
	kept := *counter
	next(t, reader)
	if object.Columns() != nil || kept.Cooked().Values != nil {
		t.Error("an object has columns before the objects of the next sample were read")
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	reader.Close()
	if len(sample.Objects()) != 0 || object.Columns() != nil || object.Instances() != nil || object.Cooked() != nil ||
		kept.Cooked().Values != nil || kept.Text(0).Exists() || reader.Sample() != nil || len(reader.Faults()) != 0 {
		t.Error("a closed reader returned data")
	}
	if more, err := reader.Next(); more || err == nil {
		t.Errorf("expected an error of Next after Close, found %v, %v", more, err)
	}
}

// TestGoroutines uses a reader each in many goroutines, for the race detector.
func TestGoroutines(t *testing.T) {
	var group sync.WaitGroup
	sums := make([]float64, 8)
	for g := range sums {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			for round := 0; round < 5; round++ {
				reader, err := hkpd.Open(captures+"demo.bin", captures+"simulated.mcap")
				if err != nil {
					t.Error(err)
					return
				}
				_, cooked, _, err := sum(reader)
				if err != nil {
					t.Error(err)
				}
				sums[g] = cooked
				reader.Close()
			}
		}(g)
	}
	group.Wait()
	for _, cooked := range sums {
		if cooked != sums[0] || cooked == 0 {
			t.Errorf("expected the same sum from each goroutine, found %v", sums)
		}
	}
}

// TestMemory opens a file many times: what is not freed would be more than the memory that the first rounds needed.
func TestMemory(t *testing.T) {
	round := func() {
		for n := 0; n < 200; n++ {
			reader := open(t, hkpd.Options{Languages: []string{"007", "009"}, Titles: titles("238", "Prozessor")}, captures+"demo.bin")
			if _, _, _, err := sum(reader); err != nil {
				t.Fatal(err)
			}
			reader.Faults()
			reader.Close()
			hkpd.Open("no/such/file")
		}
	}
	round()
	before := resident(t)
	round()
	round()
	if after := resident(t); after > before+4<<20 {
		t.Errorf("400 openings left %d bytes", after-before)
	}
}

// resident returns the memory of this process in bytes.
func resident(t *testing.T) int {
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages := 0
	for _, digit := range bytes.Fields(content)[1] {
		pages = 10*pages + int(digit-'0')
	}
	return pages * os.Getpagesize()
}

func TestNames(t *testing.T) {
	if hkpd.Version() == "" || hkpd.TypeName(0x10410400) != "PERF_COUNTER_COUNTER" || hkpd.TypeName(1) != "" {
		t.Errorf("found version %q, type %q", hkpd.Version(), hkpd.TypeName(0x10410400))
	}
	if hkpd.Reason(0).String() != "none" || hkpd.Reason(255).String() != "reason 255" {
		t.Errorf("found %v, %v", hkpd.Reason(0), hkpd.Reason(255))
	}
}

func near(found, expected float64) bool { return math.Abs(found-expected) < 1e-9 }
