// What can be done with a function: zoom, transforms, other views of it, filters, copies. One list for the menu and the keys.
import type { FrameName } from '../../api/profile-source.ts'
import type { CallTree, NodePath, Transform } from '@hearth/profile'
import { ROOT, isFunction, noValue, pathOf } from '@hearth/profile'
import type { Filter } from '../../address/query.ts'
import type { View } from '../../address/view.ts'
import { copyText } from '../controls/copy-text.ts'
import type { MenuItem } from '../controls/menu.tsx'

export interface ActionTarget extends FrameName {
  /** Of the library; empty where it is not known. */
  readonly mapping: string
  /** Where in the graph; undefined for a row of a table. */
  readonly path: NodePath | undefined
  /** Of which it is a value, where it is no function. */
  readonly attribute?: string | undefined
}

export interface ActionContext {
  readonly view: View
  readonly onView: (view: View) => void
  /** Undefined where what is shown is no answer to a query. */
  readonly onFilter: ((name: string, keep: boolean) => void) | undefined
  /** The same of an attribute. */
  readonly onAttribute?: ((filter: Filter) => void) | undefined
  /** Goes to the traces in which a function was seen; undefined where there is no server to ask. */
  readonly onTraces?: ((name: string) => void) | undefined
  /** Undefined where there is no sandwich. */
  readonly hasSandwich: boolean
}

/** Undefined for everything, and where nothing is chosen. */
export function targetAt(tree: CallTree | undefined, node: number | undefined): ActionTarget | undefined {
  if (tree === undefined || node === undefined || node === ROOT) return undefined
  const { name, file, mapping } = tree.frames
  const frame = tree.frame[node]
  const attribute = isFunction(tree.frames, frame) ? undefined : tree.frames.attribute?.[frame]
  return { name: name[frame], file: file[frame], mapping: mapping[frame], path: pathOf(tree, node), attribute }
}

export function frameActions(target: ActionTarget, context: ActionContext): MenuItem[] {
  if (target.attribute !== undefined) return rootActions(target, target.attribute, context)
  const { view, onView, onFilter, onTraces, hasSandwich } = context
  const { name, file, mapping, path } = target
  // Calls in time cannot be changed by them; the flame graph shows what becomes of the stacks.
  const show = view.show === 'time' ? 'flame' : view.show
  const transform = (made: Transform): (() => void) => {
    return () => onView({ ...view, show, transforms: [...view.transforms, made], focus: [] })
  }
  const ofFunction = (kind: Extract<Transform, { readonly function: object }>['kind']): (() => void) =>
    transform({ kind, function: { name } })
  const items: MenuItem[] = []
  if (path !== undefined) {
    items.push({
      title: view.show === 'time' ? 'Show in the flame graph' : 'Zoom to this call',
      group: 'Look',
      key: 'z',
      run: () => onView({ ...view, show, focus: path }),
    })
  }
  if (hasSandwich) {
    const run = (): void => onView({ ...view, show: 'sandwich', frame: name, frameFile: file })
    items.push({ title: 'Callers and callees (sandwich)', group: 'Look', key: 's', run })
  }
  items.push({
    title: 'Search for it',
    group: 'Look',
    run: () => onView({ ...view, search: name, regex: false }),
  })
  items.push({ title: 'Only what this calls (focus)', group: 'Change', key: 'f', run: ofFunction('focus-function') })
  items.push({ title: 'Add it to its callers (merge)', group: 'Change', key: 'm', run: ofFunction('merge-function') })
  items.push({ title: 'Leave out its stacks (drop)', group: 'Change', key: 'd', run: ofFunction('drop-function') })
  items.push({
    title: 'Hide what it calls (collapse)',
    group: 'Change',
    key: 'c',
    run: ofFunction('collapse-function'),
  })
  items.push({ title: 'Collapse its recursion', group: 'Change', key: 'r', run: ofFunction('collapse-recursion') })
  if (mapping !== '') {
    const run = transform({ kind: 'collapse-library', mapping })
    items.push({ title: 'Collapse its library', group: 'Change', key: 'l', run })
  }
  if (onFilter !== undefined) {
    items.push({ title: 'Ask only for stacks with it', group: 'Query', run: () => onFilter(name, true) })
    items.push({ title: 'Ask for stacks without it', group: 'Query', run: () => onFilter(name, false) })
  }
  if (onTraces !== undefined) {
    items.push({ title: 'Traces it was seen in', group: 'Query', key: 't', run: () => onTraces(name) })
  }
  items.push({ title: 'Copy the name', group: 'Copy', key: 'y', run: () => void copyText(name) })
  if (path !== undefined && path.length > 1) {
    items.push({ title: 'Copy the stack', group: 'Copy', run: () => void copyText(path.toReversed().join('\n')) })
  }
  return items
}

/** What can be done with a value at the root of stacks, which is no function. */
function rootActions({ name, path }: ActionTarget, key: string, context: ActionContext): MenuItem[] {
  const { view, onView, onAttribute } = context
  const items: MenuItem[] = []
  const change = (kind: 'focus-subtree' | 'drop-subtree', of: NodePath) => (): void =>
    onView({ ...view, transforms: [...view.transforms, { kind, path: of }], focus: [] })
  // Inverted, its place is at the other end of the stacks, and it has one for each of these.
  if (path !== undefined && !view.inverted) {
    items.push({ title: 'Zoom to it', group: 'Look', key: 'z', run: () => onView({ ...view, focus: path }) })
    items.push({ title: 'Only this (focus)', group: 'Change', key: 'f', run: change('focus-subtree', path) })
    items.push({ title: 'Leave it out (drop)', group: 'Change', key: 'd', run: change('drop-subtree', path) })
  }
  if (onAttribute !== undefined) {
    const isMissing = name === noValue(key)
    const filter = (operator: Filter['operator']) => (): void =>
      onAttribute({ key, operator, value: isMissing ? '' : name })
    items.push({ title: 'Ask only for this', group: 'Query', run: filter(isMissing ? 'absent' : '=') })
    items.push({ title: 'Ask for all but this', group: 'Query', run: filter(isMissing ? 'exists' : '!=') })
  }
  items.push({ title: 'Copy the value', group: 'Copy', key: 'y', run: () => void copyText(name) })
  return items
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
      return `recursion of ${transform.function.name}`
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
    case 'collapse-all-recursion':
    case 'collapse-all-direct-recursion':
      return 'no recursion'
  }
}
