// Java Flight Recorder files of the JDK, async-profiler and agents based on them.
import type { Format } from '../format.ts'
import { detectJfr } from './detect.ts'
import { readJfr } from './read.ts'

export const jfr: Format = {
  name: 'jfr',
  title: 'Java Flight Recorder recordings: CPU, wall clock, allocation, locks, I/O, exceptions',
  extensions: ['.jfr'],
  reads: {
    losses: [
      'events that are not samples: statistics, settings, flags',
      'fields of samples other than thread, state, times, sizes, classes, span context, files and hosts',
      'class loaders, modules and modifiers',
    ],
  },
  detect: detectJfr,
  read: readJfr,
}
