import { describe, expect, test } from 'vitest'
import type { Generation } from './schema.ts'
import { GENERATIONS, ROOT, jsonName, messageOf, parseGeneration, schemaOf } from './schema.ts'

function fieldsOf(generation: Generation, message: string): Record<string, number> {
  const { fields } = messageOf(schemaOf(generation), message)
  return Object.fromEntries(fields.map(({ name, number }) => [name, number]))
}

describe.each(GENERATIONS)('the schema of %s', generation => {
  const schema = schemaOf(generation)

  test('has unique field numbers and only known types', () => {
    for (const { name, fields, byNumber } of schema.values()) {
      expect([name, byNumber.size]).toEqual([name, fields.length])
      for (const field of fields) {
        expect(field.scalar !== undefined || schema.has(field.type), `${name}.${field.name}: ${field.type}`).toBe(true)
        expect(field.number, `${name}.${field.name}`).toBeGreaterThan(0)
      }
    }
  })

  test('contains the messages reachable from the root', () => {
    expect(schema.has(ROOT)).toBe(true)
    expect(schema.has('Resource')).toBe(true)
    expect(schema.has('Sample')).toBe(true)
  })
})

// The changes between releases. Each of them breaks readers of the previous release.
test('Sample has the field numbers of each generation', () => {
  expect(fieldsOf('v1.11', 'Sample')).toEqual({
    stack_index: 1,
    attribute_indices: 2,
    link_index: 3,
    values: 4,
    timestamps_unix_nano: 5,
  })
  const middle = { stack_index: 1, values: 2, attribute_indices: 3, link_index: 4, timestamps_unix_nano: 5 }
  expect(fieldsOf('v1.9', 'Sample')).toEqual(middle)
  expect(fieldsOf('v1.8', 'Sample')).toEqual(middle)
  const old = {
    locations_start_index: 1,
    locations_length: 2,
    value: 3,
    attribute_indices: 4,
    link_index: 5,
    timestamps_unix_nano: 6,
  }
  for (const generation of ['v1.4', 'v1.5', 'v1.6', 'v1.7'] as const) {
    expect(fieldsOf(generation, 'Sample')).toEqual(old)
  }
  expect(fieldsOf('v1.3', 'Sample')).toMatchObject({ location_index: 1, value: 2, link: 12, timestamps_unix_nano: 13 })
})

test('Profile has the field numbers of each generation', () => {
  const v1_9 = fieldsOf('v1.9', 'Profile')
  expect(v1_9).toMatchObject({ samples: 2, time_unix_nano: 3, profile_id: 7, attribute_indices: 11 })
  expect(fieldsOf('v1.11', 'Profile')).toEqual(v1_9)
  const v1_8 = fieldsOf('v1.8', 'Profile')
  expect(v1_8).toMatchObject({ sample: 2, comment_strindices: 7, profile_id: 8, attribute_indices: 12 })
  expect(v1_8).not.toHaveProperty('samples')
  expect(fieldsOf('v1.6', 'Profile')).toEqual(fieldsOf('v1.7', 'Profile'))
  expect(fieldsOf('v1.7', 'Profile')).toMatchObject({ location_indices: 3, profile_id: 10, attribute_indices: 14 })
  expect(fieldsOf('v1.4', 'Profile')).toMatchObject({ attributes: 18, string_table: 10 })
  expect(fieldsOf('v1.4', 'Profile')).not.toHaveProperty('attribute_indices')
  expect(fieldsOf('v1.5', 'Profile')).toMatchObject({ attribute_indices: 22 })
  expect(fieldsOf('v1.5', 'Profile')).not.toHaveProperty('attributes')
  expect(fieldsOf('v1.3', 'ProfileContainer')).toMatchObject({ start_time_unix_nano: 2, profile: 8 })
})

test('tables move from the profile to the root to the dictionary', () => {
  expect(fieldsOf('v1.5', ROOT)).toEqual({ resource_profiles: 1 })
  expect(fieldsOf('v1.6', ROOT)).toMatchObject({ mapping_table: 2, string_table: 6, attribute_units: 8 })
  expect(fieldsOf('v1.7', ROOT)).toEqual({ resource_profiles: 1, dictionary: 2 })
  expect(fieldsOf('v1.7', 'ProfilesDictionary')).toMatchObject({ attribute_units: 7 })
  expect(fieldsOf('v1.8', 'ProfilesDictionary')).toMatchObject({ stack_table: 7 })
  for (const generation of ['v1.3', 'v1.4', 'v1.5', 'v1.6'] as const) {
    expect(schemaOf(generation).has('ProfilesDictionary')).toBe(false)
  }
})

test('references to the string table came with v1.10', () => {
  expect(fieldsOf('v1.11', 'KeyValue')).toMatchObject({ key_strindex: 3 })
  expect(fieldsOf('v1.11', 'AnyValue')).toMatchObject({ string_value_strindex: 8 })
  expect(fieldsOf('v1.9', 'KeyValue')).toEqual({ key: 1, value: 2 })
  expect(fieldsOf('v1.9', 'AnyValue')).not.toHaveProperty('string_value_strindex')
})

test('tracked fields distinguish zero from absent', () => {
  const tracked = (generation: Generation, message: string): string[] =>
    messageOf(schemaOf(generation), message)
      .fields.filter(field => field.tracked)
      .map(field => field.name)
  expect(tracked('v1.7', 'Sample')).toEqual(['link_index'])
  expect(tracked('v1.7', 'Location')).toEqual(['mapping_index'])
  expect(tracked('v1.8', 'Sample')).toEqual([])
  expect(tracked('v1.3', 'Location')).toEqual([])
  expect(tracked('v1.9', 'AnyValue')).toHaveLength(7)
})

test('parseGeneration accepts known versions and rejects others', () => {
  expect(['v1.9', '1.9', 'v1.9.0', '1.3.2', 'v1.10', '1.10', '1.11.0'].map(parseGeneration)).toEqual([
    'v1.9',
    'v1.9',
    'v1.9',
    'v1.3',
    'v1.11',
    'v1.11',
    'v1.11',
  ])
  for (const wrong of ['', 'v1', 'v1.2', 'v1.12', '1.1', '2.9', 'v1.9x', 'latest']) {
    expect(() => parseGeneration(wrong)).toThrow(RangeError)
  }
})

test('jsonName converts to camelCase', () => {
  expect(jsonName('timestamps_unix_nano')).toBe('timestampsUnixNano')
  expect(jsonName('key')).toBe('key')
})
