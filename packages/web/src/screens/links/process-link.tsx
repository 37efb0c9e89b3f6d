// A link from a span or a log record to the profiles of its process at that time.
import type { Attribute } from '@hearth/client'
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { attributeText } from '../../api/value-text.ts'
import type { Filter } from '../../address/query.ts'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import type { ExploreRoute } from '../../address/route.ts'
import { EXPLORE } from '../../address/route.ts'
import { hrefOf, navigate } from '../../state/navigation.ts'
import { client, handleUnauthorized } from '../../state/session.ts'
import { millisOf } from '../../widgets/format-time.ts'
import { timeText } from '../../address/time-range.ts'
import { formatSpan } from '../../address/time-span.ts'
import { DEFAULT_LANES } from '../../address/lanes-view.ts'
import type { Shown, View } from '../../address/view.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'

/** Resource attributes that identify a process of a service, the most specific first. */
const IDENTITY = ['service.instance.id', 'process.pid', 'container.id', 'k8s.pod.uid', 'host.id', 'host.name'] as const
/** A profile begins before its samples. */
const BEFORE_MS = 60_000
const AFTER_MS = 1000
const MAX_KEYS = 1000
const MILLISECOND = 1_000_000n

export interface ProcessLinkProps {
  readonly resource: readonly Attribute[]
  /** The value of thread.id; empty for the whole process. */
  readonly thread: string
  /** Nanoseconds since 1970. */
  readonly from: bigint
  readonly to: bigint
  readonly show: Shown
  readonly class?: string
  readonly children: ComponentChildren
}

/** The range of the profiles with the samples of a time. */
export function profilesAround(from: bigint, to: bigint): { readonly from: string; readonly to: string } {
  return { from: timeText(millisOf(from) - BEFORE_MS), to: timeText(millisOf(to) + AFTER_MS) }
}

/** Zooms to a time with some room around it, and selects it: the time of a log record, which has no length, for a millisecond. */
function markedTime(start: bigint, to: bigint): Pick<View, 'span' | 'lanes'> {
  const until = to > start ? to : start + MILLISECOND
  const room = (until - start) / 2n + MILLISECOND
  return {
    span: formatSpan(start - room, 0, Number(until - start + 2n * room)),
    lanes: { ...DEFAULT_LANES, range: { from: start, until } },
  }
}

export function ProcessLink(props: ProcessLinkProps): JSX.Element {
  const { resource, thread, from, to, show, class: className, children } = props
  const [busy, setBusy] = useState(false)
  const service = attributeText(resource, 'service.name') || attributeText(resource, 'process.executable.name')
  const range = profilesAround(from, to)
  const routeWith = (filters: readonly Filter[]): ExploreRoute => ({
    ...EXPLORE,
    query: { ...EMPTY_QUERY, service, filters, ...range },
    view: { ...DEFAULT_VIEW, show, ...(show === 'threads' ? markedTime(from, to) : {}) },
  })
  // Senders describe one process by different attributes. Only attributes that the profiles have too can be used as filters.
  const follow = async (): Promise<void> => {
    const selector = selectorOf({ ...EMPTY_QUERY, service })
    const { attributes } = await client.peek().query('attributes', { selector, ...range, limit: MAX_KEYS })
    const has = (key: string, level: string): boolean =>
      attributes.some(each => each.key === key && each.levels.some(found => found === level))
    const filters: Filter[] = IDENTITY.flatMap(key => {
      const value = attributeText(resource, key)
      return value === '' || !has(key, 'resource') ? [] : [{ key: `resource:${key}`, operator: '=', value } as const]
    })
    if (thread !== '' && has('thread.id', 'sample')) {
      filters.push({ key: 'sample:thread.id', operator: '=', value: thread })
    }
    navigate(routeWith(filters))
  }
  return (
    <a
      class={className}
      href={hrefOf(routeWith([]))}
      aria-busy={busy}
      onClick={event => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        setBusy(true)
        follow()
          .catch((error: unknown) => {
            handleUnauthorized(error)
            navigate(routeWith([]))
          })
          .finally(() => setBusy(false))
      }}
    >
      {children}
    </a>
  )
}
