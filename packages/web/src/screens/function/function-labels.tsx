// One function by the values of an attribute, such as its version.
import type { JSX } from 'preact'
import type { Divisors } from '../../address/divisor.ts'
import type { Normalisation } from '../../address/normalisation.ts'
import type { Query } from '../../address/query.ts'
import type { FunctionName } from '../../address/route.ts'
import { compareRoute } from '../../address/compare-route.ts'
import { functionRoute } from '../../address/route.ts'
import { navigate } from '../../state/navigation.ts'
import { BreakdownBars } from '../../widgets/breakdown/breakdown-bars.tsx'
import type { BreakdownRow } from '../../widgets/breakdown/breakdown-rows.ts'
import { filterOf, preferredKey } from '../../widgets/breakdown/breakdown-rows.ts'
import { useAttributeKeys, useBreakdown, useRowRequests } from '../../widgets/breakdown/use-breakdown.ts'
import { Combo } from '../../widgets/controls/combo.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { withFunction } from './function-data.ts'

export interface FunctionLabelsProps {
  readonly query: Query
  readonly of: FunctionName
  /** Empty for the first attribute. */
  readonly attribute: string
  /** Undefined if the attribute is fixed. */
  readonly onAttribute: ((attribute: string) => void) | undefined
  readonly per: Normalisation
  readonly divisors: Divisors
  readonly now: number
}

export function FunctionLabels(props: FunctionLabelsProps): JSX.Element {
  const { query, of, onAttribute, per, divisors, now } = props
  const keys = useAttributeKeys(query, now)
  const attribute = props.attribute === '' ? preferredKey(keys ?? []) : props.attribute
  const loaded = useBreakdown(withFunction(query, of), attribute, now)
  const withValue = (row: BreakdownRow): Query => ({ ...query, filters: [...query.filters, filterOf(attribute, row)] })
  const { value } = loaded
  const requests = useRowRequests(query, attribute, value, per, now)
  return (
    <>
      {onAttribute !== undefined && (
        <div class="bar">
          <Combo
            label="Attribute"
            width={220}
            value={attribute}
            placeholder="Attribute"
            options={(keys ?? []).map(each => ({ value: each }))}
            onChoose={onAttribute}
          />
        </div>
      )}
      <Progress of={loaded} what="Loading values" />
      {loaded.error !== undefined && !loaded.loading ? (
        <Failure error={loaded.error} onRetry={loaded.retry} />
      ) : value === undefined ? (
        <></>
      ) : value.rows.length === 0 ? (
        <p class="reading muted">No data in this range</p>
      ) : (
        <BreakdownBars
          breakdown={value}
          attribute={attribute}
          per={per}
          divisors={divisors}
          requests={requests}
          onFilter={row => navigate(functionRoute(of, withValue(row), per))}
          onCompare={(before, after) => navigate(compareRoute(withValue(before), withValue(after), per))}
        />
      )}
    </>
  )
}
