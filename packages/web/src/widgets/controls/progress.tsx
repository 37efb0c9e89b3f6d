// The line that runs while something takes longer than one does not notice, with a way to stop it. It lies over what it is
// about, so nothing moves when it comes and goes.
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
