// The dialog in which the user enters an access token, or signs in at the identity provider.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { SERVER } from '../../state/navigation.ts'
import { dismissSignIn, session, signIn } from '../../state/session.ts'
import { Modal } from '../controls/modal.tsx'
import './dialogs.css'

export function SignInDialog({ reason }: { readonly reason: string }): JSX.Element {
  const [token, setToken] = useState('')
  const [fault, setFault] = useState<string | undefined>(undefined)
  const [isChecking, setChecking] = useState(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (token.trim() === '' || isChecking) return
    setChecking(true)
    setFault(await signIn(token.trim()))
    setChecking(false)
  }
  const hasProvider = session.value?.methods.includes('oidc') === true
  return (
    <Modal title="Sign in" onClose={dismissSignIn}>
      <form class="dialog-form" onSubmit={event => void submit(event)}>
        <p>
          This server requires a token. <span class="muted">{reason}</span>
        </p>
        {hasProvider && (
          <a class="button primary" href={signInUrl()}>
            Sign in with your account
          </a>
        )}
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            autofocus
            aria-invalid={fault !== undefined}
            aria-describedby={fault === undefined ? undefined : 'sign-in-fault'}
            value={token}
            onInput={event => {
              setToken(event.currentTarget.value)
              setFault(undefined)
            }}
          />
        </label>
        {fault !== undefined && (
          <p id="sign-in-fault" class="sign-in-fault" role="alert">
            {fault}
          </p>
        )}
        <p class="muted">
          To create a token, run <code>hearth admin token create --scope read</code>. The browser keeps it until this
          tab is closed.
        </p>
        <button type="submit" class={hasProvider ? undefined : 'primary'} disabled={token.trim() === '' || isChecking}>
          Sign in
        </button>
      </form>
    </Modal>
  )
}

/** Returns to the current page after the sign-in. */
function signInUrl(): string {
  const { pathname, search } = location
  return `${SERVER}auth/sign-in?return=${encodeURIComponent(pathname + search)}`
}
