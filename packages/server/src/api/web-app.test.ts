// The UI's files and the APIs on one port, over real sockets.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LiveAccess, accessFileIn } from '../access/access-file.ts'
import { Gatekeeper } from '../access/gatekeeper.ts'
import { Metrics } from '../observe/metrics.ts'
import type { Engine } from '../store/engine.ts'
import { HttpServer } from './http-server.ts'
import { addApiV1 } from './v1/add-api-v1.ts'
import { QueryGate } from './v1/limits/query-gate.ts'
import { apiTasks } from './v1/query-tasks.ts'
import { testStatus } from './v1/testing/test-status.ts'
import { addWebApp } from './web-app.ts'
import { createQueryContext } from '../query/query-context.ts'
import { sameThread } from '../query/testing/same-thread.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-web-'))
const dist = join(directory, 'dist')
const PAGE = '<!doctype html><title>Hearth</title><script type="module" src="/assets/index-B3xk9_2a.js"></script>'
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))})`
const servers: HttpServer[] = []

beforeAll(() => {
  mkdirSync(join(dist, 'assets'), { recursive: true })
  writeFileSync(join(dist, 'index.html'), PAGE)
  mkdirSync(join(dist, 'docs'))
  writeFileSync(join(dist, 'docs', 'index.html'), 'documentation')
  writeFileSync(join(dist, 'apple-touch-icon.png'), 'icon'.repeat(1000))
  writeFileSync(join(dist, 'assets', 'style-12345678.css'), 'a {}\n'.repeat(1000))
  writeFileSync(join(dist, 'notes.xyz'), 'of no known type')
  writeFileSync(join(dist, '.secret.txt'), 'hidden')
  const script = join(dist, 'assets', 'index-B3xk9_2a.js')
  writeFileSync(script, SCRIPT)
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT))
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT))
  writeFileSync(join(directory, 'secret.txt'), 'outside')
  symlinkSync(join(directory, 'secret.txt'), join(dist, 'link.txt'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(1000)
})
afterAll(() => rmSync(directory, { recursive: true }))

async function start(web: string, corsOrigins: readonly string[] = []): Promise<string> {
  const gatekeeper = new Gatekeeper(new LiveAccess(accessFileIn(directory), () => {}), true)
  const gate = new QueryGate()
  const threads = sameThread(createQueryContext({} as Engine), apiTasks)
  const onError = () => {}
  const server = new HttpServer({
    gatekeeper,
    metrics: new Metrics(),
    readiness: () => ({ ready: true, problems: [] }),
    version: 'test',
    tls: undefined,
    site: { host: '127.0.0.1', corsOrigins },
    onError,
    addRoutes: app => {
      addApiV1(app, { threads, gatekeeper, gate, status: testStatus(gate), onError })
      addWebApp(app, web)
    },
  })
  servers.push(server)
  return `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`
}

describe('the UI', () => {
  test('serves folders with an index page, whose address ends with a slash', async () => {
    const url = await start(dist)
    expect(await (await fetch(`${url}/docs/`)).text()).toBe('documentation')
    const redirect = await fetch(`${url}/docs`, { redirect: 'manual' })
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'docs/'])
    expect(await (await fetch(`${url}/docs`)).text()).toBe('documentation')
  })

  test('is served at every path of its own', async () => {
    const url = await start(dist)
    for (const path of [
      '/',
      '/index.html',
      '/explore',
      '/profiles/some-profile',
      '/explore?selector=%7B%7D',
      '/apiary',
    ]) {
      const response = await fetch(`${url}${path}`)
      expect([path, response.status, await response.text()]).toEqual([path, 200, PAGE])
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self'")
      expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
    const tag = (await fetch(url)).headers.get('etag') ?? ''
    expect((await fetch(url, { headers: { 'if-none-match': tag } })).status).toBe(304)
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe(String(PAGE.length))
  })

  test('links to its files from paths with several segments', async () => {
    const folder = join(directory, 'relative')
    mkdirSync(folder)
    writeFileSync(join(folder, 'index.html'), '<html lang="en"><script src="./assets/a.js"></script>')
    const url = await start(folder)
    const pageAt = async (path: string): Promise<string> => (await fetch(url + path)).text()
    expect(await pageAt('/traces')).toBe('<html lang="en"><script src="./assets/a.js"></script>')
    expect(await pageAt('/traces/abc')).toBe('<html data-depth="1" lang="en"><script src="../assets/a.js"></script>')
    expect(await pageAt('/a/b/')).toContain('<html data-depth="2" lang="en"><script src="../../assets/a.js">')
  })

  test('caches files with a hash in their name forever, compressed if accepted', async () => {
    const url = await start(dist)
    const script = '/assets/index-B3xk9_2a.js'
    const tags = new Set<string | null>()
    for (const [accepted, encoding] of [
      ['identity', undefined],
      ['gzip', 'gzip'],
      ['gzip, br', 'br'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
    ] as const) {
      const response = await fetch(`${url}${script}`, { headers: { 'accept-encoding': accepted } })
      expect([response.headers.get('content-encoding') ?? undefined, await response.text()]).toEqual([encoding, SCRIPT])
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('vary')).toBe('accept-encoding')
      tags.add(response.headers.get('etag'))
    }
    expect(tags.size).toBe(3)
    const style = await fetch(`${url}/assets/style-12345678.css`, { headers: { 'accept-encoding': 'br, gzip' } })
    expect([style.headers.get('content-encoding'), await style.text()]).toEqual(['gzip', 'a {}\n'.repeat(1000)])
    const icon = await fetch(`${url}/apple-touch-icon.png`)
    expect([icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual(['image/png', 'no-cache'])
    expect(icon.headers.has('content-encoding')).toBe(false)
  })

  test('serves only its own files', async () => {
    const url = await start(dist)
    const { port } = new URL(url)
    const raw = async (path: string) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
      const chunks: Buffer[] = []
      socket.on('data', chunk => chunks.push(chunk))
      await once(socket, 'close')
      return Buffer.concat(chunks).toString()
    }
    for (const path of [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      String.raw`/..\secret.txt`,
      '/..%5csecret.txt',
      '//etc/passwd.txt',
      '/secret.txt%00.html',
      '/link.txt',
      '/.secret.txt',
      '/notes.xyz',
      '/assets/index-B3xk9_2a.js.gz',
      '/assets/gone-12345678.js',
      '/%zz',
    ]) {
      const response = await raw(path)
      expect([path, response.split(' ')[1]]).toEqual([path, expect.stringMatching(/^40[04]$/)])
      expect(response).not.toMatch(/outside|hidden|root:/)
    }
  })

  test('leaves the APIs unchanged', async () => {
    const url = await start(dist)
    for (const path of ['/api', '/api/', '/api/v1', '/api/v1/nothing', '/api/v2/top', '/api/v1/nothing.js']) {
      const response = await fetch(`${url}${path}`)
      const said = { error: { code: 'not-found', message: `no such path: ${path}` } }
      expect([path, response.status, await response.json()]).toEqual([path, 404, said])
    }
    for (const path of [
      '/v1/traces',
      '/v1development/profiles',
      '/pyroscope/nothing',
      '/querier.v1.QuerierService/Nothing',
    ]) {
      const response = await fetch(`${url}${path}`)
      expect([path, response.status, await response.json()]).toEqual([path, 404, { error: 'not found' }])
    }
    expect((await fetch(`${url}/healthz`)).headers.get('content-type')).toContain('application/json')
    expect((await fetch(`${url}/api/v1/status`)).status).toBe(200)
    expect((await fetch(`${url}/explore`, { method: 'POST' })).status).toBe(404)
  })

  test('explains how to build it if it is missing', async () => {
    const url = await start(join(directory, 'nowhere'))
    const response = await fetch(url)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('npm run build')
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='$/,
    )
    expect((await fetch(`${url}/explore`)).status).toBe(404)
  })
})

describe('other origins', () => {
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  }
  const fetchFrom = (url: string, origin: string, method = 'GET', headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1/status`, { method, headers: { origin, ...headers } })

  test('are rejected by default', async () => {
    const url = await start(dist)
    const response = await fetchFrom(url, 'https://a.example')
    expect([response.status, response.headers.has('access-control-allow-origin')]).toEqual([403, false])
    const before = await fetchFrom(url, 'https://a.example', 'OPTIONS', preflight)
    expect([before.status, before.headers.has('access-control-allow-origin')]).toEqual([403, false])
    expect((await fetchFrom(url, url)).status).toBe(200)
  })

  test('are accepted if they are listed', async () => {
    const url = await start(dist, ['https://a.example', 'https://b.example'])
    const response = await fetchFrom(url, 'https://a.example')
    expect(response.headers.get('access-control-allow-origin')).toBe('https://a.example')
    expect(response.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('hearth-notes')
    expect(response.headers.get('vary')?.toLowerCase()).toContain('origin')
    expect(response.headers.get('vary')?.toLowerCase()).toContain('accept-encoding')
    expect((await fetchFrom(url, 'https://c.example')).headers.has('access-control-allow-origin')).toBe(false)
    const before = await fetchFrom(url, 'https://b.example', 'OPTIONS', preflight)
    expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, 'https://b.example'])
    expect(before.headers.get('access-control-allow-methods')).toContain('POST')
    expect(before.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    const refused = await fetch(`${url}/api/v1/top?colour=red`, { headers: { origin: 'https://a.example' } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, 'https://a.example'])
    const all = await start(dist, ['*'])
    expect((await fetchFrom(all, 'https://c.example')).headers.get('access-control-allow-origin')).toBe(
      'https://c.example',
    )
  })
})
