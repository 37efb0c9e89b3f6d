// Exports of traces, logs and metrics over real sockets: they equal the received requests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Codec } from '@hearth/signals'
import { logs, metrics, traces } from '@hearth/signals'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arbitraryLogs, arbitraryMetrics, arbitraryTraces } from '../../../receive/testing/arbitrary-requests.ts'
import { startServer } from '../../../receive/testing/running-server.ts'
import { PROTOBUF, post } from '../../../receive/testing/senders.ts'
import { storedLogs, storedMetrics, storedTraces } from '../../../receive/testing/stored-content.ts'

let directory: string
let at: Awaited<ReturnType<typeof startServer>>
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-export-'))
  at = await startServer(directory)
})
afterAll(async () => {
  await at.server.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Random requests are anywhere in time. */
const ALWAYS = 'from=0&to=9223372036854775807'

const exported = (query: string): Promise<Response> => fetch(`${at.main}/api/v1/export?${ALWAYS}&${query}`)
const bytesOf = async (query: string): Promise<Buffer> => {
  const response = await exported(query)
  expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, ''])
  return Buffer.from(await response.arrayBuffer())
}

interface Items {
  readonly schemaUrl: string
}

/** The resources without empty scopes, and without resources that have no items. */
type Lists = readonly (Items & { readonly [name: string]: unknown })[]
function withItems(resources: Lists, scopesKey: string, itemsKey: string): Lists {
  return resources.flatMap(resource => {
    const scopes = (resource[scopesKey] as Lists).filter(scope => (scope[itemsKey] as readonly unknown[]).length > 0)
    return scopes.length === 0 ? [] : [{ ...resource, [scopesKey]: scopes }]
  })
}

interface Subject<Data> {
  readonly codec: Codec<Data>
  readonly content: fc.Arbitrary<Data>
  readonly resources: (data: Data) => Lists
}

function checkSignal<Data>(signal: 'traces' | 'logs' | 'metrics', { codec, content, resources }: Subject<Data>): void {
  describe(`Exported ${signal}`, () => {
    const requests = fc.sample(content, { seed: 11, numRuns: 20 })
    const expected = requests.flatMap(resources)
    const sorted = (list: Lists): string[] => list.map(text).toSorted()

    beforeAll(async () => {
      for (const request of requests) {
        const { status } = await post(`${at.otlp}/v1/${signal}`, codec.encode(request), { 'content-type': PROTOBUF })
        expect(status).toBe(200)
      }
      await at.server.store.settled()
    })

    test('are exported as one protobuf message, equal to the received requests', async () => {
      const found = resources(codec.decode(await bytesOf(`signal=${signal}`)))
      expect(sorted(found)).toEqual(sorted(expected))
    })

    test('are exported as one JSON object', async () => {
      const found = resources(codec.decodeJson(await bytesOf(`signal=${signal}&format=otlp-json`)))
      expect(sorted(found)).toEqual(sorted(expected))
    })

    test('are streamed as messages with their length, and as lines', async () => {
      const file = await bytesOf(`signal=${signal}&stream=true`)
      const messages: Lists[] = []
      for (let from = 0; from < file.length;) {
        const length = file.readUInt32BE(from)
        messages.push(resources(codec.decode(file.subarray(from + 4, from + 4 + length))))
        from += 4 + length
      }
      expect(sorted(messages.flat())).toEqual(sorted(expected))
      const lines = (await bytesOf(`signal=${signal}&format=otlp-json&stream=true`)).toString().trimEnd().split('\n')
      expect(sorted(lines.flatMap(line => resources(codec.decodeJson(Buffer.from(line)))))).toEqual(sorted(expected))
    })

    test('reject other formats, profile selectors and empty results', async () => {
      expect((await exported(`signal=${signal}&format=pprof`)).status).toBe(400)
      expect((await exported(`signal=${signal}&selector=cpu`)).status).toBe(400)
      expect((await exported(`signal=${signal}&selector=${encodeURIComponent('{a="nowhere"}')}`)).status).toBe(404)
    })
  })
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? `${each}n` : Object.is(each, -0) ? '-0' : typeof each === 'number' ? String(each) : each,
  )

checkSignal('traces', {
  codec: traces,
  content: arbitraryTraces,
  resources: data => withItems(storedTraces(data).resourceSpans as unknown as Lists, 'scopeSpans', 'spans'),
})
checkSignal('logs', {
  codec: logs,
  content: arbitraryLogs,
  resources: data => withItems(storedLogs(data).resourceLogs as unknown as Lists, 'scopeLogs', 'logRecords'),
})
checkSignal('metrics', {
  codec: metrics,
  content: arbitraryMetrics,
  resources: data => withItems(storedMetrics(data).resourceMetrics as unknown as Lists, 'scopeMetrics', 'metrics'),
})
