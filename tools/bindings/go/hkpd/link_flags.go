//go:build hkpd_flags

package hkpd

// The header and the library are where CGO_CFLAGS and CGO_LDFLAGS state.

// #cgo LDFLAGS: -lhkpd
import "C"
