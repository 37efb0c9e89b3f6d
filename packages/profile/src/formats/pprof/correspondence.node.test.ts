// docs/pprof-otlp.md names every field of both formats, and the attributes that stand for fields of pprof.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { messageOf, schemaOf } from '../otlp/generations/schema.ts'

const page = readFileSync(new URL('../../../../../docs/pprof-otlp.md', import.meta.url), 'utf8')
const named = new Set([...page.matchAll(/`([\w.]+)(?:\[i\])?`/g)].map(([, name]) => name))

/** perftools.profiles, as of google/pprof. */
const PPROF: Readonly<Record<string, readonly string[]>> = {
  Profile: [
    'sample_type',
    'sample',
    'mapping',
    'location',
    'function',
    'string_table',
    'drop_frames',
    'keep_frames',
    'time_nanos',
    'duration_nanos',
    'period_type',
    'period',
    'comment',
    'default_sample_type',
    'doc_url',
  ],
  ValueType: ['type', 'unit'],
  Sample: ['location_id', 'value', 'label'],
  Label: ['key', 'str', 'num', 'num_unit'],
  Mapping: [
    'id',
    'memory_start',
    'memory_limit',
    'file_offset',
    'filename',
    'build_id',
    'has_functions',
    'has_filenames',
    'has_line_numbers',
    'has_inline_frames',
  ],
  Location: ['id', 'mapping_id', 'address', 'line', 'is_folded'],
  Line: ['function_id', 'line', 'column'],
  Function: ['id', 'name', 'system_name', 'filename', 'start_line'],
}

const OTLP = ['Profile', 'ValueType', 'Sample', 'Mapping', 'Stack', 'Location', 'Line', 'Function', 'Link'] as const

describe('docs/pprof-otlp.md', () => {
  it('names every field of pprof', () => {
    const fields = Object.entries(PPROF).flatMap(([message, names]) => names.map(name => `${message}.${name}`))
    expect(fields.filter(field => !named.has(field))).toEqual([])
  })

  it('names every field of OTLP profiles', () => {
    const schema = schemaOf('v1.11')
    const fields = OTLP.flatMap(name => messageOf(schema, name).fields.map(field => `${name}.${field.name}`))
    expect(fields.filter(field => !named.has(field))).toEqual([])
  })

  it('names the attributes that stand for fields of pprof, and no others', () => {
    const known: readonly string[] = Object.values(ATTRIBUTES)
    const ofPprof = (name: string): boolean => /^(?:hearth\.)?pprof\./.test(name)
    expect(known.filter(name => ofPprof(name) && !named.has(name))).toEqual([])
    const attributes = [...named].filter(name => ofPprof(name) || /^(?:process|profile)\./.test(name))
    expect(attributes.filter(name => !known.includes(name))).toEqual([])
  })
})
