// Draws a flame graph of a million nodes in Chromium without a GPU:  npm run bench:web
// packages/web/src/draw/testing/bench-page.ts has the page's part and explains each row.
import { measurePage } from './measure-page.ts'
import { writeFigures } from '../write-figures.ts'

const NODES = 1_000_000
const FRAMES = 240

const lines = await measurePage(
  {
    script: 'packages/web/src/draw/testing/bench-page.ts',
    make: `bench.casesOf(${NODES}, ${FRAMES})`,
    what: `${NODES.toLocaleString('en')} nodes`,
    limits: {
      'frame, zooming and panning': { p50: 8, p95: 16 },
      layout: { p50: 300 },
      'first picture': { p50: 300 },
    },
  },
  process.argv.includes('--both') ? [1, 2] : [1],
)
console.log(lines.join('\n'))
writeFigures('bench:web', lines.join('\n'))
