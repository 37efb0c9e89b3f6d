import { encodeOtlp, writeOtlpJson } from '@hearth/profile'
import { SIGNALS } from '@hearth/signals'
import { describe, expect, it } from 'vitest'
import { richProfiles } from '../../../profile/src/model/testing/rich-profiles.ts'
import { measurePayload } from './measure-payload.ts'
import { emptyItems } from './testing/empty-items.ts'
import { logsProtobuf, record } from './testing/requests.ts'

describe('measurePayload', () => {
  it.each(SIGNALS)('counts the items of %s, in protobuf and JSON', signal => {
    for (const encoding of ['protobuf', 'json'] as const) {
      const few = measurePayload(emptyItems(signal, encoding, 1000), Infinity)
      const many = measurePayload(emptyItems(signal, encoding, 2000), Infinity)
      expect((many - few) / 1000).toBeGreaterThan(100)
      expect((many - few) / 1000).toBeLessThan(1100)
    }
  })

  it('estimates ordinary requests at a small multiple of their size', () => {
    const body = logsProtobuf(
      ...Array.from({ length: 100 }, (_, i) => record(`order ${i} was shipped to its customer`)),
    )
    expect(measurePayload({ signal: 'logs', encoding: 'protobuf', body }, Infinity)).toBeLessThan(15 * body.length)
    const profiles = richProfiles()
    for (const [encoding, body] of [
      ['protobuf', encodeOtlp(profiles)],
      ['json', writeOtlpJson(profiles).bytes],
    ] as const)
      expect(measurePayload({ signal: 'profiles', encoding, body }, Infinity) / body.length).toBeLessThan(25)
  })
})
