// The token of the snippets, for a server that requires one. An administrator creates it here; others see how to get one.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { client, session } from '../../state/session.ts'

export interface SenderTokenProps {
  /** Distinguishes tokens in lists. */
  readonly name: string
  /** Undefined until one is created. */
  readonly token: string | undefined
  readonly onToken: (token: string) => void
}

export function SenderToken({ name, token, onToken }: SenderTokenProps): JSX.Element {
  const [isCreating, setCreating] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (token !== undefined)
    return (
      <p role="status">
        The commands above contain a new token, which can only send data. It is not shown again after you leave this
        screen.
      </p>
    )
  if (session.value?.caller?.scopes.includes('admin') !== true)
    return (
      <p>
        This server requires a token. Ask an administrator for one with the scope <code>write</code>, and set{' '}
        <code>HEARTH_TOKEN</code> to it.
      </p>
    )
  const create = async (): Promise<void> => {
    setCreating(true)
    try {
      onToken((await client.peek().act('createToken', { name: `sender ${name}` })).token)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setCreating(false)
    }
  }
  return (
    <>
      <p>This server requires a token.</p>
      <div class="empty-buttons">
        <button type="button" disabled={isCreating} onClick={() => void create()}>
          Create a token
        </button>
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </>
  )
}
