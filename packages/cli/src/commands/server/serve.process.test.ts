// The server in a separate process, started by the file that npm links, with real ports and signals.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { runHearth } from '../../testing/run-hearth.ts'

const cli = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'hearth-serve-'))
const bin = join(cli, 'bin/hearth.cjs')
const FREE_PORTS = ['--port', '0', '--otlp-grpc-port', '0', '--otlp-http-port', '0']
const running = new Set<ChildProcess>()

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

class Served {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  stdout = ''
  stderr = ''

  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const node = [bin, 'serve', ...argv]
    this.child = spawn(process.execPath, node, { cwd: cli, env: { PATH: process.env['PATH'], ...env } })
    running.add(this.child)
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()))
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    this.ended = once(this.child, 'close').then(() => running.delete(this.child))
  }

  /** The printed addresses. */
  async addresses(): Promise<{ readonly grpc: string; readonly otlp: string; readonly http: string }> {
    while (!this.stdout.includes('/metrics\n')) {
      await Promise.race([once(this.child.stdout ?? this.child, 'data'), this.ended])
      const { exitCode, signalCode } = this.child
      if ((exitCode ?? signalCode) !== null) throw new Error(`ended with ${exitCode ?? signalCode}:\n${this.stderr}`)
    }
    const found = /gRPC +(\S+)\n.*HTTP +(\S+)\n.*health +(\S+)\/api\/v1\//.exec(this.stdout)
    if (found === null) throw new Error(this.stdout)
    return { grpc: found[1], otlp: found[2], http: found[3] }
  }

  async status(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal !== undefined) this.child.kill(signal)
    await this.ended
    return this.child.exitCode
  }
}

const LOGS = JSON.stringify({
  resourceLogs: [
    { scopeLogs: [{ logRecords: [{ body: { stringValue: 'hello' }, timeUnixNano: '1790000000000000000' }] }] },
  ],
})

async function send(otlp: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const type = { 'content-type': 'application/json' }
  const response = await fetch(`${otlp}/v1/logs`, { method: 'POST', headers: { ...type, ...headers }, body: LOGS })
  await response.text()
  return response.status
}

async function metric(http: string, name: string): Promise<string | undefined> {
  const text = await (await fetch(`${http}/metrics`)).text()
  return text.split('\n').find(line => line.startsWith(name))
}

