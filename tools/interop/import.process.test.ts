// `hearth import` copies what Pyroscope and Parca store. The import is interrupted, continued and repeated.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { ProfilesBuilder, readProfile, writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHearth } from '../../packages/cli/src/testing/run-hearth.ts'
import type { Serving } from '../../packages/cli/src/testing/serving.ts'
import { startServing } from '../../packages/cli/src/testing/serving.ts'
import { startParca, startPyroscope } from './backends.ts'
import { PARCA, PYROSCOPE, findPeer } from './peer.ts'

const [pyroscope, parca] = [PYROSCOPE, PARCA].map(findPeer)
const MINUTE = 60_000
const STEPS = 6
const VALUE = 30_000_000
/** The middle of the first of six minutes that are over. */
const START = MINUTE * Math.floor(Date.now() / MINUTE - STEPS - 2) + MINUTE / 2

/** A profile per minute, with a function of its own in each. */
function profilesOf(step: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'shop' }] })
  const [main, work] = ['main', `work${step}`].map((name, i) => {
    const mapping = builder.mapping({ memoryStart: 4096, memoryLimit: 8192, filename: 'app' })
    const lines = [{ function: builder.function({ name, filename: 'app.go' }), line: i + 1 }]
    return builder.location({ mapping, address: 4096 + 16 * step + i, lines })
  })
  builder.profile({
    type: 'cpu',
    unit: 'nanoseconds',
    periodType: 'cpu',
    periodUnit: 'nanoseconds',
    period: 10_000_000,
    timeUnixNano: BigInt(START + step * MINUTE) * 1_000_000n,
    durationNano: 10_000_000_000n,
    id: Uint8Array.from({ length: 16 }, (_, i) => i + step + 1),
  })
  builder.sample({ stack: builder.stack([work, main]), values: [VALUE] })
  return writeProfile(builder.build(), 'otlp').bytes
}

/** Passes requests on until it has passed a number of queries for profiles, and then ends connections until `repaired`. */
class Breaking {
  readonly #server: Server
  #left = 2

