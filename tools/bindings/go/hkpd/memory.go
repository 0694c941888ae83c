package hkpd

// #include "glue.h"
import "C"

import "unsafe"

// array is an array in memory of C, which is reused. C structs with pointers are kept there and not in Go's memory,
// where the garbage collector would take pointers that have become invalid for its own.
type array[T any] struct {
	elements []T
}

// reserve returns the array with at least `count` elements, without keeping their values. It returns nil if there is
// not enough memory.
func (a *array[T]) reserve(count int) []T {
	wanted := count
	if count > len(a.elements) {
		var element T
		if count < 2*len(a.elements) { // so that a slowly growing input does not allocate each time
			count = 2 * len(a.elements)
		}
		a.free()
		memory := C.calloc(C.size_t(count), C.size_t(unsafe.Sizeof(element)))
		if memory == nil {
			return nil
		}
		a.elements = unsafe.Slice((*T)(memory), count)
	}
	return a.elements[:wanted:wanted]
}

func (a *array[T]) free() {
	if len(a.elements) > 0 {
		C.free(unsafe.Pointer(&a.elements[0]))
		a.elements = nil
	}
}

// first returns the address of the first element; nil for an empty slice.
func first[T any](elements []T) *T {
	if len(elements) == 0 {
		return nil
	}
	return &elements[0]
}
