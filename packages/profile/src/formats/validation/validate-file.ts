// Validates the content of a file by the rules of its own format and generation, with the field names of the file.
//
//   OTLP v1.8 and later           the raw message, and if its references are valid also the model, which has the same rows
//   OTLP up to v1.7, the drafts   the raw message; the rules of later generations do not apply
//   all others                    the MUSTs of the model; its SHOULDs are about tables that the reader built
import type { Problem, ValidateOptions } from '../../model/validate/validate.ts'
import { DEFAULT_LIMIT, validate } from '../../model/validate/validate.ts'
import { FILE_RULES } from '../../model/validate/rules.ts'
import type { StringIndex } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { Codecs } from '../../wire/compression/compression.ts'
import { WireError } from '../../wire/wire-error.ts'
import { encodeText } from '../events-text/encode.ts'
import { FormatError, NoteList } from '../format.ts'
import { isPprof } from '../otep239/pprof-ids.ts'
import { rootOf, wrapped } from '../otep239/root.ts'
import { spelling, toProtobuf } from '../otlp-json/lenient/to-protobuf.ts'
import { framesOf } from '../otlp/frames.ts'
import { messageIn, messagesOf } from '../otlp/generations/message-fields.ts'
import type { Generation } from '../otlp/generations/schema.ts'
import { ROOT, jsonName, parseGeneration } from '../otlp/generations/schema.ts'
import { SchemaReader } from '../otlp/generations/schema-reader.ts'
import { sniffGeneration } from '../otlp/generations/sniff.ts'
import { isCurrent } from '../otlp/lenient/reference-rules.ts'
import { readMessage } from '../otlp/read.ts'
import { arraysDialect } from './arrays-dialect.ts'
import type { Dialect } from './dialect.ts'
import { eventsDialect, respelled } from './events-dialect.ts'
import { jsonDialect, otlpDialect } from './otlp-dialect.ts'
import { checkRaw } from './raw-check.ts'

export interface ValidateFileOptions extends ValidateOptions {
  /** The name of the format, as detected or given. */
  readonly format: string
  readonly generation?: string
  readonly codecs?: Codecs
}

const FILE_RULE_IDS: ReadonlySet<string> = new Set(FILE_RULES.map(({ id }) => id))

/** Space, tab, line feed and carriage return. */
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** One message of a file, as protobuf. */
interface RawMessage {
  readonly bytes: Uint8Array
  readonly dialect: Dialect
  /** The generation by whose rules the model is checked too. Undefined if the model has other rows. */
  readonly modelGeneration?: Generation
  readonly skipsReferences?: boolean
  /** Whether a part was too broken to be converted to protobuf. */
  readonly isPartial?: boolean
  /** Converts a problem of the protobuf. Returns undefined if it is not a problem of the file. */
  readonly own?: (problem: Problem) => Problem | undefined
  /** Converts a path of the model. */
  readonly spellModel?: (path: string) => string
}

/** `read` is what the reader made of the content: profiles, or the error that ended it. Each message has its own problems. */
export function validateFile(
  content: Uint8Array,
  read: Profiles | FormatError,
  options: ValidateFileOptions,
): readonly Problem[] {
  const error = read instanceof Error ? read : undefined
  const messages = rawMessages(content, options)
  if (messages === undefined) {
    return read instanceof Error ? [decodingProblem(read)] : validate(read, { ...options, strict: false })
  }
  const problems = messages.flatMap((message, i) => {
    const found = messageProblems(message, messages.length === 1 ? read : undefined, options)
    return messages.length === 1 ? found : within(`message[${i}].`, found)
  })
  const isExplained = problems.length > 0 && messages.every(({ isPartial }) => isPartial !== true)
  return error === undefined || isExplained ? problems : [decodingProblem(error), ...problems]
}

function decodingProblem({ path, message }: FormatError): Problem {
  return { path, rule: 'decodable', level: 'must', message }
}

function messageProblems(
  message: RawMessage,
  read: Profiles | FormatError | undefined,
  options: ValidateFileOptions,
): readonly Problem[] {
  const { bytes, dialect, modelGeneration, own, skipsReferences = false, spellModel = path => path } = message
  const { limit = DEFAULT_LIMIT, strict = false } = options
  const found = checkRaw(bytes, dialect, { limit, strict, skipsReferences })
  const raw = own === undefined ? found : found.flatMap(problem => own(problem) ?? [])
  const isSound = found.every(({ rule }) => rule !== 'reference-range' && rule !== 'decodable')
  const profiles = isSound && modelGeneration !== undefined ? (read ?? modelOf(bytes, modelGeneration)) : undefined
  if (profiles === undefined || profiles instanceof Error) return raw
  const inModel = validate(profiles, options)
  const inFile = modelGeneration === 'next' ? inModel.filter(problem => !isPayloadFormat(problem, profiles)) : inModel
  const ofModel = inFile.map(problem => ({ ...problem, path: spellModel(problem.path) }))
  return [...raw.filter(({ rule }) => FILE_RULE_IDS.has(rule)), ...ofModel]
}

/** The next generation refers to the formats of original payloads by index. The model has their texts, so the rows look unused. */
function isPayloadFormat({ rule, path }: Problem, { dictionary, profiles }: Profiles): boolean {
  const row = /^dictionary\.string_table\[(\d+)\]$/.exec(path)?.[1]
  if (rule !== 'dictionary-orphan' || row === undefined) return false
  const text = dictionary.strings.text(Number(row) as StringIndex)
  for (let i = 0; i < profiles.length; i++) if (profiles.originalPayloadFormat(i) === text) return true
  return false
}

