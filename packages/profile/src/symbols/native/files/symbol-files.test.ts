// Finding the symbols of binaries among files.
import { describe, expect, it } from 'vitest'
import { buildProfiles, type LocationSpec } from '../../../model/testing/profiles-spec.ts'
import { breakpadId, htlhash } from '../../../model/attributes/build-id.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import { applySymbols } from '../apply-symbols.ts'
import { readSymbols } from '../read-symbols.ts'
import { bytesOf } from '../testing/fuzz-symbols.ts'
import { programs } from '../testing/generated/programs.ts'
import { jitdump, jitLoad } from '../testing/object-files.ts'
import { SymbolFiles } from './symbol-files.ts'

type Program = keyof typeof programs

/** `files` are the names of programs, bytes or texts by path. */
function filesOf(files: Readonly<Record<string, Program | Uint8Array | { readonly text: string }>>): SymbolFiles {
  const open = Object.entries(files).map(([path, content]) => {
    const bytes =
      typeof content === 'string'
        ? bytesOf(programs[content])
        : content instanceof Uint8Array
          ? content
          : encodeUtf8(content.text)
    return { path, head: () => bytes.subarray(0, 4096), read: () => bytes }
  })
  return new SymbolFiles(() => open)
}

const idOf = (program: Program): string => readSymbols(bytesOf(programs[program])).buildId ?? ''
/** The functions at the start of the code, innermost first. */
const namesIn = (files: SymbolFiles, binary: Parameters<SymbolFiles['find']>[0]): readonly string[] | undefined =>
  files
    .find(binary)
    ?.index.lookup(0x401000n)
    .map(({ name }) => name)
const INLINED = ['rounded', 'discounted', '_ZNK4shop4Cart5totalEv']

describe('SymbolFiles', () => {
  it('finds a file by its build id, and by name only for binaries without build ids', () => {
    const files = filesOf({ 'a/stripped': 'stripped', 'b/shop.debug': 'dwarf5' })
    expect(namesIn(files, { filename: '/usr/bin/other', buildIds: { gnu: idOf('dwarf5') } })).toEqual(INLINED)
    expect(namesIn(files, { filename: '/usr/bin/shop', buildIds: {} })).toEqual(INLINED)
    expect(namesIn(files, { filename: '/usr/bin/shop', buildIds: { gnu: 'c0ffee' } })).toBeUndefined()
  })

  it('follows the debug link of a binary without a GNU build id, if the checksum is right', () => {
    const binary = { filename: 'linked', buildIds: { htlhash: htlhash(bytesOf(programs.linked)) } }
    expect(namesIn(filesOf({ linked: 'linked', 'debug/linked.debug': 'linkedDebug' }), binary)).toEqual(INLINED)
    expect(namesIn(filesOf({ linked: 'linked', 'debug/linked.debug': 'dwarf4' }), binary)).toEqual([])
  })

  it('reads split units from packages and .dwo files, and the supplement of dwz', () => {
    const split = { filename: 'shop', buildIds: { gnu: idOf('split5') } }
    const withoutInlined = ['_ZNK4shop4Cart5totalEv']
    expect(namesIn(filesOf({ 'out/shop': 'split5' }), split)).toEqual(withoutInlined)
    expect(namesIn(filesOf({ 'out/shop': 'split5', 'out/shop.dwp': 'split5Package' }), split)).toEqual(INLINED)
    const skeleton = bytesOf(programs.split5)
    const names: string[] = []
    readSymbols(skeleton, { splitUnit: (_, name) => void names.push(name.slice(name.lastIndexOf('/') + 1)) })
    expect(namesIn(filesOf({ 'out/shop': 'split5', [`out/${names[0]}`]: 'split5Dwo' }), split)).toEqual(INLINED)
    const shared = { filename: 'shop', buildIds: { gnu: idOf('withSupplement') } }
    expect(namesIn(filesOf({ shop: 'withSupplement' }), shared)).not.toEqual(INLINED)
    expect(namesIn(filesOf({ shop: 'withSupplement', common: 'supplement' }), shared)).toEqual(INLINED)
  })

  it("finds Breakpad's files by the id that Breakpad makes of a build id", () => {
    const gnu = '0102030405060708090a0b0c0d0e0f1011121314'
    expect(breakpadId(gnu)).toBe('0403020106050807090a0b0c0d0e0f100')
    const list = (info: string) => ({
      text: `MODULE Linux x86_64 ${breakpadId(gnu)!} app\n${info}FUNC 401000 20 0 total\n`,
    })
    expect(namesIn(filesOf({ 'app.sym': list('') }), { filename: 'app', buildIds: { gnu } })).toEqual(['total'])
    const withInfo = filesOf({ 'app.sym': list('INFO CODE_ID ABCDEF\n') })
    expect(namesIn(withInfo, { filename: 'app', buildIds: { gnu: 'abcdef' } })).toEqual(['total'])
  })

  it('names the kernel from a list without a build id', () => {
    const files = filesOf({ kallsyms: { text: 'ffffffff81000000 T _stext\nffffffff81000100 T do_work\n' } })
    const symbols = files.find({ filename: '[kernel.kallsyms]', buildIds: { gnu: 'ab' } })
    expect(symbols?.index.lookup(0xffffffff81000108n)[0].name).toBe('do_work')
    expect(files.find({ filename: '[nvme]', buildIds: {} })).toBeDefined()
    for (const filename of ['app', '[heap]', '[vdso]']) expect(files.find({ filename, buildIds: {} })).toBeUndefined()
  })

  it('reads the code of a binary, and not that of its debug file', () => {
    const buildIds = { gnu: idOf('dwarf5') }
    expect(filesOf({ 'a/shop.debug': 'dwarf5' }).code({ filename: 'shop', buildIds })).toMatchObject({
      path: 'a/shop.debug',
      machine: 'x86_64',
    })
    expect(filesOf({ 'linked.debug': 'linkedDebug' }).code({ filename: 'linked.debug', buildIds: {} })).toBeUndefined()
  })
})

