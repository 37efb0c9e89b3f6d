// V8's .heapprofile, as the sampling heap profiler of DevTools and Node.js (`--heap-prof`) writes it.
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
      'ids of nodes; nodes with equal callers and equal frames become one',
      'decimals of sizes',
      'fields that V8 does not define',
    ],
  },
  writes: {
    losses: [
      'all profiles except one and its sampled allocations',
      'timestamps (observations are summed), time, duration and period',
      'addresses, mappings, lines other than the first of a function, attributes, links',
      'resource, scope, profile id and original payload',
    ],
  },
  detect: head => detectHeapprofile(head),
  read: readHeapprofile,
  write: writeHeapprofile,
}
