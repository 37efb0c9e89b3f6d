// Compares the frames of an address, and finds the reason of a difference. Programs choose differently among the names of one
// function, so two names of the same code are equal.
import type { ObjectFile } from '@hearth/profile'
import type { OracleFrame, OracleFrames } from './symbolizers.ts'

/** GCC and LLVM add these to the symbols of copies and parts of a function. Debug information has the name without them. */
const CLONE_SUFFIX = /(?:\.(?:isra|part|constprop|cold|lto_priv|llvm)(?:\.\d+)?)+$/

/** Constructors and destructors: C1 and C2 are symbols, C4 is the constructor in debug information. */
const VARIANT = /([CD])[0-9](?=E)/

/** The names that a symbol table has for the same address. */
export class FunctionAliases {
  readonly #starts = new Map<string, Set<number>>()

  constructor(objects: readonly ObjectFile[]) {
    for (const object of objects) {
      for (const { name, start } of object.symbols()) {
        const known = this.#starts.get(withoutSuffix(name))
        if (known === undefined) this.#starts.set(withoutSuffix(name), new Set([start]))
        else known.add(start)
      }
    }
  }

  isSame(a: string, b: string): boolean {
    const [first, second] = [withoutSuffix(a), withoutSuffix(b)]
    if (first === second) return true
    const starts = this.#starts.get(second)
    return [...(this.#starts.get(first) ?? [])].some(start => starts?.has(start) === true)
  }
}

function withoutSuffix(name: string): string {
  return name.replace(CLONE_SUFFIX, '').replace(VARIANT, '$1')
}

function nameOf(frame: OracleFrame): string {
  return frame.slice(0, frame.lastIndexOf(' '))
}

function placeOf(frame: OracleFrame): string {
  return frame.slice(frame.lastIndexOf(' ') + 1)
}

export function textOf(frames: OracleFrames): string {
  return frames.join(' < ')
}

export function isEqualChain(own: OracleFrames, other: OracleFrames, names: FunctionAliases): boolean {
  return hasNames(own, other, names) && hasPlaces(own, other)
}

/** `go tool addr2line` prints the line of the innermost call and the function of the outermost one. */
export function isEqualToGo(own: OracleFrames, other: OracleFrames): boolean {
  const name = (frames: OracleFrames): string => (frames.length === 0 ? '' : nameOf(frames[frames.length - 1]))
  const place = (frames: OracleFrames): string => (frames.length === 0 ? '' : placeOf(frames[0]))
  return name(own) === name(other) && place(own) === place(other)
}

function hasNames(own: OracleFrames, other: OracleFrames, names: FunctionAliases): boolean {
  return own.length === other.length && own.every((frame, i) => names.isSame(nameOf(frame), nameOf(other[i])))
}

function hasPlaces(own: OracleFrames, other: OracleFrames): boolean {
  return own.length === other.length && own.every((frame, i) => placeOf(frame) === placeOf(other[i]))
}

function isNameless(frame: OracleFrame): boolean {
  return nameOf(frame) === ''
}

/** addr2line prints this for functions of link-time optimisation whose unit is in the supplementary file. */
function isArtificial(frame: OracleFrame): boolean {
  return placeOf(frame).startsWith('<artificial>')
}

function hasKnownNames(own: OracleFrames, other: OracleFrames, names: FunctionAliases): boolean {
  return own.every((frame, i) => isNameless(other[i]) || names.isSame(nameOf(frame), nameOf(other[i])))
}

/** The reason why frames differ from those of every other program. Undefined if it is not known. */
export function reasonOf(
  own: OracleFrames,
  others: readonly OracleFrames[],
  names: FunctionAliases,
): string | undefined {
  if (others.some(other => hasNames(own, other, names)) && others.some(other => hasPlaces(own, other)))
    return 'one program has the functions and another the lines'
  if (others.some(other => other.some(isNameless) && hasPlaces(own, other) && hasKnownNames(own, other, names)))
    return 'llvm-symbolizer reads no names in the supplementary file of dwz, and addr2line those of the function around'
  if (others.some(other => hasNames(own, other, names)) && own.every(frame => placeOf(frame) === ':0'))
    return 'the debug information has no line there'
  if (own.length > 0 && others.every(other => other.length === 0 || other.some(isArtificial)))
    return 'only Hearth has the names and files'
  if (own.length === 0 && others.every(other => other.every(frame => placeOf(frame) === ':0')))
    return 'padding between functions, which Hearth gives no name'
  return undefined
}
