// Loads log records in pages as the user scrolls, and polls for new ones while following.
import { absolute } from '../../address/time-range.ts'
import type { LogRow, LogsResponse, SignalResource, SignalScope } from '@hearth/client'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LogSearch } from '../../address/signal-searches.ts'
import { client, handleUnauthorized } from '../../state/session.ts'
import type { Loaded } from '../../state/use-loaded.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { logRequest } from './log-request.ts'

/** A record with its resource and scope. */
export interface LogItem extends Omit<LogRow, 'resource' | 'scope'> {
  readonly resource: SignalResource | undefined
  readonly scope: SignalScope | undefined
}

export interface LogPages {
  readonly first: Loaded<LogsResponse>
  /** The newest first. */
  readonly logs: readonly LogItem[]
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  /** The error that stopped paging or following. */
  readonly problem: unknown
}

const PAGE = 200
const POLL_MS = 2000
/** The maximum number of followed records. Older ones are dropped. */
const MAX_FOLLOWED = 20_000

interface Pages {
  readonly key: string
  /** Records after the first page. */
  readonly older: readonly LogItem[]
  readonly next: string | undefined
  /** Records that arrived after the first page was loaded. */
  readonly newer: readonly LogItem[]
  readonly problem: unknown
}

export function useLogPages(search: LogSearch, now: number, follow: boolean): LogPages {
  const key = `${JSON.stringify(search)}:${now}`
  const first = useLoaded(`logs:${key}`, signal =>
    client.peek().query('logs', { ...logRequest(absolute(search, now)), limit: PAGE }, { signal }),
  )
  const start: Pages = { key, older: [], next: first.value?.next, newer: [], problem: undefined }
  const [kept, setKept] = useState<Pages>(start)
  const [isLoadingMore, setIsLoadingMore] = useState(false)
  const pages = kept.key === key && !first.loading ? kept : start
  useLayoutEffect(() => {
    if (!first.loading) setKept({ ...start, next: first.value?.next })
  }, [first.value, first.loading])

  const loadMore = (): void => {
    if (isLoadingMore || pages.next === undefined) return
    setIsLoadingMore(true)
    client
      .peek()
      .query('logs', { ...logRequest(absolute(search, now)), limit: PAGE, after: pages.next })
      .then(
        response =>
          setKept(old =>
            old.key === key ? { ...old, older: [...old.older, ...itemsOf(response)], next: response.next } : old,
          ),
        (problem: unknown) => {
          handleUnauthorized(problem)
          setKept(old => ({ ...old, problem }))
        },
      )
      .finally(() => setIsLoadingMore(false))
  }
  const newest = pages.newer[0]?.cursor ?? first.value?.logs[0]?.cursor
  const latest = useRef(newest)
  latest.current = newest
  useLayoutEffect(() => {
    if (!follow || first.loading) return undefined
    const controller = new AbortController()
    const poll = async (): Promise<void> => {
      const after = latest.current
      const request = { ...logRequest(search), to: 'now+1m', order: 'oldest', limit: PAGE } as const
      const response = client.peek().query('logs', after === undefined ? request : { ...request, after }, controller)
      const more = itemsOf(await response).reverse()
      if (more.length > 0 && !controller.signal.aborted) {
        setKept(old => (old.key === key ? { ...old, newer: [...more, ...old.newer].slice(0, MAX_FOLLOWED) } : old))
      }
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const pollAndRepeat = (): void => {
      poll().then(
        () => {
          if (!controller.signal.aborted) timer = setTimeout(pollAndRepeat, POLL_MS)
        },
        (problem: unknown) => {
          if (controller.signal.aborted) return
          handleUnauthorized(problem)
          setKept(old => ({ ...old, problem }))
        },
      )
    }
    timer = setTimeout(pollAndRepeat, POLL_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [follow, key, first.loading])

  const logs = [...pages.newer, ...(first.value === undefined ? [] : itemsOf(first.value)), ...pages.older]
  return { first, logs, hasMore: pages.next !== undefined, isLoadingMore, loadMore, problem: pages.problem }
}

function itemsOf({ logs, resources, scopes }: LogsResponse): LogItem[] {
  return logs.map(log => ({ ...log, resource: resources[log.resource], scope: scopes[log.scope] }))
}
