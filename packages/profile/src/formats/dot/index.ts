// A call graph for Graphviz. Written only.
import type { Format } from '../format.ts'
import { writeDot } from './write.ts'

export const dot: Format = {
  name: 'dot',
  title: 'Call graph (DOT), for Graphviz',
  extensions: ['.dot', '.gv'],
  writes: {
    losses: [
      'stacks: only callers and callees are kept, and only of the 80 largest functions',
      'timestamps, links and attributes, lines and addresses',
      'profiles of other types than the first',
    ],
  },
  detect: () => 'no',
  write: writeDot,
}
