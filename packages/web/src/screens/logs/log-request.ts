// Converts a log search of the UI to a request of the API.
import type { LogCountsRequest } from '@hearth/client'
import type { LogSearch } from '../../address/signal-searches.ts'
import type { OfLoad } from '../../address/time-range.ts'
import { ofLoad } from '../../address/time-range.ts'
import { itemSelector } from '../../address/signal-searches.ts'

export function logRequest(search: LogSearch & OfLoad): Omit<LogCountsRequest, 'step'> {
  const { service, text, regex, exact, severity, trace, span, profile, process, thread, filters, from, to } = search
  const selector = itemSelector(filters)
  return {
    from,
    to,
    ...ofLoad(search),
    ...(selector === undefined ? {} : { selector }),
    ...(service === '' ? {} : { service }),
    ...(text === '' ? {} : regex ? { regex: text } : { text }),
    ...(text === '' || exact ? {} : { ignoreCase: true }),
    ...(severity === '' ? {} : { severity }),
    ...(trace === '' ? {} : { traceId: trace }),
    ...(span === '' ? {} : { spanId: span }),
    ...(profile === '' ? {} : { profileId: profile }),
    ...(process === '' ? {} : { resource: process }),
    ...(thread === '' ? {} : { thread }),
  }
}
