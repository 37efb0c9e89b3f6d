// The page of browser tests and benchmarks: a mounted view, a log of its callbacks, and functions to make trees.
import { applyTransforms, layOut, searchFrames } from '@hearth/profile'
import { syntheticTree, treeOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import type { FlameGraphOptions } from '../flame-graph/flame-graph-view.ts'
import { FlameGraphView } from '../flame-graph/flame-graph-view.ts'

export interface RecordedCall {
  readonly event: 'hover' | 'select' | 'menu' | 'focus' | 'announce'
  /** The path by names, or the announced text. */
  readonly text: string
  readonly by: string
}

function mount(options: Partial<FlameGraphOptions> = {}): FlameGraphView {
  kit.calls.length = 0
  const add = (event: RecordedCall['event'], path: readonly string[] | undefined, by = ''): void => {
    kit.calls.push({ event, text: path === undefined ? 'nothing' : path.join('/'), by })
  }
  const view = new FlameGraphView(
    document.getElementById('graph')!,
    {
      onHover: hit => add('hover', hit?.path, hit?.by),
      onSelect: hit => add('select', hit?.path, hit?.by),
      onContextMenu: hit => add('menu', hit.path, hit.by),
      onFocusChange: ({ path, by }) => add('focus', path, by),
      onAnnounce: text => add('announce', [text]),
    },
    options,
  )
  kit.view = view
  return view
}

/** The colour of a layer at a position in CSS pixels, as #rrggbbaa. */
function pixel(layer: 'boxes' | 'marks', x: number, y: number): string {
  const canvas = document.querySelectorAll('canvas')[layer === 'boxes' ? 0 : 1]
  const ratio = canvas.width / canvas.clientWidth
  const { data } = canvas.getContext('2d')!.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1)
  return `#${[...data].map(byte => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Frames that were requested and have not run yet. A view that is drawn requests none. */
const frames = new Set<number>()
const requestFrame = window.requestAnimationFrame.bind(window)
const cancelFrame = window.cancelAnimationFrame.bind(window)
window.requestAnimationFrame = run => {
  const frame = requestFrame(time => {
    frames.delete(frame)
    run(time)
  })
  frames.add(frame)
  return frame
}
window.cancelAnimationFrame = frame => {
  frames.delete(frame)
  cancelFrame(frame)
}

/** Resolves when everything is drawn. The browser reports a new size with the next frame, so two frames must be quiet. */
async function settled(): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    await new Promise(resolve => void requestFrame(resolve))
    quiet = frames.size === 0 ? quiet + 1 : 0
  }
}

const kit = {
  FlameGraphView,
  applyTransforms,
  layOut,
  mount,
  pixel,
  searchFrames,
  settled,
  syntheticTree,
  calls: [] as RecordedCall[],
  treeOfFolded,
  view: undefined as FlameGraphView | undefined,
}

export type Kit = typeof kit

declare global {
  var kit: Kit
}

globalThis.kit = kit
