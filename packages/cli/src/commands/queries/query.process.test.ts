// `hearth push` and `hearth query` with a real server. The output must equal that of the same file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProfilesBuilder, readProfile, writeProfile } from '@hearth/profile'
import { nodeCodecs } from '@hearth/codecs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exampleFiles } from '../../testing/example-profiles.ts'
import type { Outcome, Surroundings } from '../../testing/run-hearth.ts'
import { runHearth } from '../../testing/run-hearth.ts'
import type { Serving } from '../../testing/serving.ts'
import { startServing } from '../../testing/serving.ts'

const file = exampleFiles()
const folder = mkdtempSync(join(tmpdir(), 'hearth-query-'))
const RANGE = ['--from', '1699999999', '--to', '1700000001']
let served: Serving

beforeAll(async () => {
  served = await startServing(join(folder, 'data'))
})
afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true })
})

function query(argv: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  return runHearth(['query', '--server', served.main, ...RANGE, ...argv], surroundings)
}

// The tests below use the data sent here.
test('a pushed file can be queried', async () => {
  const pushed = await runHearth(['push', file('before.otlp'), '--to', served.otlp])
  expect(pushed).toMatchObject({ status: 0, stderr: '' })
  expect(pushed.stdout).toBe(`${file('before.otlp')}: otlp, 3 profiles, 5 samples\n`)
  // A push is committed when it is acknowledged. Queries return it a moment later.
  await expect.poll(async () => (await query(['cpu'])).stdout).toContain('6.50 s in 2 profiles')
})

test('--snapshots combines the snapshots of a state', async () => {
  const b = new ProfilesBuilder()
  const main = b.location({ lines: [{ function: b.function({ name: 'main' }), line: 1 }] })
  for (const [host, seconds, bytes] of [
    ['a', 0n, 10n],
    ['a', 10n, 30n],
    ['a', 20n, 20n],
    ['b', 5n, 4n],
    ['b', 15n, 6n],
  ] as const) {
    b.resource({ attributes: [{ key: 'service.name', value: host }] })
    b.scope({ name: 'heap' })
    b.profile({ type: 'inuse_space', unit: 'By', timeUnixNano: 1_600_000_000_000_000_000n + seconds * 1_000_000_000n })
    b.sample({ stack: b.stack([main]), values: [bytes] })
  }
  writeFileSync(join(folder, 'heap.otlp'), writeProfile(b.build(), 'otlp').bytes)
  const pushed = await runHearth(['push', join(folder, 'heap.otlp'), '--to', served.otlp])
  expect(pushed).toMatchObject({ status: 0, stderr: '' })
  const command = ['query', '--server', served.main, '--from', '1600000000', '--to', '1600000060', 'inuse_space']
  const shown = async (...more: string[]) => (await runHearth([...command, ...more])).stdout.split('\n')[0]
  await expect.poll(() => shown()).toBe('inuse_space: 25 B (average over time) in 5 profiles')
  expect(await shown('--snapshots', 'latest')).toBe('inuse_space: 26 B (latest) in 5 profiles')
  expect(await shown('--snapshots', 'maximum')).toBe('inuse_space: 36 B (maximum) in 5 profiles')
  expect(await shown('--snapshots', 'sum')).toBe('inuse_space: 70 B (sum of all snapshots) in 5 profiles')
  // A file of a format without times has the combined ones.
  const written = join(folder, 'heap.folded')
  await runHearth([...command, '-o', written])
  expect(readFileSync(written, 'utf8')).toContain('main 25')
  await runHearth([...command, '--snapshots', 'latest', '-o', written])
  expect(readFileSync(written, 'utf8')).toContain('main 26')
})

/** The server says why it could not name a frame. One frame of `batch` is an address. */
const UNNAMED = 'hearth: the response: 1 × no-build-id: native frames have no name: their binary has no build id\n'

