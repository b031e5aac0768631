module bombus/reed_solomon

go 1.18

require github.com/klauspost/reedsolomon v1.12.1

require (
	github.com/klauspost/cpuid/v2 v2.2.6 // indirect
	golang.org/x/sys v0.5.0 // indirect
)
