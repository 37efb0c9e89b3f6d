// The tool that shows what a saved view of the UI shows.
import type { Fields } from '@hearth/client/address'
import { queryFields, readFields, selectorOf, text } from '@hearth/client/address'

export interface ToolCall {
  /** Empty if no tool shows the view. */
  readonly tool: string
  readonly input: Readonly<Record<string, string>>
}

/** Parameters of addresses that are inputs of a tool. */
const signalFields = {
  service: ['service', text()],
  name: ['name', text()],
  from: ['from', text()],
  to: ['to', text()],
  minDuration: ['min', text()],
  status: ['status', text()],
  text: ['text', text()],
  severity: ['severity', text()],
  trace: ['trace', text()],
  id: ['id', text()],
  spanId: ['span-id', text()],
} as const satisfies Fields<Record<string, string>>

/** Prefixes of the two sides of a comparison. */
const [BEFORE, AFTER] = ['a.', 'b.']

/** `address` is relative to the UI, such as `explore?service=checkout`. */
export function callOfView(address: string): ToolCall {
  const [screen, search = ''] = address.split(/\?(.*)/s)
  const parameters = new URLSearchParams(search)
  const {
    service,
    name,
    from,
    to,
    minDuration,
    status,
    text: body,
    severity,
    trace,
    id,
    spanId,
  } = readFields(signalFields, parameters)
  const { filters } = readFields(queryFields, parameters)
  const selector = filters.length === 0 ? '' : selectorOf({ service: '', type: '', filters, stacks: [] })
  switch (screen) {
    case 'explore':
    case 'breakdown':
    case 'profiles':
    case 'function': {
      const query = readFields(queryFields, parameters)
      const [frame] = screen === 'function' ? [{ negated: false, place: 'frame', regex: false, name } as const] : []
      const stacks = frame === undefined ? query.stacks : [...query.stacks, frame]
      return {
        tool: 'flame_graph',
        input: { selector: selectorOf({ ...query, stacks }), from: query.from, to: query.to },
      }
    }
    case 'compare': {
      const before = readFields(queryFields, parameters, BEFORE)
      const after = readFields(queryFields, parameters, AFTER)
      const baseline = {
        beforeSelector: selectorOf(before),
        beforeFrom: parameters.get(`${BEFORE}from`) ?? 'now-2h',
        beforeTo: parameters.get(`${BEFORE}to`) ?? (parameters.has(`${BEFORE}from`) ? 'now' : 'now-1h'),
      }
      return { tool: 'diff', input: { selector: selectorOf(after), from: after.from, to: after.to, ...baseline } }
    }
    case 'traces':
    case 'slow':
      return { tool: 'traces', input: filled({ service, operation: name, selector, from, to, minDuration, status }) }
    case 'operation':
      return { tool: 'time_ledger', input: filled({ operation: name, service, selector, from, to }) }
    case 'trace':
      return { tool: 'time_ledger', input: filled({ traceId: id, spanId }) }
    case 'logs':
      return { tool: 'logs', input: filled({ service, selector, from, to, text: body, severity, traceId: trace }) }
    case 'alerts':
      return { tool: 'alerts', input: {} }
    case '':
    case 'services':
      return { tool: 'list_services', input: filled({ from, to }) }
    default:
      return { tool: '', input: {} }
  }
}

function filled(input: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ''))
}
