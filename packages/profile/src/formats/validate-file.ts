// Validates the content of a file by the rules of its own format and generation, with the field names of the file.
//
//   OTLP v1.8 and later   the raw message, and if its references are valid also the model, whose paths are the same
//   OTLP up to v1.7       the raw message; the rules of later generations do not apply
//   OTEP 0239             the raw message, as v1.3
//   other drafts          the model without SHOULDs, which are about the dictionary that the reader built
//   all others            the model that they are converted to
import type { Problem, ValidateOptions } from '../model/validate/validate.ts'
import { DEFAULT_LIMIT, validate } from '../model/validate/validate.ts'
import { FILE_RULES } from '../model/validate/rules.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import type { Codecs } from '../wire/compression/compression.ts'
import { isPprof } from './otep239/pprof-ids.ts'
import { rootOf, wrapped } from './otep239/root.ts'
import type { FormatError } from './format.ts'
import { framesOf } from './otlp/frames.ts'
import { messageIn, messagesOf } from './otlp/generations/message-fields.ts'
import type { Generation } from './otlp/generations/schema.ts'
import { ROOT, parseGeneration } from './otlp/generations/schema.ts'
import type { Message } from './otlp/generations/schema-reader.ts'
import { SchemaReader } from './otlp/generations/schema-reader.ts'
import { sniffGeneration } from './otlp/generations/sniff.ts'
import { isCurrent } from './otlp/lenient/reference-rules.ts'
import { checkRaw } from './otlp/validate/raw-check.ts'
import { spelling, toProtobuf } from './otlp-json/lenient/to-protobuf.ts'
import { WireError } from '../wire/protobuf/wire-error.ts'

export interface ValidateFileOptions extends ValidateOptions {
  /** The name of the format, as detected or given. */
  readonly format: string
  readonly generation?: string
  readonly codecs?: Codecs
}

/** Former drafts whose rules the readers check. */
const DRAFTS: ReadonlySet<string> = new Set(['arrays-draft', 'events', 'events-text'])

const FILE_RULE_IDS: ReadonlySet<string> = new Set(FILE_RULES.map(({ id }) => id))

/** The raw problems of a file, and whether all its messages have the layout of the model. */
interface RawResult {
  readonly problems: readonly Problem[]
  readonly isCurrent: boolean
}

/** `read` is what the reader made of the content: profiles, or the error that ended it. Problems come in the order of rules. */
export function validateFile(
  content: Uint8Array,
  read: Profiles | FormatError,
  options: ValidateFileOptions,
): readonly Problem[] {
  const raw = rawProblems(content, options)
  const isReadable = !(read instanceof Error)
  if (raw === undefined) {
    if (!isReadable) return [decodingProblem(read)]
    return validate(read, { ...options, strict: options.strict === true && !DRAFTS.has(options.format) })
  }
  const isSound = raw.problems.every(({ rule }) => rule !== 'reference-range' && rule !== 'decodable')
  if (isReadable && raw.isCurrent && isSound) {
    return [...raw.problems.filter(({ rule }) => FILE_RULE_IDS.has(rule)), ...validate(read, options)]
  }
  return isReadable || raw.problems.length > 0 ? raw.problems : [decodingProblem(read)]
}

function decodingProblem({ path, message }: FormatError): Problem {
  return { path, rule: 'decodable', level: 'must', message }
}

/** Returns undefined for formats that have no raw rules. Throws FormatError if frames cannot be read. */
function rawProblems(content: Uint8Array, options: ValidateFileOptions): RawResult | undefined {
  if (options.format === 'otlp') return otlpProblems(content, options)
  if (options.format === 'otlp-json') return jsonProblems(content, options)
  return options.format === 'otep239' ? otepProblems(content, options) : undefined
}

function otlpProblems(
  content: Uint8Array,
  { generation, codecs, limit = DEFAULT_LIMIT, strict = false }: ValidateFileOptions,
): RawResult {
  const wanted = generation === undefined ? undefined : parseGeneration(generation)
  const frames = framesOf(content, 'otlp', { codecs, notes: undefined })
  const generations = frames.map(({ bytes, from, to }) => wanted ?? sniffGeneration(bytes, from, to).generation)
  const problems = frames.flatMap(({ bytes, from, to }, i) =>
    within(frames.length > 1 ? `message[${i}].` : '', checkRaw(bytes, from, to, generations[i], { limit, strict })),
  )
  return { problems, isCurrent: generations.every(isCurrent) }
}

function jsonProblems(
  content: Uint8Array,
  { generation, codecs, limit = DEFAULT_LIMIT, strict = false }: ValidateFileOptions,
): RawResult | undefined {
  const wanted = generation === undefined ? undefined : parseGeneration(generation)
  const found: (readonly Problem[])[] = []
  const generations: Generation[] = []
  for (const frame of framesOf(content, 'otlp-json', { codecs, notes: undefined })) {
    for (let from = frame.from; from < frame.to;) {
      const converted = toProtobuf({ ...frame, from }, wanted)
      if (converted === undefined) return undefined
      const { bytes } = converted
      const spell = spelling(converted)
      generations.push(converted.textGeneration)
      // The protobuf has the layout of v1.8, but the rules of v1.8 apply only if the text is v1.8 too.
      const problems = checkRaw(bytes, 0, bytes.length, converted.generation, { limit, strict }).filter(
        ({ rule }) =>
          rule !== 'attribute-key-empty' &&
          (rule !== 'temporality-unspecified' || converted.generation === converted.textGeneration),
      )
      found.push(problems.map(problem => ({ ...problem, path: spell(problem.path) })))
      from = converted.to
    }
  }
  const problems = found.flatMap((each, i) => within(found.length > 1 ? `message[${i}].` : '', each))
  return { problems, isCurrent: generations.every(isCurrent) }
}

function otepProblems(content: Uint8Array, { limit = DEFAULT_LIMIT, strict = false }: ValidateFileOptions): RawResult {
  const root = rootOf(content)
  const { bytes, prefix } = wrapped(content, root)
  const skipsReferences = root === 'Profile' && isPprofFile(bytes)
  const problems = checkRaw(bytes, 0, bytes.length, 'v1.3', { limit, strict, skipsReferences })
  // The envelope that `wrapped` adds has no fields, so its problems are not those of the file.
  const own = problems
    .filter(({ path }) => path.startsWith(prefix) && (root !== 'Profile' || path.startsWith(`${prefix}.`)))
    .map(problem => ({ ...problem, path: problem.path.slice(prefix.length).replace(/^\./, '') }))
  return { problems: prefix === '' ? problems : own, isCurrent: false }
}

/** Whether the references of a bare profile are the ids of pprof. */
function isPprofFile(bytes: Uint8Array): boolean {
  try {
    const root = new SchemaReader(bytes, 'v1.3', { lazy: true }).read(ROOT)
    const [resource] = messagesOf(root, 'resource_profiles')
    const [scope] = messagesOf(resource, 'scope_profiles')
    const [container] = messagesOf(scope, 'profiles')
    const profile: Message | undefined = messageIn(container, 'profile')
    return profile !== undefined && isPprof(profile)
  } catch (error) {
    if (error instanceof WireError) return false
    throw error
  }
}

function within(prefix: string, problems: readonly Problem[]): readonly Problem[] {
  return prefix === '' ? problems : problems.map(problem => ({ ...problem, path: prefix + problem.path }))
}
