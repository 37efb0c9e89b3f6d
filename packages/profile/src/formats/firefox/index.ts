// Firefox profiles, as Firefox's profiler records them and profiler.firefox.com, samply and others save them.
import type { Format } from '../format.ts'
import { detectFirefox } from './detect.ts'
import { readFirefox } from './read.ts'
import { writeFirefox } from './write.ts'

export const firefox: Format = {
  name: 'firefox',
  title: 'Firefox profile (JSON): Gecko and processed',
  extensions: ['.firefox.json', '.gecko.json'],
  reads: {
    losses: [
      'markers, counters, categories, pages and screenshots',
      'CPU use and responsiveness of samples',
      'columns at which functions start, native symbols, most of meta',
    ],
  },
  writes: {
    losses: [
      'attributes of samples other than their thread, links, ids, original payloads',
      'attributes of resources other than the process; scopes',
      'frame types, system names of functions, memory ranges of mappings',
    ],
  },
  detect: head => detectFirefox(head),
  read: readFirefox,
  write: writeFirefox,
}
