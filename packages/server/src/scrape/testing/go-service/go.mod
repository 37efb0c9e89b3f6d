module service

go 1.22

require github.com/grafana/pyroscope-go/godeltaprof v0.1.9

require github.com/klauspost/compress v1.17.8 // indirect
