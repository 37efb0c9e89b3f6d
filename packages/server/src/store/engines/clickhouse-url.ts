// Parses the address of a ClickHouse server or cluster: clickhouse://user:password@host:8123/database?cluster=name&secure=1
// The text contains the password. Error messages therefore name only the invalid part and never quote the text.

export interface ClickHouseAddress {
  /** http or https with host and port, without the password. Safe to show. */
  readonly origin: string
  readonly user: string
  readonly password: string
  readonly database: string
  readonly cluster: string | undefined
  /** Use gzip in both directions. Not worth the CPU on one machine. */
  readonly compress: boolean
}

class ClickHouseUrlError extends Error {
  override readonly name = 'ClickHouseUrlError'

  constructor(what: string) {
    super(`${what}; expected clickhouse://user:password@host:8123/database?cluster=name&secure=1`)
  }
}

const PLAIN_PORT = 8123
const SECURE_PORT = 8443
const NAME = /^[A-Za-z_][\w.-]*$/

export function parseClickHouseUrl(text: string): ClickHouseAddress {
  const url = urlOf(text)
  if (url.hostname === '') throw new ClickHouseUrlError('the ClickHouse address has no host')
  const switches = new Map(url.searchParams)
  const secure = flag(switches, 'secure', false)
  const compress = flag(switches, 'compress', !isLoopback(url.hostname))
  const cluster = switches.get('cluster')
  switches.delete('cluster')
  for (const name of switches.keys())
    throw new ClickHouseUrlError(`the ClickHouse address has an unknown part ${JSON.stringify(name)}`)
  if (cluster !== undefined && !NAME.test(cluster))
    throw new ClickHouseUrlError(`${JSON.stringify(cluster)} is not a valid cluster name`)
  const path = decode(url.pathname.replace(/^\//, '').replace(/\/$/, ''), 'database')
  const database = path === '' ? 'default' : path
  if (!NAME.test(database)) throw new ClickHouseUrlError(`${JSON.stringify(database)} is not a valid database name`)
  const port = url.port === '' ? (secure ? SECURE_PORT : PLAIN_PORT) : url.port
  return {
    origin: `${secure ? 'https' : 'http'}://${url.hostname}:${port}`,
    user: url.username === '' ? 'default' : decode(url.username, 'user'),
    password: decode(url.password, 'password'),
    database,
    cluster,
    compress,
  }
}

function urlOf(text: string): URL {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new ClickHouseUrlError('the ClickHouse address is not a URL')
  }
  if (url.protocol !== 'clickhouse:')
    throw new ClickHouseUrlError('the ClickHouse address does not start with clickhouse://')
  return url
}

function flag(switches: Map<string, string>, name: string, otherwise: boolean): boolean {
  const value = switches.get(name)
  switches.delete(name)
  if (value === undefined) return otherwise
  if (value === '1' || value === 'true') return true
  if (value === '0' || value === 'false') return false
  throw new ClickHouseUrlError(`${name} must be 1 or 0`)
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ClickHouseUrlError(`the ${what} has an invalid % escape`)
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.')
}
