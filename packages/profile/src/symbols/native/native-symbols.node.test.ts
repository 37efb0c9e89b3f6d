// Captures of the eBPF profiler with the true name of every native address, where the corpora are.
import { describe, expect, it } from 'vitest'
import { corpus } from '../../formats/testing/corpora.node.ts'
import { SymbolIndex } from './index/symbol-index.ts'
import { readSymbols } from './read-symbols.ts'

const CAPTURES = [
  { folder: 'c-stripped', binary: 'c-stripped.debug' },
  { folder: 'c-plain', binary: 'c-plain' },
  { folder: 'c-static', binary: 'c-static' },
  { folder: 'go-app', binary: 'go-app' },
] as const

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
