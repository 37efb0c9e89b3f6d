// Decodes the body of a request and checks its items. A body that cannot be decoded is refused as a whole. Invalid items are
// rejected, and the rest is accepted.
import type { DictionaryOrigin, KnownSymbols, Profiles } from '@hearth/profile'
import { FormatError, pickProfiles, readOtlp, readOtlpJson, validate, validateFile } from '@hearth/profile'
import type { Codec, UnknownCounts } from '@hearth/signals'
import { logs, metrics, traces } from '@hearth/signals'
import type { Payload, Signal } from '../store/keeper.ts'
import type { ItemLimits } from './check-items.ts'
import { checkedLogs, checkedMetrics, checkedTraces } from './check-items.ts'
import { undecodable } from './refusal.ts'
import type { Rejects } from './rejects.ts'

/** The body of a request as it came over the wire, decompressed. */
export interface EncodedBody {
  readonly signal: Signal
  readonly encoding: 'protobuf' | 'json'
  readonly body: Uint8Array
}

/** A body that is decoded with the symbols of earlier ones. The payload is valid until the next body is decoded. */
interface DecodedBody extends EncodedBody {
  readonly symbols?: KnownSymbols
}

export interface DecodedPayload {
  readonly payload: Payload
  /** The generation of the profiles format; empty for other signals. */
  readonly generation: string
}

/** Generations with rules of their own: their rows are not those of the model. */
const FORMER_GENERATIONS: ReadonlySet<string> = new Set(['v1.3', 'v1.4', 'v1.5', 'v1.6', 'v1.7'])

/** Broken rules are warnings: the first few name the problem. */
const REPORTED_PER_RULE = 3

/** A problem that rejects one of the first profiles is not reported again as a warning. */
const MAX_COMPARED = 100

/** Throws Refusal. */
export function decodePayload(request: DecodedBody, rejects: Rejects): DecodedPayload {
  try {
    return decode(request, rejects)
  } catch (error) {
    if (error instanceof FormatError) throw undecodable(error.message)
    throw error
  }
}

function decode(request: DecodedBody, rejects: Rejects): DecodedPayload {
  const { signal } = request
  switch (signal) {
    case 'profiles':
      return decodeProfiles(request, rejects)
    case 'traces':
      return { payload: { signal, traces: decodeWith(traces, request, rejects) }, generation: '' }
    case 'logs':
      return { payload: { signal, logs: decodeWith(logs, request, rejects) }, generation: '' }
    case 'metrics':
      return { payload: { signal, metrics: decodeWith(metrics, request, rejects) }, generation: '' }
  }
}

function decodeWith<Data>(codec: Codec<Data>, { encoding, body }: EncodedBody, rejects: Rejects): Data {
  const onUnknownFields = ({ kept, dropped }: UnknownCounts): void => rejects.unknownFields(kept, dropped)
  return encoding === 'json' ? codec.decodeJson(body, { onUnknownFields }) : codec.decode(body, { onUnknownFields })
}

function decodeProfiles({ encoding, body, symbols }: DecodedBody, rejects: Rejects): DecodedPayload {
  const read = encoding === 'json' ? readOtlpJson : readOtlp
  const rejected: string[] = []
  const { profiles, generation, notes } = read(body, {
    onRejectedProfile: ({ path, what }) => {
      rejects.add('invalid', path, what)
      if (rejected.length < MAX_COMPARED) rejected.push(`${path}: ${what}`)
    },
    ...(symbols === undefined ? {} : { symbols }),
  })
  const countOf = (wanted: string): number => notes.find(({ code }) => code === wanted)?.count ?? 0
  rejects.unknownFields(countOf('unknown-fields-kept'), countOf('unknown-fields'))
  for (const { code, message, count } of notes) if (code === 'key-twice') rejects.warn('', message, count)
  // An empty request needs no dictionary.
  if (profiles.resources.length > 0) {
    if (FORMER_GENERATIONS.has(generation))
      warnOfFormerProblems({ encoding, body, profiles, generation, rejected }, rejects)
    else warnOfProblems(profiles, rejects)
  }
  return { payload: { signal: 'profiles', profiles }, generation }
}

/** The origins of dictionaries without problems. */
const valid = new WeakSet<DictionaryOrigin>()

function warnOfProblems(profiles: Profiles, rejects: Rejects): void {
  const { origin } = profiles.dictionary
  const skipDictionary = origin !== undefined && valid.has(origin)
  const problems = validate(profiles, { limit: REPORTED_PER_RULE, areReferencesChecked: true, skipDictionary })
  for (const { path, message } of problems) rejects.warn(path, message)
  if (origin !== undefined && problems.length === 0) valid.add(origin)
}

interface FormerBody {
  readonly encoding: 'protobuf' | 'json'
  readonly body: Uint8Array
  readonly profiles: Profiles
  readonly generation: string
  /** The problems for which profiles were rejected, with their paths. */
  readonly rejected: readonly string[]
}

/** The model has no place for what breaks these rules, so they are checked on the body, with the field names of its sender. */
function warnOfFormerProblems(former: FormerBody, rejects: Rejects): void {
  const { encoding, body, profiles, generation, rejected } = former
  const format = encoding === 'json' ? 'otlp-json' : 'otlp'
  for (const { path, message } of validateFile(body, profiles, { format, generation, limit: REPORTED_PER_RULE }))
    if (!rejected.some(problem => problem.includes(path))) rejects.warn(path, message)
}

/** Returns the payload without the items that break a limit or a rule. */
export function checkPayload(payload: Payload, limits: ItemLimits, rejects: Rejects): Payload {
  const { signal } = payload
  switch (signal) {
    case 'profiles':
      return { signal, profiles: withinLimits(payload.profiles, limits, rejects) }
    case 'traces':
      return { signal, traces: checkedTraces(payload.traces, limits, rejects) }
    case 'logs':
      return { signal, logs: checkedLogs(payload.logs, limits, rejects) }
    case 'metrics':
      return { signal, metrics: checkedMetrics(payload.metrics, limits, rejects) }
  }
}

/** Removes profiles with too many attributes: their own, of a sample, or of their resource or scope. */
function withinLimits(all: Profiles, { maxAttributes }: ItemLimits, rejects: Rejects): Profiles {
  const { resources, scopes, profiles } = all
  const good: number[] = []
  for (let r = 0; r < resources.length; r++) {
    const inResource = resources.resource(r).attributes.length
    for (let s = resources.from(r); s < resources.to(r); s++) {
      const inContainers = Math.max(inResource, scopes.scope(s).attributes.length)
      for (let p = scopes.from(s); p < scopes.to(s); p++) {
        const count = Math.max(inContainers, attributesIn(all, p))
        if (count <= maxAttributes) good.push(p)
        else {
          const path = `resource_profiles[${r}].scope_profiles[${s - resources.from(r)}].profiles[${p - scopes.from(s)}]`
          rejects.add('attributes', path, `${count} attributes; the limit is ${maxAttributes} (max-attributes)`)
        }
      }
    }
  }
  return good.length === profiles.length ? all : pickProfiles(all, good)
}

/** The maximum number of attributes of the profile and its samples. */
function attributesIn({ profiles, samples }: Profiles, profile: number): number {
  let max = profiles.attributesTo(profile) - profiles.attributesFrom(profile)
  for (let s = profiles.samplesFrom(profile); s < profiles.samplesTo(profile); s++)
    max = Math.max(max, samples.attributesTo(s) - samples.attributesFrom(s))
  return max
}
