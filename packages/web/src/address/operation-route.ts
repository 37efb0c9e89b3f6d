// The address of the time ledger of an operation.
import type { Fields } from './route-fields.ts'
import { choice, text } from './route-fields.ts'
import type { TraceSearch } from './signal-searches.ts'
import { EMPTY_TRACE_SEARCH } from './signal-searches.ts'

export const OPERATION_TABS = ['overview', 'time', 'attribute', 'interference'] as const
export type OperationTab = (typeof OPERATION_TABS)[number]

/** The time ledger of an operation. */
export interface OperationRoute {
  readonly screen: 'operation'
  readonly search: TraceSearch
  readonly tab: OperationTab
  /** The attribute by which ledgers are grouped. */
  readonly by: string
}

export const OPERATION: OperationRoute = {
  screen: 'operation',
  search: EMPTY_TRACE_SEARCH,
  tab: 'overview',
  by: 'service.version',
}

export const operationFields: Fields<Pick<OperationRoute, 'tab' | 'by'>> = {
  tab: ['tab', choice(OPERATION_TABS, 'overview')],
  by: ['by', text('service.version')],
}
