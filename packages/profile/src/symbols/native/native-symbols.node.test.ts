// Captures of the eBPF profiler with the true name of every native address, where the corpora are.
import { describe, expect, it } from 'vitest'
import type { FunctionIndex } from '../../model/columns/brand.ts'
import { readProfile } from '../../formats/read-profile.ts'
import { corpus } from '../../formats/testing/corpora.node.ts'
import { applySymbols } from './apply-symbols.ts'
import { SymbolIndex } from './index/symbol-index.ts'
import { readSymbols } from './read-symbols.ts'

const CAPTURES = [
  { folder: 'c-stripped', binary: 'c-stripped.debug' },
  { folder: 'c-plain', binary: 'c-plain' },
  { folder: 'c-static', binary: 'c-static' },
  { folder: 'go-app', binary: 'go-app' },
] as const

/** The line of `func sortLoop` in main.go. */
const SORT_LOOP = 40n

/** The lines of truth.tsv: address and the functions by addr2line, innermost first. */
function truthOf(text: string, buildId: string): { address: bigint; names: string[] }[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('0x'))
    .map(line => line.split('\t'))
    .filter(fields => fields[6] === buildId && !fields[7].startsWith('??'))
    .map(fields => ({
      address: BigInt(fields[0]),
      names: fields[7].split(' | ').map(frame => frame.replace(/ [^ ]+(?: \(discriminator \d+\))?$/, '')),
    }))
}

describe('readSymbols on captures of the eBPF profiler', () => {
  for (const { folder, binary } of CAPTURES) {
    const files = corpus(`ebpf/${folder}`)
    it.skipIf(files === undefined)(`names every native address of ${folder}`, () => {
      const file = (name: string): Uint8Array => files!.find(candidate => candidate.name === name)!.bytes
      const { index, buildId } = readSymbols(file(binary))
      const symbols = SymbolIndex.open(index)
      const truth = truthOf(new TextDecoder().decode(file('truth.tsv')), buildId ?? '')
      expect(truth.length).toBeGreaterThan(5)
      const wrong = truth.filter(({ address, names }) => {
        const found = symbols.lookup(address).map(({ name }) => name)
        // The truth of Go has the outermost function only. Aliases of one address are equally true.
        return folder === 'go-app' ? found.at(-1) !== names.at(-1) : found.length !== names.length
      })
      expect(wrong).toEqual([])
    })
  }
})

describe('applySymbols on a capture of the eBPF profiler', () => {
  const files = corpus('ebpf/go-app')
  it.skipIf(files === undefined)('gives the functions of a Go program their first lines', () => {
    const file = (name: string): Uint8Array => files!.find(candidate => candidate.name === name)!.bytes
    const { index, object } = readSymbols(file('go-app'))
    const symbols = { index: SymbolIndex.open(index), segments: object?.segments ?? [] }
    const { profiles, resolved } = applySymbols(readProfile(file('go-app-2.otlp')).profiles, ({ filename }) =>
      filename === 'go-app' ? symbols : undefined,
    )
    expect(resolved).toBeGreaterThan(100)
    const { functions, strings } = profiles.dictionary
    const starts = Array.from({ length: functions.length }, (_, row) => row as FunctionIndex)
      .filter(row => strings.text(functions.name(row)) === 'main.sortLoop')
      .map(row => functions.startLine(row))
    expect(starts).toContain(SORT_LOOP)
  })
})
