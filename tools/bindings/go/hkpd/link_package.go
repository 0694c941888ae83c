//go:build !hkpd_flags

package hkpd

// #cgo pkg-config: hkpd
import "C"