  constructor(target: string) {
    this.#server = createServer((incoming, outgoing) => {
      const { url = '', method = '', headers } = incoming
      if (/SelectMergeProfile|profiles\/query\?/.test(url) && this.#left-- <= 0) {
        incoming.socket.destroy()
        return
      }
      void (async () => {
        const pieces: Buffer[] = []
        for await (const piece of incoming) pieces.push(piece as Buffer)
        const response = await fetch(target + url, {
          method,
          headers: { 'content-type': headers['content-type'] ?? '' },
          ...(method === 'POST' ? { body: Buffer.concat(pieces) } : {}),
        })
        const names = ['content-type', 'grpc-metadata-content-type'].filter(name => response.headers.has(name))
        outgoing.writeHead(
          response.status,
          Object.fromEntries(names.map(name => [name, response.headers.get(name) ?? ''])),
        )
        outgoing.end(Buffer.from(await response.arrayBuffer()))
      })()
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  repair(): void {
    this.#left = Infinity
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** The self values of all functions that a Hearth server has stored. */
async function selfValues(main: string): Promise<Readonly<Record<string, string>>> {
  const url = new URL('/api/v1/top', main)
  const range = { from: 'now-1h', to: 'now' }
  url.search = new URLSearchParams({ selector: 'cpu:ns{service.name="shop"}', ...range }).toString()
  const { rows = [] } = (await (await fetch(url)).json()) as {
    readonly rows?: readonly { readonly frame: { readonly name: string }; readonly self: string }[]
  }
  return Object.fromEntries(rows.map(({ frame, self }) => [frame.name, self]))
}

interface Source {
  readonly address: string
  readonly send: (otlp: Uint8Array) => Promise<void>
  readonly stop: () => Promise<void>
}

async function post(url: string, otlp: Uint8Array): Promise<void> {
  const headers = { 'content-type': 'application/x-protobuf' }
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(otlp) })
  if (!response.ok) throw new Error(await response.text())
}

const SOURCES: readonly {
  readonly name: string
  readonly kind: 'pyroscope' | 'parca'
  readonly isMissing: boolean
  readonly start: (folder: string) => Promise<Source>
}[] = [
  {
    name: 'Pyroscope',
    kind: 'pyroscope',
    isMissing: pyroscope === undefined,
    start: async folder => {
      const { address, running } = await startPyroscope(pyroscope!, folder)
      const send = async (otlp: Uint8Array): Promise<void> => await post(`${address}/v1development/profiles`, otlp)
      return { address, send, stop: async () => await running.stop() }
    },
  },
  {
    name: 'Parca',
    kind: 'parca',
    isMissing: parca === undefined,
    start: async folder => {
      const { address, running } = await startParca(parca!, folder)
      // As pprof: Parca 0.28 shows the functions of OTLP profiles with the names of others, and ends at profiles without a scope.
      const send = async (otlp: Uint8Array): Promise<void> => {
        const pprof = gzipSync(writeProfile(readProfile(otlp).profiles, 'pprof').bytes)
        const labels = [
          { name: '__name__', value: 'process_cpu' },
          { name: 'service_name', value: 'shop' },
        ]
        const series = [{ labels: { labels }, samples: [{ rawProfile: pprof.toString('base64') }] }]
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(`${address}/api/profiles/writeraw`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ series }),
        })
        if (!response.ok) throw new Error(await response.text())
      }
      return { address, send, stop: async () => await running.stop() }
    },
  },
  {
    // Its API is Pyroscope's.
    name: 'Hearth',
    kind: 'pyroscope',
    isMissing: false,
    start: async folder => {
      const source = await startServing(join(folder, 'source'))
      const send = async (otlp: Uint8Array): Promise<void> => {
        const before = Object.keys(await selfValues(source.main)).length
        await post(`${source.otlp}/v1development/profiles`, otlp)
        // Accepted profiles are found a moment later.
        while (Object.keys(await selfValues(source.main)).length === before) await sleep(50)
      }
      return { address: source.main, send, stop: async () => await source.stop() }
    },
  },
]

for (const { name, kind, isMissing, start } of SOURCES)
  describe.skipIf(isMissing)(`hearth import ${kind} from ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-import-'))
    let hearth: Serving
    let source: Source
    let breaking: Breaking
    let from: string

    beforeAll(async () => {
      hearth = await startServing(join(folder, 'data'))
      source = await start(folder)
      for (let step = 0; step < STEPS; step++) await source.send(profilesOf(step))
      breaking = new Breaking(source.address)
      from = await breaking.listen()
    })
    afterAll(async () => {
      breaking.close()
      await source.stop()
      await hearth.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const run = async () => {
      // Pyroscope also stores profiles of itself.
      const match = kind === 'pyroscope' ? ['--match', 'service_name="shop"'] : []
      const range = ['--since', '30m', '--parallel', '1', ...match]
      const state = ['--state', join(folder, 'state.json')]
      return await runHearth(['import', kind, '--from', from, '--to', hearth.main, ...range, ...state, '--json'])
    }
    it('continues after an interruption, and copies nothing twice', { timeout: 120_000 }, async () => {
      const interrupted = await run()
      expect([interrupted.status, interrupted.stderr]).toEqual([
        1,
        expect.stringContaining('Run the same command again to continue'),
      ])
      breaking.repair()
      const continued = await run()
      expect([continued.status, continued.stderr]).toEqual([0, ''])
      expect(JSON.parse(continued.stdout)).toMatchObject({ series: 1, profiles: STEPS - 2 })
      const expected = Object.fromEntries(Array.from({ length: STEPS }, (_, step) => [`work${step}`, String(VALUE)]))
      await expect.poll(() => selfValues(hearth.main), { timeout: 60_000 }).toEqual({ ...expected, main: '0' })
      const repeated = await run()
      expect(JSON.parse(repeated.stdout)).toMatchObject({ series: 1, profiles: 0 })
    })
  })
