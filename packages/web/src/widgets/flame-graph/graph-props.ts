// The properties of a flame graph that follow from the view in the URL.
import type { View } from '../../address/view.ts'
import type { FlameGraphProps } from './flame-graph.tsx'

export function graphProps(
  view: View,
  onView: (view: View, how: 'push' | 'replace') => void,
): Pick<FlameGraphProps, 'orientation' | 'palette' | 'focus' | 'onFocus'> {
  return {
    orientation: view.upwards ? 'flame' : 'icicle',
    palette: paletteOf(view),
    focus: view.focus,
    onFocus: ({ path, by }) => onView({ ...view, focus: path }, by === 'wheel' || by === 'drag' ? 'replace' : 'push'),
  }
}

export function paletteOf({ colourBlind }: Pick<View, 'colourBlind'>): FlameGraphProps['palette'] {
  return colourBlind ? 'colour-blind' : 'standard'
}
