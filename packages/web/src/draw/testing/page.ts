// What the browser tests and the bench have in their page: a mounted view, what it told, and what it takes to make trees.
import { applyTransforms, diffOfTrees, layOut, searchFrames } from '@hearth/profile'
import { syntheticTree, treeOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import type { FlameGraphOptions } from '../flame-graph/flame-graph-view.ts'
import { FlameGraphView } from '../flame-graph/flame-graph-view.ts'

export interface Told {
  readonly event: 'hover' | 'select' | 'menu' | 'focus' | 'say'
  /** The path by names, or what was said. */
  readonly text: string
  readonly by: string
}

function mount(options: Partial<FlameGraphOptions> = {}): FlameGraphView {
  kit.told.length = 0
  const add = (event: Told['event'], path: readonly string[] | undefined, by = ''): void => {
    kit.told.push({ event, text: path === undefined ? 'nothing' : path.join('/'), by })
  }
  const view = new FlameGraphView(
    document.getElementById('graph')!,
    {
      onHover: hit => add('hover', hit?.path, hit?.by),
      onSelect: hit => add('select', hit?.path, hit?.by),
      onContextMenu: hit => add('menu', hit.path, hit.by),
      onFocusChange: ({ path, by }) => add('focus', path, by),
      onAnnounce: text => add('say', [text]),
    },
    options,
  )
  kit.view = view
  return view
}

/** Of what a layer shows at a place in CSS pixels, as #rrggbbaa. */
function pixel(layer: 'boxes' | 'marks', x: number, y: number): string {
  const canvas = document.querySelectorAll('canvas')[layer === 'boxes' ? 0 : 1]
  const ratio = canvas.width / canvas.clientWidth
  const { data } = canvas.getContext('2d')!.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1)
  return `#${[...data].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}

/** When everything asked for has been drawn: animations last 120 ms. */
async function settled(): Promise<void> {
  const frame = (): Promise<number> => new Promise(resolve => void requestAnimationFrame(resolve))
  const start = await frame()
  while ((await frame()) - start < 250);
}

const kit = {
  FlameGraphView,
  applyTransforms,
  diffOfTrees,
  layOut,
  mount,
  pixel,
  searchFrames,
  settled,
  syntheticTree,
  told: [] as Told[],
  treeOfFolded,
  view: undefined as FlameGraphView | undefined,
}

export type Kit = typeof kit

declare global {
  var kit: Kit
}

globalThis.kit = kit
