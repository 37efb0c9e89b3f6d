// Saved views, annotations and the overview of services over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiServer } from '../testing/api-server.ts'
import { TEST_FROM, TEST_RANGE, TEST_TO, openApiServer } from '../testing/api-server.ts'

let server: ApiServer
beforeAll(async () => {
  server = await openApiServer()
}, 120_000)
afterAll(() => server?.close())

interface Reply {
  readonly status: number
  readonly json: Record<string, unknown>
}

async function call(method: string, path: string, body?: object): Promise<Reply> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: response.status, json: (await response.json()) as Reply['json'] }
}

describe('views', () => {
  it('are saved, listed and deleted', async () => {
    const added = await call('POST', '/views', { name: ' Checkout ', address: 'explore?service=checkout' })
    expect(added).toMatchObject({
      status: 201,
      json: { name: 'Checkout', address: 'explore?service=checkout', by: 'anyone' },
    })
    expect((await call('GET', '/views')).json).toEqual({ views: [added.json] })
    expect((await call('DELETE', `/views/${String(added.json['id'])}`)).status).toBe(200)
    expect((await call('DELETE', `/views/${String(added.json['id'])}`)).status).toBe(404)
    expect((await call('GET', '/views')).json).toEqual({ views: [] })
  })

  it('reject addresses of other sites', async () => {
    expect((await call('POST', '/views', { name: 'x', address: 'https://example.com' })).status).toBe(400)
    expect((await call('POST', '/views', { name: '', address: 'explore' })).status).toBe(400)
  })
})

describe('annotations', () => {
  it('are listed by time and service', async () => {
    const time = String(TEST_FROM + 5n)
    const deploy = await call('POST', '/annotations', { text: 'v2', kind: 'deploy', service: 'checkout', time })
    expect(deploy).toMatchObject({ status: 201, json: { text: 'v2', kind: 'deploy', time } })
    await call('POST', '/annotations', { text: 'later' })
    const listed = async (more: string): Promise<unknown> =>
      (await call('GET', `/annotations?from=${TEST_FROM}&to=${TEST_TO}${more}`)).json['annotations']
    expect(await listed('')).toEqual([deploy.json])
    expect(await listed('&service=checkout')).toEqual([deploy.json])
    expect(await listed('&service=search')).toEqual([])
    expect((await call('DELETE', `/annotations/${String(deploy.json['id'])}`)).status).toBe(200)
    expect(await listed('')).toEqual([])
    expect((await call('POST', '/annotations', { text: 'x', time: 'yesterday' })).status).toBe(400)
  })
})

describe('overview', () => {
  it('lists the services of the range, and the others as older', async () => {
    const { from, to } = TEST_RANGE
    const { status, json } = await call('GET', `/overview?from=${from}&to=${to}`)
    expect(status).toBe(200)
    const names = (list: unknown): string[] => (list as { service: string }[]).map(({ service }) => service)
    const services = await call('GET', `/services?from=${from}&to=${to}`)
    expect(names(json['services'])).toEqual(names(services.json['services']))
    expect(json['older']).toEqual([])
    const later = await call('GET', `/overview?from=${TEST_TO + 1n}&to=${TEST_TO + 1_000_000_000n}`)
    expect(later.json['services']).toEqual([])
    expect(names(later.json['older'])).toEqual(names(json['services']))
  })

  it('states the range of all data', async () => {
    const { json } = await call('GET', '/data-range')
    expect(BigInt(String(json['first']))).toBeGreaterThanOrEqual(TEST_FROM)
    expect(BigInt(String(json['last']))).toBeLessThan(TEST_TO)
  })

  it('counts no traces where there are none', async () => {
    const { json } = await call('GET', `/trace-density?from=${TEST_FROM}&to=${TEST_TO}`)
    expect(json).toMatchObject({ traces: 0, cells: [], rowsPerDecade: 10 })
  })

  // The data is after the range of the other tests.
  it('marks executables that stand in for a service name', async () => {
    const time = TEST_TO + 5_000_000_000n
    const of = (resource: Record<string, string>) => ({ ...server.profiles[0], resource, time })
    const executable = { 'process.executable.name': 'rust-app' }
    await server.at.keep('default', [
      of(executable),
      of({ ...executable, 'service.name': 'named' }),
      of({ 'process.executable.name': 'named' }),
    ])
    const { json } = await call('GET', `/overview?from=${TEST_TO + 1n}&to=${TEST_TO + 10_000_000_000n}`)
    const marks = (json['services'] as { service: string; isExecutable?: boolean }[]).map(each => [
      each.service,
      each.isExecutable,
    ])
    expect(marks).toEqual([
      ['named', undefined],
      ['rust-app', true],
    ])
  })
})
