// Attributes, ids and what holds spans, log records and data points, as they are sent.
import type { KeyValue } from '@hearth/profile'
import type { AnswerResource, AnswerScope } from '../../../query/signals/containers-of.ts'
import { valueJson } from '../answer-sent.ts'

export function attributesJson(attributes: readonly KeyValue[]) {
  return attributes.map(({ key, value }) => ({ key, value: valueJson(value) }))
}

export function hexOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}

export function containersJson(answer: {
  readonly resources: readonly AnswerResource[]
  readonly scopes: readonly AnswerScope[]
}) {
  return {
    resources: answer.resources.map(({ id, service, attributes }) => ({
      id: id.toString(),
      service,
      attributes: attributesJson(attributes),
    })),
    scopes: answer.scopes.map(({ name, version, attributes }) => ({
      name,
      version,
      attributes: attributesJson(attributes),
    })),
  }
}
