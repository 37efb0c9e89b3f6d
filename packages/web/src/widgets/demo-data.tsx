// Offers demo data to new users, and marks it on every screen while it is there.
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { checkDemo, demoData, loadDemo, removeDemo } from '../state/demo.ts'

/** A button for servers without data. */
export function DemoOffer(): JSX.Element {
  const { state, error } = demoData.value ?? {}
  if (state !== 'none' && state !== 'loading') return <></>
  return (
    <p class="demo-offer">
      <button type="button" disabled={state === 'loading'} onClick={() => void loadDemo()}>
        {state === 'loading' ? 'Loading demo data…' : 'Load demo data'}
      </button>{' '}
      <span class="muted">
        An hour of an imaginary shop: four services, deployments, a regression, slow requests. It is marked, and removed
        with one click.
      </span>
      {error !== undefined && <span role="alert"> {error}</span>}
    </p>
  )
}

/** A line above the screen. */
export function DemoNotice(): JSX.Element {
  useEffect(() => void checkDemo(), [])
  const { state, error } = demoData.value ?? {}
  if (state !== 'live' && state !== 'removing') return <></>
  return (
    <p class="demo-notice" role="status">
      <span title="The services storefront, checkout, payments and recommendations are demo data">
        Demo data: storefront, checkout, payments and recommendations
      </span>
      <button type="button" class="plain" disabled={state === 'removing'} onClick={() => void removeDemo()}>
        {state === 'removing' ? 'Removing…' : 'Remove demo data'}
      </button>
      {error !== undefined && <span role="alert"> {error}</span>}
    </p>
  )
}
