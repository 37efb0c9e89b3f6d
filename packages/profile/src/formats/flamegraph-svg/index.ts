// A flame graph as one SVG file. Write only.
import type { Format } from '../format.ts'
import { writeFlamegraphSvg } from './write.ts'

export const flamegraphSvg: Format = {
  name: 'flamegraph-svg',
  title: 'Flame graph image (one SVG file, with zoom and search in browsers)',
  extensions: ['.svg'],
  writes: {
    losses: [
      'timestamps, links and attributes',
      'addresses, lines and columns; calls narrower than a tenth of a pixel',
      'profiles of other types than the first',
    ],
  },
  detect: () => 'no',
  write: writeFlamegraphSvg,
}
