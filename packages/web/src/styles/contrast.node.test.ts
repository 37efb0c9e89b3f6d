import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contrastOf, hexOf } from '../draw/oklch.ts'

const CSS = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

/** The variables of the first rule with the selector. */
function variablesOf(selector: string): readonly (readonly [string, string])[] {
  const start = CSS.indexOf(`${selector} {`)
  const rule = CSS.slice(start, CSS.indexOf('}', start))
  return Array.from(rule.matchAll(/--([\w-]+):\s*([^;]+);/g), ([, name, value]) => [name, value] as const)
}

const LIGHT = new Map(variablesOf(':root'))
const THEMES = { light: LIGHT, dark: new Map([...LIGHT, ...variablesOf(":root[data-theme='dark']")]) }

function colourOf(variables: ReadonlyMap<string, string>, name: string): string {
  const value = variables.get(name) ?? ''
  const other = /^var\(--([\w-]+)\)$/.exec(value)?.[1]
  if (other !== undefined) return colourOf(variables, other)
  const [lightness, chroma, hue] = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/.exec(value)?.slice(1).map(Number) ?? []
  return hexOf({ lightness, chroma, hue })
}

const SURFACES = ['surface', 'surface-quiet', 'surface-raised', 'surface-hover', 'surface-selected']
const TEXTS = ['text', 'text-muted', 'accent', 'danger', 'warn', 'good', 'more', 'less']
/** The outline of the focus, the borders of fields and selected buttons, and lines of charts. */
const MARKS = ['accent-mark', 'line-control']

describe.each(['light', 'dark'] as const)('the %s theme', theme => {
  const contrast = (name: string, on: string): number =>
    contrastOf(colourOf(THEMES[theme], name), colourOf(THEMES[theme], on))

  it.each(TEXTS)('has a contrast of at least 4.5 for %s on each surface', name => {
    for (const surface of SURFACES) expect(contrast(name, surface)).toBeGreaterThanOrEqual(4.5)
  })

  it('has a contrast of at least 4.5 on primary buttons', () => {
    expect(contrast('on-accent', 'accent-fill')).toBeGreaterThanOrEqual(4.5)
  })

  it('has a contrast of at least 4.5 for names on the bars of tables', () => {
    expect(contrast('text', 'bar-fill')).toBeGreaterThanOrEqual(4.5)
  })

  it.each(MARKS)('has a contrast of at least 3 for %s on each surface', name => {
    for (const surface of SURFACES) expect(contrast(name, surface)).toBeGreaterThanOrEqual(3)
  })
})
