// Tests for source files in tar archives and source maps, with hostile archives.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import { FormatError } from '@hearth/profile'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { SourceArchive } from './source-archive.ts'
import { encodeSources, findInSources } from './source-index.ts'

interface Entry {
  readonly path: string
  readonly text: string
  readonly kind?: string
  readonly size?: number
}

function tar(...entries: readonly Entry[]): Uint8Array {
  const blocks = entries.flatMap(({ path, text, kind = '0', size }) => {
    const content = Buffer.from(text)
    const header = Buffer.alloc(512)
    header.write(path, 0, 100)
    header.write((size ?? content.length).toString(8).padStart(11, '0'), 124)
    header.write(`        ${kind}`, 148)
    header.write('ustar\u000000', 257)
    const sum = header.reduce((a, b) => a + b, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return new Uint8Array(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

function sourceMap(map: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ version: 3, mappings: '', ...map }))
}

const shop = tar(
  { path: 'shop-1.2/src/cart/price.cc', text: 'int price();\n' },
  { path: 'shop-1.2/.env', text: 'secret' },
  { path: 'shop-1.2/../../src/up.cc', text: 'outside' },
  { path: 'shop-1.2/src/link.cc', text: '', kind: '2' },
  { path: 'shop-1.2/src/binary.cc', text: 'a\0b' },
  { path: '././@LongLink', text: `shop-1.2/${'deep/'.repeat(30)}long.cc\0`, kind: 'L' },
  { path: 'shop-1.2/short', text: 'long' },
  { path: 'PaxHeaders/x', text: '27 path=shop-1.2/src/ä.cc\n', kind: 'x' },
  { path: 'shop-1.2/src/a.cc', text: 'pax' },
)

describe('SourceArchive', () => {
  test.each([
    ['plain', shop],
    ['gzip', nodeCodecs.gzip!(shop)],
    ['zstd', nodeCodecs.zstd!(shop)],
  ])('finds the files of a %s tar archive by the longest end of a path', async (_, bytes) => {
    const archive = SourceArchive.read(bytes)
    expect(await archive.find('/build/shop/src/cart/price.cc')).toEqual({
      path: 'src/cart/price.cc',
      text: 'int price();\n',
    })
    expect((await archive.find(`${'deep/'.repeat(30)}long.cc`))?.text).toBe('long')
    expect((await archive.find('src/ä.cc'))?.text).toBe('pax')
  })

  test.each(['.env', '../../src/up.cc', 'src/up.cc', 'src/link.cc', 'src/binary.cc', ''])(
    'does not have %j: hidden, outside, a link, binary or empty',
    async path => {
      expect(await SourceArchive.read(shop).find(path)).toBeUndefined()
    },
  )

  it('is written to a file from which single texts are read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-sources-'))
    try {
      const path = join(folder, 'index')
      writeFileSync(path, encodeSources(SourceArchive.read(shop).files))
      expect(await findInSources(path, '/build/shop/src/cart/price.cc')).toEqual({
        path: 'src/cart/price.cc',
        text: 'int price();\n',
      })
      expect((await findInSources(path, '/root/.cargo/src/ä.cc'))?.text).toBe('pax')
      expect(await findInSources(path, 'src/binary.cc')).toBeUndefined()
      expect(await findInSources(path, 'src/missing.cc')).toBeUndefined()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('finds the sources of a source map with content', async () => {
    const archive = SourceArchive.read(
      sourceMap({
        sources: ['../src/price.ts', 'webpack://shop/./lib/cart.ts', 'without.ts', undefined],
        sourcesContent: ['price', 'cart', undefined, 'nameless'],
      }),
    )
    expect((await archive.find('/app/src/price.ts'))?.text).toBe('price')
    expect((await archive.find('/app/lib/cart.ts'))?.text).toBe('cart')
    expect(await archive.find('without.ts')).toBeUndefined()
    const sections = SourceArchive.read(
      sourceMap({ sections: [{ map: { sources: ['a/b.ts'], sourcesContent: ['b'] } }] }),
    )
    expect((await sections.find('a/b.ts'))?.text).toBe('b')
  })

  test.each([
    ['a file beyond the end', tar({ path: 'a', text: '', size: 0o7777777777 }), /exceeds the 1024 that are left/],
    ['a changed header', tar({ path: 'a', text: '' }).with(3, 7), /checksum/],
    ['a source map without content', sourceMap({ sources: ['a'] }), /no sourcesContent/],
    ['JSON of another kind', new TextEncoder().encode('null'), /no sourcesContent/],
    ['other content', new Uint8Array(2000).fill(7), /neither a tar archive nor a source map/],
  ])('rejects %s', (_, bytes, message) => {
    expect(() => SourceArchive.read(bytes)).toThrow(message)
    expect(() => SourceArchive.read(bytes)).toThrow(FormatError)
  })

  it('reads damaged archives, or throws a FormatError', () => {
    const change = fc.tuple(fc.nat(shop.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), fc.nat(shop.length), (changes, length) => {
        const bytes = shop.slice(0, length)
        for (const [at, value] of changes) if (at < length) bytes[at] = value
        try {
          SourceArchive.read(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      }),
    )
  })
})
