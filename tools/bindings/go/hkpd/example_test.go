package hkpd_test

import (
	"fmt"

	"hkpd.example/hkpd"
)

func Example() {
	if err := printProcessorTime("../../../../testdata/captures/demo.bin"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 38.0 %
	// 1 19.0 %
	// _Total 28.5 %
	// 0 38.0 %
	// 1 19.0 %
	// _Total 28.5 %
}

func printProcessorTime(path string) error {
	reader, err := hkpd.Open(path)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		more, err := reader.Next()
		if err != nil || !more {
			return err
		}
		for _, object := range reader.Sample().Objects() {
			for _, column := range object.Columns() {
				if object.Index != 238 || column.Index != 6 {
					continue
				}
				cooked := column.Cooked()
				for row, instance := range object.Instances() {
					if cooked.Reasons[row] == 0 { // otherwise it states why there is no value
						fmt.Printf("%s %.1f %%\n", instance.Name, cooked.Values[row])
					}
				}
			}
		}
	}
}
