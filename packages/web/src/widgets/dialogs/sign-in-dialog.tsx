// The dialog in which the user enters an access token.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { dismissSignIn, signIn } from '../../state/session.ts'
import { Modal } from '../controls/modal.tsx'
import './dialogs.css'

export function SignInDialog({ reason }: { readonly reason: string }): JSX.Element {
  const [token, setToken] = useState('')
  const submit = (event: Event): void => {
    event.preventDefault()
    if (token.trim() !== '') signIn(token.trim())
  }
  return (
    <Modal title="Sign in" onClose={dismissSignIn}>
      <form class="dialog-form" onSubmit={submit}>
        <p>
          This server requires a token. <span class="muted">{reason}</span>
        </p>
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            autofocus
            value={token}
            onInput={event => setToken(event.currentTarget.value)}
          />
        </label>
        <p class="muted">
          To create a token, run <code>hearth admin token create --scope read</code>. The browser keeps it until this
          tab is closed.
        </p>
        <button type="submit" class="primary" disabled={token.trim() === ''}>
          Sign in
        </button>
      </form>
    </Modal>
  )
}
