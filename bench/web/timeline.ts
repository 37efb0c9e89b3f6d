// Draws a timeline of a million events on a hundred threads in Chromium without a GPU:  npm run bench:timeline
// packages/web/src/draw/testing/timeline-bench-page.ts has the page's part and explains each row.
import { measurePage } from './measure-page.ts'
import { writeFigures } from '../write-figures.ts'

const EVENTS = 1_000_000
const THREADS = 100
const FRAMES = 240

const lines = await measurePage(
  {
    script: 'packages/web/src/draw/testing/timeline-bench-page.ts',
    make: `bench.casesOf(${EVENTS}, ${THREADS}, ${FRAMES})`,
    what: `${EVENTS.toLocaleString('en')} events on ${THREADS} threads`,
    limits: {
      'first picture': { p50: 1000 },
      'frame, zooming and panning': { p95: 16 },
      'flame chart of a million calls, frame': { p95: 16 },
    },
  },
  process.argv.includes('--both') ? [1, 2] : [1],
)
console.log(lines.join('\n'))
writeFigures('bench:timeline', lines.join('\n'))
