// V8's .heapprofile: what the sampling heap profiler of DevTools and Node.js (`--heap-prof`) writes.
import type { Format } from '../format.ts'
import { detectHeapprofile } from './detect.ts'
import { readHeapprofile } from './read.ts'
import { writeHeapprofile } from './write.ts'

export const heapprofile: Format = {
  name: 'heapprofile',
  title: 'V8 sampling heap profile (.heapprofile) of Node.js and Chrome',
  extensions: ['.heapprofile'],
  reads: {
    losses: [
      'numbers of nodes; nodes of equal callers and equal frame become one',
      'decimals of sizes',
      'fields that are not of V8',
    ],
  },
  writes: {
    losses: [
      'all profiles but one and its sampled allocations',
      'timestamps: observations are added up; time, duration and period',
      'addresses, mappings, lines other than the first of a function, attributes, links',
      'resource, scope, profile id and original payload',
    ],
  },
  detect: head => detectHeapprofile(head),
  read: readHeapprofile,
  write: writeHeapprofile,
}
