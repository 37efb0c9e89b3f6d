// The confirmation before a trigger is deleted.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { client, handleUnauthorized } from '../../../state/session.ts'
import { Modal } from '../../../widgets/controls/modal.tsx'

export interface RemoveTriggerProps {
  readonly name: string
  readonly onClose: () => void
  readonly onRemoved: () => void
}

export function RemoveTrigger({ name, onClose, onRemoved }: RemoveTriggerProps): JSX.Element {
  const [problem, setProblem] = useState('')
  const remove = (): void => {
    client
      .peek()
      .act('removeTrigger', {}, { of: name })
      .then(onRemoved, (error: unknown) => {
        handleUnauthorized(error)
        setProblem(error instanceof Error ? error.message : String(error))
      })
  }
  return (
    <Modal title={`Delete ${name}?`} onClose={onClose}>
      <p>The trigger stops. Its history and its captures are kept.</p>
      {problem !== '' && (
        <p class="broker-bad" role="alert">
          {problem}
        </p>
      )}
      <div class="broker-form-end">
        <button type="button" class="primary" onClick={remove}>
          Delete
        </button>
        <button type="button" autofocus onClick={onClose}>
          Cancel
        </button>
      </div>
    </Modal>
  )
}
