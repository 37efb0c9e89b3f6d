// The cookie of a session. Only requests of the server's own pages may use it: browsers attach cookies also to requests that
// other sites make.
import type { IncomingHttpHeaders } from 'node:http'

const SESSION = 'hearth_session'

/** Reads a cookie; undefined if it is missing. */
export function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  for (const pair of cookie.split(';')) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

/** The id of the session of a request from the server's own pages. */
export function sessionOf(headers: IncomingHttpHeaders): string | undefined {
  return isOwnPage(headers) ? cookieOf(headers, SESSION) : undefined
}

function isOwnPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())
}

/** A value for Set-Cookie that keeps the session until the browser closes or the session ends. */
export function sessionCookie(id: string, isSecure: boolean): string {
  return cookieText(SESSION, id, { isSecure, path: '/', sameSite: 'Strict' })
}

export interface CookieOptions {
  readonly isSecure: boolean
  readonly path: string
  readonly sameSite: 'Strict' | 'Lax'
  readonly maxAgeSeconds?: number
}

export function cookieText(name: string, value: string, options: CookieOptions): string {
  const { isSecure, path, sameSite, maxAgeSeconds } = options
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}${age}${isSecure ? '; Secure' : ''}`
}
