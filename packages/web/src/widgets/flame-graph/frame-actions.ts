// The actions for a function: zoom, transforms, other views, filters, copy. The menu and the keys use one list.
import type { FrameName } from '../../api/profile-source.ts'
import type { CallTree, FrameOrigin, NodePath, Transform } from '@hearth/profile'
import { ROOT, isFunction, noValue, pathOf } from '@hearth/profile'
import type { Filter } from '../../address/query.ts'
import type { View } from '../../address/view.ts'
import { copyText } from '../controls/copy-text.ts'
import type { MenuItem } from '../controls/menu.tsx'

export interface ActionTarget extends FrameName {
  /** The library; empty if it is unknown. */
  readonly mapping: string
  /** The path in the graph; undefined for a row of a table. */
  readonly path: NodePath | undefined
  /** The attribute, if the target is an attribute value instead of a function. */
  readonly attribute?: string | undefined
}

export interface ActionContext {
  readonly view: View
  readonly onView: (view: View) => void
  /** Undefined if the view shows no query. */
  readonly onFilter: ((name: string, keep: boolean) => void) | undefined
  /** Filters by an attribute. */
  readonly onAttribute?: ((filter: Filter) => void) | undefined
  /** Opens the traces with samples of a function; undefined without a server. */
  readonly onTraces?: ((of: FrameName) => void) | undefined
  /** Opens the page of a function; undefined without a server. */
  readonly onFunction?: ((of: FrameName) => void) | undefined
  readonly hasSandwich: boolean
  readonly hasInstructions?: boolean
}

/** Returns undefined for the root and without a selection. */
export function targetAt(tree: CallTree | undefined, node: number | undefined): ActionTarget | undefined {
  if (tree === undefined || node === undefined || node === ROOT) return undefined
  const { name, file, mapping } = tree.frames
  const frame = tree.frame[node]
  const attribute = isFunction(tree.frames, frame) ? undefined : tree.frames.attribute?.[frame]
  return { name: name[frame], file: file[frame], mapping: mapping[frame], path: pathOf(tree, node), attribute }
}

export function frameActions(target: ActionTarget, context: ActionContext): MenuItem[] {
  if (target.attribute !== undefined) return rootActions(target, target.attribute, context)
  const { view, onView, onFilter, onTraces, onFunction, hasSandwich, hasInstructions = false } = context
  const { name, file, mapping, path } = target
  // Transforms do not apply to calls in time order, so the view changes to the flame graph.
  const show = view.show === 'time' ? 'flame' : view.show
  const transform = (made: Transform): (() => void) => {
    return () => onView({ ...view, show, transforms: [...view.transforms, made], focus: [] })
  }
  const ofFunction = (kind: Extract<Transform, { readonly function: object }>['kind']): (() => void) =>
    transform({ kind, function: { name } })
  const items: MenuItem[] = []
  if (path !== undefined) {
    items.push({
      title: view.show === 'time' ? 'Show in flame graph' : 'Zoom to this call',
      group: 'View',
      key: 'z',
      run: () => onView({ ...view, show, focus: path }),
    })
  }
  if (hasSandwich) {
    const run = (): void => onView({ ...view, show: 'sandwich', frame: name, frameFile: file })
    items.push({ title: 'Show callers and callees', group: 'View', key: 's', run })
  }
  if (onFunction !== undefined) {
    items.push({ title: 'Open function page', group: 'View', key: 'o', run: () => onFunction({ name, file }) })
  }
  if (hasInstructions && mapping !== '') {
    const run = (): void => onView({ ...view, show: 'instructions', frame: name, frameFile: file })
    items.push({ title: 'Show instructions', group: 'View', key: 'b', run })
  }
  items.push({
    title: 'Search for this function',
    group: 'View',
    run: () => onView({ ...view, search: name, regex: false }),
  })
  items.push({ title: 'Focus', group: 'Transform', key: 'f', run: ofFunction('focus-function') })
  items.push({ title: 'Merge into callers', group: 'Transform', key: 'm', run: ofFunction('merge-function') })
  items.push({ title: 'Hide stacks with this', group: 'Transform', key: 'd', run: ofFunction('drop-function') })
  items.push({
    title: 'Collapse callees',
    group: 'Transform',
    key: 'c',
    run: ofFunction('collapse-function'),
  })
  items.push({ title: 'Collapse recursion', group: 'Transform', key: 'r', run: ofFunction('collapse-recursion') })
  if (mapping !== '') {
    const run = transform({ kind: 'collapse-library', mapping })
    items.push({ title: 'Collapse library', group: 'Transform', key: 'l', run })
  }
  if (onFilter !== undefined) {
    items.push({ title: 'Filter query by this function', group: 'Query', run: () => onFilter(name, true) })
    items.push({ title: 'Exclude this function from query', group: 'Query', run: () => onFilter(name, false) })
  }
  if (onTraces !== undefined) {
    items.push({ title: 'Find traces', group: 'Query', key: 't', run: () => onTraces({ name, file }) })
  }
  items.push({ title: 'Copy name', group: 'Copy', key: 'y', run: () => void copyText(name) })
  if (path !== undefined && path.length > 1) {
    items.push({ title: 'Copy stack', group: 'Copy', run: () => void copyText(path.toReversed().join('\n')) })
  }
  return items
}

