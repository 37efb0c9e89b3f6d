// Detects the generation of an OTLP profiles payload. The payload does not name it, and the wire layout changed five times
// under one name, so fields are compared with what each generation allows. Detection runs before every decode. It stops at
// the first field that decides, usually in the first sample, and continues only while generations remain that would read the
// payload differently. It never throws, because the reader reports broken input.
//
// There are three kinds of evidence. Wire types rule out generations without a field of that number and type. Rules of the
// format, such as equal numbers of values and timestamps, decide only if wire types do not. Hints are habits of producers
// and never certain.
import type { Generation } from './schema.ts'
import { mostlyAttributes, refersToStrings, usedAttributes } from './sniff-attributes.ts'
import { SniffCursor } from './sniff-cursor.ts'
import type { SniffTables } from './sniff-tables.ts'
import {
  ALL,
  MIDDLE_SAMPLES,
  NEW_SAMPLES,
  OLD_SAMPLES,
  V1_11,
  V1_3,
  V1_4,
  V1_5,
  V1_7,
  V1_8,
  V1_9,
  isSingle,
  newestOf,
  packedTables,
  unpackedTables,
} from './sniff-tables.ts'

export interface Sniffed {
  /** The newest generation, if several would read the payload alike. */
  readonly generation: Generation
  /** Whether every other generation is ruled out or reads the payload alike. */
  readonly certain: boolean
  readonly why: string
}

/** Number of samples for which a rule must hold, so that one broken sample does not decide. */
const SAMPLES_FOR_A_RULE = 8
/** If rules do not decide within this many samples, more samples hardly will. */
const MAX_SAMPLES = 256
/** A profile id has this many bytes. */
const ID_LENGTH = 16

export function sniffGeneration(bytes: Uint8Array, from: number, to: number): Sniffed {
  const sniffer = new Sniffer(bytes, packedTables())
  const sniffed = sniffer.sniff(from, to)
  if (!sniffer.failed) return sniffed
  // Encoders pack lists of numbers, but readers accept both. If packed lists fit no generation, unpacked lists may.
  const again = new Sniffer(bytes, unpackedTables())
  const other = again.sniff(from, to)
  return { ...(again.failed ? sniffed : other), certain: false }
}

class Sniffer extends SniffCursor {
  /** No generation has all the fields that were found. */
  private contradicted = false
  /** No generation with these fields satisfies all the rules. */
  private ruleBroken = false
  private readonly tables: SniffTables
  private readonly looseTables = unpackedTables()
  /** The generations that each kind of evidence leaves. */
  private wire = ALL
  /** The generations that wire types would leave if lists may be unpacked. */
  private loose = ALL
  /** Whether a packed list was found, so that `wire` is reliable. */
  private packs = false
  private rule = ALL
  private hint = ALL
  private done = false
  private hasDictionary = false
  private dictionaryFrom = 0
  private dictionaryTo = 0
  private examined = 0
  /** Whether there are samples that generations since v1.8 read differently, or that were not examined. */
  private samplesDiffer = false
  /** Whether a profile has fields that v1.8 and later generations read differently. */
  private profilesDiffer = false
  private profilesWithContent = 0
  /** Starts and ends of Profile.11, which is a list of attributes since v1.9. */
  private readonly profileLists: number[] = []

  constructor(bytes: Uint8Array, tables: SniffTables) {
    super(bytes)
    this.tables = tables
  }

  get failed(): boolean {
    return this.contradicted || (this.ruleBroken && !this.packs)
  }

  sniff(from: number, to: number): Sniffed {
    for (let p = from; p < to; p = this.pos) {
      const tag = this.field(p, to)
      if (tag === 0) break
      if (tag === 0x12 && this.pos - this.start >= this.dictionaryTo - this.dictionaryFrom) {
        this.hasDictionary = true
        this.dictionaryFrom = this.start
        this.dictionaryTo = this.pos
      } else if (tag === 0x32 && this.start === this.pos) {
        // A string table starts with the empty string. Other fields may be those that a newer version adds.
        return { generation: 'v1.6', certain: true, why: 'only v1.6 has tables next to resource_profiles' }
      }
    }
    if (this.hasDictionary) this.wire = this.loose = V1_7 | V1_8 | V1_9 | V1_11
    this.eachMessage(from, to, 0x0a, (resource, resourceEnd) =>
      this.eachMessage(resource, resourceEnd, 0x12, (scope, scopeEnd) =>
        this.eachMessage(scope, scopeEnd, 0x12, (profile, profileEnd) => this.profile(profile, profileEnd)),
      ),
    )
    return this.resolve(from, to)
  }

