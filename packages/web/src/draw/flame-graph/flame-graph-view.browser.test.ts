// Tests the flame graph in a real browser: drawing, pointer, wheel and keys.
import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumPath, sharedBrowser } from '../../testing/chromium.node.ts'
import { openPage, pageScript } from '../testing/drawing-page.node.ts'
import type { FlameGraphOptions } from './flame-graph-types.ts'
import { SURFACES } from '../oklch.ts'
import type { RecordedCall } from '../testing/page.ts'

// Widths at 1000 pixels: main 600 (run 500 (gc 300), idle 100), other 400 (run 400).
const STACKS = 'main;run;gc 30\nmain;run 20\nmain;idle 10\nother;run 40'

const path = chromiumPath()
if (path === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

describe.skipIf(path === undefined)('FlameGraphView', () => {
  let browser: Browser
  let script: string
  let page: Page

  beforeAll(async () => {
    script = await pageScript()
    browser = await sharedBrowser(path!)
  })

  afterEach(async () => {
    await Promise.all(browser.contexts().map(context => context.close()))
  })

  async function show(options: Partial<FlameGraphOptions> = {}, ratio = 1, stacks = STACKS): Promise<void> {
    page = await openPage(browser, script, { width: 1000, height: 200 }, ratio)
    await page.evaluate(
      ([text, given]) => {
        kit.mount({ animate: false, ...given }).setTree(kit.treeOfFolded(text, 'ms'))
        return kit.settled()
      },
      [stacks, options] as const,
    )
  }

  const settled = (): Promise<void> => page.evaluate(() => kit.settled())
  const calls = (event: RecordedCall['event']): Promise<RecordedCall[]> =>
    page.evaluate(wanted => kit.calls.filter(one => one.event === wanted), event)
  const pixel = (layer: 'boxes' | 'marks', x: number, y: number): Promise<string> =>
    page.evaluate(([a, b, c]) => kit.pixel(a, b, c), [layer, x, y] as const)
  const viewport = (): Promise<number[]> =>
    page.evaluate(() => {
      const { left, right, top } = kit.view!.viewport
      return [left, right, top]
    })
  const paper = `${SURFACES.light.paper}ff`

  describe('drawing', () => {
    test('draws boxes and paper at their positions', async () => {
      await show()
      expect(await pixel('boxes', 990, 5)).toBe(`${SURFACES.light.root}ff`)
      expect(await pixel('boxes', 590, 30)).not.toBe(paper)
      // The same function at two positions.
      expect(await pixel('boxes', 490, 50)).toBe(await pixel('boxes', 990, 50))
      expect(await pixel('boxes', 450, 70)).toBe(paper)
      expect(await pixel('boxes', 500, 150)).toBe(paper)
    })

    test('draws flames from the lower edge in the dark theme', async () => {
      await show({ orientation: 'flame', theme: 'dark' })
      expect(await pixel('boxes', 990, 195)).toBe(`${SURFACES.dark.root}ff`)
      expect(await pixel('boxes', 500, 20)).toBe(`${SURFACES.dark.paper}ff`)
    })

    test('draws as many pixels as the screen has', async () => {
      await show({}, 2)
      expect(await page.evaluate(() => document.querySelector('canvas')!.width)).toBe(2000)
      expect(await pixel('boxes', 990, 5)).toBe(`${SURFACES.light.root}ff`)
    })

    test('follows the size of its element', async () => {
      await show()
      await page.setViewportSize({ width: 500, height: 100 })
      await settled()
      expect(await page.evaluate(() => document.querySelector('canvas')!.width)).toBe(500)
      expect(await pixel('boxes', 495, 5)).toBe(`${SURFACES.light.root}ff`)
    })

    test('draws an empty tree and no tree', async () => {
      await show()
      await page.evaluate(() => {
        const none = kit.applyTransforms(kit.treeOfFolded('a 1'), [{ kind: 'focus-function', function: { name: 'b' } }])
        kit.view!.setTree(none)
        return kit.settled()
      })
      expect(await pixel('boxes', 990, 5)).toBe(`${SURFACES.light.root}ff`)
      await page.evaluate(() => {
        kit.view!.setTree(undefined)
        return kit.settled()
      })
      expect(await pixel('boxes', 990, 5)).toBe(paper)
    })

    test('dims boxes that a search does not match until the search ends', async () => {
      await show()
      const before = await pixel('boxes', 590, 30)
      await page.evaluate(() => {
        const { frames } = kit.treeOfFolded('main;run;gc 30\nmain;run 20\nmain;idle 10\nother;run 40')
        kit.view!.setSearch(kit.searchFrames(frames, { text: 'gc' }))
        return kit.settled()
      })
      expect(await pixel('boxes', 590, 30)).toBe(`${SURFACES.light.dim}ff`)
      await page.evaluate(() => {
        kit.view!.setSearch(undefined)
        return kit.settled()
      })
      expect(await pixel('boxes', 590, 30)).toBe(before)
    })
  })

  describe('pointer', () => {
    beforeEach(() => show())

    test('reports the hovered box and marks its function everywhere', async () => {
      await page.mouse.move(450, 50)
      await settled()
      expect((await calls('hover')).at(-1)).toEqual({ event: 'hover', text: 'main/run', by: 'pointer' })
      expect(await pixel('marks', 450, 40)).toMatch(/ff$/)
      expect(await pixel('marks', 800, 40)).toMatch(/ff$/)
      expect(await pixel('marks', 550, 40)).toBe('#00000000')
      await page.mouse.move(450, 150)
      await settled()
      expect((await calls('hover')).at(-1)?.text).toBe('nothing')
      expect(await pixel('marks', 800, 40)).toBe('#00000000')
    })

    test('zooms in and selects on click, and zooms out on Escape', async () => {
      await page.mouse.click(550, 50)
      await settled()
      expect(await viewport()).toEqual([0.5, 0.6, 0])
      expect((await calls('focus')).at(-1)).toEqual({ event: 'focus', text: 'main/idle', by: 'click' })
      expect((await calls('select')).at(-1)?.text).toBe('main/idle')
      // Callers fill the width, other callees are hidden.
      expect(await pixel('boxes', 990, 50)).not.toBe(paper)
      expect(await pixel('boxes', 990, 70)).toBe(paper)
      await page.keyboard.press('Escape')
      await settled()
      expect(await viewport()).toEqual([0, 0.6, 0])
      await page.mouse.click(500, 5)
      await settled()
      expect(await viewport()).toEqual([0, 1, 0])
    })

    test('clears the selection on a click outside all boxes', async () => {
      await page.mouse.click(450, 150)
      expect((await calls('select')).at(-1)?.text).toBe('nothing')
      expect(await calls('focus')).toEqual([])
    })

    test('opens the menu with the secondary button', async () => {
      await page.mouse.click(450, 70, { button: 'right' })
      expect(await calls('menu')).toEqual([])
      await page.mouse.click(100, 70, { button: 'right' })
      expect(await calls('menu')).toEqual([{ event: 'menu', text: 'main/run/gc', by: 'pointer' }])
      expect(await viewport()).toEqual([0, 1, 0])
    })

    test('zooms at the pointer with Ctrl and the wheel', async () => {
      await page.mouse.move(250, 50)
      await page.keyboard.down('Control')
      await page.mouse.wheel(0, -200)
      await page.keyboard.up('Control')
      await settled()
      const [left, right] = await viewport()
      expect(right - left).toBeLessThan(0.7)
      expect(left + 0.25 * (right - left)).toBeCloseTo(0.25)
      // Only the root encloses the window. A path from the URL keeps the zoom.
      expect(await page.evaluate(() => kit.view!.focused)).toBe(-1)
      await page.evaluate(() => kit.view!.focus([]))
      await settled()
      expect(await viewport()).toEqual([left, right, 0])
      await page.evaluate(() => kit.view!.reset())
      await settled()
      expect(await viewport()).toEqual([0, 1, 0])
    })

    test('focuses the box that the wheel zoomed into', async () => {
      await page.mouse.move(150, 50)
      await page.keyboard.down('Control')
      await page.mouse.wheel(0, -600)
      await page.keyboard.up('Control')
      await settled()
      expect((await calls('focus')).at(-1)).toEqual({ event: 'focus', text: 'main/run/gc', by: 'wheel' })
    })

    test('pans when dragging and does not click', async () => {
      await page.evaluate(() => kit.view!.focus(['main', 'idle']))
      await settled()
      await page.mouse.move(500, 100)
      await page.mouse.down()
      await page.mouse.move(300, 100, { steps: 4 })
      await page.mouse.up()
      await settled()
      const [left, right] = await viewport()
      expect(left).toBeCloseTo(0.52)
      expect(right).toBeCloseTo(0.62)
      expect(await calls('select')).toEqual([])
      expect((await calls('focus')).at(-1)).toEqual({ event: 'focus', text: '', by: 'drag' })
    })
  })

  test('zooms with two fingers, pans with one and clicks on a tap', async () => {
    await show()
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 })
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: number[]): Promise<unknown> =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x, y: 50, id })) })
    await touch('touchStart', 200, 300)
    for (const spread of [20, 40, 50]) await touch('touchMove', 200 - spread, 300 + spread)
    await touch('touchEnd')
    await settled()
    const [left, right] = await viewport()
    expect(right - left).toBeCloseTo(0.5, 1)
    expect(left + 0.25 * (right - left)).toBeCloseTo(0.25, 1)
    expect(await calls('select')).toEqual([])
    await touch('touchStart', 400)
    for (const x of [380, 340, 300]) await touch('touchMove', x)
    await touch('touchEnd')
    await settled()
    expect((await viewport())[0]).toBeCloseTo(left + 0.1 * (right - left), 1)
    await touch('touchStart', 10)
    await touch('touchEnd')
    await settled()
    expect(await calls('select')).toEqual([{ event: 'select', text: 'main/run', by: 'pointer' }])
  })

  test('scrolls a deep graph with the wheel, and lets the page scroll at its end', async () => {
    const deep = `${Array.from({ length: 60 }, (_, i) => `f${i}`).join(';')} 1`
    await show({}, 1, deep)
    await page.mouse.move(500, 100)
    await page.mouse.wheel(0, 400)
    await settled()
    expect((await viewport())[2]).toBe(20)
    await page.mouse.wheel(0, 9999)
    await settled()
    expect((await viewport())[2]).toBe(51)
    await page.mouse.wheel(0, -9999)
    await settled()
    const prevented = await page.evaluate(() => {
      const event = new WheelEvent('wheel', { deltaY: -50, cancelable: true, bubbles: true })
      document.querySelectorAll('canvas')[1].dispatchEvent(event)
      return event.defaultPrevented
    })
    expect(prevented).toBe(false)
  })

  describe('keys', () => {
    beforeEach(async () => {
      await show()
      await page.keyboard.press('Tab')
    })

    test('walks, announces, zooms and opens the menu with keys', async () => {
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
      expect((await calls('announce')).map(({ text }) => text.split(',')[0])).toEqual([
        'all: 100 ms',
        'main',
        'run',
        'idle',
      ])
      await page.keyboard.press('Enter')
      await settled()
      expect((await calls('focus')).at(-1)).toEqual({ event: 'focus', text: 'main/idle', by: 'key' })
      await page.keyboard.press('Shift+F10')
      expect(await calls('menu')).toEqual([{ event: 'menu', text: 'main/idle', by: 'keyboard' }])
      await page.keyboard.press('ContextMenu')
      expect(await calls('menu')).toHaveLength(2)
      await page.keyboard.press('Backspace')
      await settled()
      expect(await viewport()).toEqual([0, 0.6, 0])
      await page.keyboard.press('Home')
      await settled()
      expect(await viewport()).toEqual([0, 1, 0])
    })

    test('walks to callees with the up key in a flame orientation', async () => {
      await page.evaluate(() => kit.view!.setOptions({ orientation: 'flame' }))
      for (const key of ['ArrowUp', 'ArrowUp']) await page.keyboard.press(key)
      expect((await calls('announce')).at(-1)?.text).toMatch(/^main/)
    })

    test('zooms to a box that is too narrow to see when keys reach it', async () => {
      await page.evaluate(() => kit.view!.setTree(kit.treeOfFolded('wide 100000\nnarrow 1')))
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
      await settled()
      const [left, right] = await viewport()
      expect(right - left).toBeLessThan(0.01)
      expect(right).toBeCloseTo(1, 3)
    })

    test('does not handle Escape when nothing is zoomed', async () => {
      const prevented = await page.evaluate(() => {
        const event = new KeyboardEvent('keydown', { key: 'Escape', cancelable: true, bubbles: true })
        document.querySelectorAll('canvas')[1].dispatchEvent(event)
        return event.defaultPrevented
      })
      expect(prevented).toBe(false)
    })
  })

  test('keeps focus and selection by their paths when the tree changes', async () => {
    await show()
    await page.mouse.click(100, 70)
    await page.evaluate(() => kit.view!.setTree(kit.treeOfFolded('zero 50\nmain;run;gc 25\nmain;run 25')))
    expect(await viewport()).toEqual([0, 0.25, 0])
    expect(await page.evaluate(() => [kit.view!.focused, kit.view!.selected])).toEqual([2, 2])
    await page.evaluate(() => kit.view!.setTree(kit.treeOfFolded('zero 50\nmain 50')))
    expect(await page.evaluate(() => [kit.view!.focused, kit.view!.selected])).toEqual([0, undefined])
  })

  test('animates zooming unless reduced motion is set', async () => {
    await show({ animate: undefined })
    const steps = (): Promise<number> =>
      page.evaluate(async () => {
        // Frames are late on a busy machine. The animation uses the times passed to them.
        const frame = window.requestAnimationFrame.bind(window)
        let time = performance.now()
        window.requestAnimationFrame = run => frame(() => run((time += 4)))
        kit.view!.reset()
        await kit.settled()
        const widths = new Set<number>()
        kit.view!.focus(['main', 'idle'])
        for (let i = 0; i < 20; i++) {
          widths.add(kit.view!.viewport.right - kit.view!.viewport.left)
          await new Promise(resolve => void requestAnimationFrame(resolve))
        }
        window.requestAnimationFrame = frame
        return widths.size
      })
    expect(await steps()).toBeGreaterThan(2)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await steps()).toBe(1)
  })

  test('zooms with two fingers and pans with one', async () => {
    await show()
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 })
    const touch = async (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...places: readonly number[]
    ): Promise<void> => {
      await session.send('Input.dispatchTouchEvent', { type, touchPoints: places.map((x, id) => ({ x, y: 50, id })) })
    }
    await touch('touchStart', 400, 600)
    await touch('touchMove', 350, 650)
    await touch('touchMove', 300, 700)
    await touch('touchEnd')
    await settled()
    const [left, right] = await viewport()
    // The fingers are twice as far from each other.
    expect(right - left).toBeCloseTo(0.5, 1)
    expect((left + right) / 2).toBeCloseTo(0.5, 1)
    await touch('touchStart', 500)
    await touch('touchMove', 400)
    await touch('touchMove', 300)
    await touch('touchEnd')
    await settled()
    const [moved] = await viewport()
    expect(moved - left).toBeCloseTo(0.1, 1)
    expect(moved).toBeGreaterThan(left)
  })

  test('exports a PNG of all rows and well-formed SVG', async () => {
    const deep = `${Array.from({ length: 30 }, (_, i) => `f${i}<"&>`).join(';')} 1`
    await show({}, 1, deep)
    const [width, height, problems, rects] = await page.evaluate(async () => {
      const picture = await createImageBitmap(await kit.view!.toPng(2))
      const svg = new DOMParser().parseFromString(kit.view!.toSvg(), 'image/svg+xml')
      return [
        picture.width,
        picture.height,
        svg.querySelectorAll('parsererror').length,
        svg.querySelectorAll('rect').length,
      ]
    })
    expect([width, height, problems, rects]).toEqual([2000, 31 * 40, 0, 32])
  })

  test('hovers and zooms in a tree of a million nodes', async () => {
    await show()
    const rows = await page.evaluate(async () => {
      kit.view!.setTree(kit.syntheticTree(1_000_000))
      await kit.settled()
      return kit.view!.viewport.rows
    })
    expect(rows).toBeGreaterThan(30)
    await page.mouse.move(3, 190)
    await settled()
    expect((await calls('hover')).at(-1)?.text.split('/').length).toBeGreaterThan(8)
    await page.mouse.click(3, 190)
    await settled()
    const [left, right] = await viewport()
    expect(right - left).toBeLessThan(0.5)
  })

  test('removes its elements and listeners when destroyed', async () => {
    await show()
    await page.evaluate(() => kit.view!.destroy())
    expect(await page.evaluate(() => document.querySelectorAll('canvas').length)).toBe(0)
    await page.mouse.move(450, 50)
    expect(await calls('hover')).toEqual([])
  })
})