function modelOf(bytes: Uint8Array, generation: Generation): Profiles | undefined {
  try {
    return readMessage({ bytes, from: 0, to: bytes.length }, generation, new NoteList(), '')
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Returns undefined for formats that have no raw rules. Throws FormatError if frames cannot be read. */
function rawMessages(content: Uint8Array, options: ValidateFileOptions): readonly RawMessage[] | undefined {
  switch (options.format) {
    case 'otlp':
      return otlpMessages(content, options)
    case 'otlp-json':
      return jsonMessages(content, options)
    case 'otep239':
      return [otepMessage(content)]
    case 'arrays-draft':
      return [{ bytes: content, dialect: arraysDialect(content, options.generation) }]
    case 'events':
      return [{ bytes: content, dialect: eventsDialect }]
    case 'events-text':
      return eventsText(content)
    default:
      return undefined
  }
}

function otlpMessages(content: Uint8Array, { generation, codecs }: ValidateFileOptions): readonly RawMessage[] {
  const wanted = generation === undefined ? undefined : parseGeneration(generation)
  return framesOf(content, 'otlp', { codecs, notes: undefined }).map(({ bytes, from, to }) => {
    const own = wanted ?? sniffGeneration(bytes, from, to).generation
    const message = { bytes: bytes.subarray(from, to), dialect: otlpDialect(own) }
    return isCurrent(own) ? { ...message, modelGeneration: own, spellModel: path => namedAs(own, path) } : message
  })
}

/** Spells a path of the model as a generation does: v1.8 and the next generation name two fields otherwise. */
function namedAs(generation: Generation, path: string): string {
  if (generation === 'v1.8') return path.replace(/\b(sample|line)s(?=\[)/g, '$1')
  if (generation !== 'next') return path
  return path
    .replace(/\.original_payload$/, '.original_payload_indices')
    .replace(/\.original_payload_format$/, '$&_strindices')
}

function jsonMessages(
  content: Uint8Array,
  { generation, codecs }: ValidateFileOptions,
): readonly RawMessage[] | undefined {
  const wanted = generation === undefined ? undefined : parseGeneration(generation)
  const messages: RawMessage[] = []
  for (const frame of framesOf(content, 'otlp-json', { codecs, notes: undefined })) {
    for (let from = afterSpace(frame.bytes, frame.from, frame.to); from < frame.to;) {
      const converted = toProtobuf({ ...frame, from }, wanted)
      if (converted === undefined) return undefined
      const { bytes, generation: layout, textGeneration, known } = converted
      const spell = spelling(converted)
      messages.push({
        bytes,
        dialect: jsonDialect(layout),
        isPartial: [known.resources, known.scopes, known.profiles].some(({ size }) => size > 0),
        // The protobuf has the layout of v1.8, but the rules of v1.8 apply only if the text is v1.8 too.
        own: problem =>
          problem.rule === 'temporality-unspecified' && layout !== textGeneration
            ? undefined
            : { ...problem, path: spell(problem.path) },
        ...(isCurrent(layout)
          ? { modelGeneration: layout, spellModel: path => jsonName(namedAs(textGeneration, path)) }
          : {}),
      })
      from = afterSpace(frame.bytes, converted.to, frame.to)
    }
  }
  return messages
}

/** Text files often end with a line break, which is not a message. */
function afterSpace(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && SPACE.has(bytes[at])) at++
  return at
}

function otepMessage(content: Uint8Array): RawMessage {
  const root = rootOf(content)
  const { bytes, prefix } = wrapped(content, root)
  return {
    bytes,
    dialect: otlpDialect('v1.3'),
    skipsReferences: root === 'Profile' && isPprofFile(bytes),
    // The envelope that `wrapped` adds has no fields, so its problems are not those of the file.
    own: problem => {
      const { path } = problem
      if (prefix === '') return problem
      if (!path.startsWith(prefix) || (root === 'Profile' && !path.startsWith(`${prefix}.`))) return undefined
      return { ...problem, path: path.slice(prefix.length).replace(/^\./, '') }
    },
  }
}

/** Whether the references of a bare profile are the ids of pprof. */
function isPprofFile(bytes: Uint8Array): boolean {
  try {
    const root = new SchemaReader(bytes, 'v1.3', { lazy: true }).read(ROOT)
    const [resource] = messagesOf(root, 'resource_profiles')
    const [scope] = messagesOf(resource, 'scope_profiles')
    const [container] = messagesOf(scope, 'profiles')
    const profile = messageIn(container, 'profile')
    return profile !== undefined && isPprof(profile)
  } catch (error) {
    if (error instanceof WireError) return false
    throw error
  }
}

/** Returns undefined for a text that cannot be parsed. */
function eventsText(content: Uint8Array): readonly RawMessage[] | undefined {
  try {
    const { bytes, otherNames } = encodeText(content, false)
    const own = (problem: Problem): Problem => ({ ...problem, path: respelled(problem.path, otherNames) })
    return [{ bytes, dialect: eventsDialect, own }]
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
}

function within(prefix: string, problems: readonly Problem[]): readonly Problem[] {
  return problems.map(problem => ({ ...problem, path: prefix + problem.path }))
}
