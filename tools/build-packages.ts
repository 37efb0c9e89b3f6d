// Builds the packages: `tsc -b` writes declarations, and esbuild bundles the JavaScript, one file per entry point and the chunks
// that they share. Node loads a few bundles faster than a thousand small modules, which every command, server
// would pay at start. Bundles do not include other packages, except those of worker threads and of the server that tests start:
// each is one file with all that it needs, which loads in half of the time. Vitest runs this before the first test that starts a
// process of Hearth.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as esbuild from 'esbuild'
import type { TestProject } from 'vitest/node'

const ROOT = join(import.meta.dirname, '..')
const PACKAGES = join(ROOT, 'packages')

/** The UI has a build of its own. */
const BUNDLED = ['agent', 'broker', 'cli', 'client', 'codecs', 'mcp', 'profile', 'server', 'signals']

interface Manifest {
  readonly exports?: Readonly<Record<string, { readonly 'hearth-source'?: string }>>
}

/** Commands, which are started by their path. */
const COMMAND = /^hearth\.ts$/
const WORKER = /-worker\.ts$/
/** Programs of tests that start often. */
const TEST_PROGRAM = /^testing\/serve\.node\.ts$/
/** Native code and WebAssembly stay in their package, which a package with worker threads depends on. */
const NATIVE = ['@cloudpss/zstd', '@alexaltea/capstone-js', '@datadog/pprof', 'chdb']

/** The exports in package.json. */
function exportedFiles(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  return Object.values(manifest.exports ?? {}).flatMap(({ 'hearth-source': source }) => source ?? [])
}

/** The files in `src` that match. */
function sources(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
  return files.filter(file => pattern.test(file)).map(file => join('src', file))
}

/** `index` for src/index.ts, `pprof` for src/formats/pprof/index.ts. Programs of tests stay in a folder that is not published. */
function outputName(source: string): string {
  const name = basename(source, '.ts')
  if (basename(dirname(dirname(source))) === 'formats') return basename(dirname(source))
  return basename(dirname(source)) === 'testing' ? join('testing', name) : name
}

/** Bundles the files, and returns the paths of the written ones. */
async function bundle(folder: string, files: readonly string[], options: esbuild.BuildOptions): Promise<string[]> {
  const { metafile } = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: Object.fromEntries(files.map(source => [outputName(source), source])),
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    ...options,
  })
  return Object.keys(metafile!.outputs)
}

/** Options of a bundle with everything that it needs. */
const COMPLETE: esbuild.BuildOptions = { conditions: ['hearth-source'], external: NATIVE }
/** Packages in CommonJS call `require` for modules of Node. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);"

async function bundlePackage(name: string): Promise<void> {
  const folder = join(PACKAGES, name)
  const lists = await Promise.all([
    bundle(folder, [...exportedFiles(folder), ...sources(folder, COMMAND)], {
      // Directly in dist, where the modules of src find package.json and other packages by the same relative paths.
      chunkNames: 'chunk-[hash]',
      splitting: true,
      packages: 'external',
    }),
    bundle(folder, sources(folder, WORKER), { ...COMPLETE, banner: { js: REQUIRE } }),
    bundle(folder, sources(folder, TEST_PROGRAM), {
      ...COMPLETE,
      // The program is one folder below the place where its modules look for files.
      define: { 'import.meta.url': 'moduleUrl' },
      banner: { js: `${REQUIRE} const moduleUrl = new URL('../module.js', import.meta.url).href;` },
    }),
  ])
  const written = new Set(lists.flat())
  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).map(file => join('dist', file))
  for (const file of files) if (/\.js(\.map)?$/.test(file) && !written.has(file)) rmSync(join(folder, file))
}

async function build(): Promise<void> {
  const tsc = ['node_modules/typescript/bin/tsc', '-b', 'tsconfig.build.json']
  execFileSync(process.execPath, tsc, { cwd: ROOT, stdio: 'inherit' })
  await Promise.all(BUNDLED.map(bundlePackage))
}

/** The build of this run, kept globally: Vitest loads this module again for each project. */
const shared = globalThis as { hearthBuild?: Promise<void> }

/** Vitest calls it before the first test of each project. */
export async function setup(project: TestProject): Promise<void> {
  if (shared.hearthBuild === undefined) {
    shared.hearthBuild = build()
    project.onTestsRerun(build)
  }
  await shared.hearthBuild
}

if (import.meta.filename === process.argv[1]) await build()
