// Targets in DNS records.
import { resolve4, resolve6, resolveSrv } from 'node:dns/promises'
import type { DnsConfig } from '../scrape-config.ts'
import type { TargetGroup } from '../targets.ts'

export async function findByDns({ names, type, port }: DnsConfig): Promise<readonly TargetGroup[]> {
  return Promise.all(
    names.map(async name => ({
      targets: (await addressesOf(name, type, port)).toSorted(),
      labels: { __meta_dns_name: name },
    })),
  )
}

async function addressesOf(name: string, type: DnsConfig['type'], port: number | undefined): Promise<string[]> {
  if (type === 'SRV') return (await resolveSrv(name)).map(record => `${record.name}:${record.port}`)
  if (type === 'A') return (await resolve4(name)).map(address => `${address}:${port}`)
  return (await resolve6(name)).map(address => `[${address}]:${port}`)
}
