// push.v1.PusherService/Push: pprof files by series, stored as one request. README.md has the mapping.
import { codecOf } from '@hearth/signals'
import type { Content, ContentReader } from '../../receive/content.ts'
import { measureFile } from '../../receive/content.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import { requestId } from '../../receive/request-id.ts'
import { decodedWith } from '../message-bytes.ts'
import { checkLabelCount } from './ingest.ts'
import type { PushRequest, RawProfileSeries, RawSample } from '../messages/push-messages.ts'
import { PUSH_REQUEST } from '../messages/push-messages.ts'
import { OpenBudget } from './read-file.ts'
import type { ProfileChange, ReadHeader } from './series-builder.ts'
import { SeriesBuilder } from './series-builder.ts'
import type { SeriesLabels } from '../series-labels.ts'
import { NAME_LABEL, PYROSCOPE_ATTRIBUTES, SERVICE_LABEL, SPY_LABEL } from '../series-labels.ts'

interface PushOptions {
  readonly encoding: 'json' | 'proto'
  /** Milliseconds since 1970: the time of profiles without one. */
  readonly nowMs: number
}

const READER = 'pyroscope-push'
const requests = codecOf(PUSH_REQUEST, PUSH_REQUEST.name)

/** A push.v1.PushRequest as the content of a request. */
export function pyroscopePush(options: PushOptions): Content {
  return { reader: READER, options }
}

export const pyroscopePushReader: Readonly<Record<typeof READER, ContentReader<PushOptions>>> = {
  [READER]: {
    id: body => requestId('pyroscope push', body),
    measure: (body, options) => {
      let memory = 0
      for (const { samples } of decode(body, options).series)
        for (const { rawProfile } of samples) memory += measureFile(rawProfile)
      return memory
    },
    read: (body, options, { maxBody, maxAttributes, symbols }) => {
      const { nowMs } = options
      const budget = new OpenBudget(maxBody, symbols)
      const builder = new SeriesBuilder()
      for (const [i, series] of decode(body, options).series.entries()) {
        const labels = labelsOf(series, i, maxAttributes)
        for (const sample of series.samples) {
          if (sample.rawProfile.length === 0) continue
          const profiles = budget.readFile('pprof', sample.rawProfile)
          const change = (header: ReadHeader) => changeOf(header, labels, sample, nowMs)
          budget.read(() => builder.add(labels, profiles, change, labels.get(SPY_LABEL) ?? ''))
        }
      }
      if (builder.length === 0) return undefined
      const profiles = budget.read(() => builder.build())
      return { payload: { signal: 'profiles', profiles }, generation: 'pprof', isAtomic: true }
    },
  },
}

function decode(body: Uint8Array, { encoding }: PushOptions): PushRequest {
  return decodedWith(encoding === 'json' ? requests.decodeJson : requests.decode, body)
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
