module hkpd/tests/bench

go 1.19
