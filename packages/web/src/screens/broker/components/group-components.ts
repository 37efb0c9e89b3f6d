// Groups components by service, and lists the profile types that they can capture.
import type { ComponentRow } from '@hearth/client'
import { canCapture } from '../../links/can-capture.ts'

export interface ComponentGroup {
  readonly key: string
  readonly service: string
  readonly namespace: string
  readonly environment: string
  /** Sorted by instance. */
  readonly rows: readonly ComponentRow[]
}

/** The profile types that at least one component announces. */
export function typesOf(rows: readonly ComponentRow[]): readonly string[] {
  return [...new Set(rows.filter(canCapture).flatMap(({ profileTypes }) => profileTypes))].sort()
}

/** Whether a component can capture the type. A component that announces no types may support it. */
export function records(row: ComponentRow, type: string): boolean {
  return canCapture(row) && (row.profileTypes.length === 0 || row.profileTypes.includes(type))
}

/** The text that the search looks in. */
function componentText({ component, service, instance, environment, attributes }: ComponentRow): string {
  return [
    service,
    instance,
    environment,
    component.app,
    component.name,
    component.hash,
    component.id,
    ...Object.values(attributes),
  ]
    .join('\n')
    .toLowerCase()
}

export function groupComponents(rows: readonly ComponentRow[], find = ''): readonly ComponentGroup[] {
  const groups = new Map<string, ComponentRow[]>()
  const wanted = find.trim().toLowerCase()
  for (const row of rows) {
    if (!componentText(row).includes(wanted)) continue
    const key = JSON.stringify([row.service, row.component.app, row.environment])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups]
    .map(([key, found]) => {
      const [{ service, component, environment }] = found
      const sorted = found.toSorted((a, b) => a.instance.localeCompare(b.instance))
      return { key, service, namespace: component.app, environment, rows: sorted }
    })
    .toSorted((a, b) => a.service.localeCompare(b.service) || a.key.localeCompare(b.key))
}
