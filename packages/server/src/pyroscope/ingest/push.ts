// push.v1.PusherService/Push: pprof files by series, stored as one request. README.md has the mapping.
import type { Profiles } from '@hearth/profile'
import type { Identity } from '../../access/gatekeeper.ts'
import { pushedFile } from '../../receive/pushed-file.ts'
import type { Receiver } from '../../receive/receiver.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import { checkLabelCount } from './ingest.ts'
import type { PushRequest, RawProfileSeries, RawSample } from '../messages/push-messages.ts'
import { OpenBudget } from './read-file.ts'
import type { ProfileChange, ReadHeader } from './series-builder.ts'
import { SeriesBuilder } from './series-builder.ts'
import type { SeriesLabels } from '../series-labels.ts'
import { NAME_LABEL, PYROSCOPE_ATTRIBUTES, SERVICE_LABEL, SPY_LABEL } from '../series-labels.ts'

export interface PushOptions {
  readonly receiver: Receiver
  /** The maximum size in bytes of all profiles of a request, decompressed. */
  readonly maxBody: number
  readonly maxAttributes: number
}

export interface PushedBy {
  readonly identity: Identity
  readonly client: string
  /** The encoded message. A retry has the same bytes. */
  readonly body: Uint8Array
}

/** Resolves when all profiles are committed. Throws Refusal. */
export async function push(options: PushOptions, request: PushRequest, by: PushedBy, nowMs: number): Promise<void> {
  const { receiver, maxBody, maxAttributes } = options
  const budget = new OpenBudget(maxBody)
  const builder = new SeriesBuilder()
  for (const [i, series] of request.series.entries()) {
    const labels = labelsOf(series, i, maxAttributes)
    for (const sample of series.samples) {
      if (sample.rawProfile.length === 0) continue
      const profiles = budget.readFile('pprof', sample.rawProfile)
      budget.read(() =>
        builder.add(labels, profiles, header => changeOf(header, labels, sample, nowMs), labels.get(SPY_LABEL) ?? ''),
      )
    }
  }
  if (builder.length === 0) return
  const profiles: Profiles = budget.read(() => builder.build())
  const { identity, client, body } = by
  await receiver.receive(pushedFile(profiles, { identity, client, body, format: 'pprof', label: 'pyroscope push' }))
}

function labelsOf({ labels }: RawProfileSeries, series: number, maxAttributes: number): SeriesLabels {
  checkLabelCount(labels.length, maxAttributes)
  const all = new Map<string, string>()
  for (const { name, value } of labels) {
    if (name === '' || all.has(name))
      throw badLabels(series, name === '' ? 'a label has no name' : `${name} is there twice`)
    all.set(name, value)
  }
  for (const needed of [NAME_LABEL, SERVICE_LABEL])
    if ((all.get(needed) ?? '') === '') throw badLabels(series, `the label ${needed} is missing`)
  return all
}

function changeOf(header: ReadHeader, labels: SeriesLabels, { ID }: RawSample, nowMs: number): ProfileChange {
  const id = uuidBytes(ID)
  return {
    name: labels.get(NAME_LABEL) ?? '',
    ...(header.time === 0n ? { time: BigInt(nowMs) * 1_000_000n } : {}),
    ...(id === undefined ? {} : { id }),
    attributes: id === undefined && ID !== '' ? [{ key: PYROSCOPE_ATTRIBUTES.id, value: ID }] : [],
  }
}

function uuidBytes(text: string): Uint8Array | undefined {
  if (!/^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)) return undefined
  return Buffer.from(text.replaceAll('-', ''), 'hex')
}

function badLabels(series: number, what: string): Refusal {
  return new Refusal(400, Code.invalidArgument, 'labels', `series[${series}].labels: ${what}`)
}
