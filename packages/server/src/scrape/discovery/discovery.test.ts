import { Resolver } from 'node:dns/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseScrapeConfigs } from '../scrape-config.ts'
import type { PprofServer } from '../testing/pprof-server.ts'
import { body, startPprofServer } from '../testing/pprof-server.ts'
import { startDnsServer } from '../testing/dns-server.ts'
import { findByDns } from './dns.ts'
import { findInFiles } from './files.ts'
import { findByHttp } from './http.ts'
import { findInKubernetes } from './kubernetes.ts'
import { PolledSource } from './polled-source.ts'

const { signal } = new AbortController()
let server: PprofServer
let folder: string

beforeEach(async () => {
  server = await startPprofServer()
  folder = mkdtempSync(join(tmpdir(), 'hearth-discovery-'))
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const job = (yaml: string) => parseScrapeConfigs(`[{ job_name: shop, ${yaml} }]`)[0]

describe('findInFiles', () => {
  it('reads YAML and JSON files that match a pattern', async () => {
    writeFileSync(join(folder, 'a.yml'), '- targets: [a:1]\n  labels: { zone: eu }\n')
    writeFileSync(join(folder, 'b.json'), '[{"targets": ["b:1", "b:2"]}]')
    const [config] = job(`file_sd_configs: [{ files: ['${folder}/*.yml', '${folder}/b.json'] }]`).file_sd_configs
    expect(await findInFiles(config)).toEqual([
      { targets: ['a:1'], labels: { __meta_filepath: join(folder, 'a.yml'), zone: 'eu' } },
      { targets: ['b:1', 'b:2'], labels: { __meta_filepath: join(folder, 'b.json') } },
    ])
  })

  it('names the file and the part that is invalid', async () => {
    writeFileSync(join(folder, 'a.yml'), '- targets: a:1\n')
    const [config] = job(`file_sd_configs: [{ files: ['${folder}/a.yml'] }]`).file_sd_configs
    await expect(findInFiles(config)).rejects.toThrow(`${join(folder, 'a.yml')}: groups.0.targets`)
  })
})

describe('findByHttp', () => {
  it('reads the list of a server, with credentials', async () => {
    server.responses.set('/targets', body('[{"targets": ["a:1"], "labels": {"team": "x"}}]'))
    const url = `http://${server.address}/targets`
    const [config] = job(`http_sd_configs: [{ url: '${url}', authorization: { credentials: abc } }]`).http_sd_configs
    expect(await findByHttp(config, signal)).toEqual([{ targets: ['a:1'], labels: { __meta_url: url, team: 'x' } }])
    expect(server.requests[0].headers.authorization).toBe('Bearer abc')
  })
})

describe('findByDns', () => {
  it('finds the targets of SRV and A records, with the labels of Prometheus', async () => {
    const dns = await startDnsServer({
      A: { 'shop.test': ['10.0.0.2', '10.0.0.1'] },
      SRV: {
        '_pprof._tcp.shop.test': [
          { name: 'b.shop.test', port: 6061 },
          { name: 'a.shop.test', port: 6060 },
        ],
      },
    })
    const resolver = new Resolver()
    resolver.setServers([dns.address])
    try {
      const find = (yaml: string) => findByDns(job(`dns_sd_configs: [{ ${yaml} }]`).dns_sd_configs[0], resolver)
      const targets = (name: string, port: string) => ({
        targets: [`${name}:${port}`],
        labels: {
          __meta_dns_name: '_pprof._tcp.shop.test',
          __meta_dns_srv_record_target: name,
          __meta_dns_srv_record_port: port,
        },
      })
      expect(await find('names: [_pprof._tcp.shop.test]')).toEqual([
        targets('a.shop.test', '6060'),
        targets('b.shop.test', '6061'),
      ])
      expect(await find('names: [shop.test], type: A, port: 6060')).toEqual([
        { targets: ['10.0.0.1:6060', '10.0.0.2:6060'], labels: { __meta_dns_name: 'shop.test' } },
      ])
      await expect(find('names: [lost.test], type: A, port: 6060')).rejects.toThrow('ENOTFOUND lost.test')
    } finally {
      await dns.close()
    }
  })
})

describe('PolledSource', () => {
  it('keeps its targets while the source fails', async () => {
    const failures: string[] = []
    const onChange = vi.fn<() => void>()
    const find = vi
      .fn<() => Promise<[{ targets: string[]; labels: object }]>>()
      .mockResolvedValueOnce([{ targets: ['a:1'], labels: {} }])
      .mockRejectedValue(new Error('lost'))
    const source = new PolledSource({
      name: 'list',
      intervalMs: 1,
      find: find as never,
      onChange,
      onFailure: message => void failures.push(message),
    })
    await source.start()
    await vi.waitUntil(() => find.mock.calls.length > 3)
    await source.stop()
    expect(source.groups).toEqual([{ targets: ['a:1'], labels: {} }])
    expect([onChange.mock.calls.length, failures, source.failure]).toEqual([1, ['list: lost'], 'list: lost'])
  })
})

describe('findInKubernetes', () => {
  const kubernetes = (role: string, more = '') =>
    job(`kubernetes_sd_configs: [{ role: ${role}, api_server: 'http://${server.address}', ${more} }]`)
      .kubernetes_sd_configs[0]
  const list = (...items: readonly object[]): string => JSON.stringify({ metadata: {}, items })
  const metadata = { name: 'web-1', namespace: 'shop', uid: 'u1', labels: { 'app.kubernetes.io/name': 'web' } }

  it('lists the ports of pods, page by page, with the labels of Prometheus', async () => {
    const pod = {
      metadata: { ...metadata, ownerReferences: [{ kind: 'ReplicaSet', name: 'web', controller: true }] },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'app', image: 'web:2', ports: [{ name: 'http', containerPort: 6060 }] }],
      },
      status: {
        podIP: '10.0.0.1',
        hostIP: '10.1.0.1',
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    }
    const second = { ...pod, metadata: { ...metadata, name: 'web-2' }, status: { ...pod.status, podIP: 'fd00::2' } }
    server.responses.set('/api/v1/namespaces/shop/pods', (request, response) => {
      const isSecond = request.url?.includes('continue=next') === true
      const page = { metadata: isSecond ? {} : { continue: 'next' }, items: [isSecond ? second : pod] }
      response.end(JSON.stringify(page))
    })
    const groups = await findInKubernetes(kubernetes('pod', 'namespaces: { names: [shop] }'), signal)
    expect(groups.map(({ targets }) => targets)).toEqual([['10.0.0.1:6060'], ['[fd00::2]:6060']])
    expect(groups[0].labels).toMatchObject({
      __meta_kubernetes_namespace: 'shop',
      __meta_kubernetes_pod_name: 'web-1',
      __meta_kubernetes_pod_label_app_kubernetes_io_name: 'web',
      __meta_kubernetes_pod_ready: 'true',
      __meta_kubernetes_pod_container_port_name: 'http',
      __meta_kubernetes_pod_controller_name: 'web',
      __meta_kubernetes_pod_node_name: 'n1',
    })
  })

  it('lists services, nodes, endpoints and endpoint slices', async () => {
    server.responses.set('/api/v1/services', body(list({ metadata, spec: { ports: [{ name: 'http', port: 80 }] } })))
    const addresses = [
      { type: 'Hostname', address: 'n1' },
      { type: 'InternalIP', address: '10.1.0.1' },
    ]
    server.responses.set('/api/v1/nodes', body(list({ metadata: { name: 'n1' }, status: { addresses } })))
    const targetRef = { kind: 'Pod', name: 'web-1' }
    const ports = [{ name: 'http', port: 6060, protocol: 'TCP' }]
    server.responses.set(
      '/api/v1/endpoints',
      body(list({ metadata, subsets: [{ addresses: [{ ip: '10.0.0.1', targetRef }], ports }] })),
    )
    server.responses.set(
      '/apis/discovery.k8s.io/v1/endpointslices',
      body(list({ metadata, endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true }, targetRef }], ports })),
    )
    const found = async (role: string) =>
      (await findInKubernetes(kubernetes(role), signal)).flatMap(group => group.targets)
    expect(await found('service')).toEqual(['web-1.shop.svc:80'])
    expect(await found('node')).toEqual(['10.1.0.1:10250'])
    expect(await found('endpoints')).toEqual(['10.0.0.1:6060'])
    expect(await found('endpointslice')).toEqual(['10.0.0.1:6060'])
  })

  it('explains that an API server is missing outside of a cluster', async () => {
    const [config] = job('kubernetes_sd_configs: [{ role: pod }]').kubernetes_sd_configs
    await expect(findInKubernetes(config, signal)).rejects.toThrow('api_server is missing')
  })
})
