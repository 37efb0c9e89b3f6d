// Creates the Broker from the settings.
import { accessSync, constants } from 'node:fs'
import { BrokerEnvironments } from '../config/broker-environments.ts'
import { ConfigError } from '../config/load-config.ts'
import type { Config, SettingName } from '../config/settings.ts'
import type { Log } from '../observe/log.ts'
import type { Receiver } from '../receive/receiver.ts'
import { Broker } from './broker.ts'
import type { Mesh } from './mesh/mesh.ts'
import { LocalMesh } from './mesh/mesh.ts'
import { NatsMesh, isNatsAddress } from './mesh/nats-mesh.ts'

/** Throws ConfigError. */
export async function openBroker(config: Config, receiver: Receiver, log: Log, version: string): Promise<Broker> {
  const file = config['broker-environments']
  const onError = (error: unknown): void => log.error({ err: error }, 'Broker error')
  const broker = new Broker({
    limits: {
      subscriptions: config['broker-subscriptions'],
      eventBytes: config['broker-event-size'],
      queueLength: config['broker-queue'],
      rate: config['broker-rate'],
      memoryBytes: config['broker-memory'],
    },
    environments: file === undefined ? new BrokerEnvironments() : BrokerEnvironments.read(file),
    mesh: meshOf(config, log, onError),
    receive: incoming => receiver.receive(incoming),
    version,
    onError,
  })
  await broker.start()
  return broker
}

const NATS_FILES = [
  'broker-nats-credentials',
  'broker-nats-ca',
  'broker-nats-cert',
  'broker-nats-key',
] as const satisfies readonly SettingName[]

/** Throws ConfigError now. The NATS client would only report that NATS is unreachable. */
function checkReadable(name: SettingName, file: string | undefined): void {
  try {
    if (file !== undefined) accessSync(file, constants.R_OK)
  } catch (error) {
    throw new ConfigError(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

function meshOf(config: Config, log: Log, onError: (error: unknown) => void): Mesh {
  const url = config['broker-nats']
  if (url === undefined) return new LocalMesh()
  for (const name of NATS_FILES) checkReadable(name, config[name])
  // The URL may contain a password, so the message does not repeat it.
  if (!url.split(',').every(isNatsAddress))
    throw new ConfigError('broker-nats: not a NATS URL; expected nats://host:4222, several separated by commas')
  return new NatsMesh({
    url,
    credentials: config['broker-nats-credentials'],
    ca: config['broker-nats-ca'],
    cert: config['broker-nats-cert'],
    key: config['broker-nats-key'],
    onError,
    onState: ({ connected, message }) => {
      if (connected) log.info(`Broker mesh: ${message}`)
      else log.warn(`Broker mesh unreachable: ${message}`)
    },
  })
}
