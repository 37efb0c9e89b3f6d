// Traces and Logs in Chromium with a real server.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { chromiumPath } from '../../testing/chromium.node.ts'
import { boxAtRest } from '../../testing/box-at-rest.node.ts'
import { HearthPage, violationsInThemes } from '../../testing/hearth-page.node.ts'
import { sendSpans, sendTraces } from '../../testing/send-traces.node.ts'
import {
  LOOSE_REQUEST,
  NAMED_PROFILE,
  OPEN_REQUEST,
  SLOW_FUNCTION,
  largeTrace,
  spanIdOf,
  traceIdOf,
} from '../../testing/shop-traces.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const LARGE = 'b'.repeat(32)
const LARGE_SPANS = 100_000
/** A slow request that also failed. */
const SLOW_TRACE = traceIdOf(47)

describe.skipIf(chromium === undefined)('Traces and Logs', () => {
  let hearth: HearthPage

  beforeAll(async () => {
    hearth = await HearthPage.start(chromium!)
  }, 300_000)

  afterEach(async () => {
    await hearth.closePages()
  })

  afterAll(async () => {
    await hearth?.end()
  })

  const traceRows = (page: Page) => page.locator('.trace-table tbody tr:not([aria-hidden])')
  const spanRows = (page: Page) => page.locator('.waterfall-rows [role=row][aria-level]')
  const spanRow = (page: Page, name: string) => spanRows(page).filter({ has: page.getByText(name, { exact: true }) })
  const functions = (page: Page) => page.locator('.top-table tbody tr:not([aria-hidden]) .top-name')
  const parameter = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name)
  const query = async <Response>(path: string): Promise<Response> => {
    return (await (await fetch(`${hearth.url}/api/v1/${path}`)).json()) as Response
  }

  it('show how to send data if the server has none', async () => {
    const page = await hearth.open('/traces')
    await page.getByText('Send the first traces').waitFor()
    expect(await page.locator('.empty-snippet').textContent()).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${hearth.otlp}`)
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByText('Send the first logs').waitFor()
  })

  describe('with data of a shop', () => {
    beforeAll(async () => {
      // Spans rarely begin with a millisecond.
      await sendTraces(hearth.otlp, BigInt(Date.now()) * 1_000_000n + 123_457n)
      await sendSpans(hearth.otlp, largeTrace(LARGE, LARGE_SPANS, BigInt(Date.now() - 600_000) * 1_000_000n))
      interface Listed {
        readonly traces: readonly { readonly spans: number; readonly samples: number }[]
      }
      const isThere = async (): Promise<void> => {
        const { traces } = await query<Listed>('traces?limit=100')
        expect(traces.filter(({ samples, spans }) => samples > 0 || spans === LARGE_SPANS)).toHaveLength(61)
      }
      await vi.waitFor(isThere, { timeout: 60_000, interval: 300 })
    })

    it('finds a slow request by its duration and shows its spans, profile and logs', async () => {
      const page = await hearth.open('/traces?name=POST+%2Forders')
      await expect.poll(() => traceRows(page).count()).toBeGreaterThan(20)
      await page.getByRole('button', { name: 'Duration' }).click()
      await expect.poll(() => parameter(page, 'sort')).toBe('duration')
      await expect.poll(() => traceRows(page).first().textContent()).toContain('741 ms')
      await page.getByRole('textbox', { name: 'Min duration' }).fill('500')
      await page.keyboard.press('Enter')
      await expect.poll(() => traceRows(page).count()).toBe(6)
      expect(parameter(page, 'min')).toBe('500ms')
      const id = traceRows(page).first().locator('.trace-id')
      expect(await id.textContent()).toMatch(/^[0-9a-f]{32}$/)
      expect(await id.evaluate(cell => getComputedStyle(cell).userSelect)).not.toBe('none')
      await page.getByRole('combobox', { name: 'Status' }).selectOption('error')
      await expect.poll(() => traceRows(page).count()).toBe(1)
      await traceRows(page).first().getByRole('link', { name: 'POST /orders' }).click()

      await spanRow(page, 'rank products').waitFor()
      expect(parameter(page, 'id')).toBe(SLOW_TRACE)
      expect(await spanRows(page).count()).toBe(5)
      expect(await spanRow(page, 'POST payments').locator('.span-kind').textContent()).toBe('client')
      expect(await page.locator('.trace-id-whole').textContent()).toBe(SLOW_TRACE)
      expect(await spanRow(page, 'rank products').textContent()).toContain('641 ms')
      // The profile of the whole trace, until a span is selected.
      await expect.poll(() => functions(page).allTextContents()).toContain('sign')
      await spanRow(page, 'rank products').click()
      await expect.poll(() => parameter(page, 'span-id')).toBe(spanIdOf(47, 1))
      await expect
        .poll(() => functions(page).allTextContents())
        .toEqual(['editDistance', 'handleOrder', SLOW_FUNCTION, 'serve'])
      const details = page.getByRole('region', { name: 'Details' })
      await details.getByText('user.name').waitFor()
      for (const text of ['shop=1', '0x101 (sampled, local)', 'dropped events', 'cart=2', '0x01 (sampled)']) {
        await details.getByText(text, { exact: true }).waitFor()
      }
      // Wall-clock profiles show what the span waited for.
      await spanRow(page, 'POST payments').click()
      await page.getByRole('combobox', { name: 'Profile type' }).selectOption('wall:ns')
      await page.getByRole('button', { name: 'This span' }).click()
      await expect.poll(() => functions(page).allTextContents()).toContain('await')
      await page.getByRole('button', { name: /^Logs \(3\)/ }).click()
      await page.getByText('order 47 took long').waitFor()
      await page.getByText('order 47: payment refused').waitFor()
      await page.getByRole('checkbox', { name: 'This span only' }).check()
      await page.getByText('No logs with the ID of this span').waitFor()
    })

    it('opens a trace by its dot and filters by dragging', async () => {
      const page = await hearth.open('/traces?name=POST+%2Forders')
      await traceRows(page).first().waitFor()
      const plot = await boxAtRest(page.locator('.duration-plot'))
      // Drags from above the fast requests, at 90 ms on an axis of 10 ms to 1 s, to the top.
      await page.mouse.move(plot.x + plot.width * 0.3, plot.y + plot.height * 0.45)
      await page.mouse.down()
      await page.mouse.move(plot.x + plot.width - 2, plot.y + 3, { steps: 5 })
      await page.mouse.up()
      await expect.poll(() => parameter(page, 'min')).toMatch(/^\d+us$/)
      await expect.poll(() => traceRows(page).count()).toBe(6)
      expect(parameter(page, 'from')).toMatch(/^\d{4}-/)
      await page.locator('.duration-plot').click({ position: await dotPlace(page) })
      await page.waitForURL(/\/trace\?/)
      await spanRows(page).first().waitFor()
    })

    it('shades all traces by number if a page does not have all of them', async () => {
      const page = await hearth.open('/status')
      await page.route('**/api/v1/traces?*', async route => {
        const response = await route.fetch()
        const { traces } = (await response.json()) as { readonly traces: readonly object[] }
        await route.fulfill({ json: { traces: traces.slice(0, 5), next: 'x' } })
      })
      await page.getByRole('link', { name: 'Traces' }).click()
      await page.getByText('61 traces, shaded by number · dots: 5, latest first').waitFor()
      const shaded = async (): Promise<number> =>
        await page.locator('.duration-plot canvas').evaluate(element => {
          const canvas = element as HTMLCanvasElement
          const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
          return data.filter((value, i) => i % 4 === 3 && value > 0).length
        })
      // Five small dots have fewer than 13 pixels each.
      await expect.poll(shaded).toBeGreaterThan(5 * 13 * 4)
    })

    it('opens the threads of a process at the time of a span, with that time marked', async () => {
      const page = await hearth.open(`/trace?id=${SLOW_TRACE}&span-id=${spanIdOf(47, 1)}`)
      await page.getByRole('link', { name: 'Threads at this time' }).click()
      await page.waitForURL(/\/explore\?.*view=threads/)
      expect(parameter(page, 'service')).toBe('storefront')
      const [, from, until] =
        /range\.(\d+)-(\d+)/.exec(new URL(page.url()).searchParams.getAll('lanes').join(' ')) ?? []
      // The span took 641 ms.
      expect(BigInt(until) - BigInt(from)).toBe(641_000_000n)
      await page.getByRole('region', { name: 'Selected range' }).getByText('641 ms').waitFor()
    })

    /** The position of a dot. */
    async function dotPlace(page: Page): Promise<{ x: number; y: number }> {
      return await page.locator('.duration-plot canvas').evaluate(element => {
        const canvas = element as HTMLCanvasElement
        const { data, width } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
        const at = data.findIndex((value, i) => i % 4 === 3 && value > 150)
        const pixel = Math.floor(at / 4)
        return { x: (pixel % width) / devicePixelRatio, y: Math.floor(pixel / width) / devicePixelRatio + 2 }
      })
    }

    it('suggests attributes and filters by them', async () => {
      const page = await hearth.open('/traces?name=POST+%2Forders')
      await traceRows(page).first().waitFor()
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.getByRole('combobox', { name: 'Attribute' }).fill('user')
      await page.getByRole('option', { name: /user.name/ }).click()
      await page.getByRole('combobox', { name: 'Value' }).click()
      await page.getByRole('option', { name: 'user 3' }).click()
      await expect.poll(() => parameter(page, 'where')).toBe('user.name=user 3')
      interface Listed {
        readonly traces: readonly object[]
      }
      const { traces } = await query<Listed>('traces?name=POST+%2Forders&selector=%7Buser.name%3D%22user+3%22%7D')
      await expect.poll(() => traceRows(page).count()).toBe(traces.length)
      expect(traces.length).toBeLessThan(20)
    })

    it('compares slow and fast traces, split by duration or selected', async () => {
      const page = await hearth.open('/traces')
      await page.getByRole('link', { name: 'Slow vs. fast' }).click()
      await page.getByRole('region', { name: 'Operations' }).getByRole('link', { name: 'POST /orders' }).click()
      await page.getByText('6 slow (≥ 591 ms), 54 fast requests').waitFor()
      await page.locator('.change-summary').getByText(SLOW_FUNCTION).waitFor()
      await page.getByRole('combobox', { name: 'Slow traces' }).selectOption('0.99')
      await page.getByText(/^1 slow \(≥/).waitFor()
      await page.getByRole('button', { name: 'Side by side' }).click()
      await page.getByRole('heading', { name: /^Comparison 720 ms/ }).waitFor()
      // The average of 59 fast requests, which the server scaled to one slow request.
      await page.getByRole('heading', { name: 'Baseline 117 ms' }).waitFor()
      await page.getByRole('button', { name: 'Table', exact: true }).click()
      await page.getByText('editDistance').first().waitFor()

      const list = await hearth.open('/traces?name=POST+%2Forders')
      await list.getByRole('checkbox', { name: /^slow/ }).nth(2).check()
      await list.getByRole('checkbox', { name: /^fast/ }).nth(0).check()
      await list.getByRole('checkbox', { name: /^fast/ }).nth(1).check()
      await list.getByText('1 slow, 2 fast').waitFor()
      await list.getByRole('button', { name: 'Compare selected' }).click()
      await list.getByText('Selected traces').waitFor()
      await list.getByText(/1 slow, 2\s+fast/).waitFor()
      await list.locator('.change-summary').getByText(SLOW_FUNCTION).waitFor()
    })

    it('opens the traces that contain a function', async () => {
      const page = await hearth.open('/explore?service=storefront&type=cpu%3Ans&view=table')
      await functions(page).filter({ hasText: SLOW_FUNCTION }).click({ button: 'right' })
      await page.getByRole('menuitem', { name: /Find traces/ }).click()
      await page.waitForURL(/\/traces\?/)
      // The function is identified by its file, too.
      expect(parameter(page, 'service')).toBe('storefront')
      expect(parameter(page, 'samples')).toMatch(new RegExp(`"${SLOW_FUNCTION}".*\\.ts"`))
      await expect.poll(() => traceRows(page).count()).toBe(6)
      for (const text of await traceRows(page).allTextContents()) expect(text).toContain('POST /orders')
      await page.getByRole('button', { name: /^Remove filter samples/ }).click()
      await expect.poll(() => traceRows(page).count()).toBeGreaterThan(20)
    })

    it('shows clock skew as sent and corrects it on demand', async () => {
      const page = await hearth.open(`/trace?id=${SLOW_TRACE}`)
      await spanRow(page, 'charge card').waitFor()
      await page
        .getByRole('note')
        .getByText(/clocks differ; shown as sent/)
        .waitFor()
      const placeOf = async (name: string): Promise<number> =>
        await spanRow(page, name)
          .locator('.waterfall-bar')
          .evaluate(bar => Number.parseFloat((bar as HTMLElement).style.left))
      // The clock is two seconds ahead, so the span is to the right of the whole request.
      expect(await placeOf('charge card')).toBeGreaterThan(90)
      expect(await placeOf('POST payments')).toBeLessThan(40)
      await page.getByRole('button', { name: 'Correct clock skew' }).click()
      await expect.poll(() => parameter(page, 'corrected')).toBe('1')
      const inner = await placeOf('charge card')
      const outer = await placeOf('POST payments')
      expect(inner).toBeGreaterThan(outer)
      expect(inner - outer).toBeLessThan(5)
      // The children have moved too.
      expect(await placeOf('SELECT cards')).toBeGreaterThan(inner)
      await page
        .getByRole('note')
        .getByText(/now moved into its parent/)
        .waitFor()
      await page.getByRole('button', { name: 'Correct clock skew' }).click()
      await expect.poll(() => placeOf('charge card')).toBeGreaterThan(90)
    })

    it('marks a span without an end', async () => {
      const page = await hearth.open(`/trace?id=${traceIdOf(OPEN_REQUEST)}`)
      await page
        .getByRole('note')
        .getByText(/no end, or one before the start/)
        .waitFor()
      const row = spanRow(page, 'SELECT cards')
      expect(await row.textContent()).toContain('no end')
      await row.click()
      await page.getByText('No end time, or end before start').last().waitFor()
    })

    it('offers unlinked samples of the thread and time of a span', async () => {
      const page = await hearth.open(`/trace?id=${traceIdOf(LOOSE_REQUEST)}`)
      await spanRow(page, 'rank products').click()
      await page.getByRole('button', { name: 'This span' }).click()
      await page.getByRole('heading', { name: 'No samples' }).waitFor()
      await page.getByText('by thread and time').first().waitFor()
      await page.getByRole('button', { name: /^Show \d+ unlinked samples? by thread and time/ }).click()
      await expect.poll(() => parameter(page, 'unlinked')).toBe('1')
      await expect.poll(() => functions(page).allTextContents()).toContain('readRanking')
      // Samples that are linked to other spans of the thread are not included.
      expect(await functions(page).allTextContents()).not.toContain('readBody')
    })

    it('navigates, collapses and searches spans by keys', async () => {
      const page = await hearth.open(`/trace?id=${SLOW_TRACE}`)
      await spanRows(page).first().waitFor()
      await page.getByRole('treegrid', { name: 'Spans' }).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await expect.poll(() => parameter(page, 'span-id')).toBe(spanIdOf(47, 2))
      await page.keyboard.press('ArrowLeft')
      await expect.poll(() => spanRows(page).count()).toBe(3)
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => spanRows(page).count()).toBe(5)
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('ArrowLeft')
      await expect.poll(() => parameter(page, 'span-id')).toBe(spanIdOf(47, 0))
      await page.getByRole('searchbox', { name: 'Search spans' }).fill('cards')
      await page.getByText('1 span', { exact: true }).waitFor()
      await page.keyboard.press('Enter')
      await expect.poll(() => parameter(page, 'span-id')).toBe(spanIdOf(47, 4))
      await expect.poll(() => spanRows(page).count()).toBe(5)
      await page.goBack()
      await expect.poll(() => parameter(page, 'span-id')).toBe(spanIdOf(47, 0))
    })

    it('shows a trace of 100,000 spans with few DOM rows', async () => {
      const page = await hearth.open(`/trace?id=${LARGE}`)
      await spanRow(page, 'import everything').waitFor()
      await page.getByText('100,000 spans').first().waitFor()
      await page.getByRole('note').getByText('Events are shown in traces of up to 1,000 spans').waitFor()
      expect(await page.locator('.waterfall-rows [role=row]').count()).toBeLessThan(120)
      await page.getByRole('treegrid', { name: 'Spans' }).focus()
      await page.keyboard.press('End')
      await spanRow(page, 'row 99999').waitFor()
      expect(await page.locator('.waterfall-rows [role=row]').count()).toBeLessThan(120)
      // The attributes of the selected span are requested now.
      await page.getByRole('region', { name: 'Details' }).getByText('user.name').waitFor()
      await page.getByRole('searchbox', { name: 'Search spans' }).fill('batch 17')
      await page.getByText('11 spans', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Collapse all' }).click()
      await expect.poll(() => spanRow(page, 'batch 0').count()).toBe(0)
      await page.getByRole('treegrid', { name: 'Spans' }).focus()
      await page.keyboard.press('Home')
      await spanRow(page, 'batch 0').waitFor()
      expect(await spanRow(page, 'row 2').count()).toBe(0)
    })

    it('keeps what is selected or typed while a text search is pending', async () => {
      const page = await hearth.open('/logs')
      const field = page.getByRole('searchbox', { name: 'Search logs' })
      await field.fill('took')
      await page.getByRole('button', { name: 'Use regular expression' }).click()
      await expect.poll(() => parameter(page, 'text')).toBe('took')
      expect(parameter(page, 'regex')).not.toBeNull()
      // Types more text at the moment when the URL receives the first text.
      await field.evaluate((element: HTMLInputElement) => {
        const replace = history.replaceState.bind(history)
        history.replaceState = (...given: Parameters<typeof replace>) => {
          replace(...given)
          history.replaceState = replace
          element.value += ' long'
          element.dispatchEvent(new Event('input', { bubbles: true }))
        }
      })
      await field.fill('TOOK')
      await expect.poll(() => parameter(page, 'text')).toBe('TOOK long')
      expect(await field.inputValue()).toBe('TOOK long')
    })

    it('reports a missing trace and an empty range', async () => {
      const page = await hearth.open(`/trace?id=${'e'.repeat(32)}`)
      await page.getByText('Trace not found').waitFor()
      const list = await hearth.open('/traces?service=nobody')
      await list.getByText(/No (traces|logs) in this time range match the filters/).waitFor()
      await list.getByRole('button', { name: 'Clear filters' }).click()
      await traceRows(list).first().waitFor()
    })

    const logTexts = (page: Page) => page.locator('.log-rows .log-text')

    it('searches logs by text, severity, attribute and time', async () => {
      const page = await hearth.open('/logs')
      await logTexts(page).first().waitFor()
      await page.getByText('71 records').waitFor()
      await page.getByText(/^Up to \d+ records? per 30 seconds$/).waitFor()
      await page.getByRole('searchbox', { name: 'Search logs' }).fill('TOOK long')
      await expect.poll(() => logTexts(page).count()).toBe(6)
      await page.getByRole('button', { name: 'Match case' }).click()
      await page.getByText(/No (traces|logs) in this time range match the filters/).waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('combobox', { name: 'Severity' }).selectOption('error')
      await expect.poll(() => logTexts(page).count()).toBe(5)
      await page.getByRole('button', { name: 'Add filter' }).click()
      await page.getByRole('combobox', { name: 'Attribute' }).fill('order')
      await page.getByRole('option', { name: /order.id/ }).click()
      await page.getByRole('combobox', { name: 'Value' }).click()
      await page.getByRole('option', { name: '47' }).click()
      await expect.poll(() => logTexts(page).allTextContents()).toEqual(['order 47: payment refused'])
      const plain = await hearth.open('/logs')
      await logTexts(plain).first().waitFor()
      const plot = await boxAtRest(plain.locator('.log-plot'))
      await plain.mouse.move(plot.x + plot.width * 0.75, plot.y + 20)
      await plain.mouse.down()
      await plain.mouse.move(plot.x + plot.width - 1, plot.y + 30, { steps: 4 })
      await plain.mouse.up()
      await expect.poll(() => parameter(plain, 'from')).toMatch(/^\d{4}-/)
      await expect.poll(() => logTexts(plain).count()).toBeLessThan(50)
    })

    it('links a log record to its trace, its profile and the flame graph of its thread', async () => {
      const page = await hearth.open('/logs?text=order+11%3A')
      await logTexts(page).first().click()
      const details = page.getByRole('region', { name: 'Details' })
      await details.getByText('order.id').waitFor()
      await details.getByText('0x01 (sampled)').waitFor()
      await details.getByText('dropped attributes').waitFor()
      await details.getByRole('link', { name: NAMED_PROFILE }).click()
      await page.getByRole('heading', { name: 'storefront: cpu' }).waitFor()
      await page.getByText(NAMED_PROFILE).first().waitFor()
      // From the profile back to the logs that name it.
      await page.getByRole('link', { name: 'Logs with this profile ID' }).click()
      await expect.poll(() => logTexts(page).count()).toBe(5)
      await logTexts(page).first().click()
      await details.getByRole('link', { name: 'Open trace' }).click()
      // The span that logged the record is marked.
      await page.locator('.waterfall-rows [aria-selected=true]').waitFor()
      expect(parameter(page, 'span-id')).toMatch(/^[0-9a-f]{16}$/)
      await page.goBack()
      await logTexts(page).first().click()
      await details.getByRole('link', { name: 'Flame graph at this time' }).click()
      await page.waitForURL(/\/explore\?/)
      await page.getByRole('button', { name: 'Remove filter resource:host.name = storefront-1' }).waitFor()
      await page.getByRole('button', { name: 'Remove filter sample:thread.id = 1' }).waitFor()
      await expect.poll(() => functions(page).allTextContents()).toContain('readBody')
    })

    it('follows logs until the user stops it', async () => {
      const page = await hearth.visit(`${hearth.url}/logs`)
      await logTexts(page).first().waitFor()
      await page.clock.install()
      await page.getByRole('button', { name: 'Follow' }).click()
      const say = async (text: string): Promise<void> => {
        const record = { timeUnixNano: String(BigInt(Date.now()) * 1_000_000n), body: { stringValue: text } }
        const body = { resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords: [record] }] }] }
        const headers = { 'content-type': 'application/json' }
        await fetch(`${hearth.otlp}/v1/logs`, { method: 'POST', headers, body: JSON.stringify(body) })
      }
      await say('just now')
      await expect.poll(() => logTexts(page).first().textContent()).toBe('just now')
      await page.getByRole('button', { name: 'Following' }).click()
      await expect.poll(() => parameter(page, 'follow')).toBeNull()
      const requested: string[] = []
      page.on('request', request => requested.push(request.url()))
      await say('unheard')
      // All timers of the next minute run now. A request of the page arrives after those that they send.
      await page.clock.runFor(60_000)
      await page.evaluate(async () => void (await fetch('/healthz')))
      expect(requested.at(-1)).toContain('/healthz')
      expect(requested.filter(url => url.includes('/logs'))).toEqual([])
      expect(await logTexts(page).first().textContent()).toBe('just now')
    })

    it('are accessible in both themes', async () => {
      for (const [path, ready] of [
        ['/traces', ['.trace-table tbody tr']],
        // The link of the span has no name, and arrives after the profile.
        [
          `/trace?id=${SLOW_TRACE}&span-id=${spanIdOf(47, 3)}&find=card`,
          ['.top-table tbody tr', '.span-details :text-is("cart=2")'],
        ],
        ['/slow?service=storefront&name=POST+%2Forders', ['.change-summary li']],
        ['/slow', ['.trace-table tbody tr']],
        ['/logs', ['.log-rows tbody tr']],
      ] as const) {
        const page = await hearth.open(path)
        for (const each of ready) await page.locator(each).first().waitFor()
        if (path === '/logs') await logTexts(page).first().click()
        expect({ path, violations: await violationsInThemes(page) }).toEqual({ path, violations: [] })
        await hearth.closePages()
      }
    })
  })

  it('log no errors', () => {
    expect(hearth.errors).toEqual([])
  })
})
