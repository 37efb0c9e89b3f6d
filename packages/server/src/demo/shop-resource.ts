// The resource of a process of the demo. The attribute hearth.demo marks everything that the demo sends.
import { DEMO_ATTRIBUTE } from '../broker/captures/demo-attribute.ts'
import { LANGUAGES } from './shop.ts'
import type { Service } from './shop.ts'
import type { Process } from './simulation.ts'

export const ATTRIBUTES = { mark: DEMO_ATTRIBUTE, namespace: 'shop', environment: 'demo' } as const

/** Selects the data of the demo. */
export const DEMO_SELECTOR = `{${ATTRIBUTES.mark}="true"}`

export interface Attribute {
  readonly key: string
  readonly value: string | bigint
}

/** The attribute service.instance.id. */
export function instanceOf({ service, instance }: Process): string {
  return `${service}-${instance}`
}

export function resourceOf(process: Process): Attribute[] {
  const { service, version, pid } = process
  const host = service === 'payments' || service === 'checkout' ? 'node-2' : 'node-1'
  return [
    { key: 'service.name', value: service },
    { key: 'service.namespace', value: ATTRIBUTES.namespace },
    { key: 'service.version', value: version },
    { key: 'service.instance.id', value: instanceOf(process) },
    { key: 'host.name', value: host },
    { key: 'process.pid', value: BigInt(pid) },
    { key: 'telemetry.sdk.language', value: LANGUAGES[service as Service] },
    { key: 'deployment.environment.name', value: ATTRIBUTES.environment },
    { key: 'cloud.region', value: 'eu-central-1' },
    { key: ATTRIBUTES.mark, value: 'true' },
  ]
}
