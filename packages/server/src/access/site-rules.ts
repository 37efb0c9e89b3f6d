// Rejects requests that pages of other sites make a browser send. A server on loopback needs no token, and every page that its
// user visits can send requests there: forms and scripts to 127.0.0.1 (their Origin is another one), images and frames (the
// browser names no Origin, but says that the site is another one), or requests to a name of their own that now resolves to
// 127.0.0.1 (their Host is another one).
import { AccessError, isLoopback } from './gatekeeper.ts'

export interface SiteRules {
  /** The address that the server listens on. */
  readonly host: string
  /** Further names of the server. */
  readonly allowedHosts?: readonly string[]
  /** Origins whose pages may send requests; `*` allows all. */
  readonly corsOrigins?: readonly string[]
}

/** The headers of a request that name its target and its source. Browsers add those of `sec-fetch`, and pages cannot change them. */
export interface SiteHeaders {
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly 'sec-fetch-site'?: string | readonly string[] | undefined
  readonly 'sec-fetch-mode'?: string | readonly string[] | undefined
  readonly 'sec-fetch-dest'?: string | readonly string[] | undefined
}

/** Throws AccessError. */
export function checkSite(headers: SiteHeaders, rules: SiteRules, method = 'GET'): void {
  const { host = '', origin } = headers
  if (!isAllowedHost(hostName(host), rules))
    throw new AccessError(403, `host ${quoted(host)} is not a name of this server; add it to allowed-hosts`)
  const { corsOrigins = [] } = rules
  if (corsOrigins.includes('*')) return
  if (origin === undefined) {
    if (isEmbedded(headers, method))
      throw new AccessError(403, 'a page of another site cannot load this address; open it in a tab of its own')
  } else if (!corsOrigins.includes(origin) && hostOf(origin) !== host.toLowerCase())
    throw new AccessError(403, `origin ${quoted(origin)} is not allowed; add it to cors-origins`)
}

/** Whether a page of another origin loads the address as an image, script or frame, or with a request that it cannot read. */
function isEmbedded(headers: SiteHeaders, method: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return false
  // Links from other sites open the UI in a tab. Their forms change nothing, also if a browser names no origin.
  return method !== 'GET' || headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document'
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
