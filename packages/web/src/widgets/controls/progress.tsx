// A progress line for slow requests, with a cancel button. It overlays the content, so the layout does not change.
import type { JSX } from 'preact'
import type { Loaded } from '../../state/use-loaded.ts'
import './progress.css'

export function Progress({ of, what }: { readonly of: Loaded<unknown>; readonly what: string }): JSX.Element {
  return (
    <div class="progress" role="status">
      {of.slow && (
        <>
          <div class="progress-line" />
          <div class="progress-note">
            {what}…
            <button type="button" class="plain" onClick={of.cancel}>
              Cancel
            </button>
          </div>
        </>
      )}
    </div>
  )
}
