// Connects brokers of several servers over NATS. Each sends a heartbeat every two seconds. A broker that receives one for
// the first time, or has missed a change, requests the sender's list. Events go directly to the broker of the target.
//
//   hearth.beat.BROKER          heartbeat                  hearth.list.BROKER         request for the component list
//   hearth.change.TENANT.BROKER a component joined or left hearth.event.TENANT.BROKER an event for a component of BROKER
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Msg, NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import { connect, credsAuthenticator } from '@nats-io/transport-node'
import { BrokerError } from '@hearth/broker'
import type { LiveComponent } from '../components/live-component.ts'
import type { Forwarded, Mesh, MeshHost, MeshState } from './mesh.ts'
import type { Change } from './mesh-messages.ts'
import { readBeat, readChange, readListResponse, readListRequest, remoteComponent, writeList } from './mesh-messages.ts'
import { NatsEvents, maxPayload } from './nats-events.ts'
import { PREFIX, idsIn, subject } from './nats-subjects.ts'

export interface NatsMeshOptions {
  /** One or more, separated by commas. */
  readonly url: string
  /** Paths of files. */
  readonly credentials?: string | undefined
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  /** Reports errors and state changes in the background. */
  readonly onError: (error: unknown) => void
  readonly onState?: (state: MeshState) => void
}

const BEAT_MS = 2000
/** A peer is considered gone after this many missed heartbeats. */
const MISSED_BEATS = 3.5
const CONNECT_MS = 5000
const CONNECT_AGAIN_MS = 1000
const REQUEST_MS = 1000
const PAGE_BYTES = 256 * 1024

interface Peer {
  version: number
  heard: number
  /** Its list is being fetched. */
  syncing: boolean
}

