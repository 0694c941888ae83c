//go:build hkpd_flags

package hkpd

// The header and the library are where CGO_CFLAGS and CGO_LDFLAGS say.

// #cgo LDFLAGS: -lhkpd
import "C"
