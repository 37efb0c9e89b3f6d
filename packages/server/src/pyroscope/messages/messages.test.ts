import { describe, expect, test } from 'vitest'
import type { Message } from '@hearth/signals'
import { codecOf } from '@hearth/signals'
import * as google from './google-profile.ts'
import * as pushing from './push-messages.ts'
import * as querying from './querier-messages.ts'
import { SELECT_MERGE_STACKTRACES_REQUEST, SELECT_SERIES_RESPONSE } from './querier-messages.ts'
import * as types from './types-messages.ts'
import { CPU_TYPES, googleProfile, pprofMessage } from '../testing/pprof-of.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
const requests = codecOf(SELECT_MERGE_STACKTRACES_REQUEST, 'request')

describe('JSON', () => {
  const written = {
    profileTypeID: 'process_cpu:cpu:nanoseconds:cpu:nanoseconds',
    labelSelector: '{}',
    start: '1676282400000',
    end: '1676289600000',
    maxNodes: '0',
    format: 4,
    stackTraceSelector: { callSite: [{ name: 'main' }] },
    spanSelector: ['0102030405060708'],
  }

  test('writes the names of clients, and 64-bit numbers as texts', () => {
    const content = requests.decodeJson(Buffer.from(JSON.stringify(written)))
    expect(content).toMatchObject({ start: 1676282400000n, maxNodes: 0n, format: 4, profileIdSelector: [] })
    expect(JSON.parse(text(requests.encodeJson(content)))).toEqual(written)
    expect(requests.decode(requests.encode(content))).toEqual(content)
  })

  test('reads the names of the .proto file, enums by name, and plain numbers', () => {
    const other = {
      profile_typeID: written.profileTypeID,
      label_selector: '{}',
      start: 1676282400000,
      end: 1676289600000,
      max_nodes: 0,
      format: 'PROFILE_FORMAT_PPROF',
      stack_trace_selector: { call_site: [{ name: 'main' }] },
      span_selector: ['0102030405060708'],
    }
    const content = requests.decodeJson(Buffer.from(JSON.stringify(other)))
    expect(content).toEqual(requests.decodeJson(Buffer.from(JSON.stringify(written))))
    expect(Object.keys(content)).not.toContain('max_nodes')
  })

  test('ignores absent, null and unknown fields', () => {
    const content = requests.decodeJson(Buffer.from('{"maxNodes":null,"later":[1,{}],"start":"-9223372036854775808"}'))
    expect(content).toMatchObject({ maxNodes: undefined, start: -(2n ** 63n), profileTypeID: '' })
  })

  test('writes a series as Grafana reads it', () => {
    const points = [{ value: 1.5, timestamp: 1676282400000n, exemplars: [] }]
    const series = [{ labels: [{ name: 'service_name', value: 'shop' }], points }]
    const codec = codecOf(SELECT_SERIES_RESPONSE, 'response')
    expect(text(codec.encodeJson({ series }))).toBe(
      '{"series":[{"labels":[{"name":"service_name","value":"shop"}],"points":[{"value":1.5,"timestamp":"1676282400000"}]}]}',
    )
  })

  test('writes the ID of a profile type in capitals', () => {
    const one = { ID: 'a:b:c::', name: 'a', sampleType: 'b', sampleUnit: 'c', periodType: '', periodUnit: '' }
    expect(text(codecOf(types.PROFILE_TYPE, 'type').encodeJson(one))).toBe(
      '{"ID":"a:b:c::","name":"a","sampleType":"b","sampleUnit":"c"}',
    )
  })
})

test('google.v1.Profile survives JSON and protobuf', () => {
  const message = pprofMessage({
    types: CPU_TYPES,
    stacks: { 'main;run': [-(2n ** 63n), 2n ** 63n - 1n] },
    time: 5n,
    period: ['cpu', 'nanoseconds', 7n],
  })
  expect(googleProfile.decode(googleProfile.encode(message))).toEqual(message)
  expect(googleProfile.decodeJson(googleProfile.encodeJson(message))).toEqual(message)
})

test('no message uses a field number twice', () => {
  const all = [google, pushing, querying, types].flatMap(module => Object.values(module) as unknown[])
  const messages = all.filter(
    (one): one is Message => typeof one === 'object' && one !== undefined && 'fields' in (one as object),
  )
  expect(messages.length).toBeGreaterThan(40)
  for (const { name, fields } of messages) {
    const numbers = Object.values(fields).map(({ number }) => number)
    expect([name, new Set(numbers).size]).toEqual([name, numbers.length])
  }
})
