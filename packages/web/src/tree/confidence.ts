// How certain the value of a box is, in words. A profile is a sample: another recording would have other values.
import type { CallTree, SideObservations } from '@hearth/profile'
import { ROOT, deviations, judgeDeviations, shareMargin } from '@hearth/profile'

/** `about 120 samples; 12.0 % ± 1.8 points (95 % confidence)`. Empty if the number of samples is unknown. */
export function sampleText(tree: CallTree, node: number, observations: number): string {
  if (observations <= 0 || tree.sum === 0n || tree.times !== undefined) return ''
  const part = node === ROOT ? 1 : Math.min(1, Math.abs(tree.total[node] / Number(tree.sum)))
  const count = Math.round(part * observations)
  const samples = `about ${count.toLocaleString('en')} ${count === 1 ? 'sample' : 'samples'}`
  if (part === 1) return samples
  return `${samples}; share ± ${pointsText(shareMargin({ part, of: observations }))} (95% confidence)`
}

/** The significance of a box's change. */
export function changeConfidence(tree: CallTree, node: number, { before, after, between }: SideObservations): string {
  if (tree.before === undefined || node === ROOT || before <= 0 || after <= 0) return ''
  const part = (value: number, sum: bigint): number => (sum === 0n ? 0 : Math.min(1, Math.abs(value / Number(sum))))
  const size = deviations(
    { part: part(tree.before.total[node], tree.before.sum), of: before },
    { part: part(tree.total[node], tree.sum), of: after },
    between,
  )
  const text = { clear: 'significant', likely: 'likely, but not certain', chance: 'may be chance' }[
    judgeDeviations(size)
  ]
  return `${text} (${Math.abs(size).toFixed(1)} standard deviations)`
}

function pointsText(margin: number): string {
  const points = 100 * margin
  return `${points < 0.1 ? '<0.1' : points.toFixed(points < 10 ? 1 : 0)} points`
}