describe('the output equals that of the file', () => {
  test.each([
    [['cpu'], ['top']],
    [
      ['cpu', '--by', 'line', '--sort', 'total', '-n', '3'],
      ['top', '--by', 'line', '--sort', 'total', '-n', '3'],
    ],
    [['alloc_space'], ['top', '--type', 'alloc_space']],
    [['cpu', '--flame'], ['flame']],
    [
      ['cpu', '--flame', '--leaf-first', '--min-percent', '20'],
      ['flame', '--leaf-first', '--min-percent', '20'],
    ],
    [
      ['cpu', '--flame', '--root', 'service.name', '--root', 'thread.name'],
      ['flame', '--root', 'service.name', '--root', 'thread.name'],
    ],
    [
      ['cpu', '--root', 'thread.name', '--sort', 'total'],
      ['top', '--root', 'thread.name', '--sort', 'total'],
    ],
  ])('hearth query %j', async (queried, shown) => {
    const expected = await runHearth([...shown, file('before.otlp')])
    expect(expected.status).toBe(0)
    const isNative = queried[0] === 'cpu'
    expect(await query(queried)).toEqual(isNative ? { ...expected, stderr: UNNAMED } : expected)
  })

  test('--flame draws in colours', async () => {
    const terminal = { columns: 80, colorDepth: 24 }
    const expected = await runHearth(['flame', file('before.otlp')], terminal)
    const shown = await query(['cpu', '--flame'], terminal)
    expect(shown).toEqual({ ...expected, stderr: UNNAMED })
    expect(shown.stdout).toContain('\u001b[')
  })

  test('-o writes other formats', async () => {
    const output = join(folder, 'out.pb.gz')
    const written = await query(['cpu {service.name="web"}', '-o', output])
    expect(written).toMatchObject({ status: 0, stdout: '' })
    expect(written.stderr).toContain(`hearth: ${output}: 2 × resource-attributes: `)
    const { format, profiles } = readProfile(readFileSync(output), { codecs: nodeCodecs })
    expect(format.name).toBe('pprof')
    expect(profiles.samples.length).toBe(3)
    const folded = await query(['cpu {service.name="web"}', '-o', '-', '--format', 'folded'])
    expect(folded.stdout.split('\n').sort()).toEqual([
      '',
      'main;idle 1000000000',
      'main;run;gc 3000000000',
      'main;run;parse 2000000000',
    ])
    const rooted = await query(['cpu {service.name="web"}', '--root', 'thread.name', '-o', '-', '--format', 'folded'])
    expect(rooted.stdout.split('\n').sort()).toEqual([
      '',
      'collector;main;run;gc 3000000000',
      'main;main;idle 1000000000',
      'main;main;run;parse 2000000000',
    ])
    expect(await query(['cpu', '--series', '--root', 'thread.name'])).toMatchObject({ status: 2, stdout: '' })
  })
})

test('a selector limits the profiles', async () => {
  const { stdout } = await query(['cpu {service.name="web"} | frame "gc"'])
  expect(stdout).toMatch(/^cpu: 3 s|^cpu: 3\.00 s/)
  expect(stdout).not.toContain('idle')
  expect((await query(['cpu {service.name="nobody"}'])).stdout).toBe('no profiles\n\n')
})

test('--series shows totals over time', async () => {
  const { stdout } = await query(['cpu', '--series', '--group-by', 'service.name', '--step', '1s'])
  expect(stdout).toMatch(/^cpu: 6\.50 s in 2 profiles\nfrom 2023-11-14\S* in steps of 1\.00 s\n\nSERVICE\.NAME /)
  expect(stdout).toMatch(/^web +6\.00 s +6\.00 s +█\nbatch +500 ms +500 ms +▁$/m)
  const one = await query(['cpu', '--series', '--group-by', 'service.name', '-n', '1'])
  expect(one.stdout).toContain('and 1 group more (-n 2 shows all)\n')
  expect((await query(['nothing', '--series'])).stdout).toContain('no data in this range\n')
})

test('--exact selects samples by their timestamps', async () => {
  const b = new ProfilesBuilder()
  b.profile({ type: 'ticks', unit: 'count', timeUnixNano: 1_700_000_500_000_000_000n, durationNano: 10_000_000_000n })
  const stack = (name: string) => b.stack([b.location({ lines: [{ function: b.function({ name }), line: 1 }] })])
  b.sample({ stack: stack('early'), timestamps: [1_700_000_500_100_000_000n, 1_700_000_500_499_999_999n] })
  b.sample({ stack: stack('late'), timestamps: [1_700_000_500_500_000_000n, 1_700_000_501_200_000_000n] })
  const sent = join(folder, 'ticks.otlp')
  writeFileSync(sent, writeProfile(b.build(), 'otlp').bytes)
  expect((await runHearth(['push', sent, '--to', served.otlp, '--service', 'ticker'])).status).toBe(0)
  const ask = (...argv: readonly string[]) => runHearth(['query', 'ticks', '--server', served.main, '--json', ...argv])
  const around = ['--from', '1700000500', '--to', '1700000502']
  await expect.poll(async () => (await ask(...around)).stdout).toContain('"sum": "4"')
  const within = ['--exact', '--from', '1700000500500', '--to', '1700000502']
  expect((await ask(...within)).stdout).toContain('"sum": "2"')
  expect((await ask(...within, '--flame')).stdout).not.toContain('early')
  const cut = join(folder, 'cut.otlp')
  const written = await runHearth(['query', 'ticks', '--server', served.main, ...within, '-o', cut])
  expect(written.status).toBe(0)
  expect(readProfile(new Uint8Array(readFileSync(cut))).profiles.samples.timestamps.length).toBe(2)
  expect(await ask(...within, '--series')).toMatchObject({ status: 2, stdout: '' })
  const strange = await ask(...within, '--thread', 'nobody')
  expect(strange.stderr).toContain('"nobody"')
})

test('--json prints the response', async () => {
  const json = async (argv: readonly string[]) =>
    JSON.parse((await query([...argv, '--json'])).stdout) as Record<string, unknown>
  expect(await json(['cpu'])).toMatchObject({ type: 'cpu', unit: 'ns', sum: '6500000000', profiles: 2 })
  expect(await json(['cpu', '--flame'])).toMatchObject({ sum: '6500000000', hidden: { nodes: 0, self: '0' } })
  expect(await json(['cpu', '--series'])).toMatchObject({ groups: [{ labels: [], points: [{ sum: '6500000000' }] }] })
})

