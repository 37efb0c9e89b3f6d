// A call graph for Graphviz. Write only.
import type { Format } from '../format.ts'
import { writeDot } from './write.ts'

export const dot: Format = {
  name: 'dot',
  title: 'Call graph (DOT), for Graphviz',
  extensions: ['.dot', '.gv'],
  writes: {
    losses: [
      'stacks: the file has only callers and callees, and only of the 80 largest functions',
      'timestamps, links and attributes, lines and addresses',
      'profiles of other types than the first',
    ],
  },
  detect: () => 'no',
  write: writeDot,
}
