import { describe, expect, it } from 'vitest'
import { flagsText, sentDetails } from './sent-details.ts'

describe('flagsText', () => {
  it('names the bits of W3C Trace Context and whether the parent is remote', () => {
    expect([0x01, 0x03, 0x100, 0x301, 0x04, 0x8000_0000].map(flagsText)).toEqual([
      '0x01 (sampled)',
      '0x03 (sampled, random trace ID)',
      '0x100 (local)',
      '0x301 (sampled, remote)',
      '0x04',
      '0x80000000',
    ])
  })
})

describe('sentDetails', () => {
  it('returns only what the sender set', () => {
    expect(sentDetails({})).toEqual([])
    expect(
      sentDetails({ traceState: 'a=1', flags: 1, droppedAttributes: 1200, droppedEvents: 0, droppedLinks: 3 }),
    ).toEqual([
      { key: 'trace state', value: 'a=1' },
      { key: 'flags', value: '0x01 (sampled)' },
      { key: 'dropped attributes', value: '1,200' },
      { key: 'dropped links', value: '3' },
    ])
  })
})
