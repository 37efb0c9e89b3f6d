// Legacy pprof: the formats of gperftools, Go and Java agents from before pprof was a protobuf message. Read only.
import type { Format } from '../format.ts'
import { detectLegacyPprof } from './detect.ts'
import { readLegacyPprof } from './read.ts'

export const pprofLegacy: Format = {
  name: 'pprof-legacy',
  title: 'pprof before protobuf: gperftools CPU and heap, contention, threads, Go debug=1 text, Java agents',
  extensions: ['.heap'],
  reads: {
    losses: [
      'sampled heap and contention values are scaled to estimated totals and rounded',
      'frames of the signal handler; names of symbols in thread dumps; handles of threads',
      'memory mappings that are not executable; labels and statistics in comments',
    ],
  },
  detect: head => detectLegacyPprof(head),
  read: readLegacyPprof,
}
