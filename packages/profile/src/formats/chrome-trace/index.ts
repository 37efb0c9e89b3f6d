// Chrome's trace events: DevTools timelines, about:tracing, Hermes, and every tool that writes the same.
import type { Format } from '../format.ts'
import { detectChromeTrace } from './detect.ts'
import { readChromeTrace } from './read.ts'
import { writeChromeTrace } from './write.ts'

export const chromeTrace: Format = {
  name: 'chrome-trace',
  title: 'Chrome trace events, with the CPU profiles of DevTools',
  extensions: ['.trace.json', '.trace'],
  reads: {
    losses: [
      'events without a duration or a stack: instants, counters, async and flow events',
      'arguments and categories of events, other than where in which file',
      'where one call ends and the next of the same stack begins',
    ],
  },
  writes: {
    losses: [
      'profiles beyond one of intervals, one of samples and one of weights for each process',
      'values of samples other than the time to the next; totals are laid end to end',
      'addresses, mappings, attributes, links',
      'resource other than process id and name; scope, profile id, period and original payload',
    ],
  },
  detect: head => detectChromeTrace(head),
  read: readChromeTrace,
  write: writeChromeTrace,
}
