// The variables of each environment, which the Broker inserts into rules and passes to components that declare them. The
// YAML file is keyed by tenant, environment and name. The tenant `*` applies to tenants that do not list the environment.
//
//   '*':
//     production: { REGION: eu, MAX_HZ: 200, ZONES: [a, b] }
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { ConfigError } from './load-config.ts'

const single = z.union([z.string(), z.number(), z.boolean()])
const fileSchema = z.record(
  z.string(),
  z.record(z.string(), z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.union([single, z.array(single)]))),
)

export type Variable = z.infer<typeof single> | readonly z.infer<typeof single>[]
export type Variables = Readonly<Record<string, Variable>>

const NONE: Variables = {}

/** Variables by tenant and environment. */
export class BrokerEnvironments {
  readonly #tenants: z.infer<typeof fileSchema>

  constructor(tenants: z.infer<typeof fileSchema> = {}) {
    this.#tenants = tenants
  }

  /** Throws ConfigError. */
  static read(file: string): BrokerEnvironments {
    let content: unknown
    try {
      content = parse(readFileSync(file, 'utf8')) ?? {}
    } catch (error) {
      throw new ConfigError(`${file}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`, {
        cause: error,
      })
    }
    const parsed = fileSchema.safeParse(content)
    if (parsed.success) return new BrokerEnvironments(parsed.data)
    const { path, message } = parsed.error.issues[0]
    throw new ConfigError(`${file}: ${path.join('.')}: ${message}`)
  }

  of(tenant: string, environment: string): Variables {
    return this.#in(tenant, environment) ?? this.#in('*', environment) ?? NONE
  }

  #in(tenant: string, environment: string): Variables | undefined {
    const environments = Object.hasOwn(this.#tenants, tenant) ? this.#tenants[tenant] : undefined
    return environments !== undefined && Object.hasOwn(environments, environment)
      ? environments[environment]
      : undefined
  }
}
