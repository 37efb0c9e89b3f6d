// Whether a component is still shown when an answer comes: who has gone on to another screen is not called back from there.
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'

export function useMounted(): () => boolean {
  const isMounted = useRef(false)
  useLayoutEffect(() => {
    isMounted.current = true
    return () => void (isMounted.current = false)
  }, [])
  return useCallback(() => isMounted.current, [])
}
