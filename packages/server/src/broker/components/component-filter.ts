// The filters of `profiling.components`: name, type, app, environment, and labels that must all match.
import type { Value } from '@hearth/broker'
import { BrokerError, isStruct } from '@hearth/broker'
import type { LiveComponent } from './live-component.ts'

/** Throws BrokerError. */
export function filterComponents(
  all: readonly LiveComponent[],
  params: Readonly<Record<string, Value>>,
): readonly LiveComponent[] {
  const labels = params['labels'] ?? {}
  if (!isStruct(labels)) throw new BrokerError('invalid', 'labels must be a struct of names and values')
  const wanted = Object.entries(labels)
  return all.filter(live => {
    const { name, type, app } = live.component
    const has = { name, type, app, environment: live.environment }
    return (
      Object.entries(has).every(([key, value]) => params[key] === undefined || params[key] === value) &&
      wanted.every(([key, value]) => live.attributes[key] === value)
    )
  })
}