  private eachMessage(from: number, to: number, wanted: number, visit: (from: number, to: number) => void): void {
    for (let p = from; p < to && !this.done;) {
      const tag = this.field(p, to)
      if (tag === 0) return
      p = this.pos
      if (tag === wanted) visit(this.start, p)
    }
  }

  private profile(from: number, end: number): void {
    const { bytes } = this
    const table = this.tables.profile
    const looseTable = this.looseTables.profile
    let types = 0
    let formats = 0
    let hasStrings = false
    let isLooking = this.examinesSamples()
    for (let p = from; p < end && !this.done;) {
      // Skips samples quickly once they decide nothing more. There may be a million of them.
      if (!isLooking && bytes[p] === 0x12 && bytes[p + 1] < 128 && p + 2 + bytes[p + 1] <= end) {
        p += 2 + bytes[p + 1]
        continue
      }
      const tag = this.field(p, end)
      if (tag === 0) break
      const { start, pos: stop } = this
      p = stop
      if (tag < 256) this.narrow(table[tag], looseTable[tag])
      switch (tag) {
        case 0x12:
          if (isLooking) this.sample(start, stop)
          isLooking = this.examinesSamples()
          break
        case 0x0a:
          types++
          if (this.hasDictionary) this.valueType(start, stop)
          break
        case 0x3a:
          this.idOrComments(start, stop)
          break
        case 0x42:
          if (!this.hasDictionary) this.containedProfile(start, stop)
          // An id in v1.8, comments in v1.7. Empty lists are never written, but some encoders write empty bytes.
          else if (start === stop) this.applyRule(~V1_7)
          break
        // Format, payload and attributes moved by one after v1.8. Two of the three have the type of their neighbour.
        case 0x4a:
        case 0x52:
        case 0x5a:
          formats |= 1 << (tag >>> 3)
          if (tag === 0x52) hasStrings = true
          if (tag === 0x5a) this.profileLists.push(start, stop)
          break
      }
    }
    if (end === from) return
    this.profilesWithContent++
    if (types > 1) this.applyRule(OLD_SAMPLES | V1_3)
    this.hintByFormat(formats)
    // A profile with its own tables has at least the empty string.
    if (!this.hasDictionary && !this.done) this.applyRule(hasStrings ? ALL : ~(V1_4 | V1_5))
  }

  /** Applies wire types. A field that no generation has is ignored. */
  private narrow(fits: number, fitsLoosely: number): void {
    if (fitsLoosely === 0) return
    this.loose &= fitsLoosely
    if ((this.wire & fits) === 0) this.contradicted = true
    else this.wire &= fits
    this.done = this.contradicted || (isSingle(this.wire) && this.isReliable())
  }

  private isReliable(): boolean {
    return this.packs || this.loose === this.wire
  }

  private applyRule(fits: number): void {
    if ((this.rule & fits & this.wire) === 0) this.ruleBroken = true
    else this.rule &= fits
  }

  private examinesSamples(): boolean {
    if (classesOf(this.wire) === 1 && this.isReliable()) return false
    const left = this.wire & this.rule
    if (this.examined < (classesOf(left) > 1 ? MAX_SAMPLES : SAMPLES_FOR_A_RULE)) return true
    this.samplesDiffer = true
    if (isSingle(left)) this.done = true
    return false
  }