describe('push', () => {
  test('requires a service name', async () => {
    const folded = join(folder, 'stacks.folded')
    writeFileSync(folded, 'main;run 5\nmain 2\n')
    const nobody = await runHearth(['push', folded, '--to', served.otlp])
    expect(nobody).toMatchObject({ status: 1, stdout: '' })
    expect(nobody.stderr).toContain(`hearth: ${folded}: the profile has no service.name; add ?service=NAME`)
    const argv = ['push', folded, '--to', served.otlp, '--service', 'mine', '--attribute', 'region=eu', '--json']
    const pushed = await runHearth(argv)
    expect([pushed.status, JSON.parse(pushed.stdout)]).toMatchObject([
      0,
      { pushed: [{ file: folded, format: 'folded', profiles: 1, samples: 2 }] },
    ])
    const command = ['query', '{service.name="mine", region="eu"}', '--server', served.main, '--from', '0', '--json']
    await expect.poll(async () => (await runHearth(command)).stdout).toContain('"sum": "7"')
  })

  test('rejects files that are missing, empty or not profiles', async () => {
    const noise = await runHearth(['push', file('noise.bin'), '--to', served.otlp, '--service', 'x'])
    expect(noise.status).toBe(1)
    expect(noise.stderr).toContain(`hearth: ${file('noise.bin')}: `)
    for (const name of ['empty.otlp', 'nowhere.otlp']) {
      const { status, stderr } = await runHearth(['push', file(name), '--to', served.otlp])
      expect([status, stderr.startsWith(`hearth: ${file(name)}: `)]).toEqual([1, true])
    }
    const stdin = new TextEncoder().encode('main 1\n')
    const piped = await runHearth(['push', '-', '--from', 'folded', '--service', 'x', '--to', served.otlp], { stdin })
    expect(piped).toMatchObject({ status: 0, stdout: 'standard input: folded, 1 profile, 1 sample\n' })
  })
})

describe('errors', () => {
  test('show a caret at the position in the selector', async () => {
    const { status, stderr } = await query(['{service.name=checkout}'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^hearth: .* at position 14\n {2}\{service\.name=checkout\}\n {16}\^\n$/)
  })

  test.each([
    [['cpu', '--flame', '--series'], 2, /exclude each other/],
    [['cpu', '-o', 'x.unknown'], 2, /no format has this extension\n.*Set the format with --format/],
    [['cpu', '-o', 'x.jfr'], 2, /cannot write jfr/],
    [['cpu', '-o', 'x', '--format', 'y'], 2, /--format: unknown format "y"/],
    [['cpu', '--server', 'localhost:4040'], 2, /--server: "localhost:4040" is not a valid address/],
    [['cpu', '--from', 'yesterday'], 1, /"yesterday" is not a time/],
    [['{service.name="web"}'], 1, /several profile types.*\n.*Start the selector with one type/],
    [['nothing', '-o', '-', '--format', 'folded'], 1, /nothing: no profiles match\n.*web with .*cpu:ns/],
  ])('%j', async (argv, status, message) => {
    const outcome = await query(argv)
    expect([outcome.status, outcome.stdout]).toEqual([status, ''])
    expect(outcome.stderr).toMatch(message)
    expect(outcome.stderr).not.toContain('bug in hearth')
  })

  test('explain an unreachable server, a server that is not Hearth, and a missing token', async () => {
    let respond = (response: ServerResponse): void => void response.end('<html>')
    let authorization: string | undefined
    const other = createServer((request, response) => {
      authorization = request.headers.authorization
      respond(response)
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const html = await runHearth(['query', '--server', url])
    expect([html.status, html.stderr]).toMatchObject([1, expect.stringContaining('not a Hearth server')])
    respond = response => {
      response.writeHead(401).end('{"error":{"code":"unauthenticated","message":"invalid token"}}')
    }
    const refused = await runHearth(['query', '--server', url], { env: { HEARTH_TOKEN: 'secret' } })
    expect(refused.stderr).toBe(
      'hearth: invalid token\n  Set --token or HEARTH_TOKEN; `hearth admin token create` creates a token.\n',
    )
    expect(authorization).toBe('Bearer secret')
    await runHearth(['push', file('before.otlp'), '--to', url, '--token', 'mine'], { env: { HEARTH_TOKEN: 'secret' } })
    expect(authorization).toBe('Bearer mine')
    other.close()
    other.closeAllConnections()
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const nowhere = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
    closed.close()
    await once(closed, 'close')
    for (const argv of [
      ['query', '--server', nowhere],
      ['push', file('before.otlp'), '--to', nowhere],
    ]) {
      const { status, stderr } = await runHearth(argv)
      expect(status).toBe(1)
      expect(stderr).toContain('ECONNREFUSED')
      expect(stderr).toContain('Is `hearth serve` running there?')
    }
  })
})
