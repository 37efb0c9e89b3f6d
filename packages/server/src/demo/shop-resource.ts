// The resource of a process of the demo. The attribute hearth.demo marks everything that the demo sends.
import { LANGUAGES } from './shop.ts'
import type { Service } from './shop.ts'
import type { Process } from './simulation.ts'

/** Selects the data of the demo. */
export const DEMO_SELECTOR = '{hearth.demo="true"}'

export interface Attribute {
  readonly key: string
  readonly value: string | bigint
}

export function resourceOf({ service, version, instance, pid }: Process): Attribute[] {
  const host = service === 'payments' || service === 'checkout' ? 'node-2' : 'node-1'
  return [
    { key: 'service.name', value: service },
    { key: 'service.namespace', value: 'shop' },
    { key: 'service.version', value: version },
    { key: 'service.instance.id', value: `${service}-${instance}` },
    { key: 'host.name', value: host },
    { key: 'process.pid', value: BigInt(pid) },
    { key: 'telemetry.sdk.language', value: LANGUAGES[service as Service] },
    { key: 'deployment.environment.name', value: 'demo' },
    { key: 'cloud.region', value: 'eu-central-1' },
    { key: 'hearth.demo', value: 'true' },
  ]
}
