// The cases are those of pprof's own tests of Prune, and inlined calls.
import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import type { Profiles } from '../columns/profiles.ts'
import { ATTRIBUTES } from '../attributes/semantic-conventions.ts'
import { pruneFrames } from './prune-frames.ts'

/** `main;run,inlined`: locations from the root, each with its functions from the outermost. */
function profilesOf(stack: string, drop: string, keep = ''): Profiles {
  const builder = new ProfilesBuilder()
  const attributes = [
    ...(drop === '' ? [] : [builder.attribute(ATTRIBUTES.pprofProfileDropFrames, drop)]),
    ...(keep === '' ? [] : [builder.attribute(ATTRIBUTES.pprofProfileKeepFrames, keep)]),
  ]
  builder.profile({ type: 'cpu', unit: 'ns', attributes })
  const locations = stack.split(';').map(names =>
    builder.location({
      lines: names
        .split(',')
        .reverse()
        .map(name => ({ function: builder.function({ name }), line: 7 })),
    }),
  )
  builder.sample({ stack: builder.stack(locations.reverse()), values: [1] })
  return builder.build()
}

function stackOf({ samples, dictionary }: Profiles): string {
  const { stacks, locations, functions, strings } = dictionary
  const stack = samples.stack(0)
  return stacks.locations
    .slice(stacks.from(stack), stacks.to(stack))
    .map(location =>
      Array.from({ length: locations.linesTo(location) - locations.linesFrom(location) }, (_, k) =>
        strings.text(functions.name(locations.lines.function(locations.linesFrom(location) + k))),
      )
        .reverse()
        .join(','),
    )
    .reverse()
    .join(';')
}

describe('pruneFrames', () => {
  test.each([
    ['a frame and the frames that it called', 'main;run;malloc;lock', 'malloc', '', 'main;run'],
    ['whole names only', 'main;my_malloc', 'malloc', '', 'main;my_malloc'],
    ['nothing that keep_frames matches', 'main;malloc_a;x', 'malloc.*', 'malloc_a', 'main;malloc_a;x'],
    ['nothing before the first other frame', 'malloc;main;run', 'malloc', '', 'malloc;main;run'],
    ['the frame closest to the root', 'main;b;c;b;d', 'b', '', 'main'],
    ['names without their arguments', 'main;malloc(int);x', 'malloc', '', 'main'],
    ['names with a reserved parenthesis', 'main;(anonymous namespace)::f(int);x', '.*::f', '', 'main'],
    ['names with the dot of PowerPC', 'main;.malloc;x', 'malloc', '', 'main'],
    ['an inlined call, but not its caller', 'main;run,malloc,lock;x', 'malloc', '', 'main;run'],
    ['an inlined call at the root', 'run,malloc;x', 'malloc', '', 'run;x'],
    ['in any case with (?i)', 'main;MALLOC;x', '(?i)malloc', '', 'main'],
    ['nothing without drop_frames', 'main;run', '', 'run', 'main;run'],
  ])('removes %s', (_, stack, drop, keep, expected) => {
    const before = profilesOf(stack, drop, keep)
    const { profiles, samples } = pruneFrames(before)
    expect(stackOf(profiles)).toBe(expected)
    expect(samples).toBe(stack === expected ? 0 : 1)
    if (stack === expected) expect(profiles).toBe(before)
  })

  test.each(['(a+)+$', '(a|aa)+', '(a*)*b', '(.*)(.*)(.*)(.*)(.*)[b]', 'a?'.repeat(100) + 'a'.repeat(100)])(
    'does not backtrack: %s',
    drop => {
      const before = profilesOf(`main;${'a'.repeat(5000)}!`, drop)
      expect(pruneFrames(before)).toEqual({ profiles: before, samples: 0, notes: [] })
    },
  )

  test.each(['(', 'malloc(', '*', 'a**', '[z-a]', String.raw`(a)\1`, '(?=a)', '(a{1000}){1000}', '((){999}){999}'])(
    'reports an expression that RE2 rejects and changes nothing: %s',
    drop => {
      const before = profilesOf('main;malloc', drop)
      const { profiles, samples, notes } = pruneFrames(before)
      expect([profiles, samples]).toEqual([before, 0])
      expect(notes.map(({ code }) => code)).toEqual(['drop-frames'])
      expect(notes[0].message).toContain(JSON.stringify(drop))
    },
  )
})
