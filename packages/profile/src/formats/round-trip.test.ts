// Checks for every fixture of every format: the profiles are valid, the content alone identifies the format, and written
// profiles read back the same as far as the format can represent them.
import { describe, expect, test } from 'vitest'
import { difference } from '../model/compare/content-equal.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import { validate } from '../model/validate/validate.ts'
import { decodeUtf8 } from '../wire/utf8.ts'
import { detectFormat, HEAD_BYTES } from './detect.ts'
import { folded } from './folded/index.ts'
import type { Format } from './format.ts'
import { otlp } from './otlp/index.ts'
import { readProfile } from './read-profile.ts'
import { formats } from './registry.ts'
import { withIdsOf } from './testing/expect-format.ts'
import { fixturesOf } from './testing/fixtures-of.ts'

/** The stacks and values of each profile type as text. Every format represents at least these. */
function stacksOf(profiles: Profiles): string[] {
  const types = Array.from({ length: profiles.profiles.length }, (_, i) =>
    profiles.dictionary.strings.text(profiles.profiles.type(i)),
  )
  return [...new Set(types)].map(type => {
    const { bytes } = folded.write!(profiles, { type, annotations: false })
    return decodeUtf8(bytes)
  })
}

function read(format: Format, bytes: Uint8Array): Profiles {
  return format.read!(bytes, {}).profiles
}

const readable = formats.filter(format => format.read !== undefined)

describe.each(readable)('$name', format => {
  test.each(fixturesOf(format))('$name', ({ bytes }) => {
    const { profiles, compression } = readProfile(bytes, { format: format.name })
    expect(validate(profiles)).toEqual([])

    if (compression === 'none') expect(detectFormat(bytes.subarray(0, HEAD_BYTES), 'unknown')?.format).toBe(format)
    expect(readProfile(bytes, { fileName: 'unknown' }).format).toBe(format)

    if (format.write !== undefined) {
      const written = format.write(profiles, {})
      const again = read(format, written.bytes)
      // Without a note nothing may be lost. With one, the stacks and values of the written profiles are still there.
      if (written.notes.length === 0) expect(difference(again, withIdsOf(again, profiles))).toBeUndefined()
      else {
        expect(again.profiles.length).toBeGreaterThan(0)
        expect(stacksOf(profiles)).toEqual(expect.arrayContaining(stacksOf(again)))
      }
      // All losses happen in the first round. After that nothing changes.
      expect(format.write(again, {}).bytes).toEqual(written.bytes)
    }

    expect(difference(read(otlp, otlp.write!(profiles, {}).bytes), profiles)).toBeUndefined()
  })
})