  private sample(from: number, end: number): void {
    const { bytes } = this
    const table = this.tables.sample
    const looseTable = this.looseTables.sample
    let fits = ALL
    let fitsLoosely = ALL
    // The count of numbers in each field, and the largest number in field 2.
    let first = 0
    let second = 0
    let third = 0
    let fourth = 0
    let fifth = 0
    let sixth = 0
    let largest = 0
    for (let p = from; p < end;) {
      const tag = this.field(p, end)
      if (tag === 0) break
      const { start, pos: stop } = this
      p = stop
      if (tag >= 256 || looseTable[tag] === 0) continue
      fits &= table[tag]
      fitsLoosely &= looseTable[tag]
      let count = 1
      // Since v1.4 all length-delimited fields of a sample are lists of numbers.
      if ((tag & 7) === 2) {
        this.packs = true
        count = 0
        if (tag === 0x2a) count = (stop - start) / 8
        else if (tag === 0x12) {
          for (let k = start; k < stop; k = this.pos, count++) largest = Math.max(largest, this.varint(k, stop))
        } else for (let k = start; k < stop; k++) if (bytes[k] < 128) count++
      }
      const number = tag >>> 3
      if (number === 1) first += count
      else if (number === 2) second += count
      else if (number === 3) third += count
      else if (number === 4) fourth += count
      else if (number === 5) fifth += count
      else sixth += count
    }
    this.examined++
    if (second + third + fourth > 0) this.samplesDiffer = true
    let keeps = 0
    if (third + sixth > 0 && first < 2 && second < 2 && fifth < 2) keeps |= OLD_SAMPLES
    if (fourth < 2 && isShape(second, fifth)) keeps |= MIDDLE_SAMPLES
    // An attribute takes at least two bytes of the dictionary, so numbers above half its length are not indexes.
    const isIndex = largest <= (this.dictionaryTo - this.dictionaryFrom) / 2
    if (third < 2 && isShape(fourth, fifth) && isIndex) keeps |= NEW_SAMPLES
    this.narrow(fits, fitsLoosely)
    // One broken sample among many does not count against clear wire types.
    if (!this.done) this.applyRule(keeps)
  }

  /** v1.7 and v1.8 have a field for the aggregation temporality. */
  private valueType(from: number, end: number): void {
    if ((this.wire & (V1_9 | V1_11)) === 0) return
    for (let p = from; p < end && !this.done; p = this.pos) {
      const tag = this.field(p, end)
      if (tag === 0) return
      if (tag === 0x18) this.narrow(V1_7 | V1_8, V1_7 | V1_8)
    }
  }

  /** Profile.7: comments in v1.8, as string indexes. Later the profile's id of 16 bytes. */
  private idOrComments(from: number, end: number): void {
    if ((this.wire & V1_8) === 0) return
    if (from === end) return this.applyRule(~V1_8)
    this.profilesDiffer = true
    // A string takes at least two bytes of the dictionary, which limits their number.
    const strings = (this.dictionaryTo - this.dictionaryFrom) / 2
    let plausible = this.bytes[end - 1] < 128
    for (let p = from; p < end && plausible; p = this.pos) plausible = this.varint(p, end) < strings
    if (!plausible) this.applyRule(~V1_8)
    else this.applyHint(end - from === ID_LENGTH ? ~V1_8 : V1_8)
  }

  /** Format and payload come together or not at all: fields 10 and 11 in v1.8, 9 and 10 later. Attributes follow them. */
  private hintByFormat(formats: number): void {
    if ((this.wire & V1_8) === 0 || (formats & 0xe00) === 0) return
    this.profilesDiffer = true
    if ((formats & 0x400) !== 0) this.applyHint(V1_8)
    else this.applyHint(~V1_8)
  }

  private applyHint(generations: number): void {
    if ((this.hint & generations & this.wire) !== 0) this.hint &= generations
  }

  /** v1.3 has the profile in field 8 of a container, with a string table in field 6. */
  private containedProfile(from: number, end: number): void {
    if ((this.wire & V1_3) === 0) return
    const table = this.tables.containedProfile
    let hasStrings = false
    for (let p = from; p < end; p = this.pos) {
      const wasBroken = this.broken
      const tag = this.field(p, end)
      if (tag === 0 || tag >= 256 || table[tag] === 0 || this.broken !== wasBroken) {
        // Other generations have no message here, so this may be something else.
        this.broken = wasBroken
        return
      }
      if (tag === 0x32) hasStrings = true
    }
    if (hasStrings) this.applyRule(V1_3)
  }

