package perflib_test

import (
	"fmt"
	"os"

	"hkpd.example/hkpd/perflib"
)

func ExampleDecode() {
	blob, err := os.ReadFile("../../../../../testdata/captures/demo.bin")
	if err != nil {
		fmt.Println(err)
		return
	}
	objects, err := perflib.Decode(blob)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, object := range objects {
		for _, instance := range object.Instances {
			for _, counter := range instance.Counters {
				if counter.Def.Name == "Handle Count" && instance.Name == "explorer" {
					fmt.Println(object.Name, instance.Name, counter.Def.Name, counter.Value)
				}
			}
		}
	}
	// Output:
	// Process explorer Handle Count 1124
}
