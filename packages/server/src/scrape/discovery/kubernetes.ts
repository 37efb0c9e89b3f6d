// Targets in Kubernetes: pods, nodes, services and endpoints, with the __meta_kubernetes_ labels of Prometheus. Objects are listed at an
// interval instead of watched: a list costs one request, and needs no recovery after a lost connection.
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { httpGet } from '../http-get.ts'
import type { Labels } from '../relabel.ts'
import type { Connection, KubernetesConfig } from '../scrape-config.ts'
import type { TargetGroup } from '../targets.ts'
import { MAX_LIST_BYTES } from './http.ts'

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
const PAGE = 500
const META = '__meta_kubernetes_'

type Role = KubernetesConfig['role']

const PATHS: Readonly<Record<Role, readonly [api: string, objects: string]>> = {
  pod: ['/api/v1', 'pods'],
  node: ['/api/v1', 'nodes'],
  service: ['/api/v1', 'services'],
  endpoints: ['/api/v1', 'endpoints'],
  endpointslice: ['/apis/discovery.k8s.io/v1', 'endpointslices'],
}

const metadata = z.object({
  name: z.string(),
  namespace: z.string().default(''),
  uid: z.string().default(''),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  ownerReferences: z
    .array(z.object({ kind: z.string(), name: z.string(), controller: z.boolean().default(false) }))
    .default([]),
})
type Metadata = z.infer<typeof metadata>

const pod = z.object({
  metadata,
  spec: z.object({
    nodeName: z.string().default(''),
    containers: z.array(
      z.object({
        name: z.string(),
        image: z.string().default(''),
        ports: z
          .array(
            z.object({ name: z.string().default(''), containerPort: z.int(), protocol: z.string().default('TCP') }),
          )
          .default([]),
      }),
    ),
  }),
  status: z.object({
    podIP: z.string().default(''),
    hostIP: z.string().default(''),
    phase: z.string().default(''),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
  }),
})

const node = z.object({
  metadata,
  status: z.object({
    addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
    daemonEndpoints: z.object({ kubeletEndpoint: z.object({ Port: z.int() }) }).optional(),
  }),
})

const service = z.object({
  metadata,
  spec: z.object({
    type: z.string().default('ClusterIP'),
    clusterIP: z.string().default(''),
    ports: z
      .array(z.object({ name: z.string().default(''), port: z.int(), protocol: z.string().default('TCP') }))
      .default([]),
  }),
})

const reference = z.object({ kind: z.string(), name: z.string() }).optional()
const port = z.object({ name: z.string().nullish(), port: z.int().nullish(), protocol: z.string().nullish() })

const endpoints = z.object({
  metadata,
  subsets: z
    .array(
      z.object({
        addresses: z
          .array(z.object({ ip: z.string(), nodeName: z.string().optional(), targetRef: reference }))
          .default([]),
        ports: z.array(port).default([]),
      }),
    )
    .default([]),
})

const endpointSlice = z.object({
  metadata,
  endpoints: z
    .array(
      z.object({
        addresses: z.array(z.string()),
        conditions: z.object({ ready: z.boolean().nullish() }).default({}),
        nodeName: z.string().nullish(),
        targetRef: reference,
      }),
    )
    .nullish(),
  ports: z.array(port).nullish(),
})

const page = z.object({
  metadata: z.object({ continue: z.string().optional() }).default({}),
  items: z.array(z.unknown()),
})

export async function findInKubernetes(config: KubernetesConfig, signal: AbortSignal): Promise<readonly TargetGroup[]> {
  const { role } = config
  const groups: TargetGroup[] = []
  for (const path of pathsOf(config)) {
    for await (const item of listed(config, path, signal)) groups.push(...groupsOf(role, item))
  }
  return groups
}

function groupsOf(role: Role, item: unknown): readonly TargetGroup[] {
  switch (role) {
    case 'pod':
      return podGroups(pod.parse(item))
    case 'node':
      return nodeGroups(node.parse(item))
    case 'service':
      return serviceGroups(service.parse(item))
    case 'endpoints':
      return endpointsGroups(endpoints.parse(item))
    case 'endpointslice':
      return sliceGroups(endpointSlice.parse(item))
    default:
      return role satisfies never
  }
}

