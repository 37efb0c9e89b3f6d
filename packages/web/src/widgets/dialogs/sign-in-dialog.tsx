// Asks for the token that the server wants.
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
    <Modal title="Who is asking?" onClose={dismissSignIn}>
      <form class="dialog-form" onSubmit={submit}>
        <p>
          The server answers only to those with a token: <span class="muted">{reason}</span>
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
          It is kept for this tab alone. <code>hearth admin token create --scope read</code> makes one.
        </p>
        <button type="submit" class="primary" disabled={token.trim() === ''}>
          Sign in
        </button>
      </form>
    </Modal>
  )
}
