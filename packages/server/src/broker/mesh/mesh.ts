// How brokers of several servers reach each other. Routing asks it for what others have, and hands it what goes there; with
// one server there is nobody.
import type { Event } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { LiveComponent } from '../components/live-component.ts'

/** An event between two brokers. */
export interface Forwarded {
  readonly tenant: string
  /** With a ttl as of `since`. */
  readonly event: Event
  readonly routeId: bigint
  /** Whether only the instance that the target names will do. */
  readonly pinned: boolean
  /** By performance.now() of this process. */
  readonly since: number
  readonly bytes: number
}

/** The broker that takes part. */
export interface MeshHost {
  readonly brokerId: string
  /** What is subscribed here. */
  components(): readonly LiveComponent[]
  /** Something for this broker from the one with the id `from`. */
  receive(forwarded: Forwarded, from: string): void
  /** All that another broker has. */
  setPeer(brokerId: string, components: readonly LiveComponent[]): void
  peerJoined(component: LiveComponent): void
  peerLeft(component: Pick<LiveComponent, 'tenant' | 'component'>): void
  /** It said good-bye, or has not been heard of. */
  peerGone(brokerId: string, why: string): void
}

export interface MeshState {
  readonly kind: 'local' | 'nats'
  /** Always true where there is nothing to connect to. */
  readonly connected: boolean
  /** What to tell people. */
  readonly message: string
  /** Since when it is as it is, ISO 8601. */
  readonly since: string
  /** Ids of the other brokers. */
  readonly peers: readonly string[]
}

export interface Mesh {
  start(host: MeshHost): Promise<void>
  joined(component: LiveComponent): void
  left(component: LiveComponent): void
  /** Throws BrokerError: not connected, too large. */
  send(brokerId: string, forwarded: Forwarded): void
  /** Those of other brokers as they are this moment; nothing of brokers that do not answer in time. */
  components(tenant: string, signal: AbortSignal | undefined): Promise<readonly LiveComponent[]>
  state(): MeshState
  close(): Promise<void>
}

/** A broker that is alone. */
export class LocalMesh implements Mesh {
  readonly #since = new Date().toISOString()

  async start(): Promise<void> {}

  joined(): void {}

  left(): void {}

  send(brokerId: string): void {
    throw new BrokerError('brokerMismatch', `there is no broker ${brokerId} here, and no other is known`)
  }

  async components(): Promise<readonly LiveComponent[]> {
    return []
  }

  state(): MeshState {
    return { kind: 'local', connected: true, message: 'one broker, alone', since: this.#since, peers: [] }
  }

  async close(): Promise<void> {}
}
