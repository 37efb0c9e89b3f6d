// Handles the id of a trace or a profile that is pasted outside of a field.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { HAS_FILES_ALONE } from './files-alone.ts'

export function usePastedId(onId: (text: string) => void): void {
  const latest = useRef(onId)
  latest.current = onId
  useLayoutEffect(() => {
    if (HAS_FILES_ALONE) return undefined
    const paste = (event: ClipboardEvent): void => {
      if (event.target instanceof HTMLElement && event.target.matches('input, textarea, [contenteditable]')) return
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (!/^\s*[0-9a-fA-F-]{32,36}\s*$/.test(text)) return
      event.preventDefault()
      latest.current(text.trim())
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
  }, [])
}
