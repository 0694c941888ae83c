module hkpd.example/hkpd

go 1.19
