// A page of another site in Chromium, against a server on loopback without tokens: every endpoint rejects it.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from '../../server/src/testing/server-process.ts'
import { chromiumPath, launch } from './testing/chromium.node.ts'

const chromium = chromiumPath()
if (chromium === undefined) process.stdout.write('skipped: Chromium was not found (set CHROMIUM_PATH)\n')

const EVIL = 'evil.example'
/** A browser sends these to any site. */
const NO_PREFLIGHT: ReadonlySet<string> = new Set(['GET', 'POST'])
/** The rule `x`, if a page could add it. */
const RULE = JSON.stringify({ condition: { kind: 'regression' } })

interface Endpoint {
  readonly method: string
  readonly url: string
}

describe.skipIf(chromium === undefined)('a page of another site', () => {
  const data = mkdtempSync(join(tmpdir(), 'hearth-sites-'))
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>Evil</title>'))
  let server: ServerProcess
  let browser: Browser
  let page: Page
  let endpoints: readonly Endpoint[]

  beforeAll(async () => {
    server = await ServerProcess.start({ data, 'self-profile': 'no' })
    // Every port of the name leads to this machine, as after DNS rebinding.
    browser = await launch(chromium!, [`--host-resolver-rules=MAP ${EVIL} 127.0.0.1`])
    await new Promise<void>(done => site.listen(0, '127.0.0.1', done))
    page = await browser.newPage()
    await page.goto(`http://${EVIL}:${(site.address() as AddressInfo).port}/`)
    endpoints = await allEndpoints(server)
  })

  afterAll(async () => {
    await browser?.close()
    site.close()
    await server?.end()
    rmSync(data, { recursive: true, force: true })
  })

  it('cannot send requests to the loopback address that need no preflight', async () => {
    for (const { method, url } of endpoints.filter(each => NO_PREFLIGHT.has(each.method)))
      expect([method, url, await statusOf(page, url, method)]).toEqual([method, url, 403])
  })

  it('cannot show the UI in a frame, but can link to it', async () => {
    const target = `http://127.0.0.1:${server.ports.http}/explore`
    const answered = page.waitForResponse(response => response.url() === target)
    await page.setContent(`<iframe src="${target}"></iframe><a href="${target}">Open</a>`)
    expect((await answered).status()).toBe(403)
    const opened = page.waitForResponse(
      response => response.url() === target && response.request().isNavigationRequest(),
    )
    await page.getByRole('link').click()
    expect((await opened).status()).toBe(200)
    await page.goto(`http://${EVIL}:${(site.address() as AddressInfo).port}/`)
  })

  it('cannot submit a form', async () => {
    const target = `http://127.0.0.1:${server.ports.http}/ingest?name=evil`
    const answered = page.waitForResponse(response => response.url() === target)
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${target}"><input name="main;work 1" value=""><button>Go</button></form>`,
    )
    await page.getByRole('button').click()
    expect((await answered).status()).toBe(403)
    await page.goto(`http://${EVIL}:${(site.address() as AddressInfo).port}/`)
  })

  it('cannot send requests that need a preflight', async () => {
    const changing = endpoints.filter(({ method }) => !NO_PREFLIGHT.has(method))
    expect(new Set(changing.map(({ method }) => method))).toEqual(new Set(['PUT', 'DELETE']))
    for (const { method, url } of changing)
      expect([method, url, await resultOf(page, url, method)]).toEqual([method, url, 'blocked'])
  })

  it('cannot reach the server by a name that resolves to the loopback address', async () => {
    for (const { method, url } of endpoints.filter(each => NO_PREFLIGHT.has(each.method))) {
      const rebound = url.replace('127.0.0.1', EVIL)
      expect([method, rebound, await statusOf(page, rebound, method)]).toEqual([method, rebound, 403])
    }
    // A page of this origin needs no preflight for any method, and reads every response.
    for (const port of [server.ports.http, server.ports.otlpHttp]) {
      const opened = await page.goto(`http://${EVIL}:${port}/explore`)
      expect(opened?.status()).toBe(403)
      const own = endpoints.filter(({ url }) => new URL(url).port === String(port))
      for (const { method, url } of own) {
        const rebound = url.replace('127.0.0.1', EVIL)
        expect([method, rebound, await resultOf(page, rebound, method)]).toEqual([method, rebound, 403])
      }
    }
  })

  it('leaves nothing in the store', async () => {
    await server.settled()
    expect(await server.select('SELECT count() FROM profiles')).toEqual(['(0)'])
    const rules = await fetch(`http://127.0.0.1:${server.ports.http}/api/v1/alert-rules`)
    expect(await rules.json()).toEqual({ rules: [] })
  })
})

/** Sends a request from the page as a script can without a preflight. The page cannot read the status, but the browser knows it. */
async function statusOf(page: Page, url: string, method: string): Promise<number> {
  const answered = page.waitForResponse(response => response.url() === url)
  await page.evaluate(
    async ([url, method]) => {
      const body = method === 'POST' ? { body: 'main;work 1' } : {}
      await fetch(url, { method, mode: 'no-cors', ...body }).catch(() => undefined)
    },
    [url, method] as const,
  )
  return (await answered).status()
}

/** Sends a request with JSON as a script of the page. Returns the status, or `blocked` if the browser does not let the script read it. */
async function resultOf(page: Page, url: string, method: string): Promise<number | 'blocked'> {
  return await page.evaluate(
    async ([url, method, rule]) => {
      const body = method === 'GET' ? {} : { body: rule, headers: { 'content-type': 'application/json' } }
      return await fetch(url, { method, ...body }).then(
        ({ status }) => status,
        () => 'blocked' as const,
      )
    },
    [url, method, RULE] as const,
  )
}

/** All paths of the API with example parameters, and those of other protocols. */
async function allEndpoints({ ports }: ServerProcess): Promise<readonly Endpoint[]> {
  const main = `http://127.0.0.1:${ports.http}`
  const otlp = `http://127.0.0.1:${ports.otlpHttp}`
  const response = await fetch(`${main}/api/v1/openapi.json`)
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .map(method => method.toUpperCase())
      .map(method => ({ method, url: main + path.replaceAll(/\{\w+\}/g, 'x') })),
  )
  expect(described.length).toBeGreaterThan(30)
  const posts = [
    `${main}/ingest?name=evil`,
    `${main}/push.v1.PusherService/Push`,
    `${main}/querier.v1.QuerierService/LabelNames`,
    ...['profiles', 'traces', 'logs', 'metrics'].map(
      signal => `${otlp}/${signal === 'profiles' ? 'v1development' : 'v1'}/${signal}`,
    ),
    `${otlp}/v1/push?service=evil`,
  ]
  const gets = ['/', '/explore', '/metrics', '/healthz', '/readyz', '/pyroscope/render?query=x'].map(
    path => main + path,
  )
  return [...described, ...posts.map(url => ({ method: 'POST', url })), ...gets.map(url => ({ method: 'GET', url }))]
}