  private resolve(from: number, to: number): Sniffed {
    const isSound = !this.broken && !this.contradicted && this.isReliable()
    const result: Resolution = (generations, certain, why) => ({
      generation: newestOf(generations),
      certain: certain && isSound && (!this.ruleBroken || classesOf(this.wire) === 1),
      why,
    })
    if (isSingle(this.wire)) return result(this.wire, true, 'its fields fit no other generation')
    let left = this.wire & this.rule
    if (left === 0) {
      this.ruleBroken = true
      left = this.wire
    }
    if (isSingle(left)) return result(left, true, 'it satisfies the rules of no other generation')
    if (!this.hasDictionary) return this.resolveWithoutDictionary(left, result)
    if ((left & V1_7) !== 0) {
      left &= this.generationsOfDictionary(left)
      if (isSingle(left)) return result(left, true, 'its dictionary fits no other generation')
      if ((left & V1_7) !== 0) return result(left, false, 'nothing indicates its generation')
    }
    if ((left & NEW_SAMPLES) === 0 || (left & MIDDLE_SAMPLES) === 0 || !this.samplesDiffer) {
      return this.resolveV1_8(left, result)
    }
    if (refersToStrings(this, from, to)) {
      return result(V1_11, true, 'only v1.11 has references to the string table in attributes')
    }
    const isUsed = usedAttributes(this, this.dictionaryFrom, this.dictionaryTo, this.profileLists)
    const judged = mostlyAttributes(this, from, to, isUsed, MAX_SAMPLES)
    if (judged.isAttributes) return result(V1_11, judged.certain, judged.why)
    const middle = this.resolveV1_8(left & MIDDLE_SAMPLES, result)
    return { ...middle, certain: middle.certain && judged.certain, why: judged.why }
  }

  /** Decides among generations since v1.8. Generations after v1.8 read the samples alike. */
  private resolveV1_8(left: number, result: Resolution): Sniffed {
    if (isSingle(left) || (left & V1_8) === 0 || !this.profilesDiffer) {
      return result(left, true, 'the generations that it fits read it alike')
    }
    return result(left & this.hint || left, false, 'its profiles have fields where this generation probably has them')
  }

  private resolveWithoutDictionary(left: number, result: Resolution): Sniffed {
    if (this.profilesWithContent === 0) return result(ALL, true, 'it has no content in which generations differ')
    if ((left & ~(V1_4 | V1_5)) === 0) return result(left, true, 'v1.4 and v1.5 read it alike')
    if ((left & (V1_4 | V1_5)) !== 0 && this.wire !== ALL) {
      return result(left & (V1_4 | V1_5), false, 'it has no dictionary, and its profiles may have tables')
    }
    return result(left, false, 'nothing indicates its generation')
  }

  /** v1.7 has string keys in its attributes, and units by key in the field of today's stacks. */
  private generationsOfDictionary(candidates: number): number {
    for (let p = this.dictionaryFrom; p < this.dictionaryTo;) {
      const table = this.field(p, this.dictionaryTo)
      if (table === 0) break
      const { start, pos: stop } = this
      p = stop
      for (let inner = start; inner < stop; inner = this.pos) {
        const tag = this.field(inner, stop)
        if (tag === 0) break
        const isNew = NEW_ENTRIES.has((table << 8) | tag)
        const isOld = OLD_ENTRIES.has((table << 8) | tag)
        if (isNew) return candidates & ~V1_7
        if (isOld) return candidates & V1_7
      }
    }
    return candidates
  }
}

type Resolution = (generations: number, certain: boolean, why: string) => Sniffed

/** Pairs of a dictionary field and a field of its entry, as tags, that only v1.8 and later, or only v1.7, have. */
const NEW_ENTRIES: ReadonlySet<number> = new Set([0x1222, 0x3208, 0x3218, 0x3a0a])
const OLD_ENTRIES: ReadonlySet<number> = new Set([
  0x0a30, 0x0a38, 0x0a40, 0x0a48, 0x1220, 0x122a, 0x320a, 0x3a08, 0x3a10,
])

/** Number of sample layouts among the generations. */
function classesOf(generations: number): number {
  const isOld = (generations & (V1_3 | OLD_SAMPLES)) !== 0
  const isMiddle = (generations & MIDDLE_SAMPLES) !== 0
  return (isOld ? 1 : 0) + (isMiddle ? 1 : 0) + ((generations & NEW_SAMPLES) !== 0 ? 1 : 0)
}

/** One value alone, or timestamps with as many values or none. */
function isShape(values: number, timestamps: number): boolean {
  return timestamps === 0 ? values === 1 : values === 0 || values === timestamps
}
