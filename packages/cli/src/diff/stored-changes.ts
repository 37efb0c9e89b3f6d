// Comparisons with stored profiles. The server compares two selections.
import type { ChangesResponse, DiffResponse, DiffRequest, HearthClient } from '@hearth/client'
import type { ChangedFrames } from './changed-frames.ts'
import type { Context } from '../context.ts'
import { printNothingFound } from '../remote/nothing-found.ts'
import type { FrameOptions, SnapshotsOption } from '../options.ts'
import { snapshotsOf } from '../options.ts'
import { remoteChanges } from './remote-changes.ts'
import type { RemoteOptions } from '../remote/remote.ts'
import { aboutServer, connect } from '../remote/remote.ts'
import type { StoredRange } from './stored-range.ts'

export interface StoredOptions extends FrameOptions, RemoteOptions, SnapshotsOption {
  readonly server: string
  readonly beforeRange?: StoredRange
  readonly afterRange?: StoredRange
  readonly exact?: boolean
  readonly normalise?: boolean
}

export interface StoredSides {
  /** Undefined means the same selector as `after`. */
  readonly before: string | undefined
  readonly after: string
}

/** The maximum number of call tree nodes. Smaller nodes do not affect any sum that is shown. */
const NODES = 200_000

const MIXED = {
  'mixed-types': 'Start each selector with a type, such as cpu; --normalise compares two types.',
  'mixed-units': 'Add the unit, such as cpu:ns; --normalise compares two units.',
}

export async function storedChanges(
  sides: StoredSides,
  options: StoredOptions,
  context: Context,
): Promise<ChangedFrames> {
  const client = await connect(options.server, '--server', options, context)
  const request = requestOf(sides, options)
  let response: DiffResponse
  try {
    response = await context.progress.during(`querying ${client.server}`, client.query('diff', request))
  } catch (error) {
    const selector = await wrongOne(client, sides, request, error)
    throw aboutServer(error, { option: '--server', selector, advice: MIXED })
  }
  const { before, after } = response
  if (before.profiles === 0) await sayEmpty(client, 'before', request.beforeFrom, request.beforeTo, context)
  if (after.profiles === 0) await sayEmpty(client, 'after', request.from, request.to, context)
  return remoteChanges(response, options, await comparedRanges(client, request, response))
}

/** Undefined if the sides have no significance: one is empty, or they have different types. */
async function comparedRanges(
  client: HearthClient,
  request: DiffRequest,
  { before, after }: DiffResponse,
): Promise<ChangesResponse | undefined> {
  const isComparable = before.profiles > 0 && after.profiles > 0 && before.type === after.type
  if (!isComparable || before.unit !== after.unit || request.exact === true) return undefined
  const { selector, beforeSelector, by, inlined, addresses, snapshots } = request
  // The times that the diff used, so that both see the same profiles.
  const times = { from: after.from, to: after.to, beforeFrom: before.from, beforeTo: before.to }
  return await client.query('changes', {
    ...given({ selector, beforeSelector, by, inlined, addresses, snapshots }),
    ...times,
    limit: 100_000,
  })
}

/** Without the properties that are undefined. */
function given<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never
}

function requestOf({ before, after }: StoredSides, options: StoredOptions): DiffRequest {
  const { by, inlined, addresses = false, normalise = false, afterRange, beforeRange } = options
  // Two selectors have the same range unless another one is given.
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
    addresses,
    normalise,
    ...(options.exact === true ? { exact: true } : {}),
    ...snapshotsOf(options),
    nodes: NODES,
  }
}

/** Finds the selector that the error position refers to: the server rejects it alone with the same message. */
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
    await client.query('services', { selector: before, ...range })
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
  // The range is unknown here if the server computes it.
  const range = about === 'before' && (from === undefined || to === undefined) ? undefined : { from, to }
  await printNothingFound(client, { about, range, option: `--${about}-range` }, context)
}
