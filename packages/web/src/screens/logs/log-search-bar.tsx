// The search bar of Logs: text, severity, service, attributes and time range. Each change applies immediately.
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LogSearch } from '../../address/signal-searches.ts'
import { SEVERITIES } from '../../address/signal-searches.ts'
import { Chip } from '../../widgets/query-bar/filter-chips.tsx'
import { SearchBarEnd } from '../../widgets/query-bar/search-bar-end.tsx'
import { ServiceCombo, useSignalServices } from '../../widgets/query-bar/service-combo.tsx'
import '../../widgets/query-bar/query-bar.css'

export interface LogSearchBarProps {
  readonly search: LogSearch
  readonly onSearch: (search: LogSearch, how?: 'push' | 'replace') => void
  readonly now: number
  readonly onRefresh: () => void
}

/** The search runs when the user has not typed for this long. */
const PAUSE_MS = 300

export function LogSearchBar({ search, onSearch, now, onRefresh }: LogSearchBarProps): JSX.Element {
  const services = useSignalServices('logs', search, now)
  return (
    <div class="query-bar" data-rove>
      <ServiceCombo
        service={search.service}
        services={services}
        onService={chosen => onSearch({ ...search, service: chosen })}
      />
      <select
        aria-label="Severity"
        value={search.severity}
        onChange={event => onSearch({ ...search, severity: event.currentTarget.value as LogSearch['severity'] })}
      >
        {SEVERITIES.map(each => (
          <option key={each} value={each}>
            {each === ''
              ? 'Any severity'
              : each === 'fatal'
                ? 'Fatal'
                : `${each[0].toUpperCase()}${each.slice(1)} or higher`}
          </option>
        ))}
      </select>
      <TextField search={search} onSearch={onSearch} />
      {(
        [
          ['trace', 'trace'],
          ['span', 'span'],
          ['profile', 'profile'],
          ['process', 'process'],
          ['thread', 'thread'],
        ] as const
      ).map(
        ([key, title]) =>
          search[key] !== '' && (
            <Chip key={key} text={`${title} ${search[key]}`} onRemove={() => onSearch({ ...search, [key]: '' })} />
          ),
      )}
      <SearchBarEnd signal="logs" search={search} onSearch={onSearch} onRefresh={onRefresh} now={now} />
    </div>
  )
}

function TextField({ search, onSearch }: Pick<LogSearchBarProps, 'search' | 'onSearch'>): JSX.Element {
  const [typed, setTyped] = useState(search.text)
  // The search of this field comes back in the URL. Text that was typed since then must stay.
  const sent = useRef(search.text)
  // The rest of the search may change during the pause, and must stay too.
  const latest = useRef({ search, onSearch })
  latest.current = { search, onSearch }
  useLayoutEffect(() => {
    if (search.text !== sent.current) setTyped(search.text)
    sent.current = search.text
  }, [search.text])
  // A layout effect, so that leaving the screen during the pause cancels the timer. Other effects end after the next frame.
  useLayoutEffect(() => {
    if (typed === search.text) return undefined
    const timer = setTimeout(() => {
      sent.current = typed
      latest.current.onSearch({ ...latest.current.search, text: typed }, 'replace')
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div class="view-search" role="search">
      <input
        type="search"
        aria-label="Search logs"
        placeholder="Search logs"
        spellcheck={false}
        value={typed}
        onInput={event => setTyped(event.currentTarget.value)}
      />
      <button
        type="button"
        class="icon code"
        title="Use regular expression"
        aria-label="Use regular expression"
        aria-pressed={search.regex}
        onClick={() => onSearch({ ...search, regex: !search.regex }, 'replace')}
      >
        .*
      </button>
      <button
        type="button"
        class="icon code"
        title="Match case"
        aria-label="Match case"
        aria-pressed={search.exact}
        onClick={() => onSearch({ ...search, exact: !search.exact }, 'replace')}
      >
        Aa
      </button>
    </div>
  )
}
