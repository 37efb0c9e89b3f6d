// The address of the current screen with absolute times.
import { withAbsoluteTimes } from '../address/route-times.ts'
import { loadTime } from './load-time.ts'
import { hrefOf, route } from './navigation.ts'

export function absoluteLink(): string {
  return new URL(hrefOf(withAbsoluteTimes(route.peek(), loadTime.peek())), location.href).href
}
