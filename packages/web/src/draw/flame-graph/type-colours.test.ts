import { describe, expect, it } from 'vitest'
import { typeColour } from './box-colours.ts'

const TYPES = ['native', 'kernel', 'go', 'rust', 'jvm', 'cpython', 'v8js', 'ruby', 'php', 'perl', 'dotnet', 'beam', '']

describe('typeColour', () => {
  it.each(['standard', 'colour-blind'] as const)('differs for every frame type in the %s palette', palette => {
    for (const theme of ['light', 'dark'] as const) {
      const colours = TYPES.map(type => typeColour(type, { theme, palette }))
      expect(new Set(colours).size).toBe(TYPES.length)
    }
  })
})
