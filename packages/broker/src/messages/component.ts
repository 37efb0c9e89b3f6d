// The sender and the target of events. A group is all instances of one version of a component; a key names one instance.
import type { Component } from './event.ts'

const MAX_NAME = 63
const SHORT_HASH = 7

export function createComponent(parts: Partial<Component>): Component {
  return { type: '', app: '', name: '', hash: '', id: '', brokerId: '', ...parts }
}

/** Makes a DNS label: lower case, `-` for other characters, at most 63 characters. */
export function normalizeName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, '')
}

export function shortHash(hash: string): string {
  return hash.slice(0, SHORT_HASH)
}

/** `app-name-hash7`, without empty parts. */
export function groupKey({ app, name, hash }: Pick<Component, 'app' | 'name' | 'hash'>): string {
  return [app, name, shortHash(hash)].filter(part => part !== '').join('-')
}

/** The group's key and the instance. */
export function componentKey(component: Component): string {
  const group = groupKey(component)
  return component.id === '' ? group : `${group}-${component.id}`
}

const PARTS = ['type', 'app', 'name', 'hash', 'id', 'brokerId'] as const

export function sameComponent(a: Component, b: Component): boolean {
  return PARTS.every(part => a[part] === b[part])
}

/** How specific a target is: empty, a name, or one instance with its Broker. */
export type Extent = 'empty' | 'name' | 'complete' | 'partial'

/** The app is optional. */
export function extentOf(component: Component | undefined): Extent {
  if (component === undefined || PARTS.every(part => component[part] === '')) return 'empty'
  const { type, name, hash, id, brokerId } = component
  if (type === '' || name === '') return 'partial'
  if (hash !== '' && id !== '' && brokerId !== '') return 'complete'
  return hash === '' && id === '' && brokerId === '' ? 'name' : 'partial'
}