/** One path for each namespace. Nodes have none. */
function pathsOf({ role, namespaces }: KubernetesConfig): readonly string[] {
  const [api, objects] = PATHS[role]
  const names = [...(namespaces?.names ?? []), ...(namespaces?.own_namespace === true ? [ownNamespace()] : [])]
  if (role === 'node' || names.length === 0) return [`${api}/${objects}`]
  return names.map(name => `${api}/namespaces/${encodeURIComponent(name)}/${objects}`)
}

function ownNamespace(): string {
  return readFileSync(`${ACCOUNT}/namespace`, 'utf8').trim()
}

async function* listed(config: KubernetesConfig, path: string, signal: AbortSignal): AsyncGenerator<unknown> {
  const { connection, server } = apiServer(config)
  const selector = config.selectors.find(({ role }) => role === config.role)
  let next: string | undefined
  do {
    const url = new URL(path, server)
    url.searchParams.set('limit', String(PAGE))
    if (selector?.label !== undefined) url.searchParams.set('labelSelector', selector.label)
    if (selector?.field !== undefined) url.searchParams.set('fieldSelector', selector.field)
    if (next !== undefined) url.searchParams.set('continue', next)
    const { body } = await httpGet(url.href, {
      connection,
      signal,
      maxBytes: MAX_LIST_BYTES,
      headers: { accept: 'application/json' },
    })
    const list = page.parse(JSON.parse(body.toString('utf8')))
    yield* list.items
    next = list.metadata.continue
  } while (next !== undefined && next !== '')
}

/** The API server of the settings, or of the cluster that this server runs in. */
function apiServer(config: KubernetesConfig): { readonly server: string; readonly connection: Connection } {
  if (config.api_server !== undefined) return { server: config.api_server, connection: config }
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: apiPort = '443' } = process.env
  if (host === undefined || !existsSync(`${ACCOUNT}/token`))
    throw new Error('api_server is missing, and this server does not run in a Kubernetes cluster')
  const name = host.includes(':') ? `[${host}]` : host
  return {
    server: `https://${name}:${apiPort}`,
    connection: {
      ...config,
      bearer_token_file: `${ACCOUNT}/token`,
      tls_config: { ca_file: `${ACCOUNT}/ca.crt`, insecure_skip_verify: false },
    },
  }
}

function podGroups({ metadata: about, spec, status }: z.infer<typeof pod>): readonly TargetGroup[] {
  if (status.podIP === '') return []
  const owner = about.ownerReferences.find(({ controller }) => controller)
  const labels = {
    ...metaLabels('pod', about),
    [`${META}namespace`]: about.namespace,
    [`${META}pod_ip`]: status.podIP,
    [`${META}pod_ready`]: (status.conditions.find(({ type }) => type === 'Ready')?.status ?? 'unknown').toLowerCase(),
    [`${META}pod_phase`]: status.phase,
    [`${META}pod_node_name`]: spec.nodeName,
    [`${META}pod_host_ip`]: status.hostIP,
    [`${META}pod_uid`]: about.uid,
    ...(owner === undefined
      ? {}
      : { [`${META}pod_controller_kind`]: owner.kind, [`${META}pod_controller_name`]: owner.name }),
  }
  return spec.containers.flatMap(container => {
    const own = {
      ...labels,
      [`${META}pod_container_name`]: container.name,
      [`${META}pod_container_image`]: container.image,
    }
    if (container.ports.length === 0) return [{ targets: [hostOf(status.podIP)], labels: own }]
    return container.ports.map(({ name, containerPort, protocol }) => ({
      targets: [`${hostOf(status.podIP)}:${containerPort}`],
      labels: {
        ...own,
        [`${META}pod_container_port_name`]: name,
        [`${META}pod_container_port_number`]: String(containerPort),
        [`${META}pod_container_port_protocol`]: protocol,
      },
    }))
  })
}

const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'LegacyHostIP', 'Hostname']

