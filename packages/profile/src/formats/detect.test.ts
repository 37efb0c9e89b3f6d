import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../wire/utf8.ts'
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

describe('detectFormat of text', () => {
  const FIRST = Array.from({ length: 26 }, (_, i) => String.fromCodePoint(0x61 + i))
  const NAMES = [
    'zsh',
    'zygote64',
    'jbd2/sda1-8',
    ...[...FIRST, '2', '8', 'B', 'H', 'P', 'Z', '@'].flatMap(first => [first, `${first}zzzzzz`]),
  ]
  const of = (text: string): string | undefined => detectFormat(encodeUtf8(text), 'out.txt')?.format.name

  // Some names begin like a field of a protobuf message.
  test.each([
    [
      'perf-script',
      (name: string) => `${name} 7 [004] 630.368972: sys_enter_brk: brk: 0x0\n\t    7f01 brk (/lib/libc.so)\n\n`,
    ],
    [
      'perf-script',
      (name: string) => `${name} 7/8 [004] 630.368972: 1000 cycles:u: \n\t    7f01 brk+0x1 (/lib/libc.so)\n\n`,
    ],
    ['folded', (name: string) => `${name};main;run 12\n${name};main;wait 3\n`],
  ])('finds %s whatever the name of the process', (format, text) => {
    expect(NAMES.filter(name => of(text(name)) !== format)).toEqual([])
  })
})
