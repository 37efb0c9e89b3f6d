// Traces and logs in Chromium over a real server: found, opened, looked into, compared, and left for what they lead to.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { chromiumPath } from '../../draw/testing/chromium.node.ts'
import { boxAtRest } from '../../testing/box-at-rest.node.ts'
import { HearthPage, violations } from '../../testing/hearth-page.node.ts'
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
if (chromium === undefined) process.stdout.write('skipped: no Chromium was found (CHROMIUM_PATH can name one)\n')

const LARGE = 'b'.repeat(32)
const LARGE_SPANS = 100_000
/** Slow, and broken too. */
const SLOW_TRACE = traceIdOf(47)

describe.skipIf(chromium === undefined)('traces and logs', () => {
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
  const ask = async <Answer>(path: string): Promise<Answer> => {
    return (await (await fetch(`${hearth.url}/api/v1/${path}`)).json()) as Answer
  }

  test('before anything was sent, the page says how to send it', async () => {
    const page = await hearth.open('/traces')
    await page.getByText('Send the first traces').waitFor()
    expect(await page.locator('.empty-snippet').textContent()).toContain(
      'OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318',
    )
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByText('Send the first logs').waitFor()
  })

  describe('of a shop', () => {
    beforeAll(async () => {
      await sendTraces(hearth.otlp)
      await sendSpans(hearth.otlp, largeTrace(LARGE, LARGE_SPANS, BigInt(Date.now() - 600_000) * 1_000_000n))
      interface Listed {
        readonly traces: readonly { readonly spans: number; readonly samples: number }[]
      }
      const isThere = async (): Promise<void> => {
        const { traces } = await ask<Listed>('traces?limit=100')
        expect(traces.filter(({ samples, spans }) => samples > 0 || spans === LARGE_SPANS)).toHaveLength(61)
      }
      await vi.waitFor(isThere, { timeout: 60_000, interval: 300 })
    })

    test('a slow request is found by its duration, and its span, its profile and its logs are seen', async () => {
      const page = await hearth.open('/traces?name=POST+%2Forders')
      await expect.poll(() => traceRows(page).count()).toBeGreaterThan(20)
      await page.getByRole('button', { name: 'Duration' }).click()
      await expect.poll(() => parameter(page, 'sort')).toBe('duration')
      await expect.poll(() => traceRows(page).first().textContent()).toContain('741 ms')
      await page.getByRole('textbox', { name: 'At least as long as' }).fill('500')
      await page.keyboard.press('Enter')
      await expect.poll(() => traceRows(page).count()).toBe(6)
      expect(parameter(page, 'min')).toBe('500ms')
      await page.getByRole('combobox', { name: 'Status' }).selectOption('error')
      await expect.poll(() => traceRows(page).count()).toBe(1)
      await traceRows(page).first().getByRole('link', { name: 'POST /orders' }).click()

      await spanRow(page, 'rank products').waitFor()
      expect(parameter(page, 'id')).toBe(SLOW_TRACE)
      expect(await spanRows(page).count()).toBe(5)
      expect(await spanRow(page, 'rank products').textContent()).toContain('641 ms')
      // The whole trace, until a span is chosen.
      await expect.poll(() => functions(page).allTextContents()).toContain('sign')
      await spanRow(page, 'rank products').click()
      await expect.poll(() => parameter(page, 'span-id')).toBe(spanIdOf(47, 1))
      await expect
        .poll(() => functions(page).allTextContents())
        .toEqual(['editDistance', 'handleOrder', SLOW_FUNCTION, 'serve'])
      await page.getByRole('region', { name: 'Facts' }).getByText('user.name').waitFor()
      // What it waited for is seen by the clock on the wall.
      await spanRow(page, 'POST payments').click()
      await page.getByRole('combobox', { name: 'Profile type' }).selectOption('wall:ns')
      await page.getByRole('button', { name: 'This span' }).click()
      await expect.poll(() => functions(page).allTextContents()).toContain('await')
      await page.getByRole('button', { name: /^Logs \(3\)/ }).click()
      await page.getByText('order 47 took long').waitFor()
      await page.getByText('order 47: payment refused').waitFor()
      await page.getByRole('checkbox', { name: 'Only of this span' }).check()
      await page.getByText('Nothing was logged with the id of this span').waitFor()
    })

    test('dots: one opens its trace, a drag chooses a time and durations', async () => {
      const page = await hearth.open('/traces?name=POST+%2Forders')
      await traceRows(page).first().waitFor()
      const plot = await boxAtRest(page.locator('.duration-plot'))
      // From above the fast ones, at 90 ms of 10 ms to 1 s, to the top.
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

    /** Where a dot is painted. */
    async function dotPlace(page: Page): Promise<{ x: number; y: number }> {
      return await page.locator('.duration-plot canvas').evaluate(element => {
        const canvas = element as HTMLCanvasElement
        const { data, width } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
        const at = data.findIndex((value, i) => i % 4 === 3 && value > 150)
        const pixel = Math.floor(at / 4)
        return { x: (pixel % width) / devicePixelRatio, y: Math.floor(pixel / width) / devicePixelRatio + 2 }
      })
    }

    test('attributes complete, and filter', async () => {
      const page = await hearth.open('/traces?name=POST+%2Forders')
      await traceRows(page).first().waitFor()
      await page.getByRole('button', { name: 'Add a filter' }).click()
      await page.getByRole('combobox', { name: 'Attribute' }).fill('user')
      await page.getByRole('option', { name: /user.name/ }).click()
      await page.getByRole('combobox', { name: 'Value' }).click()
      await page.getByRole('option', { name: 'user 3' }).click()
      await expect.poll(() => parameter(page, 'where')).toBe('user.name=user 3')
      interface Listed {
        readonly traces: readonly object[]
      }
      const { traces } = await ask<Listed>('traces?name=POST+%2Forders&selector=%7Buser.name%3D%22user+3%22%7D')
      await expect.poll(() => traceRows(page).count()).toBe(traces.length)
      expect(traces.length).toBeLessThan(20)
    })

    test('slow against fast: split by duration, or as picked', async () => {
      const page = await hearth.open('/traces')
      await page.getByRole('link', { name: 'Slow against fast' }).click()
      await page.getByRole('region', { name: 'Operations' }).getByRole('link', { name: 'POST /orders' }).click()
      await page.getByText('6 slow from 591 ms on, 54 fast').waitFor()
      await page.locator('.new-and-gone').getByText(SLOW_FUNCTION).waitFor()
      await page.getByRole('combobox', { name: 'Which are slow' }).selectOption('0.99')
      await page.getByText(/^1 slow from/).waitFor()
      await page.getByRole('button', { name: 'Side by side' }).click()
      await page.getByRole('heading', { name: /^After 720 ms/ }).waitFor()
      await page.getByRole('button', { name: 'Table', exact: true }).click()
      await page.getByText('editDistance').first().waitFor()

      const list = await hearth.open('/traces?name=POST+%2Forders')
      await list.getByRole('checkbox', { name: /^slow/ }).nth(2).check()
      await list.getByRole('checkbox', { name: /^fast/ }).nth(0).check()
      await list.getByRole('checkbox', { name: /^fast/ }).nth(1).check()
      await list.getByText('1 slow, 2 fast').waitFor()
      await list.getByRole('button', { name: 'Compare them' }).click()
      await list.getByText('as picked').waitFor()
      await list.getByText(/1 slow, 2\s+fast/).waitFor()
      await list.locator('.new-and-gone').getByText(SLOW_FUNCTION).waitFor()
    })

    test('from a function to the traces it was seen in', async () => {
      const page = await hearth.open('/explore?service=storefront&type=cpu%3Ans&view=table')
      await functions(page).filter({ hasText: SLOW_FUNCTION }).click({ button: 'right' })
      await page.getByRole('menuitem', { name: /Find traces/ }).click()
      await page.waitForURL(/\/traces\?/)
      await expect.poll(() => traceRows(page).count()).toBe(6)
      for (const text of await traceRows(page).allTextContents()) expect(text).toContain('POST /orders')
      await page.getByRole('button', { name: /^Remove the filter seen/ }).click()
      await expect.poll(() => traceRows(page).count()).toBeGreaterThan(20)
    })

    test('clocks that differ are shown as sent, and corrected on demand', async () => {
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
      // Two seconds ahead: to the right of the whole request.
      expect(await placeOf('charge card')).toBeGreaterThan(90)
      expect(await placeOf('POST payments')).toBeLessThan(40)
      await page.getByRole('button', { name: 'Correct clocks' }).click()
      await expect.poll(() => parameter(page, 'corrected')).toBe('1')
      const inner = await placeOf('charge card')
      const outer = await placeOf('POST payments')
      expect(inner).toBeGreaterThan(outer)
      expect(inner - outer).toBeLessThan(5)
      // What is below has moved along.
      expect(await placeOf('SELECT cards')).toBeGreaterThan(inner)
      await page
        .getByRole('note')
        .getByText(/now moved into its parent/)
        .waitFor()
      await page.getByRole('button', { name: 'Correct clocks' }).click()
      await expect.poll(() => placeOf('charge card')).toBeGreaterThan(90)
    })

    test('a span without an end is said to have none', async () => {
      const page = await hearth.open(`/trace?id=${traceIdOf(OPEN_REQUEST)}`)
      await page
        .getByRole('note')
        .getByText(/no end, or one before the start/)
        .waitFor()
      const row = spanRow(page, 'SELECT cards')
      expect(await row.textContent()).toContain('no end')
      await row.click()
      await page.getByText('It has no end, or one before its start').last().waitFor()
    })

    test('samples without a link are offered for the thread and time of a span, and marked', async () => {
      const page = await hearth.open(`/trace?id=${traceIdOf(LOOSE_REQUEST)}`)
      await spanRow(page, 'rank products').click()
      await page.getByRole('button', { name: 'This span' }).click()
      await page.getByText('No sample here').waitFor()
      await page.getByText('by thread and time').first().waitFor()
      await page.getByRole('button', { name: /samples of its thread in its time, without a link/ }).click()
      await expect.poll(() => parameter(page, 'unlinked')).toBe('1')
      await expect.poll(() => functions(page).allTextContents()).toContain('readRanking')
      // Those that are linked to other spans of the thread are not among them.
      expect(await functions(page).allTextContents()).not.toContain('readBody')
    })

    test('spans are walked, folded up and searched by keys', async () => {
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

    test('a trace of 100,000 spans is readable, bounded, and says so', async () => {
      const page = await hearth.open(`/trace?id=${LARGE}`)
      await spanRow(page, 'import everything').waitFor()
      await page.getByText('100,000 spans').first().waitFor()
      await page.getByRole('note').getByText('events are marked in traces of up to 1,000').waitFor()
      expect(await page.locator('.waterfall-rows [role=row]').count()).toBeLessThan(120)
      await page.getByRole('treegrid', { name: 'Spans' }).focus()
      await page.keyboard.press('End')
      await spanRow(page, 'row 99999').waitFor()
      expect(await page.locator('.waterfall-rows [role=row]').count()).toBeLessThan(120)
      // Its attributes are asked for now.
      await page.getByRole('region', { name: 'Facts' }).getByText('user.name').waitFor()
      await page.getByRole('searchbox', { name: 'Search spans' }).fill('batch 17')
      await page.getByText('11 spans', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Fold up' }).click()
      await expect.poll(() => spanRow(page, 'batch 0').count()).toBe(0)
      await page.getByRole('treegrid', { name: 'Spans' }).focus()
      await page.keyboard.press('Home')
      await spanRow(page, 'batch 0').waitFor()
      expect(await spanRow(page, 'row 2').count()).toBe(0)
    })

    test('what is chosen or typed while a text waits to be searched for is kept', async () => {
      const page = await hearth.open('/logs')
      const field = page.getByRole('searchbox', { name: 'Search logs' })
      await field.fill('took')
      await page.getByRole('button', { name: 'As a regular expression' }).click()
      await expect.poll(() => parameter(page, 'text')).toBe('took')
      expect(parameter(page, 'regex')).not.toBeNull()
      // The moment that the address has one text, more is typed.
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

    test('a trace that is not there', async () => {
      const page = await hearth.open(`/trace?id=${'e'.repeat(32)}`)
      await page.getByText('No such trace').waitFor()
      const list = await hearth.open('/traces?service=nobody')
      await list.getByText('Nothing was sent of this time that fits the filters').waitFor()
      await list.getByRole('button', { name: 'Drop the filters' }).click()
      await traceRows(list).first().waitFor()
    })

    const logTexts = (page: Page) => page.locator('.log-rows .log-text')

    test('logs are searched by text, severity, attribute and time', async () => {
      const page = await hearth.open('/logs')
      await logTexts(page).first().waitFor()
      await page.getByText('71 records').waitFor()
      await page.getByRole('searchbox', { name: 'Search logs' }).fill('TOOK long')
      await expect.poll(() => logTexts(page).count()).toBe(6)
      await page.getByRole('button', { name: 'Large and small letters differ' }).click()
      await page.getByText('Nothing was sent of this time that fits the filters').waitFor()
      await page.getByRole('button', { name: 'Drop the filters' }).click()
      await page.getByRole('combobox', { name: 'Severity' }).selectOption('error')
      await expect.poll(() => logTexts(page).count()).toBe(5)
      await page.getByRole('button', { name: 'Add a filter' }).click()
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

    test('from a log to its trace, to the profile it names, and to what its thread did then', async () => {
      const page = await hearth.open('/logs?text=order+11%3A')
      await logTexts(page).first().click()
      const facts = page.getByRole('region', { name: 'Facts' })
      await facts.getByText('order.id').waitFor()
      await facts.getByRole('link', { name: NAMED_PROFILE }).click()
      await page.getByRole('heading', { name: 'cpu of storefront' }).waitFor()
      await page.getByText(NAMED_PROFILE).first().waitFor()
      // And back: what names the profile.
      await page.getByRole('link', { name: 'Logs that name it' }).click()
      await expect.poll(() => logTexts(page).count()).toBe(5)
      await logTexts(page).first().click()
      await facts.getByRole('link', { name: 'Its trace' }).click()
      await spanRows(page).first().waitFor()
      await page.goBack()
      await logTexts(page).first().click()
      await facts.getByRole('link', { name: 'Flame graph then' }).click()
      await page.waitForURL(/\/explore\?/)
      await page.getByRole('button', { name: 'Remove the filter resource:host.name = storefront-1' }).waitFor()
      await page.getByRole('button', { name: 'Remove the filter sample:thread.id = 1' }).waitFor()
      await expect.poll(() => functions(page).allTextContents()).toContain('readBody')
    })

    test('logs are followed until somebody stops it', async () => {
      const page = await hearth.open('/logs')
      await logTexts(page).first().waitFor()
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
      const asked: string[] = []
      page.on('request', request => asked.push(request.url()))
      await say('unheard')
      await page.waitForTimeout(3000)
      expect(asked.filter(url => url.includes('/logs'))).toEqual([])
      expect(await logTexts(page).first().textContent()).toBe('just now')
    })

    test.each(['light', 'dark'] as const)('nobody is shut out: %s', async theme => {
      for (const [path, ready] of [
        ['/traces', '.trace-table tbody tr'],
        [`/trace?id=${SLOW_TRACE}&span-id=${spanIdOf(47, 3)}&find=card`, '.top-table tbody tr'],
        ['/slow?service=storefront&name=POST+%2Forders', '.new-and-gone li'],
        ['/slow', '.trace-table tbody tr'],
        ['/logs', '.log-rows tbody tr'],
      ] as const) {
        const page = await hearth.open(path, theme)
        await page.locator(ready).first().waitFor()
        if (path === '/logs') await logTexts(page).first().click()
        expect({ path, violations: await violations(page) }).toEqual({ path, violations: [] })
        await page.context().close()
      }
    })
  })

  test('no page complained', () => {
    expect(hearth.complaints).toEqual([])
  })
})
