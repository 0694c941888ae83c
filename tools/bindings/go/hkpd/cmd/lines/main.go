// Command lines prints everything that package hkpd reads from files. The programs of the same name in other languages
// print the same, byte for byte, so that a test can compare them.
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"hkpd.example/hkpd"
)

func main() {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	var err error
	for _, path := range os.Args[1:] {
		if err = print(out, path); err != nil {
			break
		}
	}
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(3)
	}
}

func print(out *bufio.Writer, path string) error {
	fmt.Fprintln(out, "file", path)
	reader, err := hkpd.Open(path)
	if err != nil {
		var failure *hkpd.Error
		if !errors.As(err, &failure) {
			return err
		}
		fmt.Fprintf(out, "open failed: %s\n", failure.Message)
		return nil
	}
	defer reader.Close()
	for {
		more, err := reader.Next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		printSample(out, reader.Sample())
	}
	for _, fault := range reader.Faults() {
		offset := "-"
		if fault.HasOffset {
			offset = strconv.FormatUint(fault.Offset, 10)
		}
		fmt.Fprintln(out, "fault", uint32(fault.Severity), fault.Code, fault.Sample, fault.Record, fault.Object, fault.Instance,
			offset, fault.Expected, fault.Found, copied(fault.Input), copied(fault.Structure), copied(fault.Field),
			copied(&fault.Message))
	}
	fmt.Fprintln(out, "faults", reader.CountFaults(hkpd.SeverityNote), reader.CountFaults(hkpd.SeverityWarning),
		reader.CountFaults(hkpd.SeverityError))
	return nil
}

func printSample(out *bufio.Writer, sample *hkpd.Sample) {
	fmt.Fprintln(out, "sample", sample.Number, uint32(sample.Source), optional(sample.UnixNano, sample.HasTime),
		text(sample.Machine), sample.PerfTime, sample.PerfFrequency, sample.PerfTime100ns, sample.Bytes, sample.DefaultObject)
	for _, object := range sample.Objects() {
		counterset := "-"
		if object.HasCounterset {
			counterset = hex.EncodeToString(object.Counterset[:])
		}
		fmt.Fprintln(out, "object", object.Index, object.HelpIndex, text(object.Name), text(object.Help), counterset,
			uint32(object.Kind), object.DetailLevel, object.CodePage, object.PerfTime, object.PerfFrequency)
		for _, instance := range object.Instances() {
			fmt.Fprintln(out, "instance", text(instance.Name), instance.Number, optional(int64(instance.ID), instance.HasID),
				instance.ParentObject, instance.ParentInstance, instance.Offset, text(instance.Parent),
				optional(int64(instance.PID), instance.HasPID()), optional(int64(instance.InstanceID), instance.HasInstanceID),
				optional(int64(instance.Life), instance.Life != 0))
		}
		columns := object.Columns()
		for c := range columns {
			printColumn(out, &columns[c])
		}
	}
}

func printColumn(out *bufio.Writer, column *hkpd.Column) {
	typeName := hkpd.TypeName(column.Type)
	if typeName == "" {
		typeName = "-"
	}
	fmt.Fprintln(out, "column", column.Index, column.HelpIndex, text(column.Name), text(column.Help), column.Type, typeName,
		uint32(column.Storage), column.Attributes, column.ValueSize, column.Offset, column.Scale, column.DetailLevel,
		column.Base, column.Time, column.Frequency, column.Multi, optional(column.TimeBase, column.HasTimeBase))
	printArray(out, "values", column.Values)
	printArray(out, "second", column.Second)
	printArray(out, "status", column.Status)
	printArray(out, "multi_count", column.MultiCount)
	printArray(out, "taken", column.Taken)
	if column.Storage != hkpd.StorageNumber {
		for row := range column.Values {
			fmt.Fprintln(out, "text", text(column.Text(row)))
		}
	}
	cooked := column.Cooked()
	fmt.Fprintf(out, "cooked %x\n", memory(cooked.Values))
	fmt.Fprint(out, "reasons ")
	for row := 0; row < len(cooked.Reasons); {
		end := row
		for end < len(cooked.Reasons) && cooked.Reasons[end] == cooked.Reasons[row] {
			end++
		}
		if row > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, "%v*%d", cooked.Reasons[row], end-row)
		row = end
	}
	out.WriteByte('\n')
}

func printArray[T any](out *bufio.Writer, word string, values []T) {
	if values != nil {
		fmt.Fprintf(out, "%s %x\n", word, memory(values))
	}
}

// memory returns the bytes of a slice.
func memory[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

func optional(value int64, exists bool) string {
	if !exists {
		return "-"
	}
	return strconv.FormatInt(value, 10)
}

func text(text hkpd.Text) string {
	if !text.Exists() {
		return "-"
	}
	content := text.String()
	return copied(&content)
}

func copied(text *string) string {
	switch {
	case text == nil:
		return "-"
	case *text == "":
		return `""`
	}
	return hex.EncodeToString([]byte(*text))
}
