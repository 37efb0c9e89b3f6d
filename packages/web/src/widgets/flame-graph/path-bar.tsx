// The zoomed path as breadcrumbs, and the transforms with a button to undo each.
import { formatShare } from '@hearth/profile'
import type { JSX } from 'preact'
import type { MissingNames } from '../../api/profile-source.ts'
import type { View } from '../../address/view.ts'
import { SYMBOLS } from '../../address/route.ts'
import { REASON_TEXTS } from '../reason-texts.ts'
import { RouteLink } from '../route-link.tsx'
import { Icon } from '../controls/icon.tsx'
import { transformTitle } from './frame-actions.ts'

export interface PathBarProps {
  readonly view: View
  readonly onView: (view: View) => void
  /** The number of calls that are folded. */
  readonly foldedCalls?: number
  /** Whether chains of calls fill the screen. */
  readonly canFold?: boolean
  readonly hiddenNodes: number
  readonly hiddenSelf: bigint
  readonly missing: MissingNames | undefined
  readonly sum: bigint
}

/** A long path is shortened to its ends. */
const FIRST = 2
const LAST = 4

export function PathBar(props: PathBarProps): JSX.Element {
  const { view, onView, foldedCalls = 0, canFold = false, hiddenNodes, hiddenSelf, missing, sum } = props
  const { focus, transforms, roots } = view
  const isCut = focus.length > FIRST + LAST + 1
  return (
    <div class="path-bar" data-rove>
      <nav aria-label="Zoomed into">
        <ol>
          <li>
            <button type="button" class="plain" onClick={() => onView({ ...view, focus: [] })}>
              all
            </button>
          </li>
          {focus.map((name, i) => {
            if (isCut && i >= FIRST && i < focus.length - LAST) {
              return i === FIRST ? <li key="cut">…</li> : undefined
            }
            return (
              <li key={`${i}-${name}`}>
                <button
                  type="button"
                  class="plain"
                  title={name}
                  aria-current={i === focus.length - 1 ? 'location' : undefined}
                  onClick={() => onView({ ...view, focus: focus.slice(0, i + 1) })}
                >
                  {name}
                </button>
              </li>
            )
          })}
        </ol>
      </nav>
      {roots.length > 0 && (
        <ul aria-label="Rooted by">
          {roots.map((root, i) => (
            <Chip
              key={root}
              title={`by ${root}`}
              onUndo={() => onView({ ...view, roots: roots.toSpliced(i, 1), focus: [] })}
            />
          ))}
        </ul>
      )}
      {transforms.length > 0 && (
        <ul aria-label="Transforms">
          {transforms.map((transform, i) => {
            const title = transformTitle(transform)
            const undo = (): void => onView({ ...view, transforms: transforms.toSpliced(i, 1) })
            return <Chip key={`${i}-${title}`} title={title} onUndo={undo} />
          })}
        </ul>
      )}
      <FoldButton view={view} onView={onView} foldedCalls={foldedCalls} canFold={canFold} />
      {hiddenNodes > 0 && (
        <span class="muted path-hidden">
          {hiddenNodes.toLocaleString('en')} small calls hidden ({formatShare(hiddenSelf, sum)} of total)
        </span>
      )}
      {missing !== undefined && missing.stacks > 0 && (
        <span
          class="muted path-hidden"
          title="Their names are no longer stored, or the profiles came without names. Such frames have no name or are missing."
        >
          {missing.stacks.toLocaleString('en')} stacks with missing names ({formatShare(missing.self, sum)} of total)
        </span>
      )}
      {missing !== undefined && missing.unresolved.length > 0 && <UnresolvedNote unresolved={missing.unresolved} />}
    </div>
  )
}

/** Unfolds calls with one click, or folds them again. */
export function FoldButton(
  props: Required<Pick<PathBarProps, 'view' | 'onView' | 'foldedCalls' | 'canFold'>>,
): JSX.Element | undefined {
  const { view, onView, foldedCalls, canFold } = props
  if (foldedCalls > 0) {
    return (
      <button
        type="button"
        class="chip path-folded"
        title="Calls that only pass on to one other call, and direct recursion, are folded. Self values below 1% count for their callers."
        onClick={() => onView({ ...view, fold: 'no' })}
      >
        {foldedCalls.toLocaleString('en')} calls folded · Unfold
      </button>
    )
  }
  if (view.fold !== 'no' || !canFold) return undefined
  return (
    <button type="button" class="chip path-folded" onClick={() => onView({ ...view, fold: 'auto' })}>
      Fold chains of calls
    </button>
  )
}

/** Links to the screen where missing debug files can be uploaded. */
function UnresolvedNote({ unresolved }: { readonly unresolved: MissingNames['unresolved'] }): JSX.Element {
  const frames = unresolved.reduce((sum, each) => sum + each.frames, 0)
  const reasons = unresolved.map(each => `${each.frames.toLocaleString('en')} ${REASON_TEXTS[each.reason]}`)
  return (
    <RouteLink class="muted path-hidden" to={SYMBOLS} title={`${reasons.join(', ')}. Upload debug files in Symbols`}>
      {frames.toLocaleString('en')} addresses without a name
    </RouteLink>
  )
}

function Chip({ title, onUndo }: { readonly title: string; readonly onUndo: () => void }): JSX.Element {
  return (
    <li class="chip" title={title}>
      <span>{title}</span>
      <button type="button" aria-label={`Undo: ${title}`} onClick={onUndo}>
        <Icon name="close" size={12} />
      </button>
    </li>
  )
}
