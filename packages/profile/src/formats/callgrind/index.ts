// Callgrind's profile format, for KCachegrind and callgrind_annotate. Write only.
import type { Format } from '../format.ts'
import { writeCallgrind } from './write.ts'

export const callgrind: Format = {
  name: 'callgrind',
  title: 'Callgrind (text), for KCachegrind and callgrind_annotate',
  extensions: ['.callgrind', '.cachegrind'],
  writes: {
    losses: [
      'stacks: the file has only callers and callees',
      'timestamps, links and attributes',
      'negative values, addresses, columns',
      'profiles of other types than the first',
    ],
  },
  detect: () => 'no',
  write: writeCallgrind,
}
