// Removes the frames that a profile's producer marked as uninteresting, for example those of an allocator. A profile names them
// by two expressions, `drop_frames` and `keep_frames`. The result is that of pprof's Profile.RemoveUninteresting.
import { ATTRIBUTES } from '../attributes/semantic-conventions.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { FunctionIndex, LocationIndex, StackIndex } from '../columns/brand.ts'
import type { Dictionary } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, SAMPLE_STRIDE } from '../columns/profiles.ts'
import { carryProfiles } from '../merge/carry-profiles.ts'
import { NamePattern } from './name-pattern.ts'
import { PatternError } from './parse-pattern.ts'

/** Names that contain a parenthesis. Every other parenthesis starts a list of arguments. */
const ARGUMENTS = /\(anonymous namespace\)|operator\(\)|\(/g

export interface PrunedProfiles {
  readonly profiles: Profiles
  /** The number of samples whose stacks became shorter. */
  readonly samples: number
  /** Name expressions that are invalid, too large or too slow. Profiles that have them stay as they are. */
  readonly notes: readonly { readonly code: string; readonly count: number; readonly message: string }[]
}

/** By function row: whether the name matches `drop_frames` and not `keep_frames`. Its frames are removed with those that it called. */
type MatchingFunctions = Uint8Array

/** Drops original payloads of profiles that it changes, because their stacks differ. */
export function pruneFrames(profiles: Profiles): PrunedProfiles {
  const invalid = new Set<string>()
  const rules = profileRules(profiles, invalid)
  if (rules.every(rule => rule === undefined)) return { profiles, samples: 0, notes: notesOf(invalid) }
  const builder = new ProfilesBuilder()
  const { dictionary, draft } = builder
  const transfer = new DictionaryTransfer(profiles.dictionary, dictionary)
  carryProfiles(profiles, transfer, dictionary, draft)
  const pruners = new Map<MatchingFunctions, StackPruner>()
  let pruned = 0
  for (const [profile, rule] of rules.entries()) {
    if (rule === undefined) continue
    let pruner = pruners.get(rule)
    if (pruner === undefined)
      pruners.set(rule, (pruner = new StackPruner(profiles.dictionary, transfer, builder, rule)))
    const to = profiles.profiles.samplesTo(profile)
    for (let i = profiles.profiles.samplesFrom(profile); i < to; i++) {
      const stack = pruner.pruned(profiles.samples.stack(i))
      if (stack === undefined) continue
      draft.samples.array[i * SAMPLE_STRIDE] = stack
      pruned++
    }
    const row = profile * PROFILE_STRIDE
    draft.profiles.array.fill(0, row + ProfileColumn.formatOffset, row + ProfileColumn.payloadLength + 1)
  }
  return { profiles: pruned === 0 ? profiles : builder.build(), samples: pruned, notes: notesOf(invalid) }
}

function notesOf(invalid: ReadonlySet<string>): PrunedProfiles['notes'] {
  const message = 'frames are not dropped, because an expression is invalid or takes too long'
  return Array.from(invalid, source => ({
    code: 'drop-frames',
    count: 1,
    message: `${message}: ${JSON.stringify(source)}`,
  }))
}

/** The functions to remove from each profile. Equal expressions give the same object. */
function profileRules(profiles: Profiles, invalid: Set<string>): readonly (MatchingFunctions | undefined)[] {
  const { attributes, strings } = profiles.dictionary
  const known = new Map<string, MatchingFunctions | undefined>()
  return Array.from({ length: profiles.profiles.length }, (_, i) => {
    let drop = ''
    let keep = ''
    for (const row of profiles.profiles.attributesOf(i)) {
      const key = strings.text(attributes.key(row))
      const value = attributes.value(row)
      if (typeof value !== 'string') continue
      if (key === ATTRIBUTES.pprofProfileDropFrames) drop = value
      else if (key === ATTRIBUTES.pprofProfileKeepFrames) keep = value
    }
    if (drop === '') return undefined
    const key = JSON.stringify([drop, keep])
    if (!known.has(key)) known.set(key, matchingFunctions(profiles.dictionary, drop, keep, invalid))
    return known.get(key)
  })
}

function matchingFunctions(
  { functions, strings }: Dictionary,
  drop: string,
  keep: string,
  invalid: Set<string>,
): MatchingFunctions | undefined {
  const names = Array.from({ length: functions.length }, (_, i) =>
    withoutArguments(strings.text(functions.name(i as FunctionIndex))),
  )
  const matching = new Uint8Array(names.length)
  let expression = drop
  try {
    const dropped = new NamePattern(drop)
    for (const [i, name] of names.entries()) if (name !== '' && dropped.test(name)) matching[i] = 1
    if (keep === '') return matching
    expression = keep
    const kept = new NamePattern(keep)
    for (const [i, name] of names.entries()) if (matching[i] === 1 && kept.test(name)) matching[i] = 0
    return matching
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    invalid.add(expression)
    return undefined
  }
}

class StackPruner {
  readonly #dictionary: Dictionary
  readonly #transfer: DictionaryTransfer
  readonly #builder: ProfilesBuilder
  readonly #matching: MatchingFunctions
  readonly #stacks = new Map<StackIndex, StackIndex | undefined>()

  constructor(
    dictionary: Dictionary,
    transfer: DictionaryTransfer,
    builder: ProfilesBuilder,
    matching: MatchingFunctions,
  ) {
    this.#dictionary = dictionary
    this.#transfer = transfer
    this.#builder = builder
    this.#matching = matching
  }

  /** Returns the row of the shorter stack in the target, or undefined if the stack does not change. */
  pruned(stack: StackIndex): StackIndex | undefined {
    if (!this.#stacks.has(stack)) this.#stacks.set(stack, this.#prune(stack))
    return this.#stacks.get(stack)
  }

  /** Walks from the root. Frames before the first other frame are kept, so that a stack never becomes empty. */
  #prune(stack: StackIndex): StackIndex | undefined {
    const { stacks } = this.#dictionary
    const path = stacks.locations.slice(stacks.from(stack), stacks.to(stack))
    let isInside = false
    let keptFrom = 0
    for (let i = path.length - 1; i >= 0 && keptFrom === 0; i--) {
      const line = this.#matchingLine(path[i])
      if (line === undefined) isInside = true
      else if (isInside) keptFrom = this.#isOutermost(path[i], line) ? i + 1 : i
    }
    const kept = path.slice(keptFrom).map(location => this.#kept(location))
    const isShorter = keptFrom > 0 || kept.some((location, i) => location !== this.#transfer.location(path[i]))
    return isShorter ? this.#builder.stack(kept) : undefined
  }

  /** The location in the target, without the calls below a matching one that was inlined into it. */
  #kept(location: LocationIndex): LocationIndex {
    const line = this.#matchingLine(location)
    const isWhole = line === undefined || this.#isOutermost(location, line)
    return isWhole ? this.#transfer.location(location) : this.#withoutInlined(location, line + 1)
  }

  #isOutermost(location: LocationIndex, line: number): boolean {
    return line === this.#dictionary.locations.linesTo(location) - 1
  }

  /** The outermost line of a location whose function matches. Lines are innermost first. */
  #matchingLine(location: LocationIndex): number | undefined {
    const { locations } = this.#dictionary
    for (let line = locations.linesTo(location) - 1; line >= locations.linesFrom(location); line--) {
      if (this.#matching[locations.lines.function(line)] === 1) return line
    }
    return undefined
  }

  /** The location with its lines from `from` on: the callers of the removed inlined calls. */
  #withoutInlined(row: LocationIndex, from: number): LocationIndex {
    const { locations } = this.#dictionary
    const { lines } = locations
    const count = locations.linesTo(row) - from
    return this.#builder.location({
      mapping: this.#transfer.mapping(locations.mapping(row)),
      address: locations.address(row),
      lines: Array.from({ length: count }, (_, k) => ({
        function: this.#transfer.function(lines.function(from + k)),
        line: lines.line(from + k),
        column: lines.column(from + k),
      })),
      attributes: locations.attributesOf(row).map(attribute => this.#transfer.attribute(attribute)),
    })
  }
}

/** Removes the leading dot of PowerPC's ELF ABI and the arguments of a C++ function. */
function withoutArguments(name: string): string {
  const plain = name.replace(/^\./, '')
  for (const { 0: text, index } of plain.matchAll(ARGUMENTS)) if (text === '(') return plain.slice(0, index)
  return plain
}
