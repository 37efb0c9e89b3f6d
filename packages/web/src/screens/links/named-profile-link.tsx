// A link to a profile that a span or a log record names by the id of its sender. The profile is looked up on click.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import { hrefOf, navigate } from '../../state/navigation.ts'
import { client, handleUnauthorized } from '../../state/session.ts'
import { timeText } from '../../address/time-range.ts'
import { DEFAULT_VIEW } from '../../address/view.ts'

export interface NamedProfileLinkProps {
  /** Hex. */
  readonly id: string
  /** The time of the span or log record, in milliseconds since 1970. */
  readonly around: number
}

/** Half the range in which the profile is looked up. Spans and log records may name a profile long after it was recorded. */
const AROUND_MS = 86_400_000

export function NamedProfileLink({ id, around }: NamedProfileLinkProps): JSX.Element {
  const [problem, setProblem] = useState('')
  const query = {
    ...EMPTY_QUERY,
    filters: [{ key: 'profile.id', operator: '=', value: id }] as const,
    from: timeText(around - AROUND_MS),
    to: timeText(around + AROUND_MS),
  }
  const list = { screen: 'profiles', query, after: '' } as const
  const follow = async (): Promise<void> => {
    const { from, to } = query
    const { profiles } = await client.peek().query('profiles', { selector: selectorOf(query), from, to, limit: 2 })
    if (profiles.length === 0) setProblem('not found')
    else if (profiles.length > 1) navigate(list)
    else navigate({ screen: 'profile', profile: profiles[0].profile, view: DEFAULT_VIEW })
  }
  return (
    <>
      <a
        class="code"
        href={hrefOf(list)}
        title={`profile ${id}`}
        onClick={event => {
          if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
          event.preventDefault()
          follow().catch((error: unknown) => {
            handleUnauthorized(error)
            setProblem(error instanceof Error ? error.message : String(error))
          })
        }}
      >
        {id}
      </a>
      {problem !== '' && <span class="muted"> {problem}</span>}
    </>
  )
}
