// Folded (collapsed) stacks, the text that flame graph tools exchange.
import type { Format } from '../format.ts'
import { detectFolded, FOLDED_EXTENSIONS } from './detect.ts'
import { readFolded } from './read.ts'
import { writeFolded } from './write.ts'

export const folded: Format = {
  name: 'folded',
  title: 'Folded stacks: plain, differential, and extended by attributes, ids and timestamps',
  extensions: FOLDED_EXTENSIONS,
  reads: { losses: ['comments, lines without a value', 'decimals beyond 18 digits'] },
  writes: {
    losses: [
      'all profiles except one',
      'addresses, mappings, files, line numbers and other attributes of locations',
      'resource, scope, profile id, attributes and original payload',
      'unless extended: type, unit, time, period, sample attributes, links, timestamps, semicolons and line breaks in names',
    ],
  },
  detect: detectFolded,
  read: readFolded,
  write: writeFolded,
}
