// Rejects requests that pages of other sites make a browser send. A server on loopback needs no token, and every page that its
// user visits can send requests there: forms and scripts to 127.0.0.1 (their Origin is another one), or to a name of their own
// that now resolves to 127.0.0.1 (their Host is another one).
import { AccessError, isLoopback } from './gatekeeper.ts'

export interface SiteRules {
  /** The address that the server listens on. */
  readonly host: string
  /** Further names of the server. */
  readonly allowedHosts?: readonly string[]
  /** Origins whose pages may send requests; `*` allows all. */
  readonly corsOrigins?: readonly string[]
}

/** The headers of a request that name its target and its source. */
export interface SiteHeaders {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

/** Throws AccessError. */
export function checkSite({ host = '', origin }: SiteHeaders, rules: SiteRules): void {
  if (!isAllowedHost(hostName(host), rules))
    throw new AccessError(403, `host ${quoted(host)} is not a name of this server; add it to allowed-hosts`)
  const { corsOrigins = [] } = rules
  if (origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin)) return
  if (hostOf(origin) !== host.toLowerCase())
    throw new AccessError(403, `origin ${quoted(origin)} is not allowed; add it to cors-origins`)
}

/** Any name is allowed for a server that other machines can reach, unless its names are set: it requires a token. */
function isAllowedHost(name: string, { host, allowedHosts = [] }: SiteRules): boolean {
  if (isLoopback(name) || name === host.toLowerCase() || allowedHosts.includes(name)) return true
  return !isLoopback(host) && allowedHosts.length === 0
}

/** `localhost` for `localhost:4040`, `::1` for `[::1]:4040`. */
function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

/** The host and port of an origin. Empty if it has none: pages of files and of sandboxes have the origin `null`. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : ''
}

const MAX_QUOTED = 100

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, MAX_QUOTED))
}
