import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { readProfile } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { receiversAt } from './receivers.ts'
import { quickStartsPage } from './snippets.ts'

const PAGE = new URL('../../../../../docs/quick-starts.md', import.meta.url)
const SENDER = readFileSync(new URL('../../../public/browser-profiler.js', import.meta.url), 'utf8')

describe('docs/quick-starts.md', () => {
  it('has the ways to send data that the UI shows', () => {
    const page = quickStartsPage(receiversAt('127.0.0.1', [], 'http://127.0.0.1:4040', false))
    if (process.env['UPDATE_QUICK_STARTS'] !== undefined || !existsSync(PAGE)) writeFileSync(PAGE, page)
    // UPDATE_QUICK_STARTS=1 writes it.
    expect(readFileSync(PAGE, 'utf8')).toBe(page)
  })
})

describe('browser-profiler.js', () => {
  it('has at most 2 kB without comments', () => {
    expect(SENDER.replaceAll(/^ *\/\/.*\n/gm, '').replaceAll(/\n\s*/g, '\n').length).toBeLessThanOrEqual(2048)
  })

  it('sends what the page ran as a V8 profile with dates', async () => {
    const origin = 1_790_000_000_000
    const trace = {
      resources: ['https://shop.example/app.js'],
      frames: [
        { name: 'main', resourceId: 0, line: 3, column: 1 },
        { name: 'rank', resourceId: 0, line: 9, column: 5 },
        { name: 'sort' },
      ],
      stacks: [{ frameId: 0 }, { frameId: 1, parentId: 0 }, { frameId: 2, parentId: 1 }],
      samples: [{ timestamp: 100, stackId: 2 }, { timestamp: 110 }, { timestamp: 120, stackId: 1 }],
    }
    class Profiler {
      async stop() {
        return trace
      }
    }
    let clock = 90
    const sent = new Promise<readonly [url: string, body: string]>(resolve => {
      let isFirst = true
      const timer = (run: () => void): void => void (isFirst && run())
      runInNewContext(SENDER, {
        document: { currentScript: { dataset: { to: 'https://hearth:4318', service: 'shop-web' } } },
        window: { Profiler },
        Profiler,
        performance: { timeOrigin: origin, now: () => (clock += 40) },
        location: { pathname: '/cart' },
        addEventListener: () => {},
        setTimeout: timer,
        URLSearchParams,
        fetch: async (url: string, { body }: { readonly body: string }) => {
          isFirst = false
          resolve([url, body])
        },
      })
    })
    const [url, body] = await sent
    expect(url).toBe('https://hearth:4318/v1/push?service=shop-web&format=cpuprofile&attribute=url.path%3D%2Fcart')
    const { profiles } = readProfile(new TextEncoder().encode(body), { format: 'cpuprofile' })
    const { samples, dictionary } = profiles
    expect(samples.length).toBe(3)
    expect(Array.from(samples.timestamps.signed().subarray(0, 3))).toEqual(
      [100, 110, 120].map(ms => BigInt(origin + ms) * 1_000_000n),
    )
    expect(new TextDecoder().decode(dictionary.bytes)).toContain('rank')
  })
})
