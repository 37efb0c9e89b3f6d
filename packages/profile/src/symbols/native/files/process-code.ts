// Names of the code that just-in-time compilers wrote into memory. It is in no file. Each process has its own list of names, so the
// samples decide which lists are searched for a location.
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { LocationIndex, MappingIndex } from '../../../model/columns/brand.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import type { SymbolFrame, SymbolIndex } from '../index/symbol-index.ts'

/** The lists of a process, or of all processes if the profile does not state it. */
export type CompiledCode = (pid: bigint | undefined) => readonly SymbolIndex[]

/** Mappings of memory that is not a file, as Linux names them. .NET maps its code from a memfd. */
const IN_MEMORY =
  /^(?:$|\/\/anon|\[anon|\[heap\]|\[stack|\/memfd:|\/dev\/zero|\/SYSV|\/tmp\/perf-\d+\.map$|anon_inode:)/

export class ProcessCode {
  readonly #profiles: Profiles
  readonly #compiled: CompiledCode
  readonly #inMemory = new Map<MappingIndex, boolean>()
  #processes: ReadonlyMap<LocationIndex, ReadonlySet<bigint | undefined>> | undefined

  constructor(profiles: Profiles, compiled: CompiledCode) {
    this.#profiles = profiles
    this.#compiled = compiled
  }

  /** The functions at a location, innermost first. Empty if no list has it, or if the lists of several processes differ. */
  lookup(location: LocationIndex): readonly SymbolFrame[] {
    const { locations } = this.#profiles.dictionary
    if (!this.#isInMemory(locations.mapping(location))) return []
    const address = locations.address(location)
    let found: readonly SymbolFrame[] = []
    this.#processes ??= this.#processesByLocation()
    for (const pid of this.#processes.get(location) ?? [undefined]) {
      for (const index of this.#compiled(pid)) {
        const frames = index.lookup(address)
        if (frames.length === 0) continue
        if (found.length > 0 && !isSame(found, frames)) return []
        found = frames
      }
    }
    return found
  }

  #isInMemory(mapping: MappingIndex): boolean {
    let known = this.#inMemory.get(mapping)
    if (known === undefined) {
      const { mappings, strings } = this.#profiles.dictionary
      this.#inMemory.set(mapping, (known = IN_MEMORY.test(strings.text(mappings.filename(mapping)))))
    }
    return known
  }

  #processesByLocation(): ReadonlyMap<LocationIndex, ReadonlySet<bigint | undefined>> {
    const { resources, scopes, profiles, samples, dictionary } = this.#profiles
    const { locations, stacks } = dictionary
    const found = new Map<LocationIndex, Set<bigint | undefined>>()
    const pids = this.#pidsByAttribute()
    /** The stacks that were seen with each process. */
    const seen = new Map<bigint | undefined, Set<number>>()
    for (let r = 0; r < resources.length; r++) {
      const value = resources.resource(r).attributes.find(({ key }) => key === ATTRIBUTES.processPid)?.value
      const ofResource = typeof value === 'bigint' ? value : undefined
      for (let s = resources.from(r); s < resources.to(r); s++) {
        for (let p = scopes.from(s); p < scopes.to(s); p++) {
          for (let i = profiles.samplesFrom(p); i < profiles.samplesTo(p); i++) {
            let pid = ofResource
            for (let k = samples.attributesFrom(i); k < samples.attributesTo(i); k++)
              pid = pids.get(samples.attributes.at(k)) ?? pid
            const stack = samples.stack(i)
            let known = seen.get(pid)
            if (known === undefined) seen.set(pid, (known = new Set()))
            if (known.has(stack)) continue
            known.add(stack)
            for (let k = stacks.from(stack); k < stacks.to(stack); k++) {
              const location = stacks.locations.at(k)
              if (locations.linesFrom(location) < locations.linesTo(location)) continue
              if (!this.#isInMemory(locations.mapping(location))) continue
              const of = found.get(location)
              if (of === undefined) found.set(location, new Set([pid]))
              else of.add(pid)
            }
          }
        }
      }
    }
    return found
  }

  #pidsByAttribute(): ReadonlyMap<number, bigint> {
    const { attributes, strings } = this.#profiles.dictionary
    const pids = new Map<number, bigint>()
    for (let i = 0; i < attributes.length; i++) {
      const row = i as Parameters<typeof attributes.key>[0]
      if (strings.text(attributes.key(row)) !== ATTRIBUTES.processPid) continue
      const value = attributes.value(row)
      if (typeof value === 'bigint') pids.set(i, value)
    }
    return pids
  }
}

function isSame(a: readonly SymbolFrame[], b: readonly SymbolFrame[]): boolean {
  return a.length === b.length && a.every(({ name, line }, i) => name === b[i].name && line === b[i].line)
}
