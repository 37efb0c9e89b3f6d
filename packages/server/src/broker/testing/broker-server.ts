// A Broker on a free port, with a store that only records requests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Access } from '../../access/access-file.ts'
import { LiveAccess, NO_ACCESS, accessFileIn, writeAccess } from '../../access/access-file.ts'
import { Gatekeeper } from '../../access/gatekeeper.ts'
import type { TokenRow } from '../../access/tokens.ts'
import { BrokerEnvironments } from '../../config/broker-environments.ts'
import { Admission } from '../../receive/admission.ts'
import { OtlpGrpcServer } from '../../receive/grpc/otlp-grpc.ts'
import { Receiver } from '../../receive/receiver.ts'
import { LocalWriter } from '../../receive/testing/local-writer.ts'
import { KeptRequests } from '../../receive/testing/receivers.ts'
import type { BrokerLimits } from '../broker.ts'
import { Broker } from '../broker.ts'
import { brokerService } from '../grpc-broker.ts'
import type { Mesh } from '../mesh/mesh.ts'

export interface BrokerServerOptions {
  readonly limits?: Partial<BrokerLimits>
  readonly environments?: ConstructorParameters<typeof BrokerEnvironments>[0]
  readonly tokens?: readonly TokenRow[]
  readonly registerMs?: number
  readonly mesh?: Mesh
  readonly maxBody?: number
}

export interface BrokerServer {
  readonly broker: Broker
  readonly kept: KeptRequests
  readonly port: number
  readonly errors: unknown[]
  close(): Promise<void>
}

const LIMITS: BrokerLimits = {
  subscriptions: 4096,
  eventBytes: 2 ** 20,
  queueLength: 64,
  rate: 100_000,
  memoryBytes: 2 ** 26,
}

export async function startBroker(options: BrokerServerOptions = {}): Promise<BrokerServer> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-broker-'))
  const { tokens = [], maxBody = 2 ** 22 } = options
  writeAccess(accessFileIn(directory), { ...NO_ACCESS, tokens: [...tokens] } as Access)
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const gatekeeper = new Gatekeeper(new LiveAccess(accessFileIn(directory), onError), true)
  const kept = new KeptRequests()
  const events = { received: () => {}, rejected: () => {}, unknownFields: () => {}, refused: () => {} }
  const receiver = new Receiver({
    writer: new LocalWriter({ keeper: kept, admission: new Admission(2 ** 30), maxAttributes: 64 }),
    events,
  })
  const broker = new Broker({
    limits: { ...LIMITS, ...options.limits },
    environments: new BrokerEnvironments(options.environments),
    receive: incoming => receiver.receive(incoming),
    version: 'test',
    onError,
    ...(options.mesh === undefined ? {} : { mesh: options.mesh }),
  })
  await broker.start()
  const { registerMs = 5000 } = options
  const service = brokerService({ broker, gatekeeper, onError, registerMs })
  const grpc = new OtlpGrpcServer({
    receiver,
    gatekeeper,
    admission: new Admission(2 ** 26),
    events,
    health: { ready: () => true, services: [service.name] },
    services: [service],
    maxBody,
    clientTimeoutMs: 60_000,
    tls: undefined,
    onError,
  })
  const port = await grpc.listen('127.0.0.1', 0)
  return {
    broker,
    kept,
    port,
    errors,
    close: async () => {
      await broker.close(2000)
      await grpc.close(2000)
      rmSync(directory, { recursive: true })
    },
  }
}
