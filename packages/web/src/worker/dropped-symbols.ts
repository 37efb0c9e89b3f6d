// Debug files that were dropped beside a profile. They name its native frames, and nothing leaves the browser.
import type { BinarySymbols, Codecs, MappedBinary, ObjectFile, Profiles, ReadSymbols } from '@hearth/profile'
import {
  SymbolIndex,
  applySymbols,
  baseName,
  demangleNames,
  htlhash,
  isPackage,
  openObject,
  readSymbols,
} from '@hearth/profile'

export interface DroppedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

interface Candidate {
  readonly name: string
  readonly buildIds: readonly string[]
  readonly read: ReadSymbols
}

/** Names the frames, and counts the addresses that got a name. Throws SymbolFileError. */
export function namedBy(
  files: readonly DroppedFile[],
  profiles: Profiles,
  codecs: Codecs,
): { readonly profiles: Profiles; readonly named: number } {
  const objects = files.map(({ name, bytes }) => ({ name, object: openObject(bytes, { codecs }) }))
  const candidates = files.map(({ name, bytes }): Candidate => {
    const object = openObject(bytes, { codecs })
    const read = readSymbols(bytes, {
      codecs,
      package: packageFor(name, objects),
      supplement: objects.find(each => each.object?.buildId === object?.supplement?.buildId)?.object,
      splitUnit: (_, path) => objects.find(each => each.name === baseName(path))?.object,
    })
    const buildIds = [read.buildId, object?.goBuildId, htlhash(bytes)].filter(id => id !== undefined)
    return { name, buildIds, read }
  })
  const applied = applySymbols(profiles, binary => symbolsOf(binary, candidates))
  return { profiles: demangleNames(applied.profiles).profiles, named: applied.resolved }
}

interface NamedObject {
  readonly name: string
  readonly object: ObjectFile | undefined
}

/** `app.dwp` has the split units of `app` and of `app.debug`. A single package belongs to all. */
function packageFor(name: string, objects: readonly NamedObject[]): ObjectFile | undefined {
  const packages = objects.filter(({ object }) => object !== undefined && isPackage(object))
  const own = packages.find(each => each.name === `${name}.dwp` || each.name === name.replace(/\.debug$/, '.dwp'))
  return (own ?? (packages.length === 1 ? packages[0] : undefined))?.object
}

/** By build id, or by name if the profile has no build id. Files with lines come first. */
function symbolsOf({ filename, buildIds }: MappedBinary, candidates: readonly Candidate[]): BinarySymbols | undefined {
  const wanted = Object.values(buildIds)
  const name = baseName(filename)
  const found = candidates.filter(candidate =>
    wanted.length > 0
      ? candidate.buildIds.some(id => wanted.includes(id))
      : name !== '' && candidate.name.replace(/\.debug$/, '') === name,
  )
  const best = found.find(({ read }) => read.dwarf !== undefined) ?? found.at(0)
  if (best === undefined) return undefined
  // The debug file has lines. The binary, if it is there too, has the places of the code in the file.
  const segments = found.map(({ read }) => read.object?.segments ?? []).find(hasOffsets) ?? best.read.object?.segments
  return { index: SymbolIndex.open(best.read.index), segments: segments ?? [] }
}

function hasOffsets(segments: BinarySymbols['segments']): boolean {
  return segments.some(({ executable, fileSize }) => executable && fileSize > 0)
}
