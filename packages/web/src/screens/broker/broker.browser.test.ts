// Captures in Chromium with a real server and components that are connected over real sockets.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AgentFolder } from '../../../../agent/src/testing/agent-process.ts'
import { BUILT_HEARTH } from '../../../../cli/src/testing/built-command.ts'
import type { TestRecorderOptions } from '../../../../server/src/broker/testing/recorder.ts'
import { TestRecorder, profileOf } from '../../../../server/src/broker/testing/recorder.ts'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { HearthPage, violations } from '../../testing/hearth-page.node.ts'
import { RULE_EXAMPLES, RULE_PREDICATES } from './triggers/rule-predicates.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

type CaptureResult = NonNullable<ReturnType<NonNullable<TestRecorderOptions['onCapture']>>>

interface HeldRecorder {
  readonly recorder: TestRecorder
  /** Responds to the pending captures. */
  readonly release: () => void
}

describe.skipIf(chromium === undefined)(
  'Captures',
  () => {
    let hearth: HearthPage
    const recorders: TestRecorder[] = []

    beforeAll(async () => {
      hearth = await HearthPage.start(chromium ?? '')
    }, 240_000)
    afterEach(async () => {
      disconnectAll()
      await hearth.closePages()
    })
    afterAll(async () => {
      await hearth?.end()
    })

    /** Disconnects all components. */
    function disconnectAll(): void {
      for (const { stream } of recorders.splice(0)) stream.destroy()
    }

    async function subscribe(
      instance: string,
      onCapture?: TestRecorderOptions['onCapture'],
      service = 'checkout',
    ): Promise<TestRecorder> {
      const recorder = await TestRecorder.subscribe(hearth.grpcPort, {
        component: { app: 'shop', name: service, id: instance },
        definition: {
          routes: [{ id: 0, rule: 'Type(`profiling.capture`) && Path(`/profiles/{profile_type}`)' }],
          attributes: {
            'service.name': service,
            'service.instance.id': instance,
            'deployment.environment.name': 'eu',
            'profiling.look_back.seconds': '60',
          },
        },
        ...(onCapture === undefined ? {} : { onCapture }),
      })
      recorders.push(recorder)
      return recorder
    }

    /** Connects a component that responds when `release` is called. */
    async function subscribeHeld(
      instance: string,
      name: string,
      params: CaptureResult['params'] = {},
    ): Promise<HeldRecorder> {
      const recorder = await subscribe(instance, () => undefined)
      const release = (): void => {
        for (const event of recorder.captures.splice(0))
          recorder.stream.respond(event, { content: profileOf(name), params })
      }
      return { recorder, release }
    }

    async function sendSpan(instance: string, name: string, ms: number): Promise<void> {
      const end = BigInt(Date.now()) * 1_000_000n
      const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
      const span = {
        traceId: randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        name,
        kind: 2,
        startTimeUnixNano: String(end - BigInt(ms) * 1_000_000n),
        endTimeUnixNano: String(end),
      }
      const attributes = [attribute('service.name', 'checkout'), attribute('service.instance.id', instance)]
      const resourceSpans = [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }]
      const response = await post(`${hearth.otlp}/v1/traces`, { resourceSpans })
      expect(response.status).toBe(200)
    }

    it('lists components as they connect and disconnect', async () => {
      const page = await hearth.open('/broker')
      await page.getByRole('heading', { name: 'No components connected' }).waitFor()
      expect(await page.locator('.empty-snippet').textContent()).toContain(
        `HEARTH_BROKER_ENDPOINT=http://127.0.0.1:${hearth.grpcPort}`,
      )
      expect(await violations(page)).toEqual([])
      const first = await subscribe('checkout-1')
      await subscribe('checkout-2')
      await subscribe('search-1', undefined, 'search')
      await page.getByText('3 components, 2 services').waitFor()
      expect(await page.locator('.broker-group').allTextContents()).toEqual([
        expect.stringContaining('shop · eu · 2 instances'),
        expect.stringContaining('shop · eu · 1 instance'),
      ])
      await page.getByRole('button', { name: 'checkout-1', exact: true }).click()
      const details = page.getByRole('complementary', { name: 'checkout-1' })
      await details.getByText('Path(`/profiles/{profile_type}`)').waitFor()
      await details.getByText('profiling.look_back.seconds').waitFor()
      expect(new URL(page.url()).searchParams.get('component')).toBe('checkout-1')
      expect(await violations(page)).toEqual([])
      first.stream.destroy()
      await page.getByText('2 components, 2 services').waitFor()
      await details.waitFor({ state: 'hidden' })
      await page.getByLabel('Search components').fill('search')
      await page.getByRole('button', { name: 'checkout-2' }).waitFor({ state: 'hidden' })
      await page.reload()
      await page.getByRole('button', { name: 'search-1' }).waitFor()
      expect(await page.getByRole('button', { name: 'checkout-2' }).count()).toBe(0)
    })

    it('does not update while it is paused', async () => {
      await subscribe('checkout-1')
      const page = await hearth.open('/broker?paused=1')
      await page.getByText('1 component, 1 service').waitFor()
      await subscribe('checkout-2')
      await page.getByRole('button', { name: 'Paused' }).click()
      await page.getByText('2 components, 1 service').waitFor()
    })

    it('starts a capture from Explore and shows its progress and flame graph under one URL', async () => {
      const notes = ['worker 2 (thread 41) was too busy to respond: its samples are missing']
      const held = await subscribeHeld('checkout-1', 'shop.placeOrder', { frequency_hz: 50, notes })
      const page = await hearth.open('/explore?service=checkout&type=cpu%3Ans')
      await page.getByRole('link', { name: 'Capture now' }).click()
      await page.getByText('1 of 1 connected instance can capture cpu.').waitFor()
      await page.getByLabel('Duration').fill('1m')
      await page.getByLabel('Frequency in Hz').fill('50')
      await page.getByLabel('Reason').fill('the cart is slow')
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Start capture' }).click()
      await page.getByText('0 of 1 responded').waitFor()
      await page.getByRole('progressbar').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).waitFor()
      expect(await violations(page)).toEqual([])
      expect(held.recorder.captures[0].params).toMatchObject({
        profile_type: 'cpu',
        duration_ms: 60_000,
        frequency_hz: 50,
        reason: 'the cart is slow',
      })
      held.release()
      await page.getByText('1 of 1 responded').first().waitFor()
      await page.locator('.top-table').getByText('shop.placeOrder').waitFor()
      await page.getByText(notes[0]).waitFor()
      await page.getByText('· 50 Hz ·').waitFor()
      expect(await violations(page)).toEqual([])
      await page.reload()
      await page.locator('.top-table').getByText('shop.placeOrder').waitFor()
      await page.getByText('the cart is slow').waitFor()
      const address = page.url()
      await page.locator('.capture-links a').click()
      await page.getByRole('heading', { name: 'checkout: cpu' }).waitFor()
      await page.locator('.top-table').getByText('shop.placeOrder').waitFor()
      await page.goto(address)
      await page.getByRole('link', { name: 'Open in Explore' }).click()
      await page.locator('.top-table').getByText('shop.placeOrder').waitFor()
      expect(new URL(page.url()).searchParams.get('service')).toBe('checkout')
    })

    it('captures a process with the agent', async () => {
      const folder = new AgentFolder()
      let kill: ((signal: NodeJS.Signals) => void) | undefined
      const program = `
        function priceOfTheCart() { const end = Date.now() + 20; let sum = 0; while (Date.now() < end) sum += Math.sqrt(sum + 1) }
        setInterval(priceOfTheCart, 25)
        console.log('begun')`
      const env = {
        OTEL_SERVICE_NAME: 'cart',
        OTEL_EXPORTER_OTLP_ENDPOINT: hearth.otlp,
        HEARTH_BROKER_ENDPOINT: `http://127.0.0.1:${hearth.grpcPort}`,
      }
      const ended = folder.run(program, { env, onOutput: (_said, send) => (kill = send) })
      try {
        const page = await hearth.open('/broker')
        await page.getByRole('link', { name: 'Capture', exact: true }).click()
        await page.getByLabel('Duration').fill('2s')
        await page.getByRole('button', { name: 'Start capture' }).click()
        await page.getByText('1 of 1 responded').first().waitFor()
        await page.locator('.top-table').getByText('priceOfTheCart').waitFor()
      } finally {
        kill?.('SIGTERM')
        await ended
        folder.remove()
      }
    })

    it('captures all instances, one of which fails', async () => {
      await subscribe('checkout-1', () => ({ content: profileOf('shop.first') }))
      await subscribe('checkout-2', () => ({ content: profileOf('shop.second') }))
      await subscribe('checkout-3', () => {
        throw new Error('no room to record')
      })
      const page = await hearth.open('/broker')
      await page.getByRole('link', { name: 'Capture', exact: true }).click()
      await page.getByText('3 of 3 connected instances can capture cpu.').waitFor()
      await page.getByLabel('Duration').fill('100ms')
      await page.getByRole('button', { name: 'Start capture' }).click()
      await page.getByText('2 of 3 responded, 1 failed').waitFor()
      const table = page.locator('.top-table')
      await table.getByText('shop.first').waitFor()
      await table.getByText('shop.second').waitFor()
      await page.getByText('unexpected: no room to record').waitFor()
      await page.getByRole('listitem').filter({ hasText: 'checkout-2' }).getByRole('button', { name: 'Filter' }).click()
      await table.getByText('shop.first').waitFor({ state: 'hidden' })
      await table.getByText('shop.second').waitFor()
      await page.getByRole('link', { name: 'Captures' }).last().click()
      const row = page.getByRole('row').filter({ hasText: '2 of 3' })
      await row.getByText('Finished').waitFor()
      await row.getByText('anyone').waitFor()
      expect(await violations(page)).toEqual([])
    })

    it('captures past samples', async () => {
      const { captures } = await subscribe('checkout-1')
      const page = await hearth.open('/capture?service=checkout&time=last&duration=2m')
      await page.getByText('Past samples are kept for 1 min only.').waitFor()
      await page.getByLabel('Duration').fill('5s')
      await page.getByRole('button', { name: 'Start capture' }).click()
      await page.getByRole('heading', { name: 'checkout: cpu, past 5 s' }).waitFor()
      const { from_unix_nano: from, to_unix_nano: to } = captures[0].params as Readonly<Record<string, string>>
      expect(BigInt(to) - BigInt(from)).toBe(5_000_000_000n)
    })

    it('cancels a capture and notifies the component', async () => {
      const { recorder } = await subscribeHeld('checkout-1', 'never')
      const page = await hearth.open('/capture?service=checkout&duration=1m')
      await page.getByRole('button', { name: 'Start capture' }).click()
      await page.getByText('Recording').waitFor()
      await page.keyboard.press('Shift+X')
      await page.getByRole('heading', { name: 'No profiles' }).waitFor()
      await expect.poll(() => recorder.cancels.length).toBe(1)
      expect(await violations(page)).toEqual([])
    })

    it('creates a trigger, checks its rule, runs it dry and shows its history', async () => {
      await subscribe('checkout-1', () => ({ content: profileOf('shop.slowRoute') }))
      await sendSpan('checkout-1', 'POST /slow', 950)
      await hearth.settled()
      const page = await hearth.open('/broker?tab=triggers')
      await page.getByRole('heading', { name: 'No triggers yet' }).waitFor()
      await page.keyboard.press('n')
      await page.getByLabel('Name', { exact: true }).fill('slow-route')
      const rule = page.getByLabel('Rule', { exact: true })
      await rule.fill('Span(`POST /slow`) && SpanSlow(800)')
      await page.getByText('unknown predicate "SpanSlow"').waitFor()
      expect(await page.locator('.rule-error pre').textContent()).toBe(
        `Span(\`POST /slow\`) && SpanSlow(800)\n${' '.repeat(22)}^`,
      )
      expect(await rule.getAttribute('aria-invalid')).toBe('true')
      await page.getByRole('button', { name: 'Go to line 1, column 23' }).click()
      expect(await rule.evaluate((area: HTMLTextAreaElement) => area.selectionStart)).toBe(22)
      await rule.fill('Span(`POST /slow`) && SpanSlower(800)')
      await page.getByText('Valid rule').waitFor()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('1 capture of 1 instance').waitFor()
      await page.getByRole('link', { name: 'span POST /slow, 950 ms' }).waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('1 trigger, 1 enabled').waitFor()
      await sendSpan('checkout-1', 'POST /slow', 900)
      const fired = page.getByRole('row').filter({ hasText: 'span POST /slow, 900 ms' })
      await fired.getByText('Finished').waitFor()
      await fired.getByText('past samples').waitFor()
      await sendSpan('checkout-1', 'POST /slow', 910)
      await page.getByText('Skipped: cool-down').waitFor()
      // A changed trigger with a budget starts again.
      await page.getByRole('link', { name: 'slow-route', exact: true }).first().click()
      await page.getByLabel('Cool-down').fill('0s')
      await page.getByLabel('Budget: captures per hour').fill('1.5')
      await page.getByText('Invalid budget; use an integer of at least 1.').waitFor()
      await page.getByLabel('Budget: captures per hour').fill('601')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('budgetPerHour 601 exceeds the limit of all triggers together (600)').waitFor()
      await page.getByLabel('Budget: captures per hour').fill('1')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('cell', { name: '1/h' }).waitFor()
      await sendSpan('checkout-1', 'POST /slow', 920)
      const again = page.getByRole('row').filter({ hasText: 'span POST /slow, 920 ms' })
      await again.getByText('Finished').waitFor()
      await sendSpan('checkout-1', 'POST /slow', 930)
      await page.getByText('Skipped: hourly budget of the trigger exceeded').waitFor()
      expect(await violations(page)).toEqual([])
      await fired.getByRole('link', { name: 'Open capture' }).click()
      await page.locator('.top-table').getByText('shop.slowRoute').waitFor()
      await page.getByRole('link', { name: 'Open trace' }).click()
      await page.getByText('POST /slow').first().waitFor()
    })

    it('links the matches of a dry run to logs and metrics', async () => {
      const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n)
      const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] }
      const logRecords = [{ timeUnixNano, severityNumber: 17, body: { stringValue: 'payment timed out' } }]
      const metrics = [{ name: 'queue.length', gauge: { dataPoints: [{ timeUnixNano, asDouble: 42 }] } }]
      await post(`${hearth.otlp}/v1/logs`, { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })
      await post(`${hearth.otlp}/v1/metrics`, { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] })
      await hearth.settled()
      const page = await hearth.open('/broker?tab=triggers&edit=1')
      await page.getByLabel('Rule', { exact: true }).fill('LogBody(`{.*timed out}`) || MetricAbove(`queue.length`, 40)')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('2 matched').waitFor()
      await page.getByRole('link', { name: 'metric queue.length = 42' }).click()
      await page.getByText('queue.length').first().waitFor()
      expect(new URL(page.url()).pathname).toBe('/metric')
      await page.goBack()
      await page.getByLabel('Rule', { exact: true }).fill('LogBody(`{.*timed out}`)')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('link', { name: 'log 17: payment timed out' }).click()
      await page.getByRole('button', { name: 'payment timed out' }).waitFor()
    })

    it('disables and deletes a trigger', async () => {
      const page = await hearth.open('/broker?tab=triggers')
      // Not `uncheck`, which expects the change at once. The box changes when the server has responded.
      await page.getByLabel('Enable slow-route').click()
      await page.getByText('1 trigger, 0 enabled').waitFor()
      await page.getByRole('link', { name: 'slow-route', exact: true }).click()
      expect(await page.getByLabel('Rule', { exact: true }).inputValue()).toContain('SpanSlower(800)')
      expect(await page.getByLabel('Enabled').isChecked()).toBe(false)
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Delete slow-route?').waitFor()
      expect(await violations(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'No triggers yet' }).waitFor()
      await page.getByText('span POST /slow, 900 ms').waitFor()
    })

    it('documents every predicate and has valid examples', async () => {
      const page = await hearth.open('/broker?tab=triggers&edit=1')
      await page.getByLabel('Rule', { exact: true }).fill('Nothing()')
      const message = await page.getByText('unknown predicate').textContent()
      const known = message?.replace(/^.*there are /, '').split(', ')
      expect(RULE_PREDICATES.map(({ name }) => name).toSorted()).toEqual(known?.toSorted())
      for (const rule of [...RULE_PREDICATES.map(({ use }) => use), ...RULE_EXAMPLES.map(each => each.rule)]) {
        const response = await post(`${hearth.url}/api/v1/triggers/dry-run`, { rule, from: 'now-1ms' })
        expect([rule, response.status]).toEqual([rule, 200])
      }
      await page.getByRole('button', { name: `Use: ${RULE_EXAMPLES[0].title}` }).click()
      expect(await page.getByLabel('Rule', { exact: true }).inputValue()).toBe(RULE_EXAMPLES[0].rule)
      await page.getByText('Valid rule').waitFor()
    })

    it('watches, filters and pauses events and sends one', async () => {
      await subscribe('checkout-1')
      const page = await hearth.open('/broker?tab=events&send=1')
      await page.getByLabel('Event type').fill('shop.hello')
      await page.getByLabel('Params as JSON').fill('{"wrong"')
      await page.getByText('Invalid JSON object.').waitFor()
      expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
      await page.getByLabel('Params as JSON').fill('{"greeting": "good day"}')
      await page.getByText('New events appear here').waitFor()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('no rule matches the event').waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'Close' }).click()
      const sent = page.getByRole('button', { name: 'shop.hello' }).first()
      await sent.click()
      const panel = page.getByRole('complementary', { name: 'shop.hello' })
      expect(JSON.parse((await panel.locator('pre').textContent()) ?? '')).toMatchObject({
        outcome: 'route-not-found',
        event: { category: 'REQUEST', params: { greeting: 'good day' } },
      })
      expect(await violations(page)).toEqual([])
      // The typed text stays while events arrive.
      const type = page.getByRole('searchbox', { name: 'Type', exact: true })
      await type.pressSequentially('profiling.')
      const rows = await page.getByRole('row').count()
      await startCapture(hearth.url, 'checkout')
      await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(rows)
      await type.pressSequentially('capture')
      await page.keyboard.press('Enter')
      await expect.poll(() => new URL(page.url()).searchParams.get('type')).toBe('profiling.capture')
      await page.getByLabel('Category', { exact: true }).selectOption('REQUEST')
      await page.getByRole('button', { name: 'Clear' }).click()
      // Responses are filtered out.
      await expect
        .poll(async () => {
          await startCapture(hearth.url, 'checkout')
          return await page.getByRole('row').filter({ hasText: 'request' }).count()
        })
        .toBeGreaterThan(0)
      expect(await page.getByRole('row').filter({ hasText: 'response' }).count()).toBe(0)
      expect(new URL(page.url()).searchParams.get('category')).toBe('REQUEST')
      await page.keyboard.press('p')
      await page.getByRole('button', { name: 'Paused' }).waitFor()
      const before = await page.getByRole('row').count()
      await startCapture(hearth.url, 'checkout')
      expect(await page.getByRole('row').count()).toBe(before)
    })

    it('reports a disconnected Broker and a server without a Broker', async () => {
      await subscribe('checkout-1')
      const page = await hearth.open('/explore')
      const message = 'connection refused by nats://10.0.0.7:4222'
      await page.route('**/api/v1/components', async route => {
        const response = await route.fetch()
        const found = (await response.json()) as { broker: { mesh: object } }
        const mesh = { ...found.broker.mesh, kind: 'nats', connected: false, message, peers: [] }
        await route.fulfill({ response, json: { ...found, broker: { ...found.broker, mesh } } })
      })
      await page.getByRole('link', { name: 'Captures' }).click()
      await page.getByRole('alert').filter({ hasText: message }).waitFor()
      await page.getByRole('button', { name: 'checkout-1' }).waitFor()
      expect(await violations(page)).toEqual([])
      await page.route('**/api/v1/triggers', async route => {
        await route.fulfill({ status: 404, json: { error: { code: 'no-broker', message: 'it is switched off' } } })
      })
      await page.getByRole('button', { name: 'Triggers' }).click()
      await page.getByRole('heading', { name: 'The Broker is disabled' }).waitFor()
    })

    it('is accessible in the dark theme and fits on a tablet', async () => {
      await subscribe('checkout-1')
      for (const [path, ready] of [
        ['/broker', '.broker-table tbody tr'],
        ['/broker?tab=captures', '.broker-table tbody tr'],
        ['/broker?tab=triggers&edit=1', '.dry-run'],
        ['/capture?service=checkout', '.broker-title'],
      ] as const) {
        const page = await hearth.open(path, 'dark')
        await page.setViewportSize({ width: 820, height: 1100 })
        await page.locator(ready).first().waitFor()
        expect(await violations(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(820)
        await hearth.closePages()
      }
    })

    it('logs no errors', () => {
      expect(hearth.errors).toEqual([])
      expect([...hearth.hosts]).toEqual([])
    })

    it('names the scope that a token lacks', async () => {
      await subscribe('checkout-1')
      const create = ['admin', 'token', 'create', '--name', 'reader', '--scope', 'read', '--data', hearth.data]
      const token = execFileSync(process.execPath, [BUILT_HEARTH, ...create], { env: { PATH: process.env['PATH'] } })
      const page = await hearth.open('/capture?service=checkout')
      await page.getByLabel('Token').fill(token.toString().trim())
      await page.getByRole('button', { name: 'Sign in' }).last().click()
      await page.getByRole('button', { name: 'Start capture' }).click()
      await page.getByText("token 'reader' lacks the scope capture").waitFor()
      await page.getByText('hearth admin token create --scope capture').waitFor()
      expect(await violations(page)).toEqual([])
    })
  },
  240_000,
)

async function startCapture(url: string, service: string): Promise<void> {
  expect((await post(`${url}/api/v1/captures`, { service, durationMs: 10 })).status).toBe(202)
}

async function post(url: string, body: object): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
