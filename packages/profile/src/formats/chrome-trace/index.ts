// Chrome's trace events: DevTools timelines, about:tracing, Hermes, and every tool that writes the same format.
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
      'arguments and categories of events, except positions in files',
      'the boundary between consecutive calls with the same stack',
    ],
  },
  writes: {
    losses: [
      'profiles beyond one of intervals, one of samples and one of weights per process',
      'values other than the time until the next sample; totals are placed one after another',
      'addresses, mappings, attributes, links',
      'resource other than process id and name; scope, profile id, period and original payload',
    ],
  },
  detect: head => detectChromeTrace(head),
  read: readChromeTrace,
  write: writeChromeTrace,
}
