import { expect, test } from 'vitest'
import { NONE } from '../columns/brand.ts'
import type { LocationIndex } from '../columns/brand.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import { frameName } from './frame-name.ts'

/** The name of the last line of a location, or of the location if it has no lines. */
function nameOf(make: (b: ProfilesBuilder) => LocationIndex): string {
  const b = new ProfilesBuilder()
  const location = make(b)
  const { dictionary } = b.build()
  const { locations } = dictionary
  const lined = locations.linesTo(location) > locations.linesFrom(location)
  return frameName(dictionary, location, lined ? locations.linesTo(location) - 1 : NONE)
}

test.each<[string, (b: ProfilesBuilder) => LocationIndex]>([
  ['run', b => b.location({ lines: [{ function: b.function({ name: 'run', systemName: '_run' }) }], address: 5 })],
  ['_run', b => b.location({ lines: [{ function: b.function({ systemName: '_run', filename: 'a.c' }) }] })],
  ['0x5', b => b.location({ lines: [{ function: b.function({ filename: 'a.c' }) }], address: 5 })],
  ['libc.so.6+0x5', b => b.location({ mapping: b.mapping({ filename: '/lib/libc.so.6' }), address: 5 })],
  ['a.dll+0x5', b => b.location({ mapping: b.mapping({ filename: 'C:\\win\\a.dll' }), address: 5 })],
  ['[libc.so.6]', b => b.location({ mapping: b.mapping({ filename: '/lib/libc.so.6' }) })],
  ['[vdso]', b => b.location({ mapping: b.mapping({ filename: '[vdso]' }) })],
  ['0xffffffffffffffff', b => b.location({ address: 2n ** 64n - 1n })],
  ['[unknown]', b => b.location({})],
  ['[unknown]', b => b.location({ lines: [{ function: b.function({}) }] })],
])('frameName returns %s', (name, make) => {
  expect(nameOf(make)).toBe(name)
})

test('frameName counts addresses from the start of the mapped file', () => {
  const range = { filename: 'x', memoryStart: 0x1000, memoryLimit: 0x2000, fileOffset: 0x40 }
  const at = (address: number) => nameOf(b => b.location({ mapping: b.mapping(range), address }))
  expect(at(0x1000)).toBe('x+0x40')
  expect(at(0x1fff)).toBe('x+0x103f')
  // An address outside the mapped memory is already relative to the file.
  expect(at(0x2000)).toBe('x+0x2000')
  expect(at(0xfff)).toBe('x+0xfff')
})

test('frameName shows the address of the file where mappings have it: with an htlhash, or at a fixed place', () => {
  const range = { filename: 'x', memoryStart: 0x2000, memoryLimit: 0x3000, fileOffset: 0x1000 }
  const hashed = nameOf(b => {
    const attributes = [b.attribute('process.executable.build_id.htlhash', 'ab'.repeat(16))]
    return b.location({ mapping: b.mapping({ ...range, attributes }), address: 0x2345 })
  })
  expect(hashed).toBe('x+0x2345')
  const fixed = { ...range, memoryStart: 0x401000, memoryLimit: 0x402000 }
  expect(nameOf(b => b.location({ mapping: b.mapping(fixed), address: 0x401234 }))).toBe('x+0x401234')
})

test('frameName shows the frame type of a frame without any other information', () => {
  const v8 = (b: ProfilesBuilder) => [b.attribute('profile.frame.type', 'v8js')]
  expect(nameOf(b => b.location({ attributes: v8(b) }))).toBe('[v8js]')
})
