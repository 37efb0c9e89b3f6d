import { describe, expect, it } from 'vitest'
import { AccessError } from './gatekeeper.ts'
import type { SiteHeaders, SiteRules } from './site-rules.ts'
import { checkSite } from './site-rules.ts'

const LOOPBACK: SiteRules = { host: '127.0.0.1' }

function refusal(headers: SiteHeaders, rules: SiteRules, method?: string): string | undefined {
  try {
    checkSite(headers, rules, method)
    return undefined
  } catch (error) {
    if (error instanceof AccessError && error.status === 403) return error.message
    throw error
  }
}

describe('checkSite', () => {
  it.each(['127.0.0.1:4040', 'localhost', 'LOCALHOST:80', '[::1]:4040', '127.8.0.1'])(
    'accepts the loopback name %s',
    host => {
      expect(refusal({ host }, LOOPBACK)).toBeUndefined()
    },
  )

  it.each(['evil.example:4040', '127.0.0.1.evil.example', 'localhost.evil.example', '', '192.168.0.1'])(
    'rejects the host %j of a server on loopback',
    host => {
      expect(refusal({ host }, LOOPBACK)).toContain(`${JSON.stringify(host)} is not a name of this server`)
    },
  )

  it('accepts the configured host and listed names', () => {
    const rules = { host: 'localhost', allowedHosts: ['hearth.example'] }
    expect(refusal({ host: 'hearth.example:443' }, rules)).toBeUndefined()
    expect(refusal({ host: 'other.example' }, rules)).toContain('allowed-hosts')
  })

  it('accepts any name of a server that requires a token, unless names are listed', () => {
    expect(refusal({ host: 'any.example' }, { host: '0.0.0.0' })).toBeUndefined()
    expect(refusal({ host: 'any.example' }, { host: '0.0.0.0', allowedHosts: ['a.example'] })).toContain('any.example')
  })

  it('accepts requests without an origin, of the same origin, and of listed origins', () => {
    const host = 'localhost:4040'
    expect(refusal({ host, origin: 'http://localhost:4040' }, LOOPBACK)).toBeUndefined()
    // A proxy may terminate TLS.
    expect(refusal({ host, origin: 'https://localhost:4040' }, LOOPBACK)).toBeUndefined()
    const rules = { ...LOOPBACK, corsOrigins: ['https://a.example'] }
    expect(refusal({ host, origin: 'https://a.example' }, rules)).toBeUndefined()
    expect(refusal({ host, origin: 'null' }, { ...LOOPBACK, corsOrigins: ['*'] })).toBeUndefined()
  })

  it.each(['https://evil.example', 'null', 'http://localhost:4041', 'http://127.0.0.1:4040'])(
    'rejects the origin %s',
    origin => {
      expect(refusal({ host: 'localhost:4040', origin }, LOOPBACK)).toContain('add it to cors-origins')
    },
  )

  it('rejects images, frames and unreadable requests of other sites, which have no origin', () => {
    const host = 'localhost:4040'
    const from = (site: string, mode: string, dest: string): SiteHeaders => ({
      host,
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      'sec-fetch-dest': dest,
    })
    for (const site of ['cross-site', 'same-site']) {
      expect(refusal(from(site, 'no-cors', 'image'), LOOPBACK)).toContain('a page of another site')
      expect(refusal(from(site, 'no-cors', 'empty'), LOOPBACK)).toContain('a page of another site')
      expect(refusal(from(site, 'navigate', 'iframe'), LOOPBACK)).toContain('a page of another site')
      expect(refusal(from(site, 'navigate', 'document'), LOOPBACK)).toBeUndefined()
      // A form.
      expect(refusal(from(site, 'navigate', 'document'), LOOPBACK, 'POST')).toContain('a page of another site')
      expect(refusal(from(site, 'no-cors', 'image'), { ...LOOPBACK, corsOrigins: ['*'] })).toBeUndefined()
    }
    expect(refusal(from('same-origin', 'cors', 'empty'), LOOPBACK)).toBeUndefined()
    expect(refusal(from('none', 'navigate', 'document'), LOOPBACK)).toBeUndefined()
  })

  it('shortens long values in its message', () => {
    expect(refusal({ host: 'x'.repeat(10_000) }, LOOPBACK)!.length).toBeLessThan(250)
  })
})