/** The actions for an attribute value at the root of stacks. */
function rootActions({ name, path }: ActionTarget, key: string, context: ActionContext): MenuItem[] {
  const { view, onView, onAttribute } = context
  const items: MenuItem[] = []
  const change = (kind: 'focus-subtree' | 'drop-subtree', of: NodePath) => (): void =>
    onView({ ...view, transforms: [...view.transforms, { kind, path: of }], focus: [] })
  // In an inverted tree the value is at the other end of the stacks, once for each of them.
  if (path !== undefined && !view.inverted) {
    items.push({ title: 'Zoom to this', group: 'View', key: 'z', run: () => onView({ ...view, focus: path }) })
    items.push({ title: 'Focus', group: 'Transform', key: 'f', run: change('focus-subtree', path) })
    items.push({ title: 'Hide this', group: 'Transform', key: 'd', run: change('drop-subtree', path) })
  }
  if (onAttribute !== undefined) {
    const isMissing = name === noValue(key)
    const filter = (operator: Filter['operator']) => (): void =>
      onAttribute({ key, operator, value: isMissing ? '' : name })
    items.push({ title: 'Filter query by this value', group: 'Query', run: filter(isMissing ? 'absent' : '=') })
    items.push({ title: 'Exclude this value from query', group: 'Query', run: filter(isMissing ? 'exists' : '!=') })
  }
  items.push({ title: 'Copy value', group: 'Copy', key: 'y', run: () => void copyText(name) })
  return items
}

/** Code that users did not write. */
export const ORIGIN_TITLES: Readonly<Record<FrameOrigin, string>> = {
  'go-runtime': 'Go runtime and standard library',
  'go-libraries': 'Go modules',
  'node-runtime': 'Node.js internals',
  'node-libraries': 'node_modules',
  'jvm-runtime': 'JVM and standard library',
  'jvm-libraries': 'JVM libraries',
  'python-runtime': 'Python standard library',
  'python-libraries': 'Python packages',
  'ruby-runtime': 'Ruby standard library',
  'ruby-libraries': 'Ruby gems',
  'rust-runtime': 'Rust standard library',
  'rust-libraries': 'Rust crates',
  'dotnet-runtime': '.NET runtime',
  'native-libraries': 'system libraries',
  kernel: 'kernel',
}

export function transformTitle(transform: Transform): string {
  switch (transform.kind) {
    case 'focus-function':
      return `only ${transform.function.name}`
    case 'merge-function':
      return `merged ${transform.function.name}`
    case 'drop-function':
      return `without ${transform.function.name}`
    case 'collapse-function':
      return `collapsed ${transform.function.name}`
    case 'collapse-recursion':
    case 'collapse-direct-recursion':
      return `collapsed recursion of ${transform.function.name}`
    case 'focus-subtree':
      return `only ${transform.path.at(-1) ?? 'all'}`
    case 'merge-node':
      return `merged ${transform.path.at(-1) ?? 'all'}`
    case 'drop-subtree':
      return `without ${transform.path.at(-1) ?? 'all'}`
    case 'collapse-library':
      return `collapsed ${transform.mapping}`
    case 'merge-library':
      return `merged ${transform.mapping}`
    case 'drop-library':
      return `without ${transform.mapping}`
    case 'merge-origin':
      return `without ${ORIGIN_TITLES[transform.origin]}`
    case 'collapse-all-recursion':
    case 'collapse-all-direct-recursion':
      return 'collapsed recursion'
  }
}
