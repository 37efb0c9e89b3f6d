// Bundles the `hearth` command with every package that it needs, for its tarball: 7 MB instead of 200 packages with 120 MB. Native code stays
// in packages of its own, which are optional. The licences of the bundled packages are beside the bundle.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as esbuild from 'esbuild'

const root = join(import.meta.dirname, '..', '..')

/** Native code and WebAssembly, with the packages that name their versions. */
const SEPARATE = {
  '@alexaltea/capstone-js': 'server',
  '@cloudpss/zstd': 'codecs',
  '@datadog/pprof': 'agent',
  chdb: 'server',
}
const WORKERS = ['query', 'write', 'symbols', 'demo']
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i

/** Writes the bundle into the folder. All files are directly in it, because modules look for files beside themselves. */
export async function bundleCommand(folder: string): Promise<void> {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      hearth: 'packages/cli/src/hearth.ts',
      // `hearth record` loads it into other programs.
      register: 'packages/agent/src/register.ts',
      'export-worker': 'packages/agent/src/export/export-worker.ts',
      ...Object.fromEntries(WORKERS.map(name => [`${name}-worker`, `packages/server/src/${name}-worker.ts`])),
    },
    outdir: folder,
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['hearth-source'],
    external: Object.keys(SEPARATE),
    // Names stay, for stack traces and for the profile that the server records of itself.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    // Packages in CommonJS call `require` for modules of Node.
    banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
  })
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), noticesOf(Object.keys(metafile.inputs)))
}

/** The optional dependencies of the published command. */
export function separatePackages(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(SEPARATE).map(([name, owner]) => {
      const text = readFileSync(join(root, 'packages', owner, 'package.json'), 'utf8')
      const manifest = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>
      return [name, manifest['dependencies']?.[name] ?? manifest['optionalDependencies']![name]]
    }),
  )
}

/** The licences of the packages that the files belong to. */
function noticesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap(file => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))
  const notices = [...folders].toSorted().map(folder => {
    const path = join(root, folder)
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Readonly<
      Record<'name' | 'version' | 'license', string>
    >
    const texts = readdirSync(path)
      .filter(file => LICENCE_FILE.test(file) && existsSync(join(path, file)))
      .map(file => readFileSync(join(path, file), 'utf8').trim())
    return [`${name} ${version} (${license})`, ...texts].join('\n\n')
  })
  return `The bundle contains the following packages.\n\n${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
