import { describe, expect, test } from 'vitest'
import type { LocationIndex } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import type { GroupBy } from './location-frames.ts'
import { UNKNOWN_FRAME, locationFrames, sharedLocationFrames } from './location-frames.ts'
import { profileOf } from '../testing/profile-of.ts'
import { StackPaths } from './stack-paths.ts'

/** The names of each location's frames. */
function namesByLocation(dictionary: Dictionary, by: GroupBy, inlined = true, addresses = false): string[] {
  const table = locationFrames(dictionary, { by, inlined, addresses })
  return Array.from(table.end, (end, i) =>
    Array.from(table.frames.subarray(i === 0 ? 0 : table.end[i - 1], end), frame => table.name(frame)).join(' '),
  )
}

describe('locationFrames with inlined calls', () => {
  const { profiles } = profileOf(`
    1
    main
    run
    ^step
    ^gc`)

  test('has a frame for each of them, leaf first', () => {
    expect(namesByLocation(profiles.dictionary, 'function')).toEqual(['[unknown]', 'main', 'gc step run'])
  })

  test('has only the outermost line without them', () => {
    expect(namesByLocation(profiles.dictionary, 'function', false)).toEqual(['[unknown]', 'main', 'run'])
  })

  test('merges lines of one function', () => {
    expect(namesByLocation(profiles.dictionary, 'mapping')).toEqual(['[unknown]', '[unknown]', '[unknown]'])
  })
})

describe('locationFrames by function', () => {
  test('identifies frames by name and file', () => {
    const { profiles } = profileOf(`
      1         1         1         1
      a[x.c:1]  a[x.c:2]  a[y.c:1]  b[x.c:1]`)
    const table = locationFrames(profiles.dictionary, { by: 'function', inlined: true })
    expect(Array.from(table.frames)).toEqual([UNKNOWN_FRAME, 1, 1, 2, 3])
    expect([1, 2, 3].map(i => `${table.name(i)} ${table.file(i)}`)).toEqual(['a x.c', 'a y.c', 'b x.c'])
    expect(table.line(1)).toBeUndefined()
    expect(table.named('a')).toEqual([1, 2])
    expect(table.named('c')).toEqual([])
  })

  test('uses the system name if the name is missing', () => {
    const builder = new ProfilesBuilder()
    const lines = [{ function: builder.function({ systemName: '_ZN1aEv' }) }]
    builder.location({ lines })
    builder.location({ lines: [{ function: builder.function({ name: 'b', systemName: '_ZN1bEv' }) }] })
    expect(namesByLocation(builder.build().dictionary, 'function')).toEqual(['[unknown]', '_ZN1aEv', 'b'])
  })

  test('identifies frames without symbols by library, and merges neighbours of one library', () => {
    const { profiles } = profileOf(`
      1                        1                 1   1         1
      (/usr/lib/libc.so@0x1f)  (@0x2a){v8js}     ()  ([vdso])  (/usr/lib/libc.so@0x1f)
      (/usr/lib/libc.so@0x2f)                                  main
      main                                                     (/usr/lib/libc.so@0x3f)`)
    const table = locationFrames(profiles.dictionary, { by: 'function', inlined: true })
    const names = Array.from({ length: table.length }, (_, i) => table.name(i))
    expect(names).toEqual(['[unknown]', '[libc.so]', 'main', '[v8js]', '[vdso]'])
    expect(table.address(1)).toBeUndefined()
    const paths = new StackPaths(table, Int32Array.of(1, 5))
    const path = (s: number): string[] => Array.from(paths.path.subarray(0, paths.read(s)), i => table.name(i))
    expect([path(0), path(1)]).toEqual([
      ['[libc.so]', 'main'],
      ['[libc.so]', 'main', '[libc.so]'],
    ])
  })

  test('identifies frames without symbols by mapping and address on request', () => {
    const { profiles } = profileOf(`
      1                        1         1                 1   1
      (/usr/lib/libc.so@0x1f)  (@0x2a)   (/usr/lib/ld.so)  ()  ([vdso])`)
    expect(namesByLocation(profiles.dictionary, 'function', true, true)).toEqual([
      '[unknown]',
      'libc.so+0x1f',
      '0x2a',
      '[ld.so]',
      '[vdso]',
    ])
  })

  test('keeps the file of a line without a function', () => {
    const { profiles } = profileOf(`
      1      1
      [x.c]  [y.c]`)
    const table = locationFrames(profiles.dictionary, { by: 'function', inlined: true })
    expect([1, 2].map(i => [table.name(i), table.file(i)])).toEqual([
      ['[unknown]', 'x.c'],
      ['[unknown]', 'y.c'],
    ])
  })

  test('converts addresses to offsets into the mapped file', () => {
    const builder = new ProfilesBuilder()
    const at = (memoryStart: bigint, memoryLimit: bigint, address: bigint): LocationIndex =>
      builder.location({
        mapping: builder.mapping({ filename: 'libc.so.6', memoryStart, memoryLimit, fileOffset: 0x100n }),
        address,
      })
    at(0x7000n, 0x8000n, 0x7234n)
    at(0x9000n, 0xa000n, 0x9234n)
    at(0x7000n, 0x8000n, 0x334n) // outside of the mapped range, so it is relative already
    at(0x7000n, 0n, 0x7234n) // unknown limit
    at(0x7000n, 0x8000n, 0x8000n) // the limit itself is outside
    at(0n, 0n, 0x334n)
    at(0n, 2n ** 64n - 1n, 2n ** 64n - 2n)
    const { dictionary } = builder.build()
    const table = locationFrames(dictionary, { by: 'function', inlined: true, addresses: true })
    expect(Array.from(table.frames)).toEqual([0, 1, 1, 1, 1, 2, 1, 3])
    expect([1, 2, 3].map(i => table.name(i))).toEqual([
      'libc.so.6+0x334',
      'libc.so.6+0x8000',
      'libc.so.6+0xfffffffffffffffe',
    ])
    expect(table.address(1)).toBe(0x334n)
  })

  test('merges duplicate rows of a dictionary', () => {
    const draft = new ProfilesDraft()
    for (const int of [0, 0, 0, 1, 0, 1, 1, 1]) draft.strings.push(int) // '', and three times 'f'
    for (const name of [0, 1, 2, 3]) for (const int of [name, 0, name, 0, 0]) draft.functions.push(int)
    for (const f of [1, 2, 3]) for (const int of [f, 0, 0, 0, 0]) draft.lines.push(int)
    for (const lineEnd of [0, 1, 2, 3]) for (const int of [0, 0, 0, lineEnd, 0]) draft.locations.push(int)
    const { dictionary } = draft.freeze(Uint8Array.of(0x66, 0x66), false)
    const table = locationFrames(dictionary, { by: 'function', inlined: true })
    expect(Array.from(table.frames)).toEqual([0, 1, 1, 1])
    expect([table.name(1), table.file(1)]).toEqual(['f', 'f'])
  })

  test('numbers equal frames of several dictionaries equally', () => {
    const one = profileOf('1\nmain[a.c:3]').profiles.dictionary
    const other = profileOf('1\nidle\nmain[a.c:9]').profiles.dictionary
    const [a, b] = sharedLocationFrames([one, other], { by: 'function', inlined: true })
    expect(Array.from(a.frames)).toEqual([0, 1])
    expect(Array.from(b.frames)).toEqual([0, 2, 1])
    expect([a.name(2), b.name(1), b.file(1)]).toEqual(['idle', 'main', 'a.c'])
  })
})

