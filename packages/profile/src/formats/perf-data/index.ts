// perf.data: the output of `perf record`, to a file or into a pipe.
import type { Format } from '../format.ts'
import { detectPerfData } from './file-header.ts'
import { readPerfData } from './read.ts'

export const perfData: Format = {
  name: 'perf-data',
  title: 'perf.data of Linux perf: file and pipe, either byte order, zstd-compressed records',
  extensions: ['.perf.data', '.data'],
  reads: {
    losses: [
      'names of functions: the file has only addresses; files, build ids and offsets are preserved to find names later',
      'user stacks and registers for unwinding, branch records, hardware traces, fields of tracepoints',
      'context switches, counter reads, topology and other features of the header',
    ],
  },
  detect: detectPerfData,
  read: readPerfData,
}
