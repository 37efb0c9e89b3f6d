// Converts a trace search of the UI to a request of the API.
import type { TracesRequest } from '@hearth/client'
import type { TraceSearch } from '../../address/signal-searches.ts'
import type { OfLoad } from '../../address/time-range.ts'
import { ofLoad } from '../../address/time-range.ts'
import { itemSelector } from '../../address/signal-searches.ts'

/** The parameters that all requests about spans have in common. */
export type SpanRequest = Pick<
  TracesRequest,
  | 'selector'
  | 'from'
  | 'to'
  | 'receivedBefore'
  | 'service'
  | 'name'
  | 'kind'
  | 'status'
  | 'minDuration'
  | 'maxDuration'
  | 'samples'
>

/** Converts a duration that a user typed to the syntax of the API. A plain number is in milliseconds. */
export function durationWithUnit(written: string): string {
  const text = written.trim().replaceAll(/\s+/g, '').replaceAll('\u00b5', 'u')
  return /^\d+$/.test(text) ? `${text}ms` : text.replace(/^\d*\.\d+(ms|s)$/, fraction)
}

/** Converts `1.5s` to `1500ms`, because the API accepts integers only. */
function fraction(text: string): string {
  const unit = text.endsWith('ms') ? 'ms' : 's'
  const value = Number(text.slice(0, -unit.length))
  return unit === 's' ? `${Math.round(value * 1000)}ms` : `${Math.round(value * 1000)}us`
}

export function spanRequest(search: TraceSearch & OfLoad): SpanRequest {
  const { service, name, kind, status, minDuration, maxDuration, samples, filters, from, to } = search
  const selector = itemSelector(filters)
  return {
    from,
    to,
    ...ofLoad(search),
    ...(selector === undefined ? {} : { selector }),
    ...(service === '' ? {} : { service }),
    ...(name === '' ? {} : { name }),
    ...(kind === '' ? {} : { kind }),
    ...(status === '' ? {} : { status }),
    ...(minDuration === '' ? {} : { minDuration: durationWithUnit(minDuration) }),
    ...(maxDuration === '' ? {} : { maxDuration: durationWithUnit(maxDuration) }),
    ...(samples === '' ? {} : { samples }),
  }
}
