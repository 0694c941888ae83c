// Prints who uses most in a run, as `hkpd top --format csv` does: the values are data.
package main

import (
	"fmt"
	"os"

	"hkpd.example/hkpd"
)

func main() {
	answer, err := hkpd.Top(os.Args[1:]...)
	if err != nil {
		panic(err)
	}
	fmt.Println("machine,object,parent,instance,pid,counter,count,mean,p95,max,last")
	for _, s := range answer.Series {
		fmt.Printf("%q,%q,%q,%q,%v,%q,%d,%v,%v,%v,%v\n", s.Machine, s.Object, s.Parent, s.Instance, s.PID, s.Counter, s.Count, s.Mean, s.P95, s.Max, s.Last)
	}
}
