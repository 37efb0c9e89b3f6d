// Traces that Chrome and Hermes wrote, and difficult cases from the tests of other viewers.
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { validate } from '../../model/validate/validate.ts'
import { corpus } from '../testing/corpora.node.ts'
import { chromeTrace } from './index.ts'
import { readChromeTrace } from './read.ts'
import { writeChromeTrace } from './write.ts'

const files = corpus('chrome-trace')

interface Event {
  readonly ph: string
  readonly args?: { readonly data?: { readonly cpuProfile?: { readonly samples?: readonly number[] } } }
}

/** The number of V8's samples, counted by the simplest possible reading. */
function v8Samples(bytes: Uint8Array): number {
  const file = JSON.parse(Buffer.from(bytes).toString()) as
    | readonly Event[]
    | { readonly traceEvents: readonly Event[] }
  const events = 'traceEvents' in file ? file.traceEvents : file
  return events.reduce((sum, { args }) => sum + (args?.data?.cpuProfile?.samples?.length ?? 0), 0)
}

describe.skipIf(files === undefined)('the chrome-trace corpus', () => {
  test.each(files ?? [])('$name', ({ name, bytes: packed }) => {
    const bytes = name.endsWith('.gz') ? new Uint8Array(gunzipSync(packed)) : packed
    const { profiles } = readChromeTrace(bytes)
    expect(validate(profiles)).toEqual([])
    expect(chromeTrace.detect(bytes.subarray(0, 1 << 16), '')).toBe('certain')
    const written = writeChromeTrace(profiles)
    expect(written.notes).toEqual([])
    expect(difference(readChromeTrace(written.bytes).profiles, profiles)).toBeUndefined()
    const { strings } = profiles.dictionary
    let observations = 0
    for (let i = 0; i < profiles.profiles.length; i++) {
      if (strings.text(profiles.profiles.type(i)) !== 'cpu') continue
      for (let k = profiles.profiles.samplesFrom(i); k < profiles.profiles.samplesTo(i); k++) {
        observations += profiles.samples.observations(k)
      }
    }
    expect(observations).toBe(v8Samples(bytes))
  })
})