describe('locationFrames with other groupings', () => {
  const { profiles } = profileOf(`
    1                       1                       1                           1
    a[x.c:1](app@0x10)      a[x.c:2](app@0x20)      read{kernel}                (/lib/libc.so@0x10){native}
    ^b[y.c:9]               b[y.c:9](app@0x10)      `)
  const { dictionary } = profiles

  test('groups by line', () => {
    const table = locationFrames(dictionary, { by: 'line', inlined: true })
    const seen = Array.from({ length: table.length }, (_, i) => `${table.name(i)} ${table.file(i)}:${table.line(i)}`)
    expect(seen).toEqual([
      '[unknown] :undefined',
      'b y.c:9',
      'a x.c:1',
      'a x.c:2',
      'read :undefined',
      '[libc.so] :undefined',
    ])
  })

  test('groups by address', () => {
    const table = locationFrames(dictionary, { by: 'address', inlined: true })
    const seen = Array.from(
      { length: table.length },
      (_, i) => `${table.name(i)} ${table.mapping(i)} ${table.address(i)}`,
    )
    expect(seen).toEqual([
      '[unknown]  undefined',
      'b app 16', // the same function at the same address, inlined and not inlined
      'a app 16',
      'a app 32',
      'read  undefined',
      'libc.so+0x10 /lib/libc.so 16',
    ])
    expect(table.line(2)).toBe(1n)
  })

  test('groups by file', () => {
    expect(namesByLocation(dictionary, 'file')).toEqual([
      '[unknown]',
      'y.c x.c',
      'x.c',
      'y.c',
      '[unknown]',
      '[libc.so]',
    ])
  })

  test('groups by mapping', () => {
    expect(namesByLocation(dictionary, 'mapping')).toEqual([
      '[unknown]',
      'app',
      'app',
      'app',
      '[unknown]',
      '/lib/libc.so',
    ])
  })

  test('groups by frame type', () => {
    expect(namesByLocation(dictionary, 'frame-type')).toEqual([
      '[unknown]',
      '[unknown]',
      '[unknown]',
      '[unknown]',
      'kernel',
      'native',
    ])
  })

  test('returns the frame type in kind with any grouping', () => {
    const table = locationFrames(dictionary, { by: 'function', inlined: true })
    const [read] = table.named('read')
    expect([table.kind(read), table.kind(UNKNOWN_FRAME), table.kind(1)]).toEqual(['kernel', undefined, undefined])
  })

  test('ignores a frame type that is empty or not text', () => {
    const builder = new ProfilesBuilder()
    builder.location({ attributes: [builder.attribute('profile.frame.type', 7n)] })
    builder.location({ attributes: [builder.attribute('profile.frame.type', '')] })
    builder.location({
      attributes: [builder.attribute('other', 'x'), builder.attribute('profile.frame.type', 'jvm')],
    })
    expect(namesByLocation(builder.build().dictionary, 'frame-type')).toEqual([
      '[unknown]',
      '[unknown]',
      '[unknown]',
      'jvm',
    ])
  })
})

test('ranks order frames by name, file and line', () => {
  const { profiles } = profileOf(`
    1         1          1         1
    b[x.c:2]  b[x.c:10]  a[z.c:1]  a[y.c:1]`)
  const table = locationFrames(profiles.dictionary, { by: 'line', inlined: true })
  expect(Array.from(table.ranks())).toEqual([0, 3, 4, 2, 1])
})
