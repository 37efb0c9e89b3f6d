import { readProfile, validate } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import type { DemoBatch } from './demo-handlers.ts'
import { demoHandlers } from './demo-handlers.ts'
import { Random } from './random.ts'
import { DEPLOY_MS, Shop, isSlow } from './shop.ts'

const OPENED = Date.UTC(2026, 10, 1)
const MINUTE = 60_000

interface SpanJson {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

async function batchesUntil(minutes: number): Promise<DemoBatch[]> {
  const handlers = demoHandlers({ opened: OPENED, from: OPENED })
  const batches: DemoBatch[] = []
  for (let at = MINUTE; at <= minutes * MINUTE; at += MINUTE) batches.push((await handlers.advance(OPENED + at)).value)
  return batches
}

function spansIn({ traces }: DemoBatch): SpanJson[] {
  const { resourceSpans } = JSON.parse(new TextDecoder().decode(traces)) as {
    readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SpanJson[] }[] }[]
  }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

describe('the demo', () => {
  it('makes profiles that break no rule of the data format, with links to its spans', async () => {
    const batches = await batchesUntil(3)
    const spans = new Set(batches.flatMap(spansIn).map(({ spanId }) => spanId))
    for (const { profiles: bytes } of batches) {
      expect(validate(readProfile(bytes).profiles, { strict: true })).toEqual([])
      const { links } = readProfile(bytes).profiles.dictionary
      let known = 0
      for (let row = 1; row < links.length; row++)
        if (spans.has(Buffer.from(links.spanId(row as never)).toString('hex'))) known++
      // Spans that have not ended are missing.
      expect(known).toBeGreaterThan(0.9 * (links.length - 1))
    }
  })

  it('ends every span within its parent', async () => {
    const spans = (await batchesUntil(2)).flatMap(spansIn)
    const byId = new Map(spans.map(span => [span.spanId, span]))
    const children = spans.filter(({ parentSpanId }) => byId.has(parentSpanId))
    expect(children.length).toBeGreaterThan(100)
    for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano } of children) {
      const parent = byId.get(parentSpanId)!
      expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano))
      expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent.endTimeUnixNano))
    }
  })

  it('returns the same data for the same times', async () => {
    const [first, second] = [await batchesUntil(1), await batchesUntil(1)]
    expect(second).toEqual(first)
  })
})

describe('Shop', () => {
  const versionsAt = (shop: Shop, time: number): Record<string, string> =>
    Object.fromEntries(shop.advance(time).map(({ service, version }) => [service, version]))

  it('deploys one service at a time, and a slow version of recommendations after 48 minutes', () => {
    const shop = new Shop(OPENED, OPENED, new Random(1))
    const before = versionsAt(shop, OPENED + DEPLOY_MS)
    const after = versionsAt(shop, OPENED + DEPLOY_MS + 1000)
    expect(Object.keys(after).filter(service => after[service] !== before[service])).toEqual(['storefront'])
    expect(isSlow(versionsAt(shop, OPENED + 12 * DEPLOY_MS)['recommendations'])).toBe(false)
    expect(isSlow(versionsAt(shop, OPENED + 12 * DEPLOY_MS + 1000)['recommendations'])).toBe(true)
  })

  it('continues with the same versions after a restart', () => {
    const time = OPENED + 13.5 * DEPLOY_MS
    const whole = versionsAt(new Shop(OPENED, OPENED, new Random(1)), time)
    expect(versionsAt(new Shop(OPENED, time - 1000, new Random(1)), time)).toEqual(whole)
  })
})
