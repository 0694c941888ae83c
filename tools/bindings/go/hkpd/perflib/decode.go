package perflib

import (
	"fmt"

	"hkpd.example/hkpd"
)

// Decode decodes the reply of one query of HKEY_PERFORMANCE_DATA, with hkpd's built-in English names. It fails if the
// header of the block cannot be read; for all other damage see Decoder.Faults.
func Decode(blob []byte) ([]*PerfObject, error) {
	var decoder Decoder
	return decoder.Decode(blob)
}

// Decoder decodes replies with titles. The zero value uses hkpd's built-in ones.
type Decoder struct {
	// Titles are the names of counters, in any form that hkpd reads, such as the content of perfc009.dat.
	Titles []byte
	faults []hkpd.Fault
}

// Faults returns the faults that the last call of Decode found. Nothing that is damaged is among its objects.
func (d *Decoder) Faults() []hkpd.Fault { return d.faults }

// Decode decodes the reply of one query.
func (d *Decoder) Decode(blob []byte) ([]*PerfObject, error) { return d.decode(blob, "") }

// decode decodes objects of a name; all for "".
func (d *Decoder) decode(blob []byte, name string) ([]*PerfObject, error) {
	d.faults = nil
	reader, err := hkpd.Options{RawOnly: true, SampleCount: 1, Titles: d.Titles}.OpenBytes(blob)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if _, err := reader.Next(); err != nil {
		return nil, err
	}
	sample := reader.Sample()
	if sample == nil {
		d.faults = reader.Faults()
		return nil, unreadable(len(blob), d.faults)
	}
	all := sample.Objects()
	objects := make([]*PerfObject, 0, len(all))
	for _, object := range all {
		if name == "" || object.Name.String() == name {
			objects = append(objects, newObject(object))
		}
	}
	// The failure of a call above, if memory ran out.
	if _, err := reader.Next(); err != nil {
		return nil, err
	}
	d.faults = reader.Faults()
	return objects, nil
}

// unreadable returns the error for bytes that are no sample.
func unreadable(size int, faults []hkpd.Fault) error {
	for _, fault := range faults {
		if fault.Severity == hkpd.SeverityError {
			return fmt.Errorf("perflib: %d bytes are no performance data: offset %#x: %s", size, fault.Offset, fault.Message)
		}
	}
	return fmt.Errorf("perflib: %d bytes contain no sample of performance data", size)
}

// source is where the value of a counter comes from.
type source struct {
	def          *PerfCounterDef
	column       *hkpd.Column
	second       []uint64 // nil: none
	secondStatus []uint32 // nil: all valid
}

// newObject copies an object. All counters, and pointers to them, are in one allocation each, which costs less than a
// tenth of one for each counter.
func newObject(from *hkpd.Object) *PerfObject {
	object := &PerfObject{
		Name:          from.Name.String(),
		NameIndex:     uint(from.Index),
		HelpText:      from.Help.String(),
		HelpTextIndex: uint(from.HelpIndex),
		Frequency:     from.PerfFrequency,
	}
	sources := object.define(from.Columns())
	instances := from.Instances()
	made := make([]PerfInstance, len(instances))
	object.Instances = make([]*PerfInstance, len(instances))
	counters := make([]PerfCounter, len(instances)*len(sources))
	pointers := make([]*PerfCounter, len(counters))
	for i := range instances {
		instance := &made[i]
		object.Instances[i] = instance
		instance.Name = instances[i].Name.String()
		own := pointers[i*len(sources) : i*len(sources) : (i+1)*len(sources)]
		for s := range sources {
			from := &sources[s]
			if !from.column.IsValid(i) {
				continue
			}
			counter := &counters[i*len(sources)+s]
			counter.Value = int64(from.column.Values[i])
			counter.Def = from.def
			if from.second != nil && (from.secondStatus == nil || from.secondStatus[i] == hkpd.ValueValid) {
				counter.SecondValue = int64(from.second[i])
			}
			own = append(own, counter)
		}
		instance.Counters = own
	}
	return object
}

// define adds the definitions of all columns, and returns the columns that have a number for each instance.
func (o *PerfObject) define(columns []hkpd.Column) []source {
	definitions := make([]PerfCounterDef, len(columns))
	o.CounterDefs = make([]*PerfCounterDef, len(columns))
	sources := make([]source, 0, len(columns))
	for c := range columns {
		column := &columns[c]
		def := &definitions[c]
		def.Name = column.Name.String()
		def.NameIndex = uint(column.Index)
		def.HelpText = column.Help.String()
		def.HelpTextIndex = uint(column.HelpIndex)
		def.setType(column.Type)
		o.CounterDefs[c] = def
		from := source{def: def, column: column, second: column.Second, secondStatus: column.Status}
		if base := int(column.Base); base >= 0 && base < len(columns) {
			from.second, from.secondStatus = columns[base].Values, columns[base].Status
		}
		def.HasSecondValue = from.second != nil
		if column.Storage == hkpd.StorageNumber && len(column.Values) > 0 {
			sources = append(sources, from)
		}
	}
	return sources
}
