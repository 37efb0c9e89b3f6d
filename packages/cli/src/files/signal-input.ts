// Files of traces, logs and metrics, which `inspect`, `validate` and `convert` read besides profiles.
import type { Note } from '@hearth/profile'
import type { SignalContent, SignalKind } from '@hearth/signals'
import { nodeCodecs } from '@hearth/codecs'
import { CliError, aboutFile, shownName } from '../errors.ts'
import type { ReadingOptions } from '../options.ts'
import type { OpenInput } from './open-input.ts'

export interface SignalInput {
  readonly opened: OpenInput
  readonly kind: SignalKind
  readonly content: SignalContent
  /** The number of messages in the file. */
  readonly messages: number
  readonly notes: readonly Note[]
}

/** The formats that may contain a signal other than profiles, by encoding. */
const FORMATS: Readonly<Record<SignalKind['encoding'], string>> = { protobuf: 'otlp', json: 'otlp-json' }

export function formatOfSignal({ encoding }: SignalKind): string {
  return FORMATS[encoding]
}

/** Returns undefined for profiles and unknown content, and if the options name a format of profiles. */
export async function signalKindOf({ bytes }: OpenInput, options: ReadingOptions): Promise<SignalKind | undefined> {
  const { from, generation, labels } = options
  if (generation !== undefined || labels !== undefined) return undefined
  if (from !== undefined && !Object.values(FORMATS).includes(from)) return undefined
  const { signalOf } = await import('@hearth/signals')
  const kind = signalOf(bytes, nodeCodecs)
  return kind === undefined || (from !== undefined && FORMATS[kind.encoding] !== from) ? undefined : kind
}

/** Throws CliError if the file cannot be decoded. */
export async function readSignal(opened: OpenInput, kind: SignalKind, options: ReadingOptions): Promise<SignalInput> {
  const { readSignalFile } = await import('@hearth/signals')
  try {
    const { content, messages, notes } = readSignalFile(opened.bytes, kind, {
      codecs: nodeCodecs,
      lenient: options.lenient,
    })
    return { opened, kind, content, messages, notes: [...opened.faults, ...notes] }
  } catch (error) {
    throw aboutFile(error, opened.file)
  }
}

/** Throws CliError for traces, logs and metrics, which commands about profiles would misread. */
export async function checkProfiles(opened: OpenInput, options: ReadingOptions): Promise<void> {
  const kind = await signalKindOf(opened, options)
  if (kind === undefined) return
  throw new CliError(
    1,
    `${shownName(opened.file)}: contains ${kind.signal}, not profiles`,
    `\`hearth inspect\`, \`hearth validate\` and \`hearth convert\` read ${kind.signal}.`,
  )
}
