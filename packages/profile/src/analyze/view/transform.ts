// Transforms that users apply to stacks. Each is a pure function from one tree to another. A transform refers to a function, a
// library or a path by name, so that a list of transforms can be stored and sent.
//
//   on f in    main f g f h
//   focus-function      f g f h      from its first call on; stacks without it are dropped
//   merge-function      main g h     its frames are removed, their time goes to the callers
//   drop-function                    stacks that contain it are dropped
//   collapse-function   main f       its callees count as its self value
//   collapse-recursion  main f h     one frame from its first to its last call
//
// Root frames that are attribute values (a thread, a host) always stay.
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'
import type { FunctionName } from '../tree/frame-table.ts'
import { isFunction, withFrame } from '../tree/frame-table.ts'
import type { FrameTrie } from '../tree/frame-trie.ts'
import type { FrameOrigin } from './frame-origin.ts'
import { frameOrigin } from './frame-origin.ts'
import type { NodePath } from './node-path.ts'
import { findPath } from './node-path.ts'
import type { RebuildRule } from './rebuild.ts'
import { OUTSIDE, rebuild } from './rebuild.ts'

type FunctionTransformKind =
  | 'focus-function'
  | 'merge-function'
  | 'drop-function'
  | 'collapse-function'
  | 'collapse-recursion'
  | 'collapse-direct-recursion'
type NodeTransformKind = 'focus-subtree' | 'merge-node' | 'drop-subtree'
type LibraryTransformKind = 'collapse-library' | 'merge-library' | 'drop-library'
type TreeTransformKind = 'collapse-all-recursion' | 'collapse-all-direct-recursion'

export type Transform =
  | { readonly kind: FunctionTransformKind; readonly function: FunctionName }
  | { readonly kind: NodeTransformKind; readonly path: NodePath }
  | { readonly kind: LibraryTransformKind; readonly mapping: string }
  | { readonly kind: 'merge-origin'; readonly origin: FrameOrigin }
  | { readonly kind: TreeTransformKind }

export function applyTransforms(tree: CallTree, transforms: readonly Transform[]): CallTree {
  return transforms.reduce(applyTransform, tree)
}

/** Returns the same tree if the transform matches nothing. A focus that matches nothing gives an empty tree. */
export function applyTransform(tree: CallTree, transform: Transform): CallTree {
  switch (transform.kind) {
    case 'focus-function':
      return rebuild(tree, focusing(tree, functionFrames(tree, transform.function), rootsAbove(tree)), FOCUS)
    case 'merge-function':
      return rebuild(tree, merging(tree, functionFrames(tree, transform.function)))
    case 'drop-function':
      return rebuild(tree, dropping(tree, functionFrames(tree, transform.function)))
    case 'collapse-function':
      return rebuild(tree, collapsing(tree, functionFrames(tree, transform.function)))
    case 'collapse-recursion':
      return rebuild(tree, collapsingLoops(tree, functionFrames(tree, transform.function)))
    case 'collapse-direct-recursion':
      return rebuild(tree, collapsingRepeats(tree, functionFrames(tree, transform.function)))
    case 'collapse-all-recursion':
      return rebuild(tree, collapsingLoops(tree, undefined))
    case 'collapse-all-direct-recursion':
      return rebuild(tree, collapsingRepeats(tree, undefined))
    case 'focus-subtree':
    case 'merge-node':
    case 'drop-subtree':
      return applyToNode(tree, transform.kind, transform.path)
    case 'collapse-library':
      return collapseLibrary(tree, transform.mapping)
    case 'merge-library':
      return rebuild(tree, merging(tree, libraryFrames(tree, transform.mapping)))
    case 'drop-library':
      return rebuild(tree, dropping(tree, libraryFrames(tree, transform.mapping)))
    case 'merge-origin':
      return rebuild(tree, merging(tree, originFrames(tree, transform.origin)))
  }
}

/** Everything is outside until the function occurs, including stacks without frames. */
const FOCUS = { above: OUTSIDE, keepEmpty: false }

/** One byte per frame, 1 for selected frames. */
type FrameSet = Uint8Array

function functionFrames({ frames }: CallTree, { name, file }: FunctionName): FrameSet {
  const set = new Uint8Array(frames.length)
  for (let i = 0; i < frames.length; i++) {
    if (frames.name[i] !== name || !isFunction(frames, i)) continue
    if (file === undefined || frames.file[i] === file) set[i] = 1
  }
  return set
}

function libraryFrames({ frames }: CallTree, mapping: string): FrameSet {
  return Uint8Array.from(frames.mapping, (of, i) => (of === mapping && isFunction(frames, i) ? 1 : 0))
}

