// The public view of a component that is currently subscribed, at this broker or another one.
import type { Component } from '@hearth/broker'

export interface LiveRoute {
  readonly id: number
  readonly rule: string
  readonly priority: number
}

interface ComponentLoad {
  /** Events that wait to be delivered to it. */
  readonly queued: number
  /** Requests that it has not responded to. */
  readonly inFlight: number
  /** Events it has sent. */
  readonly received: number
  readonly sent: number
  /** Events dropped because it was too slow. */
  readonly dropped: number
}

export interface LiveComponent {
  readonly tenant: string
  /** With its broker id. */
  readonly component: Component
  /** Empty if its registration named none. */
  readonly environment: string
  /** Profile types it can capture. */
  readonly profileTypes: readonly string[]
  /** Labels from its registration. */
  readonly attributes: Readonly<Record<string, string>>
  readonly routes: readonly LiveRoute[]
  readonly defaultHandler: boolean
  readonly since: Date
  readonly load: ComponentLoad
  /** Subscribed at another broker. */
  readonly remote: boolean
}
