import { ProfilesBuilder } from '@hearth/profile'
import { expect, test } from 'vitest'
import { threadsOf } from './threads.ts'

function lanes(...samples: readonly (readonly [key: string, value: string | bigint][])[]): unknown {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ns' })
  for (const [i, attributes] of samples.entries()) {
    builder.sample({
      stack: builder.stack([]),
      timestamps: [BigInt(i + 1)],
      attributes: attributes.map(([key, value]) => builder.attribute(key, value)),
    })
  }
  const { list, ofSample } = threadsOf(builder.build(), [0])
  return { titles: list.map(({ title, observations }) => `${title}: ${observations}`), ofSample: [...ofSample] }
}

test('threadsOf keeps a thread together that is named in only some of its samples', () => {
  const id = (value: bigint): [string, bigint] => ['thread.id', value]
  const name = (value: string): [string, string] => ['thread.name', value]
  expect(lanes([id(2n)], [id(1n)], [id(1n), name('main')], [id(1n)], [id(2n)])).toEqual({
    titles: ['thread 2: 2', 'main (1): 3'],
    ofSample: [0, 1, 1, 1, 0],
  })
})

test('threadsOf does not guess if several names share an id', () => {
  const samples: [string, string | bigint][][] = [
    [
      ['thread.id', 1n],
      ['thread.name', 'a'],
    ],
    [['thread.id', 1n]],
    [
      ['thread.id', 1n],
      ['thread.name', 'b'],
    ],
  ]
  expect(lanes(...samples)).toEqual({ titles: ['a (1): 1', 'thread 1: 1', 'b (1): 1'], ofSample: [0, 1, 2] })
})

test('threadsOf uses goroutines and processors of Go', () => {
  expect(lanes([['go.goroutine.id', 7n]], [['go.proc.id', 3n]])).toEqual({
    titles: ['thread 7: 1', 'thread 3: 1'],
    ofSample: [0, 1],
  })
})
