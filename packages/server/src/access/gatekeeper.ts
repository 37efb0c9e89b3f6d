// Who a request is from and what it may do. Without any token the server is open, which it only may be on loopback; with
// one, every request needs a token, wherever it comes from.
import type { LiveAccess } from './access-file.ts'
import { DEFAULT_TENANT, isTenantName } from './access-file.ts'
import type { AccessScope, TokenRow } from './tokens.ts'
import { findToken } from './tokens.ts'

export interface Identity {
  readonly tenant: string
  /** The token's name; empty where none is needed. */
  readonly token: string
}

export class AccessError extends Error {
  override readonly name = 'AccessError'
  /** 401: who are you. 403: not you. 400: the tenant's name is not one. */
  readonly status: 400 | 401 | 403

  constructor(status: 400 | 401 | 403, message: string) {
    super(message)
    this.status = status
  }
}

/** What a request says of itself, as HTTP headers or gRPC metadata have it. */
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
      throw new AccessError(400, 'X-Scope-OrgID: a tenant has 1 to 64 letters, digits, dots, dashes or underscores')
    if (tokens.length === 0) {
      if (!this.#loopback) throw new AccessError(401, 'no token is configured: `hearth admin token create` makes one')
      return { tenant: scopeOrgId ?? DEFAULT_TENANT, token: '' }
    }
    const row = findToken(tokens, tokenOf(authorization))
    if (row === undefined) throw new AccessError(401, 'a valid token is needed: Authorization: Bearer TOKEN')
    if (!row.scopes.includes(scope)) throw new AccessError(403, `the token '${row.name}' has no right to ${scope}`)
    return { tenant: tenantOf(row, scopeOrgId), token: row.name }
  }
}

function tenantOf(row: TokenRow, wanted: string | undefined): string {
  const all = row.tenants.includes('*')
  if (wanted === undefined) return all ? DEFAULT_TENANT : row.tenants[0]
  if (!all && !row.tenants.includes(wanted))
    throw new AccessError(403, `the token '${row.name}' is not for the tenant '${wanted}'`)
  return wanted
}

/** Bearer, or the password of Basic, which is all that some clients can send. */
function tokenOf(authorization: string | undefined): string {
  const match = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '')
  if (match === null) return ''
  if (match[1].toLowerCase() === 'bearer') return match[2]
  const pair = Buffer.from(match[2], 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}

/** Whether everything sent to this address comes from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
