// Runs the commands of the documentation against a server with the demo, which the first command of the first page starts. Then checks
// the views, trigger, rules, target and binaries of the demo.
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { documentedCommands } from './documented-commands.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'hearth-docs-'))
const START = 'npx hearth demo\n'
const blocks = documentedCommands(root).filter(({ testedBy, notRun }) => testedBy === undefined && notRun === undefined)

let demo: ChildProcess
/** The addresses of the server, by the default ones that the documentation names. */
let addresses: readonly (readonly [documented: string, actual: string])[] = []

const PORTS = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0']

beforeAll(async () => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  // `npx hearth` and `hearth` run the build of this checkout, and find the server of this test.
  const command = `exec ${process.execPath} ${join(root, 'packages/cli/bin/hearth.cjs')} "$@"`
  const onServer = `case "$1" in explain|triggers|query|traces|components|capture) set -- "$@" --server "$SERVER" ;; esac`
  writeFileSync(join(bin, 'hearth'), `#!/bin/sh\n${onServer}\n${command}\n`, { mode: 0o755 })
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\n"$@"\n', { mode: 0o755 })
  symlinkSync(join(root, 'package.json'), join(folder, 'package.json'))
  for (const name of ['node_modules', 'tools', 'docs']) symlinkSync(join(root, name), join(folder, name))
  writeFileSync(join(folder, 'main.folded'), 'main;run 3\n')
  execFileSync(join(bin, 'hearth'), ['convert', 'main.folded', '-o', 'cpu.pb'], { cwd: folder })
  writeFileSync(join(folder, 'cpu.pb.gz'), gzipSync(execFileSync('cat', ['cpu.pb'], { cwd: folder })))
  demo = spawn('sh', ['-c', `exec ${START.trim().replace('npx ', '')} ${PORTS.join(' ')}`], {
    cwd: folder,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [demo.stdout!, demo.stderr!]) stream.setEncoding('utf8').on('data', text => (output += text))
  await vi.waitUntil(
    () => {
      if (demo.exitCode !== null) throw new Error(`hearth demo ended:\n${output}`)
      return output.includes('The demo has its data')
    },
    { timeout: 110_000 },
  )
  const portOf = (name: string): string => new RegExp(`${name}.*?127\\.0\\.0\\.1:(\\d+)`).exec(output)?.[1] ?? ''
  addresses = [
    ['127.0.0.1:4040', `127.0.0.1:${portOf('UI')}`],
    ['127.0.0.1:4317', `127.0.0.1:${portOf('gRPC')}`],
    ['127.0.0.1:4318', `127.0.0.1:${portOf('OTLP/HTTP|OTLP over HTTP')}`],
  ]
})

afterAll(async () => {
  if (demo.exitCode === null) {
    demo.kill('SIGTERM')
    await once(demo, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
})

describe('the documentation', () => {
  it('begins with the command that starts the demo', () => {
    expect(blocks.filter(({ script }) => script === START).map(({ page }) => page)).toContain('docs/index.md')
  })

  it.each(blocks.filter(({ script }) => script !== START).map(block => [`${block.page}:${block.line}`, block.script]))(
    '%s has commands that succeed',
    (_, script) => {
      const actual = addresses.reduce((text, [documented, address]) => text.replaceAll(documented, address), script)
      const env = {
        ...process.env,
        PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
        SERVER: `http://${addresses[0][1]}`,
      }
      execFileSync('sh', ['-ec', actual], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe', timeout: 100_000 })
    },
  )
})

interface DemoCapture {
  readonly by: string
  readonly state: string
  readonly selector: string
  readonly traceId: string
}

describe('the demo', () => {
  const request = async <Response>(path: string, method = 'GET'): Promise<Response> => {
    const response = await fetch(`http://${addresses[0][1]}/api/v1/${path}`, { method })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Response
  }
  const captures = async () =>
    (await request<{ captures: DemoCapture[] }>('captures')).captures.filter(
      ({ by }) => by === 'trigger demo-slow-search',
    )
  /** The lists of the screens Services, Captures, Alerts, Targets and Symbols. */
  const listed = async () => ({
    views: (await request<{ views: { by: string }[] }>('views')).views.filter(({ by }) => by === 'demo').length,
    // A documented command adds another one.
    triggers: (await request<{ triggers: { name: string }[] }>('triggers')).triggers.filter(
      ({ name }) => name === 'demo-slow-search',
    ).length,
    history: (await request<{ entries: unknown[] }>('triggers/history?trigger=demo-slow-search')).entries.length > 0,
    captures: (await captures()).some(({ state }) => state === 'finished'),
    alerts: (await request<{ alerts: { rule: string; state: string }[] }>('alerts')).alerts.map(
      ({ rule, state }) => `${rule} ${state}`,
    ),
    recording: (await request<{ rules: { name: string }[] }>('recording-rules')).rules.map(({ name }) => name),
    targets: (await request<{ targets: { state: string }[] }>('targets')).targets.map(({ state }) => state),
    binaries: (await request<{ binaries: { name: string; unresolved: number }[] }>('symbols/binaries')).binaries
      .filter(({ name }) => ['libjvm.so', 'libopenblas64_.so'].includes(name))
      .map(({ name, unresolved }) => `${name}: ${unresolved > 0 ? 'addresses' : 'names'}`)
      .toSorted((a, b) => (a < b ? -1 : 1)),
  })
  const samplesIn = async (selector: string): Promise<number> => {
    const { samples } = await request<{ samples: number }>(`symbols/binaries?selector=${encodeURIComponent(selector)}`)
    return samples
  }

  it('has views, a trigger with a capture, rules, a target and binaries, which one request removes', async () => {
    await expect.poll(listed, { timeout: 100_000, interval: 500 }).toEqual({
      views: 3,
      triggers: 1,
      history: true,
      captures: true,
      alerts: ['demo-regression firing'],
      recording: ['demo.search.cores'],
      targets: ['up'],
      binaries: ['libjvm.so: names', 'libopenblas64_.so: addresses'],
    })
    const [{ selector, traceId }] = (await captures()).filter(({ state }) => state === 'finished')
    expect(await samplesIn(selector)).toBeGreaterThan(0)
    expect(await samplesIn('goroutine{service.name="checkout"}')).toBeGreaterThan(0)

    await request('demo', 'DELETE')
    const none = {
      views: 0,
      triggers: 0,
      history: false,
      captures: false,
      alerts: [],
      recording: [],
      targets: [],
      binaries: [],
    }
    await expect.poll(listed, { timeout: 100_000, interval: 500 }).toEqual(none)
    // The spans of the capture, too.
    const trace = async () => (await fetch(`http://${addresses[0][1]}/api/v1/traces/${traceId}`)).status
    await expect.poll(trace, { timeout: 100_000, interval: 500 }).toBe(404)
  })
})
