// V8's .cpuprofile, as DevTools, `node --cpu-prof` and the inspector protocol write it.
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
      'ids of nodes; nodes with equal callers and equal frames become one',
      'the order of samples whose times go backwards',
      'fields that V8 does not define',
    ],
  },
  writes: {
    losses: [
      'profiles other than one of time and its counts',
      'values other than the time until the next sample; totals are placed one after another',
      'addresses, mappings, lines of callers, attributes, links',
      'resource, scope, profile id, period and original payload',
    ],
  },
  detect: head => detectCpuprofile(head),
  read: readCpuprofile,
  write: writeCpuprofile,
}
