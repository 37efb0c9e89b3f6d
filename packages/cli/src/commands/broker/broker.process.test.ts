// `hearth components`, `capture`, `triggers` and `events` with a real server and fake processes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event } from '@hearth/broker'
import { BrokerClient, BrokerError, CONTENT_TYPE, Category, EVENT_TYPE } from '@hearth/broker'
import type { ComponentsResponse, TriggersResponse } from '@hearth/client'
import { nodeCodecs } from '@hearth/codecs'
import { ProfilesBuilder, encodeOtlp, readProfile } from '@hearth/profile'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { FakeTerminal } from '../../testing/fake-terminal.ts'
import type { Outcome, Surroundings } from '../../testing/run-hearth.ts'
import { runHearth } from '../../testing/run-hearth.ts'
import type { Serving } from '../../testing/serving.ts'
import { startServing } from '../../testing/serving.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-broker-'))
const clients: BrokerClient[] = []
let served: Serving

beforeAll(async () => {
  served = await startServing(join(folder, 'data'))
})

afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.stop()))
})

afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true })
})

const hearth = (argv: readonly string[], surroundings?: Surroundings): Promise<Outcome> =>
  runHearth([...argv, '--server', served.main], surroundings)

interface ProcessOptions {
  readonly id: string
  readonly onCapture?: (event: Event) => Promise<Partial<Event>> | Partial<Event>
  readonly onEvent?: (event: Event) => Partial<Event> | undefined
}

/** A fake process of the service `checkout`. */
async function subscribe({
  id,
  onCapture = () => ({ content: profileOf('work') }),
  onEvent,
}: ProcessOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const client = new BrokerClient({
      address: served.grpc,
      token: 'none',
      platform: 'default',
      component: { type: 'Process', app: 'shop', name: 'checkout', hash: '1.2.3', id },
      context: { virtualEnvironment: 'prod' },
      definition: {
        defaultHandler: true,
        profileTypes: ['cpu', 'heap'],
        attributes: { 'profiling.look_back.seconds': '60' },
      },
      onState: state => {
        if (state.kind === 'ready') resolve()
        else if (state.kind === 'stopped') reject(new Error(state.error?.message ?? state.kind))
      },
      onEvent: async ({ event }) =>
        event.type === EVENT_TYPE.capture
          ? { contentType: CONTENT_TYPE.profiles, ...(await onCapture(event)) }
          : onEvent?.(event),
    })
    clients.push(client)
  })
}

function profileOf(name: string, value = 10_000_000): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: BigInt(Date.now()) * 1_000_000n })
  const frame = (text: string) => builder.location({ lines: [{ function: builder.function({ name: text }), line: 3 }] })
  builder.sample({ stack: builder.stack([frame(name), frame('main')]), values: [value] })
  return encodeOtlp(builder.build())
}