function originFrames({ frames }: CallTree, origin: FrameOrigin): FrameSet {
  return Uint8Array.from({ length: frames.length }, (_, i) => (frameOrigin(frames, i) === origin ? 1 : 0))
}

/** `top` returns the node below which a new root goes. Default: ROOT. */
function focusing(
  { frame }: CallTree,
  set: FrameSet,
  top: (node: number, trie: FrameTrie) => number = () => ROOT,
): RebuildRule {
  return (node, above, trie) => {
    if (above !== OUTSIDE) return trie.child(above, frame[node])
    return set[frame[node]] === 0 ? OUTSIDE : trie.child(top(node, trie), frame[node])
  }
}

/** Returns the new place of a node's root frames that are attribute values. */
function rootsAbove({ frame, frames, parent }: CallTree): (node: number, trie: FrameTrie) => number {
  if (frames.attribute === undefined) return () => ROOT
  return (node, trie) => {
    const roots: number[] = []
    for (let i = parent[node]; i !== ROOT; i = parent[i]) if (!isFunction(frames, frame[i])) roots.push(frame[i])
    return roots.reduceRight((at, own) => trie.child(at, own), ROOT)
  }
}

function merging({ frame }: CallTree, set: FrameSet): RebuildRule {
  return (node, above, trie) => (set[frame[node]] === 0 ? trie.child(above, frame[node]) : above)
}

function dropping({ frame }: CallTree, set: FrameSet): RebuildRule {
  return (node, above, trie) => (above === OUTSIDE || set[frame[node]] === 1 ? OUTSIDE : trie.child(above, frame[node]))
}

function collapsing({ frame }: CallTree, set: FrameSet): RebuildRule {
  return (node, above, trie) =>
    above !== ROOT && set[trie.frame(above)] === 1 ? above : trie.child(above, frame[node])
}

/** Goes back to the previous call of the same frame, skipping the frames between. Default: applies to all frames. */
function collapsingLoops({ frame }: CallTree, set: FrameSet | undefined): RebuildRule {
  return (node, above, trie) => {
    const own = frame[node]
    const earlier = set === undefined || set[own] === 1 ? trie.nearest(above, own) : ROOT
    return earlier === ROOT ? trie.child(above, own) : earlier
  }
}

function collapsingRepeats({ frame }: CallTree, set: FrameSet | undefined): RebuildRule {
  return (node, above, trie) => {
    const own = frame[node]
    const repeats = above !== ROOT && trie.frame(above) === own && (set === undefined || set[own] === 1)
    return repeats ? above : trie.child(above, own)
  }
}

/** Joins neighbouring frames of a library into one frame with the library's name. */
function collapseLibrary(tree: CallTree, mapping: string): CallTree {
  const set = libraryFrames(tree, mapping)
  const library = tree.frames.length
  const frames = withFrame(tree.frames, { name: libraryName(mapping), mapping })
  const rule: RebuildRule = (node, above, trie) => {
    if (set[tree.frame[node]] === 0) return trie.child(above, tree.frame[node])
    return above !== ROOT && trie.frame(above) === library ? above : trie.child(above, library)
  }
  return rebuild(tree, rule, { frames })
}

/** The file's name in brackets; `[unknown]` for frames without a mapping. */
export function libraryName(mapping: string): string {
  const file = mapping.slice(mapping.search(/[^/\\]*$/))
  return file === '' ? '[unknown]' : /^\[.*\]$/.test(file) ? file : `[${file}]`
}

function applyToNode(tree: CallTree, kind: NodeTransformKind, path: NodePath): CallTree {
  const found = findPath(tree, path)
  const exists = found.node !== ROOT && found.depth === path.length
  const meant = exists ? found.node : tree.length
  const { frame } = tree
  switch (kind) {
    case 'focus-subtree': {
      if (path.length === 0) return tree
      const rule: RebuildRule = (node, above, trie) => {
        if (above !== OUTSIDE) return trie.child(above, frame[node])
        return node === meant ? trie.child(ROOT, frame[node]) : OUTSIDE
      }
      return rebuild(tree, rule, FOCUS)
    }
    case 'merge-node':
      return rebuild(tree, (node, above, trie) => (node === meant ? above : trie.child(above, frame[node])))
    case 'drop-subtree': {
      const rule: RebuildRule = (node, above, trie) =>
        node === meant || above === OUTSIDE ? OUTSIDE : trie.child(above, frame[node])
      return rebuild(tree, rule)
    }
  }
}
