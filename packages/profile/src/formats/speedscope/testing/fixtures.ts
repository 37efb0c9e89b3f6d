// Small speedscope files: both kinds of profiles, all units, both orders of frames and profiles.
import { encodeUtf8 } from '../../../wire/utf8.ts'

const $schema = 'https://www.speedscope.app/file-format-schema.json'
const frames = [
  { name: 'a' },
  { name: 'b', file: 'b.js', line: 3, col: 14 },
  { name: 'ü "c"', file: 'b.js' },
  { name: 'd' },
]

const open = (frame: number, at: number): object => ({ type: 'O', frame, at })
const close = (frame: number, at: number): object => ({ type: 'C', frame, at })
const events = [open(0, 0), open(1, 0), open(2, 0), close(2, 2), open(3, 2), close(3, 6.5), close(1, 14), close(0, 14)]
const sampled = (unit: string, extra: object = {}): object => ({
  type: 'sampled',
  name: `in ${unit}`,
  unit,
  startValue: 0,
  endValue: 14,
  samples: [[0, 1, 2], [0, 1, 2], [], [0, 1, 3], [0]],
  weights: [1, 1, 4, 3, 5],
  ...extra,
})

export function fixture(content: object): Uint8Array {
  return encodeUtf8(JSON.stringify(content))
}

export const evented = (extra: object = {}): object => ({
  type: 'evented',
  name: 'calls',
  unit: 'milliseconds',
  startValue: 0,
  endValue: 14,
  events,
  ...extra,
})

export const fixtures = [
  {
    name: 'every unit, sampled',
    bytes: fixture({
      exporter: 'speedscope@1.25.0',
      name: 'all units',
      activeProfileIndex: 1,
      $schema,
      shared: { frames },
      profiles: ['nanoseconds', 'microseconds', 'milliseconds', 'seconds', 'bytes', 'none'].map(unit => sampled(unit)),
    }),
  },
  {
    name: 'evented, frames last',
    bytes: fixture({ version: '0.0.1', $schema, profiles: [evented()], shared: { frames } }),
  },
  {
    name: 'fractions, without a schema',
    bytes: fixture({
      profiles: [
        sampled('seconds', {
          startValue: 1_700_000_000.5,
          endValue: 1_700_000_010,
          weights: [0.25, 1e-9, 1, 2, 0.125],
        }),
        sampled('none', { weights: [0.5, 1.25, 1, 2, 3] }),
        sampled('bytes', { weights: [2 ** 60, 1, 2, 3, 4] }),
      ],
      shared: { frames },
    }),
  },
  {
    name: 'no samples',
    bytes: fixture({ $schema, shared: { frames: [] }, profiles: [sampled('seconds', { samples: [], weights: [] })] }),
  },
]
