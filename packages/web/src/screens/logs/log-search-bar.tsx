// Which log records: by what they say, how grave they are, whose they are, attributes and time. Everything applies at once.
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
  readonly moment: number
  readonly onRefresh: () => void
}

/** While one types, until it is meant. */
const PAUSE_MS = 300

export function LogSearchBar({ search, onSearch, moment, onRefresh }: LogSearchBarProps): JSX.Element {
  const services = useSignalServices('logs', search, moment)
  return (
    <div class="query-bar">
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
                : `${each[0].toUpperCase()}${each.slice(1)} and up`}
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
      <SearchBarEnd signal="logs" search={search} onSearch={onSearch} onRefresh={onRefresh} />
    </div>
  )
}

function TextField({ search, onSearch }: Pick<LogSearchBarProps, 'search' | 'onSearch'>): JSX.Element {
  const [typed, setTyped] = useState(search.text)
  // What was searched for from here comes back as the address; by then more may have been typed, which stays.
  const sent = useRef(search.text)
  // Within the pause something else may be chosen, which stays too.
  const latest = useRef({ search, onSearch })
  latest.current = { search, onSearch }
  useLayoutEffect(() => {
    if (search.text !== sent.current) setTyped(search.text)
    sent.current = search.text
  }, [search.text])
  // Who leaves within the pause is not called back: effects of the other kind end only after the next picture.
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
        title="As a regular expression"
        aria-label="As a regular expression"
        aria-pressed={search.regex}
        onClick={() => onSearch({ ...search, regex: !search.regex }, 'replace')}
      >
        .*
      </button>
      <button
        type="button"
        class="icon code"
        title="Large and small letters differ"
        aria-label="Large and small letters differ"
        aria-pressed={search.exact}
        onClick={() => onSearch({ ...search, exact: !search.exact }, 'replace')}
      >
        Aa
      </button>
    </div>
  )
}
