// Tests for the reduction to innermost calls: lengths, leaf lines, sums.
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { innermostCalls } from './innermost-calls.ts'
import { topTable } from '../top.ts'

/** `main:3;run:7` is a stack, root first, with lines. Each is a profile of its own. */
function profilesOf(...stacks: readonly (readonly [string, bigint])[]): Profiles {
  const builder = new ProfilesBuilder()
  for (const [i, [stack, value]] of stacks.entries()) {
    builder.profile({
      type: 'cpu',
      unit: 'ns',
      periodType: 'cpu',
      periodUnit: 'ns',
      period: 10,
      timeUnixNano: 100n + BigInt(i),
      durationNano: 10n,
    })
    const locations = stack.split(';').map((call, k) => {
      const [name, line] = call.split(':')
      const called = builder.function({ name, startLine: 1n })
      return builder.location({
        address: BigInt(100 * k + Number(line)),
        lines: [{ function: called, line: BigInt(line) }],
      })
    })
    builder.sample({
      stack: builder.stack(locations.reverse()),
      values: [value],
      attributes: [builder.attribute('thread.id', BigInt(i))],
    })
  }
  return builder.build()
}

/** The stacks with lines, root first, and their sums. */
function shown({ samples, dictionary }: Profiles): Record<string, bigint> {
  const { stacks, locations, functions, strings } = dictionary
  return Object.fromEntries(
    Array.from({ length: samples.length }, (_, i) => {
      const stack = samples.stack(i)
      const path = stacks.locations.slice(stacks.from(stack), stacks.to(stack)).map(location => {
        const line = locations.linesFrom(location)
        return `${strings.text(functions.name(locations.lines.function(line)))}:${locations.lines.line(line)}`
      })
      return [path.reverse().join(';'), samples.total(i)]
    }),
  )
}

const ROWS = [0, 1]

describe('innermostCalls', () => {
  const profiles = profilesOf(['main:1;a:2;b:3;c:4', 5n], ['other:1;a:2;b:3;c:9', 7n])

  test('sums equal calls and drops the line of the function that ran', () => {
    expect(shown(innermostCalls(profiles, ROWS, { calls: 3, sumLeafLines: true }))).toEqual({ 'a:2;b:3;c:0': 12n })
  })

  test('keeps all calls and lines if asked to', () => {
    expect(shown(innermostCalls(profiles, ROWS, { calls: 0, sumLeafLines: false }))).toEqual({
      'main:1;a:2;b:3;c:4': 5n,
      'other:1;a:2;b:3;c:9': 7n,
    })
  })

  test('has one profile with the range, the type and the common period', () => {
    const { profiles: table, ...rest } = innermostCalls(profiles, ROWS, { calls: 1, sumLeafLines: true })
    expect([table.length, table.time(0), table.duration(0), table.period(0)]).toEqual([1, 100n, 11n, 10n])
    expect(rest.samples.attributes.length).toBe(0)
    expect(topTable({ profiles: table, ...rest }, 0).sum).toBe(12n)
  })

  test('rejects a sum beyond 64 bits', () => {
    const large = profilesOf(['a:1;c:1', 2n ** 63n - 1n], ['b:1;c:2', 1n])
    expect(() => innermostCalls(large, ROWS, { calls: 1, sumLeafLines: true })).toThrow('exceeds 64 bits')
  })
})
