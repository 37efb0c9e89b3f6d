// Execution traces of Go 1.22 and newer. Read only.
import type { Format } from '../format.ts'
import { detectGoTrace } from './detect.ts'
import { readGoTrace } from './read.ts'

export const goTrace: Format = {
  name: 'go-trace',
  title: 'Go execution traces (Go 1.22 and newer): CPU samples, blocking, system calls, scheduling, garbage collection',
  extensions: ['.trace'],
  reads: {
    losses: [
      'running time without a CPU sample; who started and unblocked a goroutine',
      'logs and labels of goroutines',
      'heap sizes, GOMAXPROCS, starts and stops of processors',
      'traces of Go 1.21 and older',
    ],
  },
  detect: head => detectGoTrace(head),
  read: readGoTrace,
}
