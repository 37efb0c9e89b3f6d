// A finding in one sentence, for alerts, reports and assistants.
import { formatAmount } from '@hearth/profile'
import type { Finding } from './finding.ts'

/** `shop 1.4.2: editDistance costs 0.12 cores ± 0.01 more than in 1.4.1 (+35 %)`. */
export function findingSentence(finding: Finding): string {
  const { service, version, previousVersion, cause, change, margin, before, unit, comparison, environment } = finding
  const than =
    comparison === 'version'
      ? `than in ${previousVersion === '' ? 'the version before' : previousVersion}`
      : comparison === 'deployment'
        ? 'than before the deployment'
        : 'than at the same time yesterday'
  const growth = before > 0 ? ` (+${((100 * change) / before).toFixed(0)} %)` : ' (new)'
  const where = environment === undefined ? '' : ` in ${environment.value}`
  const head = `${service}${version === '' ? '' : ` ${version}`}${where}`
  return `${head}: ${cause.name} costs ${formatAmount(change, unit)} ± ${formatAmount(margin, unit)} more ${than}${growth}`
}
