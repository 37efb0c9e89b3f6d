// Reports by schedule, from the rule file to the receiver.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TaskRunner } from '../query/threads/query-task.ts'
import type { MonitorTasks } from './monitor-tasks.ts'
import { Monitor } from './monitor.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-reports-'))
const DAY = 86_400_000
const MONDAY = Date.parse('2026-11-16T06:00:00Z')

interface Delivery {
  readonly path: string
  readonly body: Record<string, unknown>
}

/** A tenant with one service. The data of the tenant `away` cannot be read. */
const threads: Pick<TaskRunner<MonitorTasks>, 'call'> = {
  async call(name: string, task: object): Promise<never> {
    if ((task as { readonly tenant: string }).tenant === 'away') throw new Error('the store is away')
    const labels = { 'service.name': 'shop' }
    const row = { name: '<anonymous>', file: 'shop.ts', self: 3.6e12, total: 3.6e12 }
    const group = { labels, points: [{ time: 0n, value: 7.2e12 }] }
    return (name === 'monitorTop' ? { unit: 'ns', sum: 7.2e12, rows: [row] } : { unit: 'ns', groups: [group] }) as never
  },
}

describe('scheduled reports', () => {
  const deliveries: Delivery[] = []
  const errors: string[] = []
  let now = MONDAY - 1
  let receiver: Server
  let open: () => Monitor

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
        deliveries.push({ path: request.url ?? '', body })
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const ruleFile = join(directory, 'rules.yaml')
    writeFileSync(
      ruleFile,
      [
        'tenants:',
        `  away: { receivers: [{ name: away, kind: webhook, url: "${url}/away", reports: true }] }`,
        '  shop:',
        '    receivers:',
        `      - { name: team, kind: webhook, url: "${url}/team", reports: true }`,
        `      - { name: chat, kind: slack, url: "${url}/chat", reports: true }`,
        `      - { name: other, kind: webhook, url: "${url}/other" }`,
      ].join('\n'),
    )
    open = () =>
      new Monitor({
        dataDirectory: directory,
        threads: threads as TaskRunner<MonitorTasks>,
        tenants: async () => [],
        defaultTenant: 'default',
        ruleFile,
        publicUrl: '',
        sendTo: undefined,
        store: async () => undefined,
        capture: async () => '',
        isLeader: () => true,
        price: 0.05,
        currency: 'EUR',
        periodMs: 3_600_000,
        onError: (error, job) => errors.push(`${job}: ${(error as Error).message}`),
        now: () => now,
      })
  })
  afterAll(() => {
    receiver.close()
    rmSync(directory, { recursive: true })
  })

  /** Runs the jobs that make and send reports. Returns the paths of the receivers that got one. */
  async function delivered(monitor: Monitor): Promise<string[]> {
    const before = deliveries.length
    for (const job of ['reports', 'messages']) await monitor.scheduler.runNow(job)
    return deliveries.slice(before).map(({ path }) => path)
  }

  it('reach each receiver that wants them once a week, also if a tenant cannot be read or the server starts again', async () => {
    const monitor = open()
    // The report of the week before.
    expect(await delivered(monitor)).toEqual(['/team', '/chat'])
    expect(await delivered(monitor)).toEqual([])
    now = MONDAY
    expect(await delivered(monitor)).toEqual(['/team', '/chat'])
    await monitor.stop()
    now = MONDAY + 7 * DAY - 1
    const again = open()
    expect(await delivered(again)).toEqual([])
    now = MONDAY + 7 * DAY
    expect(await delivered(again)).toEqual(['/team', '/chat'])
    await again.stop()
    expect(new Set(errors)).toEqual(new Set(['reports: the store is away']))
  })

  it('have Markdown and HTML with costs in money', () => {
    const report = deliveries.at(-2)?.body['report'] as Readonly<Record<string, string>>
    expect(report['title']).toBe('Profiling report of shop, 2026-11-16 to 2026-11-23')
    expect(report['markdown']).toContain('| shop | 2 | 0 % | 0.1 EUR |')
    expect(report['html']).toContain('<td>0.1 EUR</td>')
    expect(deliveries.at(-1)?.body['text']).toContain(String.raw`| \&lt;anonymous\&gt; |`)
  })
})
