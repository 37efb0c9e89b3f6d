// Targets in DNS records, with the labels of Prometheus.
import { Resolver } from 'node:dns/promises'
import type { DnsConfig } from '../scrape-config.ts'
import type { TargetGroup } from '../targets.ts'

/** The servers are those of the system unless a resolver is given. */
export async function findByDns(
  { names, type, port }: DnsConfig,
  resolver = new Resolver(),
): Promise<readonly TargetGroup[]> {
  const groups = await Promise.all(names.map(name => groupsOf(resolver, name, type, port)))
  return groups.flat()
}

async function groupsOf(
  resolver: Resolver,
  name: string,
  type: DnsConfig['type'],
  port: number | undefined,
): Promise<TargetGroup[]> {
  const labels = { __meta_dns_name: name }
  if (type === 'SRV') {
    const records = await resolver.resolveSrv(name)
    return records
      .toSorted((a, b) => (a.name === b.name ? a.port - b.port : a.name < b.name ? -1 : 1))
      .map(({ name: target, port: of }) => ({
        targets: [`${target}:${of}`],
        labels: { ...labels, __meta_dns_srv_record_target: target, __meta_dns_srv_record_port: String(of) },
      }))
  }
  const addresses =
    type === 'A' ? await resolver.resolve4(name) : (await resolver.resolve6(name)).map(address => `[${address}]`)
  return [{ targets: addresses.map(address => `${address}:${port}`).toSorted(), labels }]
}
