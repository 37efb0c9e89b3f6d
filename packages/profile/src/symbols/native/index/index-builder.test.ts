import { describe, expect, it } from 'vitest'
import { ImageBase } from '../byte-cursor.ts'
import { IndexBuilder } from './index-builder.ts'
import { SymbolIndex, encodeIndex } from './symbol-index.ts'

function framesOf(builder: IndexBuilder, addresses: readonly number[]): string[] {
  const index = SymbolIndex.open(encodeIndex(builder.finish()))
  return addresses.map(at =>
    index
      .lookup(BigInt(at))
      .map(({ name, line }) => `${name}:${line}`)
      .join(' < '),
  )
}

describe('IndexBuilder', () => {
  it('gives lines outside of functions the names of symbols, and drops padding without a symbol', () => {
    const builder = new IndexBuilder(new ImageBase(0n))
    const file = builder.string('/src/copy.S')
    builder.startRun()
    builder.interval(0, 16, builder.lineNode(file, 7, 0))
    builder.startRun()
    builder.interval(16, 32, builder.lineNode(file, 8, 0))
    builder.startRun()
    builder.interval(32, 48, builder.lineNode(file, 9, 0, true))
    builder.startRun()
    builder.interval(48, 64, builder.lineNode(file, 10, 0, true))
    builder.addSymbols([
      { name: 'copy', start: 0, size: 16, limit: 64, rank: 2 },
      { name: 'clear', start: 32, size: 16, limit: 64, rank: 2 },
    ])
    expect(framesOf(builder, [0, 16, 32, 48])).toEqual(['copy:7', ':8', 'clear:9', ''])
  })
})
