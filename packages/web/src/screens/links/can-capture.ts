// Whether a component can be profiled.
import type { ComponentRow } from '@hearth/client'

/** Types of components that cannot be profiled. */
const NOT_PROFILED = ['Console', 'Broker', 'HTTPAdapter']

export function canCapture({ component }: ComponentRow): boolean {
  return !NOT_PROFILED.includes(component.type)
}
