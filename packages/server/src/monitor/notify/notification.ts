// The requests that tell receivers about alerts.
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Alert, AlertReceiver } from '../alerts/alert-rule.ts'
import { alert } from '../alerts/alert-rule.ts'

/** A message that waits until its receiver accepts it. */
export const notification = z.strictObject({
  id: z.string(),
  receiver: z.string(),
  /** The labels that all alerts of the message share. */
  group: z.record(z.string(), z.string()),
  alerts: z.array(alert),
  /** A document instead of alerts, such as a report. */
  document: z.strictObject({ title: z.string(), markdown: z.string(), html: z.string() }).optional(),
  created: z.iso.datetime(),
  attempts: z.number(),
  next: z.number().meta({ description: 'Milliseconds since 1970' }),
  error: z.string().optional(),
})
export type Notification = z.infer<typeof notification>

export interface NotificationRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface NotificationContext {
  /** The address of the UI; empty if it is unknown. */
  readonly publicUrl: string
  readonly tenant: string
  readonly now: number
}

/** Alertmanager resolves an alert that is not sent again. */
export const ALERTMANAGER_REPEAT_MS = 60_000

/** For receivers with a URL. */
export function requestOf(
  receiver: AlertReceiver,
  message: Notification,
  context: NotificationContext,
): NotificationRequest {
  const address = receiver.url ?? ''
  const body = JSON.stringify(bodyOf(receiver, message, context))
  const url =
    receiver.kind === 'alertmanager'
      ? `${address.replace(/\/+$/, '').replace(/\/api\/v2\/alerts$/, '')}/api/v2/alerts`
      : receiver.kind === 'otlp-logs' && !address.endsWith('/v1/logs')
        ? `${address.replace(/\/+$/, '')}/v1/logs`
        : address
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'hearth',
      'x-hearth-delivery': message.id,
      ...(receiver.secret === undefined ? {} : signature(receiver.secret, body, context.now)),
      ...receiver.headers,
    },
  }
}

/** The receiver computes the same HMAC of `TIMESTAMP.BODY`, and rejects old timestamps. */
export function signature(secret: string, body: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const hash = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'x-hearth-timestamp': timestamp, 'x-hearth-signature': `sha256=${hash}` }
}

function bodyOf(receiver: AlertReceiver, message: Notification, context: NotificationContext): unknown {
  const { alerts, group, document } = message
  switch (receiver.kind) {
    case 'webhook':
      return {
        version: '1',
        id: message.id,
        tenant: context.tenant,
        receiver: receiver.name,
        ...(document === undefined
          ? { status: statusOf(alerts), group, alerts: alerts.map(each => ({ ...each, url: linkOf(each, context) })) }
          : { report: document }),
      }
    case 'slack':
      return { text: document === undefined ? slackText(alerts, context) : slackEscaped(document.markdown) }
    case 'alertmanager':
      return alerts.map(each => alertmanagerAlert(each, context))
    case 'otlp-logs':
      return logsOf(alerts, context)
  }
}

function statusOf(alerts: readonly Alert[]): 'firing' | 'resolved' {
  return alerts.some(({ state }) => state === 'firing') ? 'firing' : 'resolved'
}

function linkOf({ finding }: Alert, { publicUrl }: NotificationContext): string {
  return finding === undefined ? `${publicUrl}/alerts` : `${publicUrl}/alerts?finding=${finding}`
}

/** Slack reads `<…>` as a link. */
function slackEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function slackText(alerts: readonly Alert[], context: NotificationContext): string {
  const lines = alerts.map(each => {
    const mark = each.state === 'firing' ? ':red_circle:' : ':white_check_mark:'
    const link = context.publicUrl === '' ? '' : ` <${linkOf(each, context)}|Open>`
    return `${mark} *${slackEscaped(each.rule)}* ${slackEscaped(each.summary)}${link}`
  })
  return lines.join('\n')
}

function alertmanagerAlert(each: Alert, context: NotificationContext): object {
  const labels = Object.fromEntries(
    Object.entries(each.labels).map(([name, value]) => [name.replaceAll(/[^A-Za-z0-9_]/g, '_'), value]),
  )
  const endsAt =
    each.state === 'resolved'
      ? (each.resolved ?? new Date(context.now).toISOString())
      : new Date(context.now + 5 * ALERTMANAGER_REPEAT_MS).toISOString()
  return {
    // Two findings of one service are two alerts.
    labels: { ...labels, ...(each.finding === undefined ? {} : { finding: each.finding }) },
    annotations: { summary: each.summary, ...(each.value === undefined ? {} : { value: String(each.value) }) },
    startsAt: each.fired ?? each.since,
    endsAt,
    generatorURL: linkOf(each, context),
  }
}

/** OTLP/HTTP with JSON. */
export function logsOf(alerts: readonly Alert[], context: NotificationContext): object {
  const attribute = (key: string, value: string): object => ({ key, value: { stringValue: value } })
  return {
    resourceLogs: [
      {
        resource: { attributes: [attribute('service.name', 'hearth')] },
        scopeLogs: [
          {
            scope: { name: 'hearth.alerts' },
            logRecords: alerts.map(each => ({
              timeUnixNano: `${BigInt(context.now) * 1_000_000n}`,
              severityNumber: each.state === 'firing' ? 17 : 9,
              severityText: each.state === 'firing' ? 'ERROR' : 'INFO',
              body: { stringValue: `${each.rule} ${each.state}: ${each.summary}` },
              eventName: 'hearth.alert',
              attributes: [
                attribute('hearth.alert.state', each.state),
                attribute('hearth.alert.id', each.id),
                ...(each.finding === undefined ? [] : [attribute('hearth.finding.id', each.finding)]),
                ...Object.entries(each.labels).map(([key, value]) => attribute(key, value)),
              ],
            })),
          },
        ],
      },
    ],
  }
}