describe('code of just-in-time compilers', () => {
  const map = (name: string) => ({ text: `1000 40 ${name}\n` })
  const CODE: LocationSpec = {
    mapping: { filename: '//anon', memoryStart: 0x1000n, memoryLimit: 0x2000n },
    address: 0x1010n,
  }
  const leafNames = (files: SymbolFiles, ...pids: readonly (bigint | undefined)[]): readonly string[] => {
    const samples = pids.map(pid => ({
      stack: [CODE],
      values: [1n],
      attributes: pid === undefined ? [] : [{ key: 'process.pid', value: pid }],
    }))
    const profiles = buildProfiles([{ scopes: [{ profiles: [{ type: 'cpu', unit: 'ns', samples }] }] }])
    const { locations, functions, strings } = applySymbols(
      profiles,
      binary => files.find(binary),
      pid => files.compiled(pid),
    ).profiles.dictionary
    const { lines } = locations
    return Array.from({ length: lines.length }, (_, i) => strings.text(functions.name(lines.function(i))))
  }

  it('has the names of the list of its process', () => {
    const files = filesOf({ 'perf-7.map': map('seven'), 'perf-8.map': map('eight') })
    expect(leafNames(files, 7n)).toEqual(['seven'])
    expect(leafNames(files, 8n, 8n)).toEqual(['eight'])
    expect(leafNames(files, 9n)).toEqual([])
  })

  it('has no name if the lists of several processes differ at its address', () => {
    expect(leafNames(filesOf({ 'perf-7.map': map('seven'), 'perf-8.map': map('eight') }), 7n, 8n)).toEqual([])
    expect(leafNames(filesOf({ 'perf-7.map': map('same'), 'perf-8.map': map('same') }), 7n, 8n)).toEqual(['same'])
  })

  it('has the names of a single list, whose process has another number in a container', () => {
    expect(leafNames(filesOf({ 'perf-1.map': map('run') }), 4711n)).toEqual(['run'])
    expect(leafNames(filesOf({ 'perf-1.map': map('run') }), undefined)).toEqual(['run'])
    expect(leafNames(filesOf({ 'jit-1.dump': jitdump([jitLoad('compiled', 0x1000, 64, 1)]) }), 5n)).toEqual([
      'compiled',
    ])
  })
})
