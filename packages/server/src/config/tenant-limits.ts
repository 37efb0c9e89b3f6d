// Query limits of single tenants: `shop=timeout:60s,memory:2GiB lab=slots:2`.
import { ValueError, atLeast, count, duration, size } from './setting-values.ts'

/** Undefined limits are those of the server. */
export interface TenantLimitSettings {
  readonly seconds?: number
  readonly memoryBytes?: number
  readonly rows?: number
  readonly nodes?: number
  readonly exportSamples?: number
  readonly running?: number
  readonly waiting?: number
}

const TENANT = /^[A-Za-z0-9._-]{1,64}$/

const PARTS: Readonly<Record<string, readonly [keyof TenantLimitSettings, (text: string) => number]>> = {
  timeout: ['seconds', text => atLeast(1, duration)(text) / 1000],
  memory: ['memoryBytes', atLeast(2 ** 20, size)],
  rows: ['rows', atLeast(1, count)],
  nodes: ['nodes', atLeast(1, count)],
  'export-samples': ['exportSamples', atLeast(1, count)],
  slots: ['running', atLeast(1, count)],
  queue: ['waiting', count],
}

export function tenantLimits(text: string): Readonly<Record<string, TenantLimitSettings>> {
  const tenants = new Map<string, TenantLimitSettings>()
  for (const word of text.split(/\s+/).filter(part => part !== '')) {
    const equals = word.indexOf('=')
    if (equals === -1 || equals === word.length - 1)
      throw new ValueError(`'${word}' has no limits; write shop=timeout:60s,memory:2GiB`)
    const name = word.slice(0, equals)
    if (!TENANT.test(name)) throw new ValueError(`'${name}' is not a valid tenant name`)
    if (tenants.has(name)) throw new ValueError(`duplicate tenant '${name}'`)
    tenants.set(name, limitsOf(word.slice(equals + 1)))
  }
  return Object.fromEntries(tenants)
}

function limitsOf(text: string): TenantLimitSettings {
  const limits: { -readonly [Name in keyof TenantLimitSettings]: number } = {}
  for (const part of text.split(',')) {
    const colon = part.indexOf(':')
    const name = colon === -1 ? part : part.slice(0, colon)
    if (!Object.hasOwn(PARTS, name))
      throw new ValueError(`unknown limit '${name}'; expected one of ${Object.keys(PARTS).join(', ')}`)
    const [key, read] = PARTS[name]
    limits[key] = read(part.slice(colon + 1))
  }
  return limits
}
