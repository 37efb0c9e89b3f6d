// `npm run bundle-sizes -- --write`: the table of bundle sizes in docs/library.md, minified by esbuild with tree-shaking. A test compares it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'

const root = join(import.meta.dirname, '..')
const library = join(root, 'packages', 'profile')
const page = join(root, 'docs', 'library.md')

export interface BundleSize {
  readonly entry: string
  /** Bytes. */
  readonly minified: number
  readonly gzip: number
}

type Exports = Readonly<Record<string, { readonly 'hearth-source': string }>>

/** The size of each entry point of the library, as an application that imports it alone gets it. */
export async function bundleSizes(): Promise<readonly BundleSize[]> {
  const { exports } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as { readonly exports: Exports }
  return Promise.all(
    Object.entries(exports).map(async ([path, { 'hearth-source': source }]) => {
      const { outputFiles } = await esbuild.build({
        entryPoints: [join(library, source)],
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'browser',
        target: 'es2023',
        write: false,
        logLevel: 'silent',
      })
      const [{ contents }] = outputFiles
      const entry = path === '.' ? '@hearth/profile' : `@hearth/profile/${path.slice(2)}`
      return { entry, minified: contents.length, gzip: gzipSync(contents).length }
    }),
  )
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`

export function bundleTable(sizes: readonly BundleSize[]): string {
  const rows = sizes.map(
    ({ entry, minified, gzip }) => `| \`${entry}\` | ${kilobytes(minified)} | ${kilobytes(gzip)} |`,
  )
  return ['| import | minified | gzip |', '|---|--:|--:|', ...rows].join('\n')
}

const MARKS = /(<!-- bundle sizes -->\n)[^]*?(\n<!-- \/bundle sizes -->)/

/** The listed sizes in bytes by import. */
export function listedSizes(
  text = readFileSync(page, 'utf8'),
): ReadonlyMap<string, readonly [minified: number, gzip: number]> {
  const rows = MARKS.exec(text)?.[0].matchAll(/^\| `([^`]+)` \| (\d+) kB \| (\d+) kB \|$/gm) ?? []
  return new Map([...rows].map(([, entry, minified, gzip]) => [entry, [1000 * Number(minified), 1000 * Number(gzip)]]))
}

if (process.argv[1] === import.meta.filename) {
  const table = bundleTable(await bundleSizes())
  if (process.argv.includes('--write'))
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(MARKS, (_, start: string, end: string) => start + table + end),
    )
  else console.log(table)
}
