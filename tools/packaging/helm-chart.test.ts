// Lints the Helm chart and renders it, if helm is on the PATH or HEARTH_TEST_HELM names it. Otherwise the tests print that they are skipped.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

const chart = join(import.meta.dirname, '..', '..', 'deploy', 'helm', 'hearth')
const helm = process.env['HEARTH_TEST_HELM'] ?? 'helm'

const run = (...args: readonly string[]): string =>
  execFileSync(helm, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

function hasHelm(): boolean {
  try {
    return run('version').length > 0
  } catch {
    process.stdout.write('helm is missing, so the chart is not linted and rendered; name it in HEARTH_TEST_HELM\n')
    return false
  }
}

interface KubernetesObject {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: Readonly<Record<string, string>>
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly enableServiceLinks?: boolean
        readonly containers: readonly { readonly env?: readonly { readonly name: string }[] }[]
      }
    }
  }
}

function render(...values: readonly string[]): readonly KubernetesObject[] {
  const text = run('template', 'shop', chart, ...values.flatMap(value => ['--set', value]))
  return parseAllDocuments(text).map(document => {
    expect(document.errors).toEqual([])
    return document.toJS() as KubernetesObject
  })
}

const named = (objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject =>
  objects.find(each => each.kind === kind && each.metadata.name === name)!

describe.runIf(hasHelm())('the Helm chart', () => {
  it('passes helm lint', () => {
    expect(run('lint', '--strict', chart)).toContain('1 chart(s) linted, 0 chart(s) failed')
  })

  it('renders one server whose service selects its pods', () => {
    const objects = render()
    const server = named(objects, 'StatefulSet', 'shop')
    expect(server.spec?.replicas).toBe(1)
    expect(server.spec?.template?.metadata.labels).toMatchObject(named(objects, 'Service', 'shop').spec!.selector!)
    expect(named(objects, 'ConfigMap', 'shop').data?.['hearth.yaml']).toContain('retention: 30d')
    expect(objects.filter(({ metadata }) => /clickhouse|keeper/.test(metadata.name))).toEqual([])
  })

  it('keeps the variables of services from the servers, whose settings have the same names', () => {
    expect(named(render(), 'StatefulSet', 'shop').spec?.template?.spec.enableServiceLinks).toBe(false)
  })

  it('renders several servers over ClickHouse and Keeper', () => {
    const objects = render('replicas=3', 'clickhouse.enabled=true')
    const { data = {} } = named(objects, 'ConfigMap', 'shop-clickhouse')
    expect(data['cluster.xml'].match(/<replica>/g)).toHaveLength(2)
    expect(Object.keys(data)).toEqual(['cluster.xml', 'keeper-0.xml', 'keeper-1.xml', 'keeper-2.xml'])
    expect(data['keeper-1.xml']).toContain('<server_id>2</server_id>')
    expect(named(objects, 'StatefulSet', 'shop-keeper').spec?.replicas).toBe(3)
    const env = named(objects, 'StatefulSet', 'shop').spec?.template?.spec.containers[0].env
    expect(env).toContainEqual({
      name: 'HEARTH_STORE',
      value: 'clickhouse://hearth:$(CLICKHOUSE_PASSWORD)@shop-clickhouse:8123/hearth?cluster=hearth',
    })
  })

  it('refuses several servers without a common store', () => {
    expect(() => render('replicas=3')).toThrow(/more than one server needs store.urlSecret or clickhouse.enabled/)
  })
})
