// The refresh button with the interval of live refresh, and the button that copies a link.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { absoluteLink } from '../../state/absolute-link.ts'
import { chooseLive, isLiveScreen, liveSeconds, staleData } from '../../state/live.ts'
import type { LiveInterval } from '../../state/live-rules.ts'
import { LIVE_INTERVALS, intervalTitle } from '../../state/live-rules.ts'
import { copyText } from '../controls/copy-text.ts'
import { Icon } from '../controls/icon.tsx'
import { formatClock } from '../format-time.ts'
import { SaveView } from './save-view.tsx'
import './query-bar.css'

const SHOWN_MS = 1600

export function LiveControl({ onRefresh }: { readonly onRefresh: () => void }): JSX.Element {
  const stale = staleData.value
  return (
    <>
      {stale !== undefined && (
        <span class="stale-note" role="status" title={stale.reason}>
          <Icon name="warning" /> Not refreshed since {formatClock(stale.since, true)}
        </span>
      )}
      <span class="live-control">
        <button type="button" class="icon" aria-label="Refresh" title="Refresh (Shift R)" onClick={onRefresh}>
          <Icon name="refresh" />
        </button>
        {isLiveScreen() && (
          <select
            aria-label="Refresh every"
            title="Refreshes by itself, except while the pointer is over data or the tab is hidden"
            value={String(liveSeconds.value)}
            onChange={event => chooseLive(Number(event.currentTarget.value) as LiveInterval)}
          >
            {LIVE_INTERVALS.map(each => (
              <option key={each} value={String(each)}>
                {intervalTitle(each)}
              </option>
            ))}
          </select>
        )}
      </span>
      <CopyLink />
      <SaveView />
    </>
  )
}

function CopyLink(): JSX.Element {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await copyText(absoluteLink())
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <button
      type="button"
      class="icon"
      aria-label="Copy link"
      title="Copy a link with absolute times (Shift L)"
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'link'} />
      <span class="visually-hidden" role="status">
        {isCopied ? 'Link copied' : ''}
      </span>
    </button>
  )
}
