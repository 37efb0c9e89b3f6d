// How the server is, for the one who asks: of its own tenant for all who may read, of the whole for those who may administer.
import type { z } from 'zod'
import type { Credentials, Gatekeeper } from '../../access/gatekeeper.ts'
import { AccessError } from '../../access/gatekeeper.ts'
import type { Retention } from '../../config/retention.ts'
import { SIGNALS } from '../../config/retention.ts'
import type { Readiness } from '../http-server.ts'
import type * as answers from './answers.ts'
import type { TenantLimits } from './limits/query-gate.ts'

export type ServerStatus = z.infer<typeof answers.serverStatus>

export interface ReceiverAddress {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** Whoever knows. */
export interface StatusSource {
  readonly version: string
  readonly started: Date
  readonly readiness: () => Readiness
  readonly receivers: () => readonly ReceiverAddress[]
  readonly retentionOf: (tenant: string) => Retention
  readonly limitsOf: (tenant: string) => TenantLimits
  readonly server: () => Promise<ServerStatus>
}

/** Throws AccessError for those who may not read. */
export async function statusFor(
  source: StatusSource,
  gatekeeper: Gatekeeper,
  credentials: Credentials,
): Promise<z.infer<typeof answers.status>> {
  const { tenant } = gatekeeper.identify(credentials, 'read')
  const { ready, problems } = source.readiness()
  const kept = source.retentionOf(tenant)
  return {
    version: source.version,
    started: source.started.toISOString(),
    ready,
    problems: [...problems],
    receivers: [...source.receivers()],
    tenant,
    retention: SIGNALS.map(signal => {
      const { ageMs, bytes } = kept[signal] ?? {}
      return {
        signal,
        ...(ageMs === undefined ? {} : { seconds: ageMs / 1000 }),
        ...(bytes === undefined ? {} : { bytes }),
      }
    }),
    limits: source.limitsOf(tenant),
    ...(mayAdminister(gatekeeper, credentials) ? { server: await source.server() } : {}),
  }
}

function mayAdminister(gatekeeper: Gatekeeper, credentials: Credentials): boolean {
  try {
    gatekeeper.identify(credentials, 'admin')
    return true
  } catch (error) {
    if (error instanceof AccessError) return false
    throw error
  }
}
