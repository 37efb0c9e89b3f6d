// The connection between brokers of several servers. Routing queries it for remote components and sends it events for them.
// A single server uses LocalMesh, which has no peers.
import type { Event } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { LiveComponent } from '../components/live-component.ts'

/** An event between two brokers. */
export interface Forwarded {
  readonly tenant: string
  /** With the ttl at `since`. */
  readonly event: Event
  readonly routeId: bigint
  /** Only the instance that the target names may receive it. */
  readonly pinned: boolean
  /** A performance.now() timestamp of this process. */
  readonly since: number
  readonly bytes: number
}

/** The local broker, as the mesh sees it. */
export interface MeshHost {
  readonly brokerId: string
  /** Components subscribed at this broker. */
  components(): readonly LiveComponent[]
  /** Receives an event from broker `from`. */
  receive(forwarded: Forwarded, from: string): void
  /** Replaces the list of another broker's components. */
  setPeer(brokerId: string, components: readonly LiveComponent[]): void
  peerJoined(component: LiveComponent): void
  peerLeft(component: Pick<LiveComponent, 'tenant' | 'component'>): void
  /** A broker signed off or its heartbeats stopped. */
  peerGone(brokerId: string, why: string): void
}

export interface MeshState {
  readonly kind: 'local' | 'nats'
  /** Always true for a single server. */
  readonly connected: boolean
  /** A message for the user. */
  readonly message: string
  /** Time of the last change, ISO 8601. */
  readonly since: string
  /** Ids of the other brokers. */
  readonly peers: readonly string[]
}

export interface Mesh {
  start(host: MeshHost): Promise<void>
  joined(component: LiveComponent): void
  left(component: LiveComponent): void
  /** Throws BrokerError if not connected or too large. */
  send(brokerId: string, forwarded: Forwarded): void
  /** Fetches the current components of other brokers. Brokers that do not respond in time are omitted. */
  components(tenant: string, signal: AbortSignal | undefined): Promise<readonly LiveComponent[]>
  state(): MeshState
  close(): Promise<void>
}

/** The mesh of a single server. */
export class LocalMesh implements Mesh {
  readonly #since = new Date().toISOString()

  async start(): Promise<void> {}

  joined(): void {}

  left(): void {}

  send(brokerId: string): void {
    throw new BrokerError('brokerMismatch', `unknown broker ${brokerId}; no other brokers are configured`)
  }

  async components(): Promise<readonly LiveComponent[]> {
    return []
  }

  state(): MeshState {
    return { kind: 'local', connected: true, message: 'single server', since: this.#since, peers: [] }
  }

  async close(): Promise<void> {}
}
