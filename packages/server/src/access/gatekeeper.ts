// Identifies requests and checks what they may do. Without tokens the server is open, which is allowed on loopback only. As
// soon as there is a token, every request needs one.
import type { LiveAccess } from './access-file.ts'
import { DEFAULT_TENANT, isTenantName } from './access-file.ts'
import type { AccessScope, TokenRow } from './tokens.ts'
import { findToken } from './tokens.ts'

export interface Identity {
  readonly tenant: string
  /** The token's name, or empty if none is needed. */
  readonly token: string
}

export class AccessError extends Error {
  override readonly name = 'AccessError'
  /** 401: no valid token. 403: not allowed. 400: invalid tenant name. */
  readonly status: 400 | 401 | 403

  constructor(status: 400 | 401 | 403, message: string) {
    super(message)
    this.status = status
  }

  /** The name that Fastify knows. */
  get statusCode(): number {
    return this.status
  }
}

/** The credentials of a request, from HTTP headers or gRPC metadata. */
export interface Credentials {
  readonly authorization: string | undefined
  /** X-Scope-OrgID. */
  readonly scopeOrgId: string | undefined
}

export class Gatekeeper {
  readonly #access: LiveAccess
  readonly #loopback: boolean

  constructor(access: LiveAccess, loopback: boolean) {
    this.#access = access
    this.#loopback = loopback
  }

  /** Throws AccessError. */
  identify({ authorization, scopeOrgId }: Credentials, scope: AccessScope): Identity {
    const { tokens } = this.#access.current()
    if (scopeOrgId !== undefined && !isTenantName(scopeOrgId))
      throw new AccessError(
        400,
        'X-Scope-OrgID: a tenant name must have 1 to 64 letters, digits, dots, dashes or underscores',
      )
    if (tokens.length === 0) {
      if (!this.#loopback)
        throw new AccessError(401, 'no token is configured; create one with `hearth admin token create`')
      return { tenant: scopeOrgId ?? DEFAULT_TENANT, token: '' }
    }
    const row = findToken(tokens, tokenOf(authorization))
    if (row === undefined) throw new AccessError(401, 'invalid or missing token; send Authorization: Bearer TOKEN')
    if (!row.scopes.includes(scope)) throw new AccessError(403, `token '${row.name}' lacks the scope ${scope}`)
    return { tenant: tenantOf(row, scopeOrgId), token: row.name }
  }
}

function tenantOf(row: TokenRow, wanted: string | undefined): string {
  const all = row.tenants.includes('*')
  if (wanted === undefined) return all ? DEFAULT_TENANT : row.tenants[0]
  if (!all && !row.tenants.includes(wanted))
    throw new AccessError(403, `token '${row.name}' is not valid for tenant '${wanted}'`)
  return wanted
}

/** Accepts Bearer, or the password of Basic for clients that cannot send Bearer. */
function tokenOf(authorization: string | undefined): string {
  const match = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '')
  if (match === null) return ''
  if (match[1].toLowerCase() === 'bearer') return match[2]
  const pair = Buffer.from(match[2], 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
