// V8's .cpuprofile: what DevTools, `node --cpu-prof` and the inspector protocol write.
import type { Format } from '../format.ts'
import { detectCpuprofile } from './detect.ts'
import { readCpuprofile } from './read.ts'
import { writeCpuprofile } from './write.ts'

export const cpuprofile: Format = {
  name: 'cpuprofile',
  title: 'V8 CPU profile (.cpuprofile) of Node.js and Chrome, new and old form',
  extensions: ['.cpuprofile'],
  reads: {
    losses: [
      'numbers of nodes; nodes of equal callers and equal frame become one',
      'the order of samples whose times go backwards',
      'fields that are not of V8',
    ],
  },
  writes: {
    losses: [
      'profiles other than one of time and its counts',
      'values other than the time to the next sample; totals are laid end to end',
      'addresses, mappings, lines of callers, attributes, links',
      'resource, scope, profile id, period and original payload',
    ],
  },
  detect: head => detectCpuprofile(head),
  read: readCpuprofile,
  write: writeCpuprofile,
}
