// Tests for LLVM's sample profile: lines, inlined calls, skipped stacks.
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { llvmSample } from './index.ts'
import { writeLlvmSample } from './write.ts'

describe('llvm-sample', () => {
  test('counts samples by line, and inlined code at the line of its call', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'samples', unit: 'count' })
    const main = builder.function({ name: 'main', startLine: 10n })
    const price = builder.function({ name: 'shop::price(int)', systemName: '_ZN4shop5priceEi', startLine: 3n })
    const own = builder.location({ address: 1n, lines: [{ function: main, line: 11n }] })
    const call = builder.location({ address: 2n, lines: [{ function: main, line: 13n }] })
    const inlined = builder.location({
      address: 3n,
      lines: [
        { function: price, line: 5n },
        { function: main, line: 13n },
      ],
    })
    const called = builder.location({ address: 4n, lines: [{ function: price, line: 3n }] })
    builder.sample({ stack: builder.stack([own]), values: [2n] })
    builder.sample({ stack: builder.stack([inlined]), values: [5n] })
    // The caller gets nothing: the timer saw only the function that ran.
    builder.sample({ stack: builder.stack([called, call]), values: [9_007_199_254_740_993n] })
    const { bytes, notes } = writeLlvmSample(builder.build())
    expect(decodeUtf8(bytes).split('\n')).toEqual([
      '_ZN4shop5priceEi:9007199254740993:9007199254740993',
      ' 0: 9007199254740993',
      'main:7:0',
      ' 1: 2',
      ' 3: _ZN4shop5priceEi:5',
      '  2: 5',
      '',
    ])
    expect(notes).toEqual([])
  })

  test('skips stacks without lines, without first lines and with negative sums, and counts them', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'ns' })
    const add = (startLine: bigint, line: bigint, value: bigint): void => {
      const f = builder.function({ name: `f${startLine}`, startLine })
      builder.sample({ stack: builder.stack([builder.location({ lines: [{ function: f, line }] })]), values: [value] })
    }
    add(0n, 5n, 1n)
    add(5n, 0n, 1n)
    add(7n, 8n, -1n)
    builder.sample({ stack: builder.stack([builder.location({ address: 9n })]), values: [1n] })
    builder.sample({ stack: builder.stack([]), values: [1n] })
    const { bytes, notes } = writeLlvmSample(builder.build())
    expect(bytes).toHaveLength(0)
    expect(notes.map(({ code, count }) => [code, count])).toEqual([
      ['without-lines', 4],
      ['negative-values', 1],
    ])
  })

  test('writes line offsets below the first line as LLVM does, in 16 bits', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'samples', unit: 'count' })
    const f = builder.function({ name: 'f', startLine: 10n })
    builder.sample({ stack: builder.stack([builder.location({ lines: [{ function: f, line: 9n }] })]), values: [1n] })
    expect(decodeUtf8(writeLlvmSample(builder.build()).bytes)).toBe('f:1:0\n 65535: 1\n')
  })

  test('is write only', () => {
    expect(llvmSample.detect(new Uint8Array(), 'app.afdo')).toBe('no')
    expect('read' in llvmSample).toBe(false)
  })
})
