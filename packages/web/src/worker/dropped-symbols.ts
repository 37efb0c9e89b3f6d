// Debug files that were dropped beside a profile. They name its native frames, and nothing leaves the browser.
import type { Codecs, Profiles } from '@hearth/profile'
import { SymbolFiles, applySymbols, demangleNames } from '@hearth/profile'

export interface DroppedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Names the frames, and counts the addresses that got a name. Throws SymbolFileError. */
export function namedBy(
  files: readonly DroppedFile[],
  profiles: Profiles,
  codecs: Codecs,
): { readonly profiles: Profiles; readonly named: number } {
  const known = new SymbolFiles(
    () => files.map(({ name, bytes }) => ({ path: name, head: () => bytes, read: () => bytes })),
    {
      codecs,
      onBroken: (_, error) => {
        throw error
      },
    },
  )
  const applied = applySymbols(
    profiles,
    binary => known.find(binary),
    pid => known.compiled(pid),
  )
  return { profiles: demangleNames(applied.profiles).profiles, named: applied.resolved }
}
