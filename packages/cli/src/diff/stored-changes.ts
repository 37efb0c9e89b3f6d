// The sides of a comparison that a server keeps: two of them are compared there, one is fetched to be compared with a file.
import type { DiffResponse, DiffRequest, HearthClient } from '@hearth/client'
import { readProfile } from '@hearth/profile'
import type { ChangedFrames } from './changed-frames.ts'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'
import type { Input } from '../files/input.ts'
import { nothingAdvice, printNothingFound } from '../remote/nothing-found.ts'
import type { FrameOptions } from '../options.ts'
import { remoteChanges } from './remote-changes.ts'
import type { RemoteOptions } from '../remote/remote.ts'
import { aboutServer, connect, isNotFound } from '../remote/remote.ts'
import type { StoredRange } from './stored-range.ts'
import { withSymbols } from '../files/symbols.ts'

export interface StoredOptions extends FrameOptions, RemoteOptions {
  readonly server: string
  readonly beforeRange?: StoredRange
  readonly afterRange?: StoredRange
  readonly exact?: boolean
  readonly normalise?: boolean
}

export interface StoredSides {
  /** The same as after where undefined. */
  readonly before: string | undefined
  readonly after: string
}

/** Of a call tree; what is smaller than the largest of these matters to no sum that is shown. */
const NODES = 200_000

const MIXED = {
  'mixed-types': 'Begin each selector with a type, as cpu; two types can be compared with --normalise.',
  'mixed-units': 'Name the unit too, as cpu:ns; two units can be compared with --normalise.',
}

export async function storedChanges(
  sides: StoredSides,
  options: StoredOptions,
  context: Context,
): Promise<ChangedFrames> {
  const client = await connect(options.server, '--server', options, context)
  const request = requestOf(sides, options)
  let answer: DiffResponse
  try {
    answer = await context.progress.during(`asking ${client.server}`, client.ask('diff', request))
  } catch (error) {
    const selector = await wrongOne(client, sides, request, error)
    throw aboutServer(error, { option: '--server', selector, advice: MIXED })
  }
  const { before, after } = answer
  if (before.profiles === 0) await sayEmpty(client, 'before', request.beforeFrom, request.beforeTo, context)
  if (after.profiles === 0) await sayEmpty(client, 'after', request.from, request.to, context)
  return remoteChanges(answer, options)
}

function requestOf({ before, after }: StoredSides, options: StoredOptions): DiffRequest {
  const { by, inlined, normalise = false, afterRange, beforeRange } = options
  // Two selectors are compared in the same range unless another is asked for.
  const was = beforeRange ?? (before === undefined ? undefined : (afterRange ?? { from: 'now-1h', to: undefined }))
  const wasTo = was?.to ?? (beforeRange === undefined && was !== undefined ? (afterRange?.to ?? 'now') : undefined)
  return {
    selector: after,
    ...(afterRange === undefined ? {} : { from: afterRange.from }),
    ...(afterRange?.to === undefined ? {} : { to: afterRange.to }),
    ...(before === undefined ? {} : { beforeSelector: before }),
    ...(was === undefined ? {} : { beforeFrom: was.from }),
    ...(wasTo === undefined ? {} : { beforeTo: wasTo }),
    by,
    inlined,
    normalise,
    ...(options.exact === true ? { exact: true } : {}),
    nodes: NODES,
  }
}

/** The selector that a position in an error is about: the server refuses it by itself with the same words. */
async function wrongOne(
  client: HearthClient,
  { before, after }: StoredSides,
  { beforeFrom, beforeTo }: DiffRequest,
  error: unknown,
): Promise<string> {
  if (before === undefined || !(error instanceof Error)) return after
  const range = {
    ...(beforeFrom === undefined ? {} : { from: beforeFrom }),
    ...(beforeTo === undefined ? {} : { to: beforeTo }),
  }
  try {
    await client.ask('services', { selector: before, ...range })
    return after
  } catch (again) {
    return again instanceof Error && again.message === error.message ? before : after
  }
}

async function sayEmpty(
  client: HearthClient,
  about: 'before' | 'after',
  from: string | undefined,
  to: string | undefined,
  context: Context,
): Promise<void> {
  // Where the server works out the range, it is not known here.
  const range = about === 'before' && (from === undefined || to === undefined) ? undefined : { from, to }
  await printNothingFound(client, { about, range, option: `--${about}-range` }, context)
}

/** What is selected as if it had been a file, for a comparison with one. */
export async function storedInput(
  selector: string,
  side: 'before' | 'after',
  options: StoredOptions,
  context: Context,
): Promise<Input> {
  const client = await connect(options.server, '--server', options, context)
  const range = side === 'before' ? options.beforeRange : options.afterRange
  const request = {
    selector,
    ...(range === undefined ? {} : { from: range.from }),
    ...(range?.to === undefined ? {} : { to: range.to }),
    ...(options.exact === true ? { exact: true } : {}),
  }
  try {
    const { bytes } = await context.progress.during(`fetching from ${client.server}`, client.export(request))
    const { format, confidence, generation, profiles, notes } = readProfile(bytes, { format: 'otlp' })
    return {
      file: selector,
      size: bytes.length,
      compression: 'none',
      contentSize: bytes.length,
      format: format.name,
      confidence,
      generation,
      profiles: withSymbols(profiles, options),
      notes,
    }
  } catch (error) {
    if (isNotFound(error)) {
      const advice = await nothingAdvice(client, range ?? {}, `--${side}-range`)
      throw new CliError(1, `${selector}: no profiles are selected`, advice, { cause: error })
    }
    throw aboutServer(error, { option: '--server', selector })
  }
}
