import { describe, expect, test } from 'vitest'
import { layOut, searchFrames } from '@hearth/profile'
import { layoutOf, treeOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import { coloursOf } from './box-colours.ts'
import { boxText } from './describe.ts'
import { SURFACES, textOn } from '../oklch.ts'
import { paintBoxes, paintMarks, rowAt, rowTop } from './paint.ts'
import { svgText } from './svg.ts'
import { RecordingLines, RecordingPen } from '../testing/recording-pen.ts'
import { LETTER, sceneOf } from '../testing/scene-of.ts'
import type { SceneOptions } from '../testing/scene-of.ts'

const layout = layoutOf('main;run;gc 30\nmain;run 20\nmain;idle 10\nother;run 40')

function painted(options: SceneOptions = {}): RecordingPen {
  const pen = new RecordingPen()
  const scene = sceneOf(layout, options)
  paintBoxes(pen, scene, new RecordingLines(pen, scene.surfaces.paper))
  return pen
}

describe('paintBoxes', () => {
  test('fills the paper first and leaves a pixel between boxes', () => {
    const [paper, ...boxes] = painted().of('fill')
    expect(paper).toMatchObject({ width: 800, height: 200, colour: SURFACES.light.paper })
    expect(boxes.map(({ x, y, width, height }) => [x, y, width, height])).toEqual([
      [0, 0, 799, 19],
      [0, 20, 479, 19],
      [480, 20, 319, 19],
      [0, 40, 399, 19],
      [400, 40, 79, 19],
      [480, 40, 319, 19],
      [0, 60, 239, 19],
    ])
  })

  test('draws flames up from the lower edge', () => {
    const tops = painted({ orientation: 'flame' })
      .of('fill')
      .slice(1)
      .map(({ y }) => y)
    expect(tops).toEqual([180, 160, 160, 140, 140, 140, 120])
  })

  test('aligns edges to whole pixels at any ratio and draws nothing outside', () => {
    for (const ratio of [1, 1.25, 1.5, 2]) {
      const pen = painted({ from: 13.37, until: 71.3, ratio, scroll: 7.3 })
      expect(pen.of('fill').length).toBeGreaterThan(4)
      for (const { x, y, width, height } of pen.of('fill').slice(1)) {
        expect([x, y, width, height].every(Number.isInteger)).toBe(true)
        expect(x >= 0 && x + width <= 800 && width >= 1).toBe(true)
      }
    }
  })

  test('gives a function the same colour wherever it is called', () => {
    const boxes = painted().of('fill').slice(1)
    expect(boxes[3].colour).toBe(boxes[5].colour)
    expect(boxes[3].colour).not.toBe(boxes[1].colour)
  })

  test('dims boxes that a search does not match', () => {
    const { matches } = searchFrames(layout.tree.frames, { text: 'run' })
    const dimmed = painted({ matches })
      .of('fill')
      .slice(2)
      .map(({ colour }) => colour === SURFACES.light.dim)
    expect(dimmed).toEqual([true, true, false, true, false, true])
  })
})

describe('paintBoxes', () => {
  test('writes labels that fit in a readable colour', () => {
    const pen = painted()
    expect(pen.of('text').map(({ text }) => text)).toEqual(['all: 100', 'main', 'run', 'gc', 'idle', 'other', 'run'])
    const box = pen.of('fill')[2]
    expect(pen.of('text')[1].colour).toBe(textOn(box.colour))
  })

  test('keeps a label visible if its box starts left of the window', () => {
    expect(
      painted({ from: 20, until: 100 })
        .of('text')
        .every(({ x }) => x >= 4),
    ).toBe(true)
    expect(
      painted({ from: 20, until: 100 })
        .of('text')
        .map(({ text }) => text),
    ).toContain('main')
  })

  test('never writes a label beyond its box', () => {
    const names = [
      'a_rather_long_name',
      'std::vector<std::pair<int, int>>::push_back',
      'x',
      'github.com/a/b/c.(*T).M',
      '名前',
      '😀😀😀😀😀😀',
    ]
    const long = layoutOf(names.map((name, i) => `${name} ${2 ** i}`).join('\n'))
    for (let width = 20; width < 1500; width += 37) {
      const pen = new RecordingPen()
      const scene = sceneOf(long, { width })
      paintBoxes(pen, scene, new RecordingLines(pen, scene.surfaces.paper))
      const boxes = pen.of('fill').filter(({ y }) => y === 20)
      for (const { text, x, y } of pen.of('text').filter(one => one.y > 20)) {
        const box = boxes.find(one => one.x <= x && x < one.x + one.width)!
        expect([text, x + text.length * LETTER <= box.x + box.width, y > box.y]).toEqual([text, true, true])
        // Half of a surrogate pair would be shown as a replacement character.
        expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
      }
    }
  })
})

describe('paintMarks', () => {
  const run = layout.tree.frames.name.indexOf('run')

  function marked(marks: { frame?: number; hovered?: number; selected?: number }): RecordingPen {
    const pen = new RecordingPen()
    paintMarks(pen, sceneOf(layout), { frame: undefined, hovered: undefined, selected: undefined, ...marks })
    return pen
  }

  test('outlines every box of the marked function', () => {
    expect(
      marked({ frame: run })
        .of('stroke')
        .map(({ x, y }) => [x, y]),
    ).toEqual([
      [0.5, 40.5],
      [480.5, 40.5],
    ])
  })

  test('outlines the selected box more strongly', () => {
    const pen = marked({ selected: 0 })
    expect(pen.of('stroke')).toHaveLength(1)
    expect(pen.of('stroke')[0]).toMatchObject({ x: 1, y: 21, width: 477 })
    expect(marked({}).drawn.map(({ kind }) => kind)).toEqual(['clear'])
  })
})

test('rowTop and rowAt agree', () => {
  for (const orientation of ['icicle', 'flame'] as const) {
    const scene = sceneOf(layout, { orientation, scroll: 13 })
    for (let row = 1; row < 8; row++) expect(rowAt(scene, rowTop(scene, row) + 5)).toBe(row)
  }
})

describe('svgText', () => {
  test('has the boxes of the canvas, each with its title', () => {
    const text = svgText(sceneOf(layout), 'A & B', '"Mono", monospace')
    expect(text.match(/<rect /g)).toHaveLength(8)
    expect(text).toContain('<title>A &amp; B</title>')
    expect(text).toContain(`<title>${boxText(layout.tree, 1)}</title>`)
  })

  test('escapes names', () => {
    const odd = layOut({
      ...treeOfFolded('x 5'),
      frames: { ...treeOfFolded('x 5').frames, name: ['', '</text><script>"\u0001'] },
    })
    const { tree } = odd
    expect(tree.frames.name[tree.frame[0]]).toContain('script')
    const text = svgText(sceneOf(odd), '</title>', 'mono')
    expect(text).not.toContain('<script')
    expect(text).not.toContain('\u0001')
  })
})

test('paintBoxes colours a comparison by its changes, symmetrically', () => {
  const { box } = coloursOf(layout.tree, { colourBy: 'diff', palette: 'standard', theme: 'light' })
  // 41 steps in three strengths: chance, likely, clear.
  expect(box).toHaveLength(123)
  expect(box[0]).not.toBe(box[40])
})
