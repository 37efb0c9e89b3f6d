package main

// Serves /debug/pprof/delta_heap, delta_mutex and delta_block.
import _ "github.com/grafana/pyroscope-go/godeltaprof/http/pprof"
