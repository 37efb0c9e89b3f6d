// The text of `perf script`, which most tools read instead of perf.data.
import type { Format } from '../format.ts'
import { detectPerfScript } from './detect.ts'
import { readPerfScript } from './read.ts'
import { writePerfScript } from './write.ts'

export const perfScript: Format = {
  name: 'perf-script',
  title: 'Text of perf script, with or without a header, times, periods, CPUs, offsets and source lines',
  extensions: ['.perf', '.perf.txt', '.perf-script'],
  reads: {
    losses: [
      'records other than samples, texts of tracepoints',
      'header lines other than machine, command line, events and clock',
    ],
  },
  writes: {
    losses: [
      'attributes of samples other than process, thread and CPU; links',
      'address ranges of files, build ids; addresses become relative to the file',
      'frame types that file names do not show, system names, start lines, columns',
      'resources and scopes except machine and command line, profile ids, other profile attributes, original payload',
      'values next to timestamps if all are 1',
    ],
  },
  detect: detectPerfScript,
  read: readPerfScript,
  write: writePerfScript,
}
