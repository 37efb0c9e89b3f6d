// A component that is loaded when it is first shown, so that the first page load stays small.
import type { FunctionComponent, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure, LoadError } from './failure.tsx'

export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined
  return function Lazy(props: Props): JSX.Element {
    const [, setCount] = useState(0)
    const [error, setError] = useState<unknown>(undefined)
    const rerender = (): void => setCount(count => count + 1)
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(component => {
        loaded = component
        rerender()
      }, setError)
    }, [])
    // Reloads the page, because browsers cache a failed import, and another version of Hearth has other files.
    if (error !== undefined) return <Failure error={new LoadError(error)} onRetry={() => location.reload()} />
    const Component = loaded
    return Component === undefined ? <></> : <Component {...props} />
  }
}
