// A component that is loaded when it is first shown, so that the first load stays small.
import type { FunctionComponent, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure } from './failure.tsx'

export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined
  return function Lazy(props: Props): JSX.Element {
    const [, setCount] = useState(0)
    const [error, setError] = useState<unknown>(undefined)
    const again = (): void => setCount(count => count + 1)
    useEffect(() => {
      if (loaded !== undefined || error !== undefined) return
      load().then(component => {
        loaded = component
        again()
      }, setError)
    }, [error])
    if (error !== undefined) return <Failure error={error} onRetry={() => setError(undefined)} />
    const Component = loaded
    return Component === undefined ? <></> : <Component {...props} />
  }
}
