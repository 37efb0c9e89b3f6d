// A finding in one sentence, for alerts, reports and assistants.
import type { Finding } from './finding.ts'

export function amountText(value: number, unit: string): string {
  const rounded = Number(value.toPrecision(3))
  return unit === 'cores' && Math.abs(value) < 0.1
    ? `${Number((value * 1000).toPrecision(3))} millicores`
    : `${rounded.toLocaleString('en', { maximumSignificantDigits: 3 })} ${unit}`
}

/** `shop 1.4.2: editDistance costs 0.12 cores ± 0.01 more than in 1.4.1 (+35 %)`. */
export function findingSentence(finding: Finding): string {
  const { service, version, previousVersion, cause, change, margin, before, unit, comparison } = finding
  const than =
    comparison === 'version'
      ? `than in ${previousVersion === '' ? 'the version before' : previousVersion}`
      : comparison === 'deployment'
        ? 'than before the deployment'
        : 'than at the same time yesterday'
  const growth = before > 0 ? ` (+${((100 * change) / before).toFixed(0)} %)` : ' (new)'
  const head = version === '' ? service : `${service} ${version}`
  return `${head}: ${cause.name} costs ${amountText(change, unit)} ± ${amountText(margin, unit)} more ${than}${growth}`
}
