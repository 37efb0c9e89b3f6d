// Packs the public packages, installs the tarballs into an empty folder as a user would, and starts the server from there.
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PUBLIC_PACKAGES, packAll } from './pack-all.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'hearth-packages-'))
const app = join(folder, 'app')
const tarballs = new Map<string, readonly string[]>()

/** The registry's packages come from npm's cache where it has them. The engine has 540 MB: it is linked, not installed. */
const INSTALL = ['install', '--prefer-offline', '--omit=optional', '--no-audit', '--no-fund', '--ignore-scripts']

const npm = (args: readonly string[], cwd: string): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

// Only for installs that hang: a busy machine needs two minutes.
beforeAll(() => {
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true }')
  const files = packAll(folder, PUBLIC_PACKAGES)
  for (const name of PUBLIC_PACKAGES) {
    const tarball = files.find(file => basename(file).startsWith(`hearth-${name}-`))!
    const content = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
    tarballs.set(
      name,
      content.map(file => file.replace(/^package\//, '')),
    )
  }
  // The command contains the other packages, so that it is installed without them.
  const isCommand = (file: string): boolean => basename(file).startsWith('hearth-cli-')
  npm([...INSTALL, ...files.filter(file => !isCommand(file))], app)
  mkdirSync(alone)
  writeFileSync(join(alone, 'package.json'), '{ "private": true }')
  npm([...INSTALL, ...files.filter(isCommand)], alone)
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The command alone, without its optional packages: the engine of the store, and native code for profiling, zstd and disassembly. */
const alone = join(folder, 'alone')
const hearth = join(alone, 'node_modules', '.bin', 'hearth')
const MAX_INSTALLED_BYTES = 15e6

function sizeOf(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
  return files.reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0)
}

describe('the tarball of', () => {
  it.each(PUBLIC_PACKAGES)('%s has a readme, the licence, types and source maps with sources', name => {
    const files = tarballs.get(name)!
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
    expect(files.filter(file => /\.test\.|^src\/|(^|\/)testing\//.test(file))).toEqual([])
    const installed = join(name === 'cli' ? alone : app, 'node_modules', '@hearth', name)
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly engines: object
      readonly exports?: Readonly<Record<string, { readonly types: string; readonly default: string }>>
    }
    expect(manifest.engines).toEqual({ node: '>=20.19' })
    for (const entry of Object.values(manifest.exports ?? {})) {
      expect(existsSync(join(installed, entry.types))).toBe(true)
      const map = JSON.parse(readFileSync(join(installed, `${entry.default}.map`), 'utf8')) as {
        readonly sources: readonly string[]
        readonly sourcesContent: readonly unknown[]
      }
      expect(map.sourcesContent).toHaveLength(map.sources.length)
      expect(map.sourcesContent.every(text => typeof text === 'string')).toBe(true)
    }
  })

  it('server contains the UI', () => {
    expect(tarballs.get('server')).toContain('web/index.html')
  })

  it('cli contains the UI, and the licences of the packages that it contains', () => {
    expect(tarballs.get('cli')).toEqual(
      expect.arrayContaining(['web/index.html', 'web/docs/index.html', 'bundle/THIRD-PARTY-NOTICES.txt']),
    )
  })

  it('no package leaves files in the repository', () => {
    const left = ['LICENSE', 'web', 'bundle'].flatMap(file => PUBLIC_PACKAGES.map(name => join(name, file)))
    expect(left.filter(path => existsSync(join(root, 'packages', path)))).toEqual([])
  })
})

describe('the installed library', () => {
  it('imports a single format', () => {
    const program = `import { pprof } from '@hearth/profile/pprof'
      import { folded } from '@hearth/profile/folded'
      console.log(pprof.name, folded.name)`
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: app,
      encoding: 'utf8',
    })
    expect(printed).toBe('pprof folded\n')
  })
})

describe('the installed command', () => {
  let server: ChildProcess | undefined
  afterAll(() => server?.kill('SIGKILL'))

  it('has less than 15 MB and no other packages', () => {
    expect(readdirSync(join(alone, 'node_modules', '@hearth'))).toEqual(['cli'])
    expect(sizeOf(join(alone, 'node_modules'))).toBeLessThan(MAX_INSTALLED_BYTES)
  })

  it('records a program without the native profiler', () => {
    const program = 'const end = Date.now() + 1500; while (Date.now() < end) Math.random()'
    execFileSync(hearth, ['record', '-o', 'busy.otlp', '--', process.execPath, '-e', program], { cwd: alone })
    const { profiles } = JSON.parse(
      execFileSync(hearth, ['inspect', '--json', 'busy.otlp'], { cwd: alone, encoding: 'utf8' }),
    ) as { readonly profiles: readonly { readonly type: string }[] }
    expect(profiles.map(({ type }) => type)).toContain('cpu')
  })

  it('converts a file without the engine, and names the engine if it is missing', () => {
    const stacks = execFileSync(hearth, ['convert', '-', '--to', 'folded', '-o', '-'], {
      cwd: alone,
      input: 'main;run 3\n',
      encoding: 'utf8',
    })
    expect(stacks).toBe('main;run 3\n')
    const serve = () =>
      execFileSync(hearth, ['serve', '--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0'], {
        cwd: alone,
        encoding: 'utf8',
        stdio: 'pipe',
      })
    expect(serve).toThrow(/needs the package chdb, which is not installed; run `npm install chdb@/)
  })

  it('serves the UI and profiles itself', async () => {
    const modules = join(alone, 'node_modules')
    for (const name of ['chdb', '@chdb']) symlinkSync(join(root, 'node_modules', name), join(modules, name))
    const ports = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0']
    const started = spawn(hearth, ['serve', ...ports], { cwd: alone, stdio: ['ignore', 'pipe', 'pipe'] })
    server = started
    let output = ''
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', text => (output += text))
    const address = await vi.waitUntil(
      () => {
        if (started.exitCode !== null) throw new Error(`hearth serve ended:\n${output}`)
        return /UI +(http:\/\/\S+?)\/\s/.exec(output)?.[1]
      },
      { timeout: 60_000 },
    )
    expect(await (await fetch(`${address}/`)).text()).toContain('<title>Hearth')
    await vi.waitUntil(
      async () => {
        const response = await fetch(`${address}/api/v1/services`)
        return response.ok && (await response.text()).includes('hearth')
      },
      { timeout: 90_000, interval: 500 },
    )
  })
})