export class NatsMesh implements Mesh {
  readonly #options: NatsMeshOptions
  readonly #peers = new Map<string, Peer>()
  readonly #ending = new AbortController()
  #host: MeshHost | undefined
  #events: NatsEvents | undefined
  #connection: NatsConnection | undefined
  #state: Omit<MeshState, 'peers' | 'kind'> = {
    connected: false,
    message: 'not connected yet',
    since: new Date().toISOString(),
  }
  #version = 0
  #lastBeat = 0
  #timer: NodeJS.Timeout | undefined
  #connecting: Promise<void> | undefined

  constructor(options: NatsMeshOptions) {
    this.#options = options
  }

  /** Does not wait for NATS. The server works alone until it is connected. */
  async start(host: MeshHost): Promise<void> {
    this.#host = host
    this.#events = new NatsEvents({
      brokerId: host.brokerId,
      receive: (forwarded, from) => host.receive(forwarded, from),
      onError: this.#options.onError,
    })
    const options = connectionOptions(this.#options, host.brokerId)
    this.#connecting = this.#connect(options, host)
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
    this.#timer.unref()
  }

  joined(component: LiveComponent): void {
    this.#tell(component.tenant, { joined: component })
  }

  left({ tenant, component }: LiveComponent): void {
    this.#tell(tenant, { left: component })
  }

  send(brokerId: string, forwarded: Forwarded): void {
    const connection = this.#connected()
    if (connection === undefined || this.#events === undefined)
      throw new BrokerError('brokerUnavailable', `broker ${brokerId} is unreachable: ${this.#state.message}`)
    this.#events.send(connection, brokerId, forwarded)
  }

  async components(tenant: string, signal: AbortSignal | undefined): Promise<readonly LiveComponent[]> {
    const lists = await Promise.all([...this.#peers.keys()].map(peer => this.#list(peer, tenant, signal)))
    return lists.flatMap(list => list?.components ?? [])
  }

  state(): MeshState {
    return { kind: 'nats', ...this.#state, peers: [...this.#peers.keys()] }
  }

  async close(): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#timer)
    const connection = this.#connected()
    if (connection !== undefined) this.#publish(subject('beat', this.#id), { version: this.#version, bye: true })
    // Drains published messages. An unreachable NATS must not delay shutdown.
    if (connection !== undefined) await Promise.race([connection.drain().catch(() => {}), sleep(REQUEST_MS)])
    await this.#connection?.close().catch(() => {})
    await Promise.race([this.#connecting, sleep(REQUEST_MS)])
  }

  get #id(): string {
    return this.#host?.brokerId ?? ''
  }

  #connected(): NatsConnection | undefined {
    return this.#state.connected ? this.#connection : undefined
  }

  /** Retries until connected. The NATS client reconnects by itself afterwards. */
  async #connect(options: NodeConnectionOptions, host: MeshHost): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        const connection = await connect(options)
        this.#connection = connection
        if (signal.aborted) return await connection.close()
        this.#subscribe(connection, host)
        void this.#follow(connection)
        this.#setState(true, `connected to ${connection.getServer()}`)
        this.#beat()
        return
      } catch (error) {
        this.#setState(false, error instanceof Error ? error.message : String(error))
        await sleep(CONNECT_AGAIN_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  #subscribe(connection: NatsConnection, host: MeshHost): void {
    const on = (name: string, take: (message: Msg) => void): void => {
      connection.subscribe(name, {
        callback: (error, message) => {
          try {
            if (error === null) take(message)
            else this.#options.onError(error)
          } catch (thrown) {
            this.#options.onError(thrown)
          }
        },
      })
    }
    const { brokerId } = host
    on(`${PREFIX}.beat.*`, message => this.#heardBeat(message))
    on(`${PREFIX}.change.*.*`, message => this.#heardChange(message))
    on(`${PREFIX}.event.*.${brokerId}`, message => this.#events?.receive(message))
    on(`${PREFIX}.list.${brokerId}`, message => {
      const request = readListRequest(message.data)
      if (request === undefined) return
      const { tenant, from } = request
      const wanted = host.components().filter(live => tenant === undefined || live.tenant === tenant)
      message.respond(writeList(this.#version, wanted, from, Math.min(PAGE_BYTES, maxPayload(connection))))
    })
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') this.#lost('the connection to NATS is lost')
      else if (type === 'reconnect') {
        this.#setState(true, `connected to ${connection.getServer()}`)
        this.#beat()
      }
    }
    if (!this.#ending.signal.aborted) this.#lost('the connection to NATS is closed')
  }

  /** Forgets all peers. */
  #lost(why: string): void {
    if (!this.#state.connected) return
    this.#setState(false, why)
    for (const peer of this.#peers.keys()) this.#forget(peer, why)
  }

  #setState(connected: boolean, message: string): void {
    if (this.#state.connected === connected && this.#state.message === message) return
    this.#state = { connected, message, since: new Date().toISOString() }
    this.#options.onState?.(this.state())
  }

  #beat(): void {
    const connection = this.#connected()
    if (connection === undefined) return
    this.#publish(subject('beat', this.#id), { version: this.#version })
    connection.rtt().then(
      ms => {
        if (this.#events !== undefined) this.#events.halfTripMs = ms / 2
      },
      () => {},
    )
    this.#forgetSilent(performance.now())
  }

  #forgetSilent(now: number): void {
    const since = now - this.#lastBeat
    this.#lastBeat = now
    // If our own heartbeat was late, heartbeats of others may still be unread.
    if (since > BEAT_MS * 2) return
    const silent = now - BEAT_MS * MISSED_BEATS
    for (const [peer, { heard }] of this.#peers)
      if (heard < silent) this.#forget(peer, `no heartbeat from broker ${peer}`)
  }

  #tell(tenant: string, change: { readonly joined?: LiveComponent; readonly left?: LiveComponent['component'] }): void {
    this.#version++
    // A broker that misses the message notices by the version.
    if (this.#connected() !== undefined)
      this.#publish(subject('change', tenant, this.#id), { version: this.#version, ...change })
  }

  #publish(name: string, content: unknown): void {
    try {
      this.#connection?.publish(name, JSON.stringify(content))
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #heardBeat(message: Msg): void {
    const [id] = idsIn(message)
    const beat = readBeat(message.data)
    if (beat === undefined || id === this.#id) return
    if (beat.bye === true) return this.#forget(id, `broker ${id} has shut down`)
    const known = this.#peers.get(id)
    const peer = known ?? { version: -1, heard: 0, syncing: false }
    peer.heard = performance.now()
    this.#peers.set(id, peer)
    // The new peer may not know us yet. It should not have to wait for our next heartbeat.
    if (known === undefined) this.#publish(subject('beat', this.#id), { version: this.#version })
    if (peer.version !== beat.version) void this.#sync(id, peer)
  }

  #heardChange(message: Msg): void {
    const [tenant, id] = idsIn(message)
    const peer = this.#peers.get(id)
    const change = readChange(message.data)
    // The list of an unknown peer is requested at its next heartbeat.
    if (peer === undefined || change === undefined || peer.syncing) return
    if (change.version <= peer.version) return
    if (change.version !== peer.version + 1) return void this.#sync(id, peer)
    peer.version = change.version
    this.#apply(tenant, id, change)
  }

  #apply(tenant: string, id: string, { joined, left }: Change): void {
    if (joined?.tenant === tenant && joined.component.brokerId === id) this.#host?.peerJoined(remoteComponent(joined))
    if (left?.brokerId === id) this.#host?.peerLeft({ tenant, component: left })
  }

  async #sync(id: string, peer: Peer): Promise<void> {
    if (peer.syncing) return
    peer.syncing = true
    const list = await this.#list(id, undefined, this.#ending.signal)
    peer.syncing = false
    // If the peer was forgotten or did not respond, its next heartbeat starts another sync.
    if (list === undefined || this.#peers.get(id) !== peer) return
    peer.version = list.version
    this.#host?.setPeer(id, list.components)
  }

  /** Fetches all pages of a broker's list. Returns undefined if it does not respond. */
  async #list(
    id: string,
    tenant: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly version: number; readonly components: readonly LiveComponent[] } | undefined> {
    const components: LiveComponent[] = []
    let version: number | undefined
    let from: number | undefined = 0
    try {
      while (from !== undefined) {
        const connection = this.#connected()
        if (connection === undefined || signal?.aborted === true) return undefined
        const request = JSON.stringify({ tenant, from })
        const response = readListResponse(
          (await connection.request(subject('list', id), request, { timeout: REQUEST_MS })).data,
        )
        if (response === undefined) return undefined
        // The list may change between pages. The lowest version makes later changes apply again.
        version = Math.min(version ?? response.version, response.version)
        components.push(
          ...response.components.filter(({ component }) => component.brokerId === id).map(remoteComponent),
        )
        from = response.next
      }
      return { version: version ?? 0, components }
    } catch {
      return undefined
    }
  }

  #forget(id: string, why: string): void {
    if (!this.#peers.delete(id)) return
    this.#events?.forget(id)
    this.#host?.peerGone(id, why)
  }
}

function natsUrl(address: string): URL {
  return new URL(address.includes('://') ? address.trim() : `nats://${address.trim()}`)
}

export function isNatsAddress(address: string): boolean {
  try {
    return natsUrl(address).hostname !== ''
  } catch {
    return false
  }
}

function connectionOptions(options: NatsMeshOptions, name: string): NodeConnectionOptions {
  const { url, credentials, ca, cert, key } = options
  const urls = url.split(',').map(natsUrl)
  const isTls = ca !== undefined || cert !== undefined || urls.some(({ protocol }) => protocol === 'tls:')
  const [{ username, password }] = urls
  return {
    servers: urls.map(({ host }) => host),
    name: `hearth broker ${name}`,
    noEcho: true,
    timeout: CONNECT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: CONNECT_AGAIN_MS,
    ignoreAuthErrorAbort: true,
    pingInterval: 10_000,
    maxPingOut: 2,
    ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(readFileSync(credentials)) }),
    ...(isTls
      ? {
          tls: {
            ...(ca === undefined ? {} : { caFile: ca }),
            ...(cert === undefined ? {} : { certFile: cert }),
            ...(key === undefined ? {} : { keyFile: key }),
          },
        }
      : {}),
  }
}
