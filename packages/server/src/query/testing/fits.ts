// A plain second implementation of selectors, in memory, for comparison.
import type { AnyValue } from '@hearth/profile'
import type { Matcher, Selector, StackPredicate, ValueMatcher } from '../selector/selector.ts'
import { builtInKey } from '../selector/selector.ts'
import type { PlainFrame, PlainProfile, PlainSample } from './plain-profiles.ts'

interface PlainRange {
  readonly from: bigint
  readonly to: bigint
}

/** The selected samples of profiles that begin in the range. */
export function matchingSamples(
  profiles: readonly PlainProfile[],
  selector: Selector,
  { from, to }: PlainRange,
): PlainSample[] {
  return profiles
    .filter(profile => profile.time >= from && profile.time < to)
    .flatMap(profile => profile.samples.filter(sample => fits(profile, sample, selector)))
}

export function fits(
  profile: PlainProfile,
  sample: PlainSample,
  { profileType, matchers, predicates }: Selector,
): boolean {
  if (profileType !== undefined && profileType.type !== profile.type) return false
  return (
    matchers.every(matcher => holds(profile, sample, matcher)) &&
    predicates.every(predicate => predicate.negated !== hasFrame(sample.frames, predicate))
  )
}

function holds(profile: PlainProfile, sample: PlainSample, matcher: Matcher): boolean {
  const values = valuesOf(profile, sample, matcher)
  if (matcher.kind === 'presence') return matcher.present === values.length > 0
  const negative = matcher.operator === '!=' || matcher.operator === '!~'
  return negative !== values.some(value => compares(value, matcher))
}

function valuesOf(profile: PlainProfile, sample: PlainSample, matcher: Matcher): AnyValue[] {
  const { level, key } = matcher
  const set = (text: string | undefined): AnyValue[] => (text === undefined || text === '' ? [] : [text])
  switch (builtInKey(matcher)) {
    case 'scope.name':
      return set(profile.scope.name)
    case 'scope.version':
      return set(profile.scope.version)
    case 'trace.id':
      return set(sample.link?.[0])
    case 'span.id':
      return set(sample.link?.[1])
    case 'profile.id':
      return set(Buffer.from(profile.id ?? []).toString('hex'))
    case undefined:
  }
  const levels = {
    resource: profile.resource,
    scope: profile.scope.attributes,
    profile: profile.attributes,
    sample: sample.attributes ?? {},
  }
  const looked = level === undefined ? Object.values(levels) : [levels[level]]
  return looked.filter(attributes => key in attributes).map(attributes => attributes[key])
}

function compares(value: AnyValue, { operator, value: literal }: ValueMatcher): boolean {
  if (typeof value === 'object' || value === undefined) return false
  if (typeof literal === 'string') {
    const text = String(value)
    if (operator === '=~' || operator === '!~') return new RegExp(`^(?:${literal})$`, 's').test(text)
    return text === literal
  }
  if (typeof literal === 'boolean') return value === literal
  if (typeof value !== 'bigint' && typeof value !== 'number') return false
  // Bigints and numbers compare by value with these operators.
  const [less, greater] = [value < literal, value > literal]
  switch (operator) {
    case '<':
      return less
    case '<=':
      return !greater
    case '>':
      return greater
    case '>=':
      return !less
    case '=':
    case '!=':
    case '=~':
    case '!~':
      return !less && !greater
  }
}

function hasFrame(frames: readonly PlainFrame[], predicate: StackPredicate): boolean {
  const looked =
    predicate.place === 'frame' ? frames : predicate.place === 'from' ? frames.slice(0, 1) : frames.slice(-1)
  return looked.some(frame => {
    const text = fieldOf(frames, frame, predicate)
    if (text === undefined || text === '') return false
    if (predicate.file !== undefined && predicate.file !== frame.file) return false
    return predicate.regex ? new RegExp(`^(?:${predicate.value})$`, 's').test(text) : text === predicate.value
  })
}

function fieldOf(frames: readonly PlainFrame[], frame: PlainFrame, { field }: StackPredicate): string | undefined {
  switch (field) {
    case 'name':
      return frame.name
    case 'file':
      return frame.file
    case 'system_name':
      return undefined
    case 'mapping':
      return outermost(frames, frame).mapping
    case 'type':
      return outermost(frames, frame).type
  }
}

/** The frame into which a frame was inlined. They share the location's mapping and type. */
function outermost(frames: readonly PlainFrame[], frame: PlainFrame): PlainFrame {
  let at = frames.indexOf(frame)
  while (at > 0 && frames[at].inlined === true) at--
  return frames[at]
}
