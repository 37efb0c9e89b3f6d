import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { StateFiles } from '../../broker/state-file.ts'
import type { Alert, AlertReceiver } from '../alerts/alert-rule.ts'
import { Outbox, outboxFile } from './outbox.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-outbox-'))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const ALERT: Alert = {
  id: 'a',
  rule: 'busy',
  labels: { alertname: 'busy', 'service.name': 'shop' },
  state: 'firing',
  summary: 'busy <now>',
  since: '2026-01-01T00:00:00.000Z',
  fired: '2026-01-01T00:00:00.000Z',
  finding: 'f1',
}

interface Call {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly text: string
}

function opened(receiver: Omit<AlertReceiver, 'name'>, responses: number[] = []) {
  const calls: Call[] = []
  const stored: Alert[] = []
  let now = Date.parse('2026-01-01T00:00:00Z')
  const open = (): Outbox =>
    new Outbox({
      files: new StateFiles(directory, 'outbox', outboxFile),
      receiver: (_, name) => (name === 'team' ? { name, ...receiver } : undefined),
      publicUrl: 'https://hearth.example',
      storeLogs: async (_, alerts) => void stored.push(...alerts),
      now: () => now,
      fetch: (async (url: string, init: RequestInit) => {
        const text = init.body as string
        calls.push({ url, headers: init.headers as Record<string, string>, body: JSON.parse(text), text })
        return new Response('', { status: responses.shift() ?? 200 })
      }) as typeof fetch,
    })
  return { calls, stored, open, later: (ms: number) => (now += ms) }
}

const message = { receiver: 'team', group: { alertname: 'busy' }, alerts: [ALERT] }

describe('Outbox', () => {
  it('signs webhooks with the time', async () => {
    const { calls, open } = opened({ kind: 'webhook', url: 'https://hooks.example/x', secret: 's3' })
    const outbox = open()
    await outbox.add('default', message)
    await outbox.send('default')
    const [{ url, headers, body, text }] = calls
    expect(url).toBe('https://hooks.example/x')
    const hash = createHmac('sha256', 's3').update(`${headers['x-hearth-timestamp']}.${text}`).digest('hex')
    expect(headers['x-hearth-signature']).toBe(`sha256=${hash}`)
    expect(body).toMatchObject({ status: 'firing', tenant: 'default', alerts: [{ rule: 'busy', finding: 'f1' }] })
    expect(outbox.sent('default')).toMatchObject([{ state: 'sent', attempts: 1, title: 'busy firing' }])
  })

  it('retries with growing delays, in order, also after a restart', async () => {
    const { calls, open, later } = opened({ kind: 'webhook', url: 'https://hooks.example/x' }, [500, 503])
    const outbox = open()
    await outbox.add('default', message)
    await outbox.add('default', { ...message, alerts: [{ ...ALERT, state: 'resolved' }] })
    await outbox.send('default')
    await outbox.send('default')
    expect(calls).toHaveLength(1)
    expect(outbox.waiting('default')[0].error).toBe('the receiver responded with 500')
    later(5000)
    await outbox.send('default')
    later(10_000)
    const again = open()
    expect(again.waiting('default')).toHaveLength(2)
    await again.send('default')
    expect(calls.map(({ body }) => (body as { status: string }).status)).toEqual([
      'firing',
      'firing',
      'firing',
      'resolved',
    ])
    expect(again.waiting('default')).toEqual([])
    expect(again.sent('default')).toMatchObject([{ attempts: 1 }, { attempts: 3 }])
  })

  it('gives a message up after a day and says why', async () => {
    const { open, later } = opened({ kind: 'webhook', url: 'https://hooks.example/x' }, [500, 500])
    const outbox = open()
    await outbox.add('default', message)
    await outbox.send('default')
    later(90_000_000)
    await outbox.send('default')
    expect(outbox.sent('default')).toMatchObject([{ state: 'failed', error: 'the receiver responded with 500' }])
  })

  it('logs messages that are dropped because too many wait', async () => {
    const { open } = opened({ kind: 'webhook', url: 'https://hooks.example/x' })
    const outbox = open()
    await Promise.all(Array.from({ length: 1002 }, async () => outbox.add('default', message)))
    expect(outbox.waiting('default')).toHaveLength(1000)
    const error = 'dropped: more than 1000 messages wait'
    expect(outbox.sent('default')).toMatchObject([
      { state: 'failed', error },
      { state: 'failed', error },
    ])
  })

  it("writes Slack's, Alertmanager's and OTLP's formats", async () => {
    const slack = opened({ kind: 'slack', url: 'https://hooks.slack.example/x' })
    await slack.open().add('default', message)
    await slack.open().send('default')
    expect(slack.calls[0].body).toEqual({
      text: ':red_circle: *busy* busy &lt;now&gt; <https://hearth.example/alerts?finding=f1|Open>',
    })
    const manager = opened({ kind: 'alertmanager', url: 'http://alertmanager:9093/' })
    await manager.open().add('default', message)
    await manager.open().send('default')
    expect(manager.calls[0].url).toBe('http://alertmanager:9093/api/v2/alerts')
    expect(manager.calls[0].body).toMatchObject([
      {
        labels: { alertname: 'busy', service_name: 'shop', finding: 'f1' },
        annotations: { summary: 'busy <now>' },
        startsAt: ALERT.fired,
        endsAt: '2026-01-01T00:05:00.000Z',
      },
    ])
    const logs = opened({ kind: 'otlp-logs', url: 'http://collector:4318' })
    await logs.open().add('default', message)
    await logs.open().send('default')
    expect(logs.calls[0].url).toBe('http://collector:4318/v1/logs')
    expect(logs.calls[0].body).toMatchObject({
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ severityText: 'ERROR' }] }] }],
    })
    const own = opened({ kind: 'otlp-logs' })
    await own.open().add('default', message)
    await own.open().send('default')
    expect(own.stored).toMatchObject([{ rule: 'busy' }])
  })
})
