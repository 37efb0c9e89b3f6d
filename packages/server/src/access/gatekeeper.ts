// Identifies requests and checks what they may do. Without tokens the server is open, which is allowed on loopback only. As
// soon as there was a token, every request needs one, also after the last one is gone.
import type { IncomingHttpHeaders } from 'node:http'
import type { LiveAccess } from './access-file.ts'
import { DEFAULT_TENANT, isTenantName } from './access-file.ts'
import type { AccessScope, TokenRow } from './tokens.ts'
import { SCOPES, findToken, isExpired } from './tokens.ts'

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
  /** The id of the session in a cookie of the same origin. */
  readonly session?: string | undefined
}

/** Credentials in the headers of a request. Cookies do not count, since a page of another site could send them. */
export function headerCredentials(headers: IncomingHttpHeaders): Credentials {
  const scopeOrgId = headers['x-scope-orgid']
  return { authorization: headers.authorization, scopeOrgId: Array.isArray(scopeOrgId) ? scopeOrgId[0] : scopeOrgId }
}

/** The permissions of a caller, and where they come from. */
export interface Grant {
  /** `open`: the server needs no token. `person`: somebody signed in at the identity provider. */
  readonly kind: 'open' | 'token' | 'person'
  /** The id of the token, or the subject of the person; empty if open. */
  readonly id: string
  /** The name of the token or the person; empty if open. */
  readonly name: string
  /** `*` means all. A request that names no tenant uses the first. */
  readonly tenants: readonly string[]
  readonly scopes: readonly AccessScope[]
  /** ISO 8601. */
  readonly expires?: string | undefined
}

/** Persons who signed in. */
export interface SignedIn {
  find(session: string): Grant | undefined
}

const OPEN: Grant = { kind: 'open', id: '', name: '', tenants: ['*'], scopes: SCOPES }

export class Gatekeeper {
  readonly #access: LiveAccess
  readonly #loopback: boolean
  readonly #persons: SignedIn | undefined

  /** `persons` is given if people sign in at an identity provider. Then every request needs a token or a session. */
  constructor(access: LiveAccess, loopback: boolean, persons?: SignedIn) {
    this.#access = access
    this.#loopback = loopback
    this.#persons = persons
  }

  /** Throws AccessError. */
  identify(credentials: Credentials, scope: AccessScope): Identity {
    const { scopeOrgId } = credentials
    if (scopeOrgId !== undefined && !isTenantName(scopeOrgId))
      throw new AccessError(
        400,
        'X-Scope-OrgID: a tenant name must have 1 to 64 letters, digits, dots, dashes or underscores',
      )
    const grant = this.grantOf(credentials)
    if (!grant.scopes.includes(scope)) throw new AccessError(403, `${subjectOf(grant)} lacks the scope ${scope}`)
    return { tenant: tenantOf(grant, scopeOrgId), token: grant.name }
  }

  /** Whether `identify` returns an identity. */
  allows(credentials: Credentials, scope: AccessScope): boolean {
    try {
      this.identify(credentials, scope)
      return true
    } catch (error) {
      if (error instanceof AccessError) return false
      throw error
    }
  }

  /** The permissions of the caller, for any tenant. Throws AccessError if it has none. */
  grantOf({ authorization, session }: Credentials): Grant {
    if (this.isOpen) return OPEN
    const { tokens } = this.#access.current()
    if (authorization === undefined) {
      const person = session === undefined ? undefined : this.#persons?.find(session)
      if (person !== undefined) return person
      throw new AccessError(401, this.#missing())
    }
    const row = findToken(tokens, tokenOf(authorization))
    if (row === undefined) throw new AccessError(401, 'invalid token; send Authorization: Bearer TOKEN')
    if (isExpired(row)) throw new AccessError(401, `token '${row.name}' expired at ${row.expires}`)
    const { id, name, tenants, scopes, expires } = row
    return { kind: 'token', id, name, tenants, scopes, expires }
  }

  /** Whether requests need no token. */
  get isOpen(): boolean {
    const { tokens } = this.#access.current()
    return this.#loopback && tokens.length === 0 && this.#persons === undefined && !this.#access.isClosed()
  }

  /** Adds a token, which is valid at once. Throws AccessFileError. */
  addToken(row: TokenRow): void {
    this.#access.addToken(row)
  }

  #missing(): string {
    if (this.#persons !== undefined)
      return 'missing token; send Authorization: Bearer TOKEN, or sign in at /auth/sign-in'
    const { tokens } = this.#access.current()
    if (tokens.length > 0) return 'missing token; send Authorization: Bearer TOKEN'
    if (!this.#loopback) return 'no token is configured; create one with `hearth admin token create`'
    return (
      'the server is closed, because its last token is gone; create one with `hearth admin token create`, ' +
      'or allow requests of this machine without a token with `hearth admin open --loopback`'
    )
  }
}

function subjectOf({ kind, name }: Grant): string {
  return kind === 'person' ? name : `token '${name}'`
}

function tenantOf(grant: Grant, wanted: string | undefined): string {
  const all = grant.tenants.includes('*')
  if (wanted === undefined) return all ? DEFAULT_TENANT : grant.tenants[0]
  if (!all && !grant.tenants.includes(wanted))
    throw new AccessError(403, `${subjectOf(grant)} is not valid for tenant '${wanted}'`)
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
