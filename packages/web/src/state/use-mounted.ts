// Whether a component is still mounted when a response arrives.
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks'

export function useMounted(): () => boolean {
  const isMounted = useRef(false)
  useLayoutEffect(() => {
    isMounted.current = true
    return () => void (isMounted.current = false)
  }, [])
  return useCallback(() => isMounted.current, [])
}
