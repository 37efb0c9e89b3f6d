// `hearth query --live` with a real server behind a proxy that can be closed, on a terminal that changes its size.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { afterProfiles } from '../../testing/example-profiles.ts'
import { FakeTerminal } from '../../testing/fake-terminal.ts'
import { runHearth } from '../../testing/run-hearth.ts'
import type { Serving } from '../../testing/serving.ts'
import { startServing } from '../../testing/serving.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-live-'))
let served: Serving
let proxy: Proxy

beforeAll(async () => {
  served = await startServing(join(folder, 'data'))
  proxy = await openProxy(served.main)
  await push('first')
})
afterAll(async () => {
  await proxy.shut()
  await served.stop()
  rmSync(folder, { recursive: true })
})

/** 7 s of web. */
async function push(run: string): Promise<void> {
  const file = join(folder, `${run}.otlp`)
  writeFileSync(file, writeProfile(afterProfiles(BigInt(Date.now()) * 1_000_000n), 'otlp').bytes)
  const pushed = await runHearth(['push', file, '--attribute', `run=${run}`, '--to', served.otlp])
  expect(pushed).toMatchObject({ status: 0 })
  // An acknowledged push can be queried a moment later.
  const query = ['query', `cpu {run="${run}"}`, '--server', served.main]
  await vi.waitFor(async () => expect((await runHearth(query)).stdout).toContain('7.00 s'), { timeout: 60_000 })
}

interface Proxy {
  readonly url: string
  shut(): Promise<void>
  open(): Promise<void>
}

/** A proxy to the server that can be closed for a while. */
async function openProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    const behind = connect(Number(port), hostname)
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ]) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        other.destroy()
        sockets.delete(one)
      })
    }
    socket.pipe(behind).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    async shut() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async open() {
      server.listen(address.port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}

/** A failing test must not leave it running. */
function watched(): FakeTerminal {
  const terminal = new FakeTerminal()
  onTestFinished(() => terminal.pressCtrlC())
  return terminal
}

const SELECTOR = 'cpu {service.name="web"}'

test('--live redraws at any size, with or without the server, until Ctrl-C', async () => {
  const terminal = watched()
  terminal.colorDepth = 24
  const ended = terminal.run(['query', SELECTOR, '--live', '--every', '20ms', '--server', proxy.url])
  await expect.poll(() => terminal.errors || terminal.page[0]).toContain('cpu: 7.00 s in 1 profile')
  expect(terminal.written.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true)
  expect(terminal.page[0]).toContain(`${SELECTOR} from now-5m on`)
  expect(terminal.page[2]).toMatch(/^main 100% +$/)
  expect(terminal.page).toHaveLength(24)
  expect(terminal.page[23]).toMatch(/^\d\d:\d\d:\d\d {2}refresh every 0\.02 s; Ctrl-C stops$/)

  const seen = terminal.pages
  await expect.poll(() => terminal.pages).toBeGreaterThan(seen + 1)
  await push('second')
  await expect.poll(() => terminal.page[0]).toContain('14.0 s in 2 profiles')

  terminal.resize(30, 4)
  expect(terminal.page).toHaveLength(4)
  expect(terminal.page.every(line => line.length <= 30)).toBe(true)
  expect(terminal.page[3]).toMatch(/ 2 lines more/)

  terminal.resize(120, 10)
  await proxy.shut()
  await expect.poll(() => terminal.page[9]).toMatch(/^\d\d:\d\d:\d\d, not refreshed: http.*; refresh every/)
  // The last result stays on screen.
  expect(terminal.page[0]).toContain('14.0 s in 2 profiles')
  expect(terminal.page[2]).toMatch(/^main 100% +$/)
  await push('third')
  // Another process may have taken the port meanwhile.
  await vi.waitFor(() => proxy.open(), { timeout: 60_000 })
  await expect.poll(() => terminal.page[0]).toContain('21.0 s in 3 profiles')
  await expect.poll(() => terminal.page[9]).toMatch(/^\d\d:\d\d:\d\d {2}refresh/)

  terminal.pressCtrlC()
  expect(await ended).toBe(0)
  expect(terminal.written.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
  expect([terminal.errors, terminal.listeners]).toEqual(['', 0])
})

test('--live shows that there is no data yet, without colours', async () => {
  const terminal = watched()
  const argv = ['query', 'cpu {run="fourth"}', '--live', '--every', '20ms', '--server', served.main]
  const ended = terminal.run(argv)
  await expect.poll(() => terminal.page[2]).toBe('No data yet.')
  expect(terminal.page[0]).toContain('no profiles')
  await push('fourth')
  await expect.poll(() => terminal.page[2]).toContain('TOTAL')
  terminal.pressCtrlC()
  expect(await ended).toBe(0)
})

test('--live draws once if the output is not a terminal', async () => {
  const argv = ['query', SELECTOR, '--server', served.main, '--from', 'now-5m']
  const once = await runHearth([...argv, '--flame'])
  expect(once.stdout).toContain('main')
  expect(await runHearth([...argv, '--live'])).toEqual(once)
  const json = await runHearth([...argv, '--live', '--json'], { columns: 80 })
  expect(JSON.parse(json.stdout)).toMatchObject({ type: 'cpu' })
})

test('--live ends at a permanent error and restores the screen', async () => {
  const terminal = watched()
  const server = ['--server', served.main]
  expect(await terminal.run(['query', 'cpu {', '--live', ...server])).toBe(1)
  expect([terminal.written, terminal.errors]).toEqual(['', expect.stringContaining('  cpu {\n       ^\n')])
  const nobody = watched()
  expect(await nobody.run(['query', 'cpu', '--live', '--server', 'http://127.0.0.1:9'])).toBe(1)
  expect([nobody.written, nobody.errors]).toEqual(['', expect.stringContaining('Is `hearth serve` running there?')])
  for (const argv of [['--to', 'now'], ['--every', '0s'], ['--every', '2d'], ['--flame']]) {
    const { status, stderr } = await runHearth(['query', 'cpu', '--live', ...argv, ...server])
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^hearth: .*--/)])
  }
})
