// A component that is subscribed now, here or at another broker, as others see it.
import type { Component } from '@hearth/broker'

export interface LiveRoute {
  readonly id: number
  readonly rule: string
  readonly priority: number
}

export interface ComponentLoad {
  /** Events that wait for it to read. */
  readonly queued: number
  /** Requests that it has not answered. */
  readonly inFlight: number
  /** Events that came from it. */
  readonly received: number
  readonly sent: number
  /** Messages that it was too slow for. */
  readonly dropped: number
}

export interface LiveComponent {
  readonly tenant: string
  /** With its broker's id. */
  readonly component: Component
  /** Empty where its registration named none. */
  readonly environment: string
  /** What it can capture. */
  readonly profileTypes: readonly string[]
  /** Labels that it registered with. */
  readonly attributes: Readonly<Record<string, string>>
  readonly routes: readonly LiveRoute[]
  readonly defaultHandler: boolean
  readonly since: Date
  readonly load: ComponentLoad
  /** At another broker. */
  readonly remote: boolean
}
