// Prints profiles in the form of the oracles in the corpus: one line for each stack, root first, with line numbers, and the
// values of one or more profiles in brackets.
import type { StackIndex } from '../../../model/columns/brand.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'

/** Sums the samples of each profile by stack. Samples without frames are skipped. */
export function foldedLines(payload: Profiles, profiles: readonly number[]): Map<string, bigint[]> {
  const sums = new Map<string, bigint[]>()
  const { samples } = payload
  for (const [place, p] of profiles.entries()) {
    for (let s = payload.profiles.samplesFrom(p); s < payload.profiles.samplesTo(p); s++) {
      const line = foldedStack(payload, samples.stack(s))
      if (line === '') continue
      const values = sums.get(line) ?? profiles.map(() => 0n)
      values[place] += samples.total(s)
      sums.set(line, values)
    }
  }
  return sums
}

export function foldedStack({ dictionary }: Profiles, stack: StackIndex): string {
  const { stacks, locations, functions, strings } = dictionary
  const frames = stacks.locations.slice(stacks.from(stack), stacks.to(stack)).map(location => {
    const k = locations.linesFrom(location)
    return `${strings.text(functions.name(locations.lines.function(k)))}:${locations.lines.line(k)}`
  })
  return frames.reverse().join(';')
}

/** The profile of a type, which must be the only one. */
export function profileOfType(payload: Profiles, type: string): number {
  const found = typesOf(payload).flatMap((name, p) => (name === type ? [p] : []))
  if (found.length !== 1) throw new Error(`${found.length} profiles of type ${type}`)
  return found[0]
}

export function typesOf({ profiles, dictionary }: Profiles): string[] {
  return Array.from({ length: profiles.length }, (_, p) => dictionary.strings.text(profiles.type(p)))
}
