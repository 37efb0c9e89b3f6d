// `hearth record` in a separate process, with programs that use CPU, exit and are killed.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeCodecs } from '@hearth/codecs'
import { readProfile, topTable } from '@hearth/profile'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { BUILT_HEARTH } from '../../testing/built-command.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-record-'))
afterAll(() => rmSync(folder, { recursive: true }))
const inFolder = (name: string): string => join(folder, name)

// Counts CPU time: on a busy machine a program may not run for a while, and the profiler would get no sample.
const BURN = `const burnt = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
  function burnBrightly(ms) {
    const end = burnt() + ms
    let x = 0
    while (burnt() < end) for (let i = 0; i < 1e5; i++) x += Math.sqrt(i)
    return x
  }`
writeFileSync(
  inFolder('burn.mjs'),
  `${BURN}
  console.log(burnBrightly(600) > 0, process.argv.slice(2).join())
  process.exitCode = 7`,
)
writeFileSync(
  inFolder('wait.mjs'),
  // Nothing is recorded of a program that only waits.
  `${BURN}
  burnBrightly(300)
  if (process.argv[2] === 'politely') process.on('SIGTERM', () => process.exit(3))
  setInterval(() => {}, 1000)
  console.log('waiting')`,
)

function start(...argv: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const env = {
    PATH: process.env['PATH'],
    HEARTH_TOKEN: 'secret',
    HEARTH_EXIT_TIMEOUT: '60s',
  }
  const child = spawn(process.execPath, [BUILT_HEARTH, 'record', ...argv], { env, cwd: folder })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(([status]) => ({ status: status as number, stdout, stderr }))
  return { child, ended }
}

interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

// Each test starts two processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

describe('hearth record', () => {
  test('writes a file with the busy function', async () => {
    const { ended } = start('-o', 'out.otlp.gz', '--types', 'cpu', '--', 'node', 'burn.mjs', '-o', 'mine')
    const { status, stdout, stderr } = await ended
    expect([status, stdout]).toEqual([7, 'true -o,mine\n'])
    expect(stderr).toMatch(
      /^hearth: recording burn to out\.otlp\.gz\nhearth: out\.otlp\.gz: otlp of 1 profile, [\d,]+ samples?\n$/,
    )
    const top = await runHearth(['top', inFolder('out.otlp.gz'), '-n', '1', '--sort', 'total'])
    expect(top.stdout).toMatch(/^cpu: /)
    expect((await runHearth(['top', inFolder('out.otlp.gz')])).stdout).toMatch(/ burnBrightly +.*burn\.mjs$/m)
    expect(readdirSync(folder).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  test('sends to a server, with a token', async () => {
    const received: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        received.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const options = ['--to', url, '--service', 'kiln', '--tenant', 'a b', '--types', 'cpu', '--rate', '500']
    const { status, stderr } = await start(...options, '--', 'node', 'burn.mjs').ended
    server.close()
    server.closeAllConnections()
    expect([status, stderr]).toEqual([7, `hearth: recording kiln to ${url}\n`])
    expect(received.length).toBeGreaterThan(0)
    expect(received[0].url).toBe('/v1development/profiles')
    expect(received[0].headers).toMatchObject({ authorization: 'Bearer secret', 'x-scope-orgid': 'a b' })
    const names = received.flatMap(({ body }) => {
      const { profiles } = readProfile(body, { codecs: nodeCodecs })
      const rows = topTable(profiles, [0])
      return Array.from({ length: rows.length }, (_, i) => rows.frames.name[rows.frame[i]])
    })
    expect(names).toContain('burnBrightly')
  })
})

describe('the exit status', () => {
  test.each([
    ['politely', 3],
    ['at once', 143],
  ])('SIGTERM, %s', async (manner, expected) => {
    const { child, ended } = start('--output-dir', 'many', '--', 'node', 'wait.mjs', manner)
    await once(child.stdout!, 'data')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ status: expected, stdout: 'waiting\n' })
  })

  test('is that of the signal, and the exports until then are files', async () => {
    const files = readdirSync(inFolder('many'))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(readProfile(readFileSync(inFolder(`many/${file}`))).format.name).toBe('otlp')
  })
})

describe('errors', () => {
  test.each([
    [['-o', 'x.otlp', '--', 'burn.mjs'], 2, /burn\.mjs: command not found\n {2}Put node before it: /],
    [['-o', 'x.otlp', '--', 'true'], 1, /x\.otlp: nothing was recorded\n {2}Check that it is a Node\.js program/],
  ])('%j', async (argv, status, message) => {
    const outcome = await start(...argv).ended
    expect(outcome).toMatchObject({ status, stdout: '' })
    expect(outcome.stderr).toMatch(message)
    expect(readdirSync(folder).filter(name => name.includes('x.otlp'))).toEqual([])
  })

  test.each([
    [[], /missing required argument 'command'/],
    [['node', 'app.js', '--fast'], /unknown option '--fast'\n {2}Put the command to run after --/],
    [['-o', 'x.unknown', '--', 'node'], /no format has this extension\n.*Set the format with --format/],
    [['-o', '-', '--', 'node'], /-o cannot be standard output/],
    [['-o', 'x.otlp', '--to', 'http://a', '--', 'node'], /exclude each other/],
    [
      ['--to', 'localhost:4318', '--', 'node'],
      /"localhost:4318" is not a valid address\n {2}Use http:\/\/localhost:4318\./,
    ],
    [['--types', 'cpu,disk', '--', 'node'], /a list of cpu,wall,heap,events/],
    [['--rate', '1001', '--', 'node'], /from 1 to 1000/],
  ])('%j', async (argv, message) => {
    const { status, stdout, stderr } = await runHearth(['record', ...argv])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })
})
