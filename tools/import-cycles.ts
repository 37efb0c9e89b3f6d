// Finds cycles of imports between source files. Imports of types count: two files that need each other's types are one concept.
import { posix } from 'node:path'
import { importsOf } from './imports-of.ts'

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** Each cycle as the paths of its files, sorted. */
export function importCycles(sources: readonly SourceFile[]): readonly (readonly string[])[] {
  const targets = importTargets(sources)
  // Tarjan's algorithm: a strongly connected component of several files is a cycle.
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const open = new Set<string>()
  const cycles: string[][] = []
  const visit = (file: string): void => {
    const index = order.size
    order.set(file, index)
    lowest.set(file, index)
    stack.push(file)
    open.add(file)
    for (const target of targets.get(file) ?? []) {
      if (!order.has(target)) visit(target)
      if (open.has(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!))
    }
    if (lowest.get(file) !== index) return
    const component = stack.splice(stack.indexOf(file))
    for (const member of component) open.delete(member)
    if (component.length > 1 || targets.get(file)?.includes(file) === true) cycles.push(component.toSorted())
  }
  for (const { path } of sources) if (!order.has(path)) visit(path)
  return cycles
}

/** The files that each file imports. */
function importTargets(sources: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const paths = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map(({ path, text }) => {
      const targets = importsOf(text).map(({ name }) => targetOf(path, name ?? ''))
      return [path, targets.filter(target => paths.has(target))]
    }),
  )
}

function targetOf(path: string, name: string): string {
  if (name.startsWith('.')) return posix.join(posix.dirname(path), name)
  const [, owner, entry = 'index'] = /^@hearth\/([^/]+)(?:\/(.+))?$/.exec(name) ?? []
  return owner === undefined ? '' : `packages/${owner}/src/${entry}.ts`
}
