// The endpoints of the Broker. Unlike questions each has a method, and most of them do something.
import type { z } from 'zod'
import type { AccessScope } from '../../access/tokens.ts'
import * as answers from './broker-answers.ts'
import * as requests from './broker-requests.ts'

export interface BrokerEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below PREFIX, with OpenAPI's {parameters}. */
  readonly path: string
  /** Of the operation, for those who make clients. */
  readonly name: string
  readonly summary: string
  /** What a token must allow. */
  readonly scope: AccessScope
  /** In the query string of GET and DELETE, else in the body. */
  readonly request: z.ZodObject
  /** Undefined where the answer is a file in a format that was asked for. */
  readonly answer: z.ZodType | undefined
  /** 200 unless given. */
  readonly status?: 200 | 201 | 202
  /** Whether answers come line by line, as long as somebody reads them. */
  readonly stream?: boolean
}

export const brokerEndpoints = {
  components: {
    method: 'GET',
    path: '/components',
    name: 'components',
    summary: 'Components that are subscribed to the Broker now, here and at other Brokers',
    scope: 'read',
    request: requests.componentsRequest,
    answer: answers.components,
  },
  captures: {
    method: 'GET',
    path: '/captures',
    name: 'captures',
    summary: 'Captures that go on or have ended, the latest first',
    scope: 'read',
    request: requests.capturesRequest,
    answer: answers.captures,
  },
  startCapture: {
    method: 'POST',
    path: '/captures',
    name: 'startCapture',
    summary:
      'Asks a service for a profile and returns at once; `traceparent` names the span that asks, below which the capture is found',
    scope: 'capture',
    request: requests.startCaptureRequest,
    answer: answers.capture,
    status: 202,
  },
  capture: {
    method: 'GET',
    path: '/captures/{capture}',
    name: 'capture',
    summary: 'How far a capture is: who was asked, who has answered with which profiles',
    scope: 'read',
    request: requests.captureRequest,
    answer: answers.capture,
  },
  cancelCapture: {
    method: 'DELETE',
    path: '/captures/{capture}',
    name: 'cancelCapture',
    summary: 'Ends a capture; what has been answered stays',
    scope: 'capture',
    request: requests.cancelCaptureRequest,
    answer: answers.capture,
  },
  captureProfile: {
    method: 'GET',
    path: '/captures/{capture}/profile',
    name: 'captureProfile',
    summary: 'The profiles of a capture as one file',
    scope: 'read',
    request: requests.captureProfileRequest,
    answer: undefined,
  },
  triggers: {
    method: 'GET',
    path: '/triggers',
    name: 'triggers',
    summary: 'Triggers: rules over what arrives that start captures',
    scope: 'read',
    request: requests.triggersRequest,
    answer: answers.triggers,
  },
  addTrigger: {
    method: 'POST',
    path: '/triggers',
    name: 'addTrigger',
    summary: 'Adds a trigger',
    scope: 'capture',
    request: requests.addTriggerRequest,
    answer: answers.triggerRow,
    status: 201,
  },
  changeTrigger: {
    method: 'PUT',
    path: '/triggers/{trigger}',
    name: 'changeTrigger',
    summary: 'Changes a trigger as a whole: what is left out is as if it was new',
    scope: 'capture',
    request: requests.changeTriggerRequest,
    answer: answers.triggerRow,
  },
  removeTrigger: {
    method: 'DELETE',
    path: '/triggers/{trigger}',
    name: 'removeTrigger',
    summary: 'Removes a trigger; its history stays',
    scope: 'capture',
    request: requests.removeTriggerRequest,
    answer: answers.removed,
  },
  dryRun: {
    method: 'POST',
    path: '/triggers/dry-run',
    name: 'dryRun',
    summary: 'What a rule would have done with what is stored of the last hour, or of another range',
    scope: 'read',
    request: requests.dryRunRequest,
    answer: answers.dryRun,
  },
  triggerHistory: {
    method: 'GET',
    path: '/triggers/history',
    name: 'triggerHistory',
    summary: 'What triggers did and what came of it, and what was held back by which guard',
    scope: 'read',
    request: requests.triggerHistoryRequest,
    answer: answers.triggerHistory,
  },
  watchEvents: {
    method: 'GET',
    path: '/broker/events',
    name: 'watchEvents',
    summary: 'Events as they pass the Broker, one JSON object a line, for as long as the connection lasts',
    scope: 'read',
    request: requests.watchEventsRequest,
    answer: answers.seenEvent,
    stream: true,
  },
  sendEvent: {
    method: 'POST',
    path: '/broker/events',
    name: 'sendEvent',
    summary: 'Sends an event through the Broker; of a REQUEST with its answer',
    scope: 'capture',
    request: requests.sendEventRequest,
    answer: answers.sendEvent,
  },
} as const satisfies Readonly<Record<string, BrokerEndpoint>>

export type BrokerEndpointName = keyof typeof brokerEndpoints

/** Schemas that have a name of their own. */
export function brokerSchemas(): Readonly<Record<string, z.ZodType>> {
  const requestsAndAnswers = Object.values<BrokerEndpoint>(brokerEndpoints).flatMap(({ name, request }) => [
    [`${name[0].toUpperCase()}${name.slice(1)}Request`, request] as const,
  ])
  return {
    BrokerComponent: answers.brokerComponent,
    ComponentRow: answers.componentRow,
    ComponentsAnswer: answers.components,
    CaptureInstance: answers.captureInstance,
    Capture: answers.capture,
    CapturesAnswer: answers.captures,
    Trigger: answers.triggerRow,
    TriggersAnswer: answers.triggers,
    RemovedAnswer: answers.removed,
    DryRunExample: answers.dryRunExample,
    DryRunAnswer: answers.dryRun,
    FiredItem: answers.firedItem,
    HistoryEntry: answers.historyEntry,
    TriggerHistoryAnswer: answers.triggerHistory,
    BrokerEvent: answers.brokerEvent,
    SendEventAnswer: answers.sendEvent,
    WatchedEvent: answers.seenEvent,
    ...Object.fromEntries(requestsAndAnswers),
  }
}
