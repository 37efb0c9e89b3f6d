// The tree that is shown: loaded, transformed, inverted and searched.
import type { CallTree, MatchedPart, SearchResult } from '@hearth/profile'
import {
  applyTransform,
  applyTransforms,
  chainsFillScreen,
  foldChains,
  formatShare,
  invert,
  matchedPart,
  nextMatch,
  recursionFillsScreen,
  searchFrames,
} from '@hearth/profile'
import { useMemo } from 'preact/hooks'
import type { TreeResult } from '../../api/profile-source.ts'
import type { FlameGraphView } from '../../draw/flame-graph/flame-graph-view.ts'
import { formatTransforms } from '../../tree/transform-text.ts'
import type { Fold, View } from '../../address/view.ts'

export interface ShownTree {
  readonly tree: CallTree | undefined
  readonly result: SearchResult | undefined
  /** In words. */
  readonly found: string
  /** The number of calls that are folded. */
  readonly foldedCalls: number
  /** Whether chains of calls or recursion fill the screen, so that folding helps. */
  readonly canFold: boolean
}

/** Transforms apply to stacks from the root. With transforms the tree is inverted here, after them. */
export function orderFor({ inverted, transforms }: View): CallTree['order'] {
  return inverted && transforms.length === 0 ? 'leaf-first' : 'root-first'
}

export function useShownTree(response: TreeResult | undefined, view: View): ShownTree {
  const changes = formatTransforms(view.transforms)
  const straight = useMemo(() => {
    if (response === undefined) return undefined
    const changed = applyTransforms(response.tree, view.transforms)
    return view.inverted && changed.order === 'root-first' ? invert(changed) : changed
  }, [response, changes, view.inverted])
  const tree = useMemo(() => straight && folded(straight, view.fold), [straight, view.fold])
  const canFold = useMemo(
    () => straight !== undefined && (chainsFillScreen(straight) || recursionFillsScreen(straight)),
    [straight],
  )
  const foldedCalls = (straight?.length ?? 0) - (tree?.length ?? 0)
  return { ...useSearched(tree, view), foldedCalls, canFold }
}

/** Direct recursion first: without it, chains are longer. */
function folded(tree: CallTree, fold: Fold): CallTree {
  const straight = withoutRecursion(tree, fold)
  return fold !== 'no' && (fold === 'yes' || chainsFillScreen(straight)) ? foldChains(straight) : straight
}

/** Folds direct recursion if it fills the screen or is to be folded. */
export function withoutRecursion(tree: CallTree, fold: Fold): CallTree {
  if (fold === 'no' || (fold === 'auto' && !recursionFillsScreen(tree))) return tree
  return applyTransform(tree, { kind: 'collapse-all-direct-recursion' })
}

export function useSearched(tree: CallTree | undefined, view: View): ShownTree {
  const result = useMemo(() => {
    if (tree === undefined || view.search === '') return undefined
    return searchFrames(tree.frames, { text: view.search, regularExpression: view.regex })
  }, [tree, view.search, view.regex])
  const part = useMemo(() => tree && result && matchedPart(tree, result.matches), [tree, result])
  return {
    tree,
    result,
    found: part === undefined || tree === undefined ? '' : foundText(part, tree.sum),
    foldedCalls: 0,
    canFold: false,
  }
}

/** Selects and shows the next match. If the zoomed part has none, it continues outside. */
export function goToMatch(
  graph: FlameGraphView | undefined,
  tree: CallTree | undefined,
  result: SearchResult | undefined,
  direction: 1 | -1,
): number | undefined {
  if (graph === undefined || tree === undefined || result === undefined) return undefined
  const next =
    nextMatch(tree, result.matches, graph.selected, direction, graph.focused) ??
    nextMatch(tree, result.matches, graph.selected, direction)
  if (next === undefined) return undefined
  graph.select(next)
  graph.reveal(next)
  return next
}

function foundText({ nodes, total }: MatchedPart, sum: bigint): string {
  if (nodes === 0) return 'no results'
  return `${nodes.toLocaleString('en')} ${nodes === 1 ? 'call' : 'calls'}, ${formatShare(total, sum)} of total`
}
