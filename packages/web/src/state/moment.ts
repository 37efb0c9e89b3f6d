// When questions about `now` were last asked: a number that grows with every refresh.
import { signal } from '@preact/signals'

export const moment = signal(0)

export function refresh(): void {
  moment.value++
}
