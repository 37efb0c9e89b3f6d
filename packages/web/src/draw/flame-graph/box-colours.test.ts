import { describe, expect, test } from 'vitest'
import { findPath } from '@hearth/profile'
import { diffOfFolded, treeOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import type { Colours } from './box-colours.ts'
import { coloursOf, diffLimit } from './box-colours.ts'
import type { Theme } from '../theme.ts'
import type { ColourBy, Palette } from './flame-graph-types.ts'
import { SURFACES, contrastOf, hexOf } from '../oklch.ts'

const themes: readonly Theme[] = ['light', 'dark']
const palettes: readonly Palette[] = ['standard', 'colour-blind']
const ways: readonly ColourBy[] = ['package', 'library', 'file', 'frame-type', 'thread', 'function', 'value', 'diff']
const tree = diffOfFolded('main;json.parse 4\nmain;net.read 1', 'main;json.parse 1\nmain;net.read 4\ngc 1')

function colour(colours: Colours, ...path: string[]): string {
  return colours.box[colours.of(findPath(tree, path).node)]
}

describe('coloursOf', () => {
  test.each(themes.flatMap(theme => palettes.flatMap(palette => ways.map(colourBy => ({ theme, palette, colourBy })))))(
    'gives every box a readable colour in $theme, $palette, by $colourBy',
    options => {
      const colours = coloursOf(tree, options)
      for (const [i, box] of colours.box.entries()) {
        expect(box).toMatch(/^#[0-9a-f]{6}$/)
        expect(contrastOf(box, colours.text[i])).toBeGreaterThanOrEqual(4.5)
      }
      for (let i = 0; i < tree.length; i++) expect(colours.box[colours.of(i)]).toBeDefined()
    },
  )

  test.each(themes)('gives the surfaces of the %s theme a readable colour', theme => {
    const { root, rootText, dim, dimText } = SURFACES[theme]
    expect(contrastOf(root, rootText)).toBeGreaterThanOrEqual(4.5)
    expect(contrastOf(dim, dimText)).toBeGreaterThanOrEqual(4.5)
  })
})

describe('coloursOf by package', () => {
  const options = { colourBy: 'package', palette: 'standard', theme: 'light' } as const

  test('keeps the colour of a package in another profile', () => {
    const other = treeOfFolded('start;json.parse 7\nstart;json.print;net.read 1')
    const others = coloursOf(other, options)
    const own = coloursOf(tree, options)
    expect(others.box[others.of(findPath(other, ['start', 'json.parse']).node)]).toBe(colour(own, 'main', 'json.parse'))
  })

  test('gives all boxes nearly the same lightness', () => {
    // The last colour belongs to boxes that are not functions.
    const box = coloursOf(tree, options).box.slice(0, -1)
    const lightest = Math.max(...box.map(one => contrastOf(one, '#000000')))
    const darkest = Math.min(...box.map(one => contrastOf(one, '#000000')))
    expect(lightest / darkest).toBeLessThan(1.35)
  })
})

test('coloursOf by change uses different hues for more and less, and grey for equal values', () => {
  const colours = coloursOf(tree, { colourBy: 'diff', palette: 'standard', theme: 'light' })
  const [more, less] = [colour(colours, 'main', 'net.read'), colour(colours, 'main', 'json.parse')]
  const part = (hex: string, at: number): number => Number.parseInt(hex.slice(at, at + 2), 16)
  expect(part(more, 1)).toBeGreaterThan(part(more, 5))
  expect(part(less, 5)).toBeGreaterThan(part(less, 1))
  const same = colours.box[20]
  expect(Math.abs(part(same, 1) - part(same, 5))).toBeLessThan(6)
})

test('coloursOf by change paints changes that may be chance paler, and never stretches noise', () => {
  const noisy = diffOfFolded('main;a 50\nmain;b 50', 'main;a 52\nmain;b 48')
  const chroma = (observations?: { before: number; after: number }): number => {
    const colours = coloursOf(noisy, { colourBy: 'diff', palette: 'standard', theme: 'light', observations })
    const hex = colours.box[colours.of(findPath(noisy, ['main', 'a']).node)]
    const parts = [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16))
    return Math.max(...parts) - Math.min(...parts)
  }
  const [few, many] = [chroma({ before: 100, after: 100 }), chroma({ before: 100_000, after: 100_000 })]
  expect(many).toBe(chroma())
  expect(few).toBeLessThan(many / 3)
  expect(diffLimit(noisy, undefined)).toBe(0.02)
  expect(diffLimit(noisy, { before: 100, after: 100 })).toBe(0.5)
})

test('hexOf converts OKLCH like CSS does', () => {
  expect(hexOf({ lightness: 1, chroma: 0, hue: 0 })).toBe('#ffffff')
  expect(hexOf({ lightness: 0, chroma: 0, hue: 0 })).toBe('#000000')
  // oklch(0.627955 0.257683 29.2339) is red, oklch(0.452014 0.313214 264.052) is blue.
  expect(hexOf({ lightness: 0.627955, chroma: 0.257683, hue: 29.2339 })).toBe('#ff0000')
  expect(hexOf({ lightness: 0.452014, chroma: 0.313214, hue: 264.052 })).toBe('#0000ff')
  // The screen cannot show this much chroma. The colour is limited, it does not wrap around.
  expect(hexOf({ lightness: 0.627955, chroma: 0.4, hue: 29.2339 })).toBe('#ff0000')
})
