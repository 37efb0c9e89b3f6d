// Targets that an HTTP server lists, in the form of Prometheus' HTTP service discovery.
import { httpGet } from '../http-get.ts'
import type { HttpConfig } from '../scrape-config.ts'
import type { TargetGroup } from '../targets.ts'
import { groupsIn } from './groups-in.ts'

export const MAX_LIST_BYTES = 32 * 2 ** 20

export async function findByHttp(config: HttpConfig, signal: AbortSignal): Promise<readonly TargetGroup[]> {
  const headers = { accept: 'application/json' }
  const { body } = await httpGet(config.url, { connection: config, signal, maxBytes: MAX_LIST_BYTES, headers })
  let content: unknown
  try {
    content = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new Error('the response is not JSON', { cause: error })
  }
  return groupsIn(content, config.url).map(group => ({ ...group, labels: { __meta_url: config.url, ...group.labels } }))
}
