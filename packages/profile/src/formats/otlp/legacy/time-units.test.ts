import { describe, expect, it } from 'vitest'
import { codes } from '../../testing/expect-format.ts'
import { fixed64, join, len, packed, text, varint } from '../../testing/wire.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import { readOtlpJson } from '../../otlp-json/read.ts'
import type { ReadResult } from '../../format.ts'
import { readOtlp } from '../read.ts'

const SECONDS = [1_700_000_000n, 1_700_000_060n] as const
const UNITS = [
  ['seconds', 1n],
  ['milliseconds', 1000n],
  ['microseconds', 1_000_000n],
] as const

function protobuf(start: bigint, end: bigint, time: bigint): Uint8Array {
  const profile = len(8, len(1, varint(1, 1)), len(2, packed(2, [1n]), packed(13, [time])), text(6, ''), text(6, 'cpu'))
  return len(1, len(2, len(2, join(fixed64(2, start), fixed64(3, end), profile))))
}

function json(start: bigint, end: bigint, time: bigint): Uint8Array {
  const profile = {
    sampleType: [{ type: '1', aggregationTemporality: 1 }],
    sample: [{ value: ['1'], timestampsUnixNano: [`${time}`] }],
    stringTable: ['', 'cpu'],
  }
  const container = { startTimeUnixNano: `${start}`, endTimeUnixNano: `${end}`, profile }
  return encodeUtf8(JSON.stringify({ resourceProfiles: [{ scopeProfiles: [{ profiles: [container] }] }] }))
}

const FORMS: readonly (readonly [string, (start: bigint, end: bigint, time: bigint) => ReadResult])[] = [
  ['protobuf', (...times) => readOtlp(protobuf(...times), { generation: 'v1.3' })],
  ['JSON', (...times) => readOtlpJson(json(...times), { generation: 'v1.3' })],
]

describe.each(FORMS)('times of OTLP v1.3 as %s', (_, read) => {
  it.each(UNITS)('are recognised as %s, with notes', (unit, perSecond) => {
    const [start, end] = SECONDS.map(seconds => seconds * perSecond)
    const { profiles, notes } = read(start, end, end)
    const { profiles: table, samples } = profiles
    expect([table.time(0), table.duration(0)]).toEqual([1_700_000_000_000_000_000n, 60_000_000_000n])
    expect([...samples.timestamps.unsigned()]).toEqual([1_700_000_060_000_000_000n])
    expect(codes(notes)).toEqual(['time-unit', 'timestamp-unit'])
    expect(notes[1]).toMatchObject({ count: 1, message: `timestamps were read as ${unit} because of their size` })
  })

  it('stay nanoseconds otherwise', () => {
    const { profiles, notes } = read(5n, 9n, 7n)
    expect([profiles.profiles.time(0), profiles.profiles.duration(0)]).toEqual([5n, 4n])
    expect([...profiles.samples.timestamps.unsigned()]).toEqual([7n])
    expect(notes).toEqual([])
  })
})