function nodeGroups({ metadata: about, status }: z.infer<typeof node>): readonly TargetGroup[] {
  const address = ADDRESS_TYPES.map(wanted => status.addresses.find(({ type }) => type === wanted)).find(
    found => found !== undefined,
  )?.address
  if (address === undefined) return []
  const kubelet = status.daemonEndpoints?.kubeletEndpoint.Port ?? 10_250
  const addresses = status.addresses.map(({ type, address: own }) => [`${META}node_address_${type}`, own] as const)
  return [
    {
      targets: [`${hostOf(address)}:${kubelet}`],
      labels: { ...metaLabels('node', about), ...Object.fromEntries(addresses), instance: about.name },
    },
  ]
}

function serviceGroups({ metadata: about, spec }: z.infer<typeof service>): readonly TargetGroup[] {
  return spec.ports.map(({ name, port: number, protocol }) => ({
    targets: [`${about.name}.${about.namespace}.svc:${number}`],
    labels: {
      ...metaLabels('service', about),
      [`${META}namespace`]: about.namespace,
      [`${META}service_type`]: spec.type,
      [`${META}service_cluster_ip`]: spec.clusterIP,
      [`${META}service_port_name`]: name,
      [`${META}service_port_number`]: String(number),
      [`${META}service_port_protocol`]: protocol,
    },
  }))
}

function endpointsGroups({ metadata: about, subsets }: z.infer<typeof endpoints>): readonly TargetGroup[] {
  const labels = { ...metaLabels('endpoints', about), [`${META}namespace`]: about.namespace }
  return subsets.flatMap(({ addresses, ports }) =>
    addresses.flatMap(({ ip, nodeName, targetRef }) =>
      ports.flatMap(of =>
        endpointGroup('endpoint', ip, of, { ...labels, ...whereLabels('endpoint', nodeName, targetRef) }),
      ),
    ),
  )
}

function sliceGroups({
  metadata: about,
  endpoints: found,
  ports,
}: z.infer<typeof endpointSlice>): readonly TargetGroup[] {
  const labels = { ...metaLabels('endpointslice', about), [`${META}namespace`]: about.namespace }
  return (found ?? []).flatMap(({ addresses, conditions, nodeName, targetRef }) =>
    addresses.flatMap(ip =>
      (ports ?? []).flatMap(of =>
        endpointGroup('endpointslice', ip, of, {
          ...labels,
          [`${META}endpointslice_endpoint_conditions_ready`]: String(conditions.ready ?? true),
          ...whereLabels('endpointslice', nodeName ?? undefined, targetRef),
        }),
      ),
    ),
  )
}

function endpointGroup(kind: string, ip: string, of: z.infer<typeof port>, labels: Labels): readonly TargetGroup[] {
  if (of.port === null || of.port === undefined) return []
  return [
    {
      targets: [`${hostOf(ip)}:${of.port}`],
      labels: {
        ...labels,
        [`${META}${kind}_port_name`]: of.name ?? '',
        [`${META}${kind}_port_protocol`]: of.protocol ?? 'TCP',
      },
    },
  ]
}

function whereLabels(kind: string, nodeName: string | undefined, targetRef: z.infer<typeof reference>): Labels {
  return {
    ...(nodeName === undefined ? {} : { [`${META}${kind}_node_name`]: nodeName }),
    ...(targetRef === undefined
      ? {}
      : {
          [`${META}${kind}_address_target_kind`]: targetRef.kind,
          [`${META}${kind}_address_target_name`]: targetRef.name,
          ...(targetRef.kind === 'Pod' ? { [`${META}pod_name`]: targetRef.name } : {}),
        }),
  }
}

function metaLabels(kind: string, { name, labels, annotations }: Metadata): Labels {
  const own: Record<string, string> = { [`${META}${kind}_name`]: name }
  for (const [of, values] of [
    ['label', labels],
    ['annotation', annotations],
  ] as const) {
    for (const [key, value] of Object.entries(values)) {
      const safe = key.replaceAll(/[^a-zA-Z0-9_]/g, '_')
      own[`${META}${kind}_${of}_${safe}`] = value
      own[`${META}${kind}_${of}present_${safe}`] = 'true'
    }
  }
  return own
}

function hostOf(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip
}
