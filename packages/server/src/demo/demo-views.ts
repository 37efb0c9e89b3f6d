// Items that the demo saves with its tenant: views of its interesting places, a trigger, an alert rule and a recording rule.
import type { TriggerSpec } from '../broker/triggers/trigger.ts'
import type { AlertRule } from '../monitor/alerts/alert-rule.ts'
import type { RecordingRule } from '../monitor/rules/recording-rule.ts'
import { ATTRIBUTES } from './shop-resource.ts'

/** The person or token that has saved the views. */
export const DEMO_AUTHOR = 'demo'

/** Addresses of the UI by name. */
export const DEMO_VIEWS: readonly (readonly [name: string, address: string])[] = [
  [
    'Demo: search occupies the event loop',
    'explore?service=storefront&type=cpu%3Ananoseconds&stack=frame%3DrankProducts',
  ],
  [
    'Demo: waits for the lock of the stock',
    'explore?service=checkout&type=off_cpu%3Ananoseconds&stack=frame%3Dsync.(*Mutex).Lock',
  ],
  [
    'Demo: the slow version of recommendations',
    'compare?a.service=recommendations&a.type=cpu%3Ananoseconds&a.where=service.version%3D3.6.0&a.from=now-1h' +
      '&b.service=recommendations&b.type=cpu%3Ananoseconds&b.where=service.version%3D3.7.0&b.from=now-1h',
  ],
]

export const DEMO_TRIGGER: { readonly name: string; readonly spec: TriggerSpec } = {
  name: 'demo-slow-search',
  spec: {
    rule: 'Source(`storefront`) && Span(`rank products`) && SpanSlower(300)',
    spanOnly: true,
    coolDownMs: 60_000,
    description: 'Demo: captures the code of slow searches',
  },
}

/** Without receivers, so that nobody gets messages about the demo. */
export const DEMO_ALERT: AlertRule = {
  name: 'demo-regression',
  condition: { kind: 'regression', service: 'recommendations' },
  labels: { severity: 'ticket' },
  summary: 'Demo: a version of recommendations is slower',
  receivers: [],
}

/** The label marks the points as data of the demo. */
export const DEMO_RECORDING: RecordingRule = {
  name: 'demo.search.cores',
  selector: `cpu:ns{${ATTRIBUTES.mark}="true"} | frame "rankProducts"`,
  per: 'core',
  interval: '30s',
  labels: { [ATTRIBUTES.mark]: 'true' },
  description: 'Demo: cores that search occupies',
}
