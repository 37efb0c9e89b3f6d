// A flame graph as one self-contained HTML page. Written only.
import type { Format } from '../format.ts'
import { writeFlamegraphHtml } from './write.ts'

export const flamegraphHtml: Format = {
  name: 'flamegraph-html',
  title: 'Flame graph page (one HTML file that works offline)',
  extensions: ['.html', '.htm'],
  writes: {
    losses: [
      'timestamps, links and attributes of samples',
      'addresses, columns and all but one line of a function',
      'attributes and identity of profiles; profiles of one type and unit are summed',
      'calls beyond the largest 200,000 of each type',
    ],
  },
  detect: () => 'no',
  write: writeFlamegraphHtml,
}
