// A button that copies a text and confirms it.
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from './copy-text.ts'
import { Icon } from './icon.tsx'

export interface CopyButtonProps {
  readonly text: () => string
  readonly children: ComponentChildren
}

const SHOWN_MS = 1600

export function CopyButton({ text, children }: CopyButtonProps): JSX.Element {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await copyText(text())
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <button type="button" onClick={() => void copy()}>
      {copied && <Icon name="check" />}
      {children}
      <span class="visually-hidden" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  )
}
