// Scrapes real Go services, if `go` is installed: one over HTTP from a file of targets, one over TLS with credentials, and one with
// godeltaprof, if Go can download its module.
import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HearthClient } from '@hearth/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../receive/testing/running-server.ts'
import { startServer } from '../receive/testing/running-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-go-'))
const program = join(directory, 'service')
const SOURCE = join(import.meta.dirname, 'testing', 'go-service')

function isInstalled(command: string, argument: string): boolean {
  try {
    execFileSync(command, [argument], { stdio: 'ignore' })
    return true
  } catch {
    process.stdout.write(`${command} is missing, so no Go service is scraped\n`)
    return false
  }
}

const hasGo = isInstalled('go', 'version') && isInstalled('openssl', 'version')
const hasDeltas = hasGo && buildService()

/** Builds the service, with godeltaprof if its module can be downloaded. Returns whether it has it. */
function buildService(): boolean {
  try {
    execFileSync('go', ['build', '-o', program, '.'], { cwd: SOURCE, stdio: 'ignore' })
    return true
  } catch {
    process.stdout.write('godeltaprof cannot be downloaded or built, so its endpoints are not scraped\n')
  }
  const env = { ...process.env, GO111MODULE: 'off' }
  execFileSync('go', ['build', '-o', program, join(SOURCE, 'main.go')], { env, stdio: 'inherit' })
  return false
}

const services: ChildProcess[] = []
let at: RunningServer
let client: HearthClient

/** Returns the address. */
async function startService(...files: readonly string[]): Promise<string> {
  const service = spawn(program, files, { stdio: ['pipe', 'pipe', 'inherit'] })
  services.push(service)
  for await (const text of service.stdout!.setEncoding('utf8')) return String(text).trim()
  throw new Error('the service did not start')
}

const DELTA_ENDPOINTS = {
  godeltaprof_memory: { enabled: hasDeltas },
  godeltaprof_mutex: { enabled: hasDeltas },
  godeltaprof_block: { enabled: hasDeltas },
}
const OWNER = { source_labels: ['team'], target_label: 'owner', regex: '(.*)', replacement: '$1-team' }

describe.runIf(hasGo)('Go services', () => {
  beforeAll(async () => {
    const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const keys = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
    ]
    execFileSync('openssl', ['req', '-x509', '-days', '2', ...keys, ...subject], { stdio: 'ignore' })
    const [plain, secured] = [await startService(), await startService(certificate, key)]
    const targets = join(directory, 'targets.json')
    writeFileSync(targets, JSON.stringify([{ targets: [plain], labels: { team: 'blue' } }]))
    const times = { scrape_interval: '3s', scrape_timeout: '20s' }
    const tls = {
      scheme: 'https',
      tls_config: { ca_file: certificate },
      basic_auth: { username: 'scraper', password: 'secret' },
    }
    const statics = { static_configs: [{ targets: [secured] }] }
    const usual = ['process_cpu', 'memory', 'goroutine', 'mutex', 'block']
    const pprof = { ...Object.fromEntries(usual.map(name => [name, { enabled: false }])), ...DELTA_ENDPOINTS }
    const jobs = [
      {
        job_name: 'deltas',
        ...times,
        profiling_config: { pprof_config: pprof },
        static_configs: [{ targets: [plain] }],
      },
      { job_name: 'plain', ...times, relabel_configs: [OWNER], file_sd_configs: [{ files: [targets] }] },
      { job_name: 'secured', ...times, ...tls, ...statics },
      { job_name: 'refused', ...times, ...tls, ...statics, basic_auth: { username: 'scraper', password: 'wrong' } },
    ]
    at = await startServer(join(directory, 'data'), { 'scrape-configs': JSON.stringify(jobs), 'self-profile': 'no' })
    client = new HearthClient({ server: at.main })
  }, 240_000)

  afterAll(async () => {
    await at?.server.close()
    for (const service of services) service.kill()
    rmSync(directory, { recursive: true, force: true })
  }, 60_000)

  const names = async (selector: string): Promise<string[]> => {
    const { rows } = await client.query('top', { selector, from: 'now-10m', to: 'now' }).catch(() => ({ rows: [] }))
    return rows.map(({ frame }) => frame.name)
  }

  it.each(['plain', 'secured'])(
    '%s has CPU, memory, goroutines and waits with the names of its functions',
    { timeout: 120_000 },
    async job => {
      for (const [type, name] of [
        ['cpu', 'main.burnCycles'],
        ['inuse_space', 'main.allocateBuffers'],
        ['alloc_space', 'main.allocateBuffers'],
        ['goroutine', 'main.contend'],
        ['mutex_delay', 'main.contend'],
        ['block_delay', 'main.contend'],
      ])
        await expect
          .poll(() => names(`${type}{service.name="${job}"}`), { timeout: 100_000, interval: 1000 })
          .toContain(name)
    },
  )

  it.runIf(hasDeltas)('godeltaprof has allocations and waits', { timeout: 120_000 }, async () => {
    for (const [type, name] of [
      ['alloc_space', 'main.allocateBuffers'],
      ['mutex_delay', 'main.contend'],
      ['block_delay', 'main.contend'],
    ])
      await expect
        .poll(() => names(`${type}{service.name="deltas"}`), { timeout: 100_000, interval: 1000 })
        .toContain(name)
  })

  it('stores labels after relabelling', async () => {
    expect(await names('cpu{owner="blue-team"}')).toContain('main.burnCycles')
  })

  it('stores whether a target responds, and shows why not', { timeout: 60_000 }, async () => {
    const upOf = async (service: string): Promise<number | undefined> => {
      const range = { from: 'now-5m', to: 'now', step: '5m' }
      const query = { ...range, name: 'up', service, aggregation: 'last' } as const
      const { groups } = await client.query('metricSeries', query).catch(() => ({ groups: [] }))
      const value = groups[0]?.points.at(-1)?.value
      return value === undefined ? undefined : Number(value)
    }
    await expect.poll(() => upOf('plain'), { timeout: 50_000, interval: 1000 }).toBe(1)
    await expect.poll(() => upOf('refused'), { timeout: 50_000, interval: 1000 }).toBe(0)
    const { targets } = await client.act('targets', { job: 'refused' })
    expect(targets.map(({ lastError }) => lastError)).toContainEqual(expect.stringContaining('401'))
  })
})
