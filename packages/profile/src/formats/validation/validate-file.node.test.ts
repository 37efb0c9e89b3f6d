// Converts every fixture, and real recordings if there are some, to each format, and validates the result.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAX_UINT64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ALL_RULES } from '../../model/validate/rules.ts'
import { validate } from '../../model/validate/validate.ts'
import { CompressionError } from '../../wire/compression/compression.ts'
import { conforming } from '../conforming.ts'
import { FormatError } from '../format.ts'
import { UnknownFormatError, readProfile } from '../read-profile.ts'
import { formats } from '../registry.ts'
import { corpus } from '../testing/corpora.node.ts'
import { fixturesOf } from '../testing/fixtures-of.ts'
import { writeProfile } from '../write-profile.ts'
import { BREAKS, CURRENT } from './testing/breaks.ts'
import { MODEL_BREAKS } from './testing/model-breaks.ts'
import { validateFile } from './validate-file.ts'
import type { Generation } from '../otlp/generations/schema.ts'

/**
 * Rules about content that a file keeps from its input: an input without build ids, units or times has none afterwards. All
 * other rules must hold in every converted file.
 */
const CONTENT_RULES: ReadonlySet<string> = new Set([
  'attribute-type',
  'attribute-unit-ucum',
  'build-id-form',
  'entity-keys',
  'location-address',
  'original-payload-format',
  'profile-id-unique',
  'sample-type',
  'schema-url',
])

/** The time of a file, for formats that require one. */
const FILE_TIME = 1_700_000_000_000_000_000n
const EXACT_FORMATS = ['otlp', 'otlp-json', 'otep239', 'arrays-draft', 'events', 'events-text']

/** Rules of drafts about content that the data model can lack, by whether the input lacks it. */
function lackedBy({ profiles, samples }: Profiles): ReadonlySet<string> {
  const rows = Array.from({ length: profiles.length }, (_, i) => i)
  const ids = rows.map(i => profiles.id(i).join(' '))
  const ends = rows.map(i => profiles.time(i) + profiles.duration(i))
  const lacks: readonly (readonly [rule: string, isLacking: boolean])[] = [
    ['time-missing', ends.some(end => end > MAX_UINT64)],
    ['container-empty', rows.length === 0],
    // Profiles that share an id, but not their samples, are separate containers in OTEP 0239.
    ['profile-id-unique', new Set(ids).size < ids.length],
    // No range has the greatest timestamp before its end.
    ['timestamp-range', samples.timestamps.unsigned().includes(MAX_UINT64)],
    ['list-empty', rows.some(i => profiles.samplesFrom(i) === profiles.samplesTo(i))],
  ]
  return new Set(lacks.flatMap(([rule, isLacking]) => (isLacking ? [rule] : [])))
}

/** The problems that a converted file has although its input does not. */
function ownProblems(
  profiles: Profiles,
  format: string,
  contentRules: ReadonlySet<string>,
  generation?: string,
): string[] {
  const reading = generation === undefined ? {} : { generation }
  const { bytes } = writeProfile(conforming(profiles, format, FILE_TIME).profiles, format, { fresh: true, ...reading })
  const read = readProfile(bytes, { format, ...reading }).profiles
  const inInput = new Set(validate(profiles, { strict: true, limit: 1 }).map(({ rule }) => rule as string))
  const lacks = lackedBy(profiles)
  return validateFile(bytes, read, { format, strict: true, ...reading })
    .filter(({ rule, level }) => level !== 'info' && !(contentRules.has(rule) && inInput.has(rule)) && !lacks.has(rule))
    .map(({ rule, path, message }) => `${format} ${rule} ${path}: ${message}`)
}

describe.each(formats.filter(format => format.read !== undefined))('files converted from $name', format => {
  it('have no problem that their input does not have', () => {
    const found: string[] = []
    for (const { name, bytes } of fixturesOf(format)) {
      const { profiles } = readProfile(bytes, { format: format.name })
      for (const to of EXACT_FORMATS) {
        found.push(...ownProblems(profiles, to, CONTENT_RULES).map(each => `${name}: ${each}`))
      }
      found.push(...ownProblems(profiles, 'otlp', CONTENT_RULES, 'next').map(each => `${name}: next ${each}`))
    }
    expect(found).toEqual([])
  })
})

const FOLDERS = [
  'chrome-trace',
  'cpuprofile',
  'ebpf/c-plain',
  'ebpf/node',
  'ebpf/uprobe',
  'firefox',
  'folded',
  'heapprofile',
]
const MORE_FOLDERS = ['jfr', 'otlp', 'perf-data', 'perf-script', 'pprof', 'pprof-legacy', 'speedscope']
/** Large files take long and have the same kinds of content. */
const FILES_PER_FOLDER = 2

/** The first two files of the folder, by size, that can be read. */
function recordingsIn(folder: string): readonly Profiles[] {
  const bySize = [...(corpus(folder) ?? [])].sort((a, b) => a.bytes.length - b.bytes.length)
  const found: Profiles[] = []
  for (const { name, bytes } of bySize) {
    if (found.length === FILES_PER_FOLDER) break
    try {
      found.push(readProfile(bytes, { fileName: name }).profiles)
    } catch (error) {
      const isUnreadable = [FormatError, UnknownFormatError, CompressionError].some(kind => error instanceof kind)
      if (!isUnreadable) throw error
    }
  }
  return found
}

describe.each([...FOLDERS, ...MORE_FOLDERS])('recordings of %s', folder => {
  it('have no problem after conversion', () => {
    const found = recordingsIn(folder).flatMap(each => EXACT_FORMATS.flatMap(to => ownProblems(each, to, new Set())))
    expect(found).toEqual([])
  })
})

it('docs/validation.md lists every rule with its level, statement and source', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../../docs/validation.md'), 'utf8')
  const listed = text
    .split('\n')
    .flatMap(line => (line.startsWith('| `') ? [line.split(' | ').slice(0, 4).join(' | ')] : []))
  expect(listed).toEqual(
    ALL_RULES.map(({ id, level, title, source }) => `| \`${id}\` | ${level} | ${title} | ${source}`),
  )
})

/** Invalid text is found when the file is decoded. These rules are for profiles that a program builds. */
const MODEL_ONLY: ReadonlySet<string> = new Set(['string-utf8', 'value-malformed'])

describe('the tests of broken rules', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../../docs/validation.md'), 'utf8')
  const rows = text.split('\n').filter(line => line.startsWith('| `'))
  /** The generations of a column: all that `x` stands for. */
  const columns = [
    CURRENT,
    ['v1.4', 'v1.5', 'v1.6', 'v1.7'],
    ['v1.3'],
  ] as const satisfies readonly (readonly Generation[])[]
  const own: Readonly<Record<string, readonly Generation[]>> = { 'v1.8': ['v1.8'], 'v1.10': ['v1.11', 'next'] }

  it.each(rows.map(row => row.split('|').map(cell => cell.trim())))(
    'break %s %s in every generation',
    (_, id, ...cells) => {
      const rule = id.slice(1, -1)
      const generations = columns.flatMap((column, i) => (cells[3 + i] === 'x' ? column : (own[cells[3 + i]] ?? [])))
      const broken = [...BREAKS, ...MODEL_BREAKS].flatMap(each => (each.rule === rule ? each.generations : []))
      expect(MODEL_ONLY.has(rule) ? [] : generations.filter(each => !broken.includes(each))).toEqual([])
    },
  )
})
