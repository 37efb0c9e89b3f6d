import { describe, expect, test } from 'vitest'
import type { LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import { profileOf } from './profile-of.ts'

describe('profileOf', () => {
  test('reads columns as samples, root first', () => {
    const { profiles, f } = profileOf(`
      1ms   2ms   3ms
      main  main  main
      run   run   idle
      gc          `)
    const { samples, dictionary } = profiles
    const { stacks, locations, strings, functions } = dictionary
    const stackNames = (i: number): string[] => {
      const stack = samples.stack(i)
      return stacks.locations
        .slice(stacks.from(stack), stacks.to(stack))
        .map(l => strings.text(functions.name(locations.lines.function(locations.linesFrom(l)))))
    }
    expect([0, 1, 2].map(stackNames)).toEqual([
      ['gc', 'run', 'main'],
      ['run', 'main'],
      ['idle', 'main'],
    ])
    expect([0, 1, 2].map(i => samples.total(i))).toEqual([1n, 2n, 3n])
    expect(strings.text(profiles.profiles.unit(0))).toBe('ms')
    expect(strings.text(functions.name(f['idle']))).toBe('idle')
  })

  test('reads every part of a frame', () => {
    const { profiles, f } = profileOf(`
      1
      run[app.c:12](app@0x1f){native}
      ^gc[gc.c]
      `)
    const { locations, functions, strings, mappings, attributes } = profiles.dictionary
    const location = 1 as LocationIndex
    const from = locations.linesFrom(location)
    expect(locations.linesTo(location) - from).toBe(2)
    expect([locations.lines.function(from), locations.lines.function(from + 1)]).toEqual([f['gc'], f['run']])
    expect([locations.lines.line(from), locations.lines.line(from + 1)]).toEqual([0n, 12n])
    expect(strings.text(functions.filename(f['gc']))).toBe('gc.c')
    expect(locations.address(location)).toBe(0x1fn)
    expect(strings.text(mappings.filename(locations.mapping(location)))).toBe('app')
    expect(locations.attributesOf(location).map(a => attributes.value(a))).toEqual(['native'])
  })

  test('reads times, several observations and an unknown location', () => {
    const { profiles } = profileOf(`
      3@100,-4@200  @300,@301  18
      a             ()         `)
    const { samples, dictionary } = profiles
    expect([samples.total(0), samples.total(1), samples.total(2)]).toEqual([-1n, 2n, 18n])
    expect(Array.from(samples.timestamps.unsigned())).toEqual([100n, 200n, 300n, 301n])
    expect(samples.stack(2)).toBe(0)
    expect(dictionary.stacks.locations.at(dictionary.stacks.from(samples.stack(1) as StackIndex))).toBe(0)
  })

  test('makes one profile per text', () => {
    const { profiles } = profileOf('1\na', '2ns  3ns\na    b')
    expect(profiles.profiles.length).toBe(2)
    expect(profiles.profiles.samplesTo(1)).toBe(3)
  })

  test('rejects ambiguous text', () => {
    expect(() => profileOf('1  2\n a b')).toThrow("'a' does not begin below a value")
    expect(() => profileOf('1ms 2ns\na   b')).toThrow("'2ns' is not a value in 'ms'")
    expect(() => profileOf('1\n^a')).toThrow("'^a' has nothing above")
    expect(() => profileOf('1\na[b')).toThrow("'a[b' is not a frame")
  })
})
