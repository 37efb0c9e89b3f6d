// Components by service: what they are, and what those of a service can do together.
import type { ComponentRow } from '@hearth/client'

export interface ComponentGroup {
  readonly key: string
  readonly service: string
  readonly namespace: string
  readonly environment: string
  /** By instance. */
  readonly rows: readonly ComponentRow[]
}

/** These take part, but have nothing to record. */
const OTHERS = ['Console', 'Broker', 'HTTPAdapter']

export function canCapture({ component }: ComponentRow): boolean {
  return !OTHERS.includes(component.type)
}

/** What can be asked for of at least one of them; all of it where one does not say. */
export function typesOf(rows: readonly ComponentRow[]): readonly string[] {
  return [...new Set(rows.filter(canCapture).flatMap(({ profileTypes }) => profileTypes))].sort()
}

/** Whether it can be asked for this; one that does not say may know. */
export function records(row: ComponentRow, type: string): boolean {
  return canCapture(row) && (row.profileTypes.length === 0 || row.profileTypes.includes(type))
}

/** Everywhere a word may be looked for. */
export function componentText({ component, service, instance, environment, attributes }: ComponentRow): string {
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
