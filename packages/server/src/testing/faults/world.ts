// The system under test: a server in its own process, its data directory, senders, and readers. Faults change it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callServer } from '../../maintenance/control.ts'
import { NatsServer, WITHOUT_NATS } from '../../broker/testing/nats-server.ts'
import { startClickHouseHttp } from '../../store/testing/clickhouse-http.ts'
import type { ClickHouseHttp } from '../../store/testing/clickhouse-http.ts'
import { Senders } from '../senders.ts'
import { sentRequest } from '../sent-request.ts'
import type { Flags } from '../server-process.ts'
import { ServerProcess } from '../server-process.ts'
import { TcpGate } from '../tcp-gate.ts'
import { Model } from './model.ts'
import { FaultRandom } from './random.ts'

const SENDERS = 6
/** Queries that must succeed after every fault. */
const QUERIES = ['flamegraph?selector=cpu&', 'services?', 'traces?', 'logs?', 'metrics?']
/** Items that must survive damage of their state files. */
const NAME = 'kept'
const ITEMS = [
  {
    list: 'alert-rules',
    method: 'PUT',
    path: `alert-rules/${NAME}`,
    body: { condition: { kind: 'metric', metric: 'never.sent' }, test: { kind: 'absent' }, window: '1m' },
  },
  { list: 'triggers', method: 'POST', path: 'triggers', body: { name: NAME, rule: 'Source(`never`)' } },
  { list: 'views', method: 'POST', path: 'views', body: { name: NAME, address: 'explore' } },
] as const
const RANGE = 'from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z'

interface WorldOptions {
  readonly rate: number | undefined
  readonly clickHouse?: ClickHouseHttp
  readonly gate?: TcpGate
}

export class World {
  readonly directory = mkdtempSync(join(tmpdir(), 'hearth-faults-'))
  /** The random numbers of the current fault. */
  random = new FaultRandom(0)
  readonly model = new Model(sentRequest)
  readonly senders: Senders
  readonly #clickHouse: ClickHouseHttp | undefined
  /** The connection to ClickHouse; undefined with the embedded store. */
  readonly gate: TcpGate | undefined
  readonly #nats: NatsServer | undefined
  /** The connection to NATS; undefined if nats-server is not installed. */
  readonly natsGate: TcpGate | undefined
  #server: ServerProcess | undefined
  #hasItems = false
  /** Milliseconds that the next server's clock is ahead. */
  clockAhead = 0

  private constructor(options: WorldOptions, nats: NatsServer | undefined, natsGate: TcpGate | undefined) {
    this.senders = new Senders(
      SENDERS,
      this.model.make,
      options.rate === undefined ? 0 : (1000 * SENDERS) / options.rate,
    )
    this.#clickHouse = options.clickHouse
    this.gate = options.gate
    this.#nats = nats
    this.natsGate = natsGate
  }

  /** `rate` is the highest number of requests per second. */
  static async open(store: 'embedded' | 'clickhouse', rate: number | undefined): Promise<World> {
    const nats = WITHOUT_NATS === undefined ? await NatsServer.start() : undefined
    const natsGate = nats === undefined ? undefined : await TcpGate.open(Number(new URL(nats.url).port))
    if (store === 'embedded') return new World({ rate }, nats, natsGate)
    const directory = mkdtempSync(join(tmpdir(), 'hearth-faults-clickhouse-'))
    const clickHouse = await startClickHouseHttp({ directory })
    return new World({ rate, clickHouse, gate: await TcpGate.open(clickHouse.port) }, nats, natsGate)
  }

  get server(): ServerProcess {
    if (this.#server === undefined) throw new Error('the server is down')
    return this.#server
  }

  async start(): Promise<void> {
    const flags: Flags = {
      data: this.directory,
      'disk-reserve': '1MiB',
      'self-profile': 'no',
      'dedup-window': '1h',
      'verify-period': '0s',
      ...(this.natsGate === undefined ? {} : { 'broker-nats': `nats://127.0.0.1:${this.natsGate.port}` }),
      ...(this.gate === undefined ? {} : { store: `clickhouse://127.0.0.1:${this.gate.port}/default` }),
    }
    this.#server = await ServerProcess.start(flags, { HEARTH_TEST_CLOCK_AHEAD: String(this.clockAhead) })
    if (!this.#hasItems) await this.#addItems()
    this.senders.aim(this.#server)
  }

  async #addItems(): Promise<void> {
    for (const { method, path, body } of ITEMS) {
      const response = await fetch(`http://127.0.0.1:${this.server.ports.http}/api/v1/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${method} ${path} responds with ${response.status}: ${await response.text()}`)
    }
    this.#hasItems = true
  }

  /** Resolves when the server's Broker has, or has lost, its connection to NATS. */
  async meshIs(connected: boolean): Promise<void> {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${this.server.ports.http}/api/v1/components`)
      const { broker } = (await response.json()) as {
        readonly broker: { readonly mesh: { readonly connected: boolean } }
      }
      if (broker.mesh.connected === connected) return
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** Resolves when this many more requests are acknowledged. */
  async acknowledge(count: number): Promise<void> {
    const goal = this.senders.acknowledged.length + count
    while (this.senders.acknowledged.length < goal) await new Promise(resolve => setTimeout(resolve, 5))
  }

  async kill(): Promise<void> {
    this.senders.aim(undefined)
    await this.#server?.kill()
    this.#server = undefined
  }

  /** A graceful shutdown. */
  async stop(): Promise<void> {
    this.senders.aim(undefined)
    const code = await this.server.end()
    this.#server = undefined
    if (code !== 0) this.model.violations.push(`a graceful shutdown ended with code ${code}`)
  }

  /** Checks the store and all queries. Returns the problems that the server reported. */
  async check(): Promise<readonly string[]> {
    this.senders.aim(undefined)
    await this.server.settled()
    for (const query of QUERIES) {
      const response = await fetch(`http://127.0.0.1:${this.server.ports.http}/api/v1/${query}${RANGE}`)
      const text = await response.text()
      if (response.status !== 200 && response.status !== 404)
        this.model.violations.push(`${query} responds with status ${response.status}: ${text.slice(0, 200)}`)
    }
    for (const { list } of ITEMS) {
      const text = await (await fetch(`http://127.0.0.1:${this.server.ports.http}/api/v1/${list}`)).text()
      if (!text.includes(`"${NAME}"`)) this.model.violations.push(`an item of ${list} is lost: ${text.slice(0, 200)}`)
    }
    const codes = await this.model.check(this.senders.acknowledged, this.server)
    this.senders.aim(this.server)
    return codes
  }

  /** Runs `hearth admin repair` in the server. Afterwards no part may be damaged. */
  async repair(): Promise<void> {
    await callServer(this.directory, 'repair', {}, () => undefined)
    const verified = await callServer(this.directory, 'verify', {}, () => undefined)
    if (verified === undefined) throw new Error('the server has no control socket')
    const { findings } = verified.result as {
      readonly findings: readonly { readonly kind: string; readonly what: string }[]
    }
    for (const { kind, what } of findings)
      if (kind === 'part') this.model.violations.push(`${what} is damaged after a repair`)
  }

  async close(): Promise<void> {
    if (this.#server === undefined) await this.start()
    await this.senders.finish()
    await this.kill()
    await this.gate?.shut()
    await this.natsGate?.shut()
    await this.#nats?.close()
    await this.#clickHouse?.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}
