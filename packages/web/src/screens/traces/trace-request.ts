// A search for traces as the server is asked.
import type { TracesRequest } from '@hearth/client'
import type { TraceSearch } from '../../address/signal-searches.ts'
import { itemSelector } from '../../address/signal-searches.ts'

/** What all questions about spans have in common. */
export type SpanRequest = Pick<
  TracesRequest,
  'selector' | 'from' | 'to' | 'service' | 'name' | 'kind' | 'status' | 'minDuration' | 'maxDuration' | 'samples'
>

/** Durations as people write them: a number alone counts milliseconds. */
export function durationText(written: string): string {
  const text = written.trim().replaceAll(/\s+/g, '').replaceAll('\u00b5', 'u')
  return /^\d+$/.test(text) ? `${text}ms` : text.replace(/^\d*\.\d+(ms|s)$/, fraction)
}

/** `1.5s`, which the server has as `1500ms`. */
function fraction(text: string): string {
  const unit = text.endsWith('ms') ? 'ms' : 's'
  const value = Number(text.slice(0, -unit.length))
  return unit === 's' ? `${Math.round(value * 1000)}ms` : `${Math.round(value * 1000)}us`
}

export function spanRequest(search: TraceSearch): SpanRequest {
  const { service, name, kind, status, minDuration, maxDuration, samples, filters, from, to } = search
  const selector = itemSelector(filters)
  return {
    from,
    to,
    ...(selector === undefined ? {} : { selector }),
    ...(service === '' ? {} : { service }),
    ...(name === '' ? {} : { name }),
    ...(kind === '' ? {} : { kind }),
    ...(status === '' ? {} : { status }),
    ...(minDuration === '' ? {} : { minDuration: durationText(minDuration) }),
    ...(maxDuration === '' ? {} : { maxDuration: durationText(maxDuration) }),
    ...(samples === '' ? {} : { samples }),
  }
}