describe('hearth serve', () => {
  const data = join(folder, 'life')

  test('starts, accepts a request and shuts down', async () => {
    const first = new Served([...FREE_PORTS, '--data', data])
    const { otlp, http } = await first.addresses()
    expect(first.stdout).toContain(`is ready. Data directory: ${data}\n`)
    await expect.poll(async () => (await fetch(`${http}/readyz`)).status).toBe(200)
    expect(await send(otlp)).toBe(200)
    await reportsConflicts(otlp)
    expect(await first.status('SIGTERM')).toBe(0)
    expect(readdirSync(join(data, 'journal')).filter(name => /^\d/.test(name))).toEqual([])
  })

  test('knows a request of before its restart', async () => {
    const again = new Served([...FREE_PORTS, '--data', data])
    const { otlp, http } = await again.addresses()
    expect(await send(otlp)).toBe(200)
    expect(await metric(http, 'hearth_duplicate_requests_total')).toBe('hearth_duplicate_requests_total 1')
    expect(await again.status('SIGINT')).toBe(0)
  })

  test('ends for a signal that comes when it is ready, even if the shutdown takes too long', async () => {
    const served = new Served([...FREE_PORTS, '--data', data, '--shutdown-timeout', '1ms'])
    await served.addresses()
    await served.status('SIGTERM')
    // Not by an exit, which may crash while threads of the engine work.
    expect(served.child.signalCode).toBe('SIGKILL')
    expect(served.stderr).toContain('the shutdown takes too long; ending now')
  })

  /** Starts servers on the data directory and on the ports of the running one. They fail at the same time. */
  async function reportsConflicts(otlp: string): Promise<void> {
    const { port } = new URL(otlp)
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port: held } = holder.address() as AddressInfo
    const sameData = new Served([...FREE_PORTS, '--data', data])
    const samePort = new Served([...FREE_PORTS, '--data', join(folder, 'other'), '--otlp-http-port', port])
    const grpcPort = new Served([...FREE_PORTS, '--data', join(folder, 'grpc'), '--otlp-grpc-port', String(held)])
    expect(await Promise.all([sameData, samePort, grpcPort].map(served => served.status()))).toEqual([1, 1, 1])
    holder.close()
    expect(sameData.stderr).toMatch(/^hearth: .*life.*in use/m)
    expect(sameData.stderr).not.toContain('bug in hearth')
    expect(sameData.stdout).toBe('')
    for (const [served, number] of [
      [samePort, port],
      [grpcPort, held],
    ] as const) {
      expect(served.stderr).toMatch(new RegExp(`^hearth: .*${number}`, 'm'))
      expect(served.stderr).toContain('The port is in use')
    }
  }

  test('reads settings from options, variables and the file', async () => {
    const config = join(folder, 'hearth.yaml')
    writeFileSync(
      config,
      `port: 1\notlp-http-port: 0\notlp-grpc-port: 0\nlog-level: debug\ndata: ${join(folder, 'no')}\n`,
    )
    const env = { HEARTH_PORT: '0', HEARTH_DATA: join(folder, 'settings'), HEARTH_LOG_FORMAT: 'text' }
    const served = new Served(['--config', config, '--log-level', 'info', '--durable'], env)
    const { otlp } = await served.addresses()
    expect(served.stdout).toContain(join(folder, 'settings'))
    // A token that is created meanwhile is required within a second.
    expect(await send(otlp)).toBe(200)
    const made = await runHearth(['admin', 'token', 'create', '--data', join(folder, 'settings')])
    await expect.poll(() => send(otlp)).toBe(401)
    expect(await send(otlp, { authorization: `Bearer ${made.stdout.trim()}` })).toBe(200)
    expect(await served.status('SIGTERM')).toBe(0)
    expect(served.stderr).toMatch(/ info {2}ending signal=SIGTERM\n/)
  })
})

describe('hearth serve fails for', () => {
  async function refused(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = await runHearth(['serve', '--data', join(folder, 'none'), ...argv], { env })
    expect(stdout).toBe('')
    return { status, stderr }
  }

  test('an invalid file, with the line', async () => {
    const config = join(folder, 'bad.yaml')
    writeFileSync(config, 'host: 127.0.0.1\n\nmax-body: lots\n')
    const { status, stderr } = await refused(['--config', config])
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/bad\.yaml line 3: 'lots' is not a size.*\n {2}`hearth serve --help`/),
    ])
    expect((await refused(['--config', join(folder, 'nowhere.yaml')])).stderr).toContain('nowhere.yaml: no such file')
  })

  test('an invalid option or variable, by name', async () => {
    const option = await refused(['--port', 'x'])
    expect([option.status, option.stderr]).toEqual([2, expect.stringContaining("--port: 'x' is not")])
    const variable = await refused([], { HEARTH_RETENTION: '5' })
    expect([variable.status, variable.stderr]).toEqual([2, expect.stringContaining("HEARTH_RETENTION: '5' is not a")])
  })

  test('a public address without a token, missing certificates, and an invalid store', async () => {
    const data = join(folder, 'none')
    const open = new Served([...FREE_PORTS, '--data', data, '--host', '0.0.0.0'])
    const tls = ['--tls-cert', join(folder, 'no.pem'), '--tls-key', join(folder, 'no.key')]
    const unreadable = new Served([...FREE_PORTS, '--data', data, ...tls])
    const foreign = new Served([...FREE_PORTS, '--data', data, '--store', 'postgres://db'])
    expect(await Promise.all([open.status(), unreadable.status(), foreign.status()])).toEqual([2, 1, 1])
    expect(open.stderr).toMatch(
      /^hearth: .*requires a token; create one with `hearth admin token create --data .*none`\n/,
    )
    expect(unreadable.stderr).toMatch(/^hearth: .*no\.pem/)
    expect(foreign.stderr).toMatch(/^hearth: .*clickhouse:\/\//)
  })
})
