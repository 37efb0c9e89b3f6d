// A client's description of the sample types in the pprof file of the same request: display names, units, and whether
// values are cumulative.
import type { KeyValue } from '@hearth/profile'
import { Code, Refusal } from '../../receive/refusal.ts'
import { PYROSCOPE_ATTRIBUTES } from '../series-labels.ts'

export interface SampleTypeConfig {
  readonly displayName: string
  readonly units: string
  readonly aggregation: string
  readonly cumulative: boolean
}

export type SampleTypeConfigs = ReadonlyMap<string, SampleTypeConfig>

/** `{"alloc_space":{"units":"bytes","aggregation":"sum","display-name":"…","cumulative":true}}`. Throws Refusal. */
export function parseSampleTypeConfig(part: Uint8Array): SampleTypeConfigs {
  let content: unknown
  try {
    content = JSON.parse(Buffer.from(part.buffer, part.byteOffset, part.length).toString('utf8'))
  } catch (error) {
    throw broken(error instanceof Error ? error.message : 'it is not JSON')
  }
  if (!isObject(content)) throw broken('it is not an object')
  const entries = Object.entries(content).map(([type, config]) => {
    if (!isObject(config)) throw broken(`${type} is not an object`)
    return [type, configOf(config)] as const
  })
  return new Map(entries)
}

/** The properties for which the model has no field. */
export function configAttributes({ displayName, units, aggregation }: SampleTypeConfig): KeyValue[] {
  const all = [
    { key: PYROSCOPE_ATTRIBUTES.displayName, value: displayName },
    { key: PYROSCOPE_ATTRIBUTES.units, value: units },
    { key: PYROSCOPE_ATTRIBUTES.aggregation, value: aggregation },
  ]
  return all.filter(({ value }) => value !== '')
}

function configOf(config: Readonly<Record<string, unknown>>): SampleTypeConfig {
  return {
    displayName: stringOrEmpty(config['display-name']),
    units: stringOrEmpty(config['units']),
    aggregation: stringOrEmpty(config['aggregation']),
    cumulative: config['cumulative'] === true,
  }
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function broken(what: string): Refusal {
  return new Refusal(422, Code.invalidArgument, 'undecodable', `sample_type_config: ${what}`)
}
