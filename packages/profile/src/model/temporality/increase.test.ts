import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import type { Profiles } from '../columns/profiles.ts'
import { increaseSince } from './increase.ts'

/** A profile with a sample of each function. */
function counters(type: string, values: Readonly<Record<string, number>>): Profiles {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'host.name', value: 'a' }] })
  builder.profile({ type, unit: 'bytes', timeUnixNano: 5n, durationNano: 7n })
  for (const [name, value] of Object.entries(values)) {
    const location = builder.location({ lines: [{ function: builder.function({ name }) }] })
    builder.sample({ stack: builder.stack([location]), values: [value] })
  }
  return builder.build()
}

function contentOf(all: Profiles): Readonly<Record<string, bigint>> {
  const { samples, dictionary } = all
  const { stacks, locations, functions, strings } = dictionary
  return Object.fromEntries(
    Array.from({ length: samples.length }, (_, s) => {
      const location = stacks.locations.at(stacks.from(samples.stack(s)))
      const line = locations.lines.function(locations.linesFrom(location))
      return [strings.text(functions.name(line)), samples.total(s)]
    }),
  )
}

describe('increaseSince', () => {
  it('subtracts by stack, whatever the order, and starts at zero after a restart', () => {
    const increase = increaseSince(
      counters('alloc_space', { a: 10, b: 3, c: 8, gone: 1 }),
      counters('alloc_space', { c: 2, added: 5, b: 3, a: 14 }),
    )
    expect(contentOf(increase)).toEqual({ a: 4n, c: 2n, added: 5n })
  })

  it('keeps the times and the resource', () => {
    const { profiles, resources } = increaseSince(counters('alloc_space', {}), counters('alloc_space', { a: 1 }))
    expect([profiles.length, profiles.time(0), profiles.duration(0)]).toEqual([1, 5n, 7n])
    expect(resources.resource(0).attributes).toEqual([{ key: 'host.name', value: 'a' }])
  })

  it('does not subtract other types', () => {
    expect(contentOf(increaseSince(counters('delay', { a: 3 }), counters('alloc_space', { a: 4 })))).toEqual({ a: 4n })
  })
})