describe('components', () => {
  test('lists no process, and then the subscribed ones', async () => {
    expect(await hearth(['components'])).toMatchObject({ status: 0, stdout: 'no components connected\n' })
    await subscribe({ id: 'i-1' })
    const { stdout, status } = await hearth(['components', '--routes'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^SERVICE +INSTANCE +ENVIRONMENT +VERSION +RECORDS +LOOK-BACK +DOES +SINCE\n/)
    expect(stdout).toMatch(
      /\nshop\/checkout +i-1 +prod +1\.2\.3 +cpu, heap +60 s +nothing +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\n/,
    )
    expect(stdout).toMatch(/checkout +events that match no rule/)
    const { components } = JSON.parse((await hearth(['components', 'checkout', '--json'])).stdout) as ComponentsResponse
    expect(components).toMatchObject([{ service: 'checkout', instance: 'i-1', lookBackSeconds: 60 }])
    expect((await hearth(['components', 'x', '--environment', 'mars'])).stdout).toBe(
      'no components connected for service "x" in environment "mars"\n',
    )
  })
})

describe('capture', () => {
  test('shows the top functions and the query that repeats it', async () => {
    const requests: Event[] = []
    await subscribe({
      id: 'i-1',
      onCapture: event => {
        requests.push(event)
        return { content: profileOf('editDistance'), params: { dropped: 3, notes: ['worker 1 was busy'] } }
      },
    })
    const flags = ['--duration', '1s', '--frequency', '250', '--label', 'Region=eu', '--reason', 'release check']
    const { status, stdout, stderr } = await hearth(['capture', 'checkout', ...flags])
    expect([status, stderr]).toEqual([0, ''])
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('i-1 responded with 1 sample, 3 samples lost')
    expect(lines[1]).toBe('i-1: worker 1 was busy')
    expect(lines[2]).toMatch(/^cpu/)
    expect(lines.find(line => line.includes('editDistance'))).toMatch(/^10\.0 ms +100%/)
    expect(requests[0].params).toMatchObject({
      profile_type: 'cpu',
      duration_ms: 1000,
      frequency_hz: 250,
      labels: { Region: 'eu' },
      reason: 'release check',
    })
    // The printed query works.
    const again = /^hearth query '(.*)' --from (\d+) --to (\d+)$/m.exec(stdout)!
    const queried = await hearth(['query', again[1], '--from', again[2], '--to', again[3]])
    expect([queried.status, queried.stdout.includes('editDistance')]).toEqual([0, true])
  })

  test('shows a flame graph, and captures the past of a trace', async () => {
    const requests: Event[] = []
    await subscribe({
      id: 'i-1',
      onCapture: event => {
        requests.push(event)
        return { content: profileOf('work') }
      },
    })
    const trace = 'ab'.repeat(16)
    const { status, stdout } = await hearth(['capture', 'checkout', '--flame', '--look-back', '30s', '--trace', trace])
    expect(status).toBe(0)
    expect(stdout).toContain('main')
    const { from_unix_nano: from, to_unix_nano: to, trace_id: id } = requests[0].params
    expect([BigInt(to as string) - BigInt(from as string), id]).toEqual([30_000_000_000n, trace])
  })

  test('writes all instances to a file and reports those that failed', async () => {
    await subscribe({ id: 'i-1', onCapture: () => ({ content: profileOf('work', 5) }) })
    await subscribe({ id: 'i-2', onCapture: () => ({ content: profileOf('work', 7) }) })
    await subscribe({
      id: 'i-3',
      onCapture: () => {
        throw new BrokerError('busy', 'not now', { retryAfterMs: 2000 })
      },
    })
    const file = join(folder, 'all.pb.gz')
    const { status, stderr, stdout } = await hearth(['capture', 'checkout', '--all', '--duration', '100ms', '-o', file])
    expect([status, stdout]).toEqual([0, ''])
    expect(stderr).toContain('hearth: i-3: busy: not now\n')
    expect(stderr).toContain('2 of 3 instances responded with 2 samples\n')
    const { profiles } = readProfile(readFileSync(file), { codecs: nodeCodecs })
    expect([profiles.profiles.length, [...profiles.samples.values.signed()]]).toEqual([1, [12n]])
    const json = await hearth(['capture', 'checkout', '--all', '--duration', '100ms', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'finished', answered: 2, failed: 1 })
  })

  test('reports invalid options, unknown services and busy instances', async () => {
    await subscribe({
      id: 'i-1',
      onCapture: () => {
        throw new BrokerError('busy', 'another capture is running', { retryAfterMs: 2000 })
      },
    })
    expect(await hearth(['capture', 'checkout'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'hearth: checkout i-1: busy: another capture is running\n  Retry in 2 s.\n',
    })
    expect(await hearth(['capture', 'nobody'])).toMatchObject({
      status: 1,
      stderr:
        'hearth: no component of "nobody" is subscribed; services: checkout\n  `hearth components` lists the connected services.\n',
    })
    for (const flags of [
      ['--flame', '--json'],
      ['--span', 'ab'],
      ['--all', '--instance', 'x'],
      ['--duration', 'long'],
    ]) {
      expect((await hearth(['capture', 'checkout', ...flags])).status).toBe(2)
    }
    expect((await hearth(['capture', 'checkout', '-o', join(folder, 'x.unknown')])).status).toBe(2)
  })

  test('is cancelled by Ctrl-C', async () => {
    let stopped = false
    await subscribe({
      id: 'i-1',
      onCapture: () => new Promise(() => {}),
      onEvent: ({ type, category }) => {
        if (type === EVENT_TYPE.captureCancel && category === Category.MESSAGE) stopped = true
        return {}
      },
    })
    const terminal = new FakeTerminal()
    const running = terminal.run(['capture', 'checkout', '--duration', '10m', '--server', served.main])
    await vi.waitFor(() => expect(terminal.listeners).toBe(1), { timeout: 60_000 })
    terminal.pressCtrlC()
    expect(await running).toBe(1)
    expect(terminal.errors).toContain('checkout: the capture was cancelled')
    expect(terminal.listeners).toBe(0)
    await expect.poll(() => stopped).toBe(true)
  })
})

describe('triggers', () => {
  test('are added, listed, changed and removed', async () => {
    const rule = 'Source(`checkout`) && SpanSlower(800)'
    expect((await hearth(['triggers', 'list'])).stdout).toBe('no triggers\n')
    expect(await hearth(['triggers', 'add', 'slow', rule, '--cool-down', '10m', '--span-only'])).toMatchObject({
      status: 0,
      stdout: 'added slow\n',
    })
    expect((await hearth(['triggers', 'list'])).stdout).toMatch(
      /^NAME +RULE +CAPTURES +COOL-DOWN\nslow +Source\(`checkout`\) && SpanSlower\(800\) +10s of cpu, or samples of the span +10m\n$/,
    )
    expect(await hearth(['triggers', 'edit', 'slow', '--disable', '--percentage', '50'])).toMatchObject({
      status: 0,
      stdout: 'changed slow (disabled)\n',
    })
    const { triggers } = JSON.parse((await hearth(['triggers', 'list', '--json'])).stdout) as TriggersResponse
    expect(triggers).toMatchObject([{ rule, coolDownMs: 600_000, spanOnly: true, enabled: false, percentage: 50 }])
    await hearth(['triggers', 'edit', 'slow', '--budget', '20', '--frequency', '250'])
    expect((await hearth(['triggers', 'list'])).stdout).toMatch(/^NAME.* BUDGET\nslow .* 50% +20\/h +off\n$/)
    await hearth(['triggers', 'edit', 'slow', '--no-budget'])
    const listed = JSON.parse((await hearth(['triggers', 'list', '--json'])).stdout) as TriggersResponse
    expect(listed.triggers[0].budgetPerHour).toBeUndefined()
    expect(listed.triggers[0].frequencyHz).toBe(250)
    expect((await hearth(['triggers', 'add', 'slow', rule])).stderr).toContain('trigger slow already exists')
    expect((await hearth(['triggers', 'edit', 'fast', '--enable'])).stderr).toContain('Triggers: slow.')
    expect((await hearth(['triggers', 'edit', 'slow'])).status).toBe(2)
    expect((await hearth(['triggers', 'remove', 'slow'])).stdout).toBe('removed slow\n')
    expect(await hearth(['triggers', 'remove', 'slow'])).toMatchObject({ status: 1 })
  })

  test('show a caret at the error of an invalid rule', async () => {
    const { status, stderr } = await hearth(['triggers', 'add', 'bad', 'SpanSlower(800) && Fast(1)'])
    expect(status).toBe(1)
    expect(stderr).toContain('unknown predicate "Fast"')
    expect(stderr).toContain(`  SpanSlower(800) && Fast(1)\n  ${' '.repeat(19)}^\n`)
  })

  test('are tested on stored data, and show their history', async () => {
    await subscribe({ id: 'i-1' })
    const send = async (spanId: string, ms: bigint): Promise<void> => {
      const end = BigInt(Date.now()) * 1_000_000n
      const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
      const span = {
        traceId: 'cd'.repeat(16),
        spanId,
        name: 'POST /pay',
        startTimeUnixNano: String(end - ms * 1_000_000n),
        endTimeUnixNano: String(end),
      }
      const resource = { attributes: [text('service.name', 'checkout'), text('service.instance.id', 'i-1')] }
      const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
      const response = await fetch(`${served.otlp}/v1/traces`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(response.status).toBe(200)
    }
    await send('01'.repeat(8), 900n)
    await send('02'.repeat(8), 10n)
    await vi.waitFor(
      async () => {
        const { stdout } = await hearth(['triggers', 'test', 'SpanSlower(800)'])
        expect(stdout).toMatch(/^tested \d+ spans\n1 matched, from 1 instance; 1 capture would have started\n\nTIME/)
        expect(stdout).toMatch(/checkout +i-1 +span POST \/pay, 900 ms +fires +(?:cd){16}\n/)
      },
      { timeout: 60_000 },
    )
    await hearth(['triggers', 'add', 'slow', 'SpanSlower(800)', '--budget', '5'])
    expect((await hearth(['triggers', 'test', 'slow'])).stdout).toContain('1 capture would have started')
    await send('03'.repeat(8), 1000n)
    await send('04'.repeat(8), 1000n)
    await vi.waitFor(
      async () => {
        const { stdout } = await hearth(['triggers', 'history'])
        expect(stdout).toMatch(/slow +checkout +i-1 +span POST \/pay, 1000 ms +suppressed: cool-down\n/)
        expect(stdout).toMatch(/slow +checkout +i-1 +span POST \/pay, 1000 ms +1 profile, of the past +[0-9a-f]{32}\n/)
      },
      { timeout: 60_000 },
    )
    await hearth(['triggers', 'remove', 'slow'])
  })
})

describe('events', () => {
  test('are sent, and a request prints its response', async () => {
    const seen: Event[] = []
    await subscribe({
      id: 'i-1',
      onEvent: event => {
        seen.push(event)
        return { contentType: 'text/plain', content: Buffer.from(`hello ${event.params['who'] as string}`) }
      },
    })
    const file = join(folder, 'content.json')
    writeFileSync(file, '{"a":1}')
    const flags = ['--type', 'shop.greet', '--target', 'checkout/i-1', '--param', 'who=world', '--param', 'n=7']
    const content = ['--content', file, '--content-type', 'application/json']
    expect(await hearth(['events', 'send', '--request', ...flags, ...content])).toMatchObject({
      status: 0,
      stdout: 'hello world\n',
    })
    expect(seen[0]).toMatchObject({
      type: 'shop.greet',
      category: Category.REQUEST,
      params: { who: 'world', n: 7 },
      contentType: 'application/json',
    })
    expect(Buffer.from(seen[0].content).toString()).toBe('{"a":1}')
    expect((await hearth(['events', 'send', ...flags])).stdout).toMatch(/^sent [0-9a-f-]{36}\n$/)
    expect(await hearth(['events', 'send', '--type', 'x', '--target', 'nobody'])).toMatchObject({ status: 1 })
    expect(await hearth(['events', 'send', '--request', '--type', 'x.y', '--value', 'path=/nowhere'])).toMatchObject({
      status: 1,
    })
    expect((await hearth(['events', 'send'])).status).toBe(2)
  })

  test('are watched', async () => {
    await subscribe({ id: 'i-1', onEvent: () => ({ params: { ok: true } }) })
    const terminal = new FakeTerminal()
    const watching = terminal.run(['events', '--component', 'checkout', '--server', served.main])
    await vi.waitFor(
      async () => {
        await hearth(['events', 'send', '--request', '--type', 'shop.ping', '--target', 'checkout'])
        expect(terminal.written).toMatch(/REQUEST +shop\.ping hearth\/\w+ → checkout\/i-1 delivered\n/)
        expect(terminal.written).toMatch(/RESPONSE shop\.ping checkout\/i-1 → hearth\/\w+ answered ok=true\n/)
      },
      { timeout: 60_000 },
    )
    terminal.pressCtrlC()
    expect(await watching).toBe(0)
    const counted = hearth(['events', '--type', 'ping', '--category', 'RESPONSE', '-n', '1', '--json'])
    const pinging = setInterval(
      () => void hearth(['events', 'send', '--request', '--type', 'shop.ping', '--target', 'checkout']),
      200,
    )
    const { stdout, status } = await counted.finally(() => clearInterval(pinging))
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'answered',
      event: { type: 'shop.ping', category: 'RESPONSE' },
    })
  })
})
