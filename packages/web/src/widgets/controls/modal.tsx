// A modal dialog. The browser keeps the focus inside and closes it on Escape.
import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import './modal.css'

export interface ModalProps {
  readonly title: string
  readonly wide?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Modal({ title, wide = false, onClose, children }: ModalProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  const onClick = (event: MouseEvent): void => {
    // Only the backdrop has the dialog itself as target.
    if (event.target === dialog.current) onClose()
  }
  return (
    <dialog ref={dialog} class={wide ? 'modal wide' : 'modal'} aria-labelledby={id} onClose={onClose} onClick={onClick}>
      <div class="modal-head">
        <h1 id={id}>{title}</h1>
        <button type="button" class="plain icon" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="modal-body">{children}</div>
    </dialog>
  )
}
