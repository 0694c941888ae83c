package perflib

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// NameTable has the names of objects and counters by their numbers, and back. Queries need it, because they contain
// numbers.
type NameTable struct {
	names   map[uint32]string
	indexes map[string]uint32
	err     error
}

// QueryNameTable reads a table of this computer, such as "Counter 009" or "Help 009". On failure, as on each system that
// is not Windows, the table is empty, and Err returns the reason.
func QueryNameTable(tableName string) *NameTable {
	content, err := queryNames(tableName)
	if err != nil {
		return &NameTable{err: err}
	}
	return ParseNameTable(content)
}

// ParseNameTable reads a table in the form of the registry (REG_MULTI_SZ): number and name in turn, in UTF-16. Pairs
// without a number are left out.
func ParseNameTable(content []byte) *NameTable {
	units := make([]uint16, len(content)/2)
	for u := range units {
		units[u] = binary.LittleEndian.Uint16(content[2*u:])
	}
	texts := strings.Split(string(utf16.Decode(units)), "\x00")
	table := &NameTable{names: make(map[uint32]string, len(texts)/2), indexes: make(map[string]uint32, len(texts)/2)}
	for t := 0; t+1 < len(texts); t += 2 {
		number, err := strconv.ParseUint(texts[t], 10, 32)
		if err != nil {
			continue
		}
		table.add(uint32(number), texts[t+1])
	}
	if len(table.names) == 0 {
		table.err = fmt.Errorf("perflib: %d bytes contain no names of counters", len(content))
	}
	return table
}

// add adds a name. Names can occur more than once: the lowest number is the one of Windows itself.
func (t *NameTable) add(index uint32, name string) {
	t.names[index] = name
	if known, exists := t.indexes[name]; !exists || index < known {
		t.indexes[name] = index
	}
}

// Err returns why the table is empty; nil if it is not.
func (t *NameTable) Err() error { return t.err }

// LookupString returns the name of a number; "" if it has none.
func (t *NameTable) LookupString(index uint32) string { return t.names[index] }

// LookupIndex returns the number of a name; 0, which no name has, if it is unknown.
func (t *NameTable) LookupIndex(name string) uint32 { return t.indexes[name] }
