import { describe, expect, test } from 'vitest'
import { detectFormat, formatOfName, triedFormats } from './detect.ts'
import type { Confidence, Format } from './format.ts'

function fake(name: string, confidence: Confidence, ...extensions: readonly string[]): Format {
  const read = (): never => {
    throw new Error('not read here')
  }
  return { name, title: name, extensions, reads: { losses: [] }, detect: () => confidence, read }
}

function detect(fileName: string, ...formats: readonly Format[]): string | undefined {
  const found = detectFormat(new Uint8Array(8), fileName, formats)
  return found === undefined ? undefined : `${found.format.name} ${found.confidence}`
}

describe('detectFormat prefers the content over the file name', () => {
  const no = fake('no', 'no', '.x')
  const possible = fake('possible', 'possible', '.p')
  const other = fake('other', 'possible', '.o')
  const certain = fake('certain', 'certain', '.c')

  test.each([
    ['file.x', [no], undefined],
    ['file', [possible, other], 'possible possible'],
    ['file.o', [possible, other], 'other possible'],
    ['FILE.O.GZ', [possible, other], 'other possible'],
    ['file.p', [possible, certain], 'certain certain'],
    ['file.p', [certain, possible], 'certain certain'],
    ['file.d', [certain, fake('second', 'certain', '.d')], 'second certain'],
    ['', [certain, fake('second', 'certain')], 'certain certain'],
  ])('%j', (fileName, formats, expected) => {
    expect(detect(fileName, ...formats)).toBe(expected)
  })

  test('it skips formats that can only be written', () => {
    const written: Format = { name: 'w', title: 'w', extensions: [], writes: { losses: [] }, detect: () => 'certain' }
    expect(detect('', written)).toBeUndefined()
    expect(triedFormats([written, certain])).toEqual(['certain'])
  })
})

test('formatOfName returns the format with the longest matching extension', () => {
  const json = fake('json', 'no', '.json')
  const otlpJson = fake('otlp-json', 'no', '.otlp.json', '.otlpj')
  expect(formatOfName('a.otlp.json.gz', [json, otlpJson])?.name).toBe('otlp-json')
  expect(formatOfName('a.JSON', [otlpJson, json])?.name).toBe('json')
  expect(formatOfName('json', [otlpJson, json])).toBeUndefined()
})
