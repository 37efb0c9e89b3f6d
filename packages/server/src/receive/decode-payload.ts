// The opened bytes of a request to what the store keeps. What cannot be decoded is refused as a whole; single items that
// cannot be kept are rejected, and the rest goes on.
import type { Profiles } from '@hearth/profile'
import { FormatError, pickProfiles, readOtlp, readOtlpJson } from '@hearth/profile'
import type { Codec } from '@hearth/signals'
import { logs, metrics, traces } from '@hearth/signals'
import type { Payload } from '../store/keeper.ts'
import type { ItemLimits } from './check-items.ts'
import { checkedLogs, checkedMetrics, checkedTraces } from './check-items.ts'
import type { Incoming } from './receiver.ts'
import { undecodable } from './refusal.ts'
import type { Rejects } from './rejects.ts'

export interface Decoded {
  readonly payload: Payload
  /** Of the profiles format; empty for other signals. */
  readonly generation: string
}

/** Throws Refusal. */
export function decodePayload(incoming: Incoming, limits: ItemLimits, rejects: Rejects): Decoded {
  try {
    return decode(incoming, limits, rejects)
  } catch (error) {
    if (error instanceof FormatError) throw undecodable(error.message)
    throw error
  }
}

function decode(incoming: Incoming, limits: ItemLimits, rejects: Rejects): Decoded {
  const { signal } = incoming
  switch (signal) {
    case 'profiles':
      return decodeProfiles(incoming, limits, rejects)
    case 'traces': {
      const payload = { signal, traces: checkedTraces(decoded(traces, incoming), limits, rejects) }
      return { payload, generation: '' }
    }
    case 'logs': {
      const payload = { signal, logs: checkedLogs(decoded(logs, incoming), limits, rejects) }
      return { payload, generation: '' }
    }
    case 'metrics': {
      const payload = { signal, metrics: checkedMetrics(decoded(metrics, incoming), limits, rejects) }
      return { payload, generation: '' }
    }
  }
}

function decoded<Data>(codec: Codec<Data>, { encoding, body }: Incoming): Data {
  return encoding === 'json' ? codec.decodeJson(body) : codec.decode(body)
}

function decodeProfiles({ encoding, body }: Incoming, limits: ItemLimits, rejects: Rejects): Decoded {
  const read = encoding === 'json' ? readOtlpJson : readOtlp
  const { profiles, generation } = read(body, {
    onRejectedProfile: ({ path, what }) => rejects.add('invalid', path, what),
  })
  return { payload: { signal: 'profiles', profiles: withinLimits(profiles, limits, rejects) }, generation }
}

/** Without the profiles that have too many attributes, on themselves, on a sample, or on the resource or scope they are in. */
export function withinLimits(all: Profiles, { maxAttributes }: ItemLimits, rejects: Rejects): Profiles {
  const { resources, scopes, profiles } = all
  const good: number[] = []
  for (let r = 0; r < resources.length; r++) {
    const ofResource = resources.resource(r).attributes.length
    for (let s = resources.from(r); s < resources.to(r); s++) {
      const ofContainers = Math.max(ofResource, scopes.scope(s).attributes.length)
      for (let p = scopes.from(s); p < scopes.to(s); p++) {
        const most = Math.max(ofContainers, attributesIn(all, p))
        if (most <= maxAttributes) good.push(p)
        else {
          const path = `resource_profiles[${r}].scope_profiles[${s - resources.from(r)}].profiles[${p - scopes.from(s)}]`
          rejects.add('attributes', path, `${most} attributes; the limit is ${maxAttributes} (max-attributes)`)
        }
      }
    }
  }
  return good.length === profiles.length ? all : pickProfiles(all, good)
}

/** The most attributes that the profile or a sample of it has. */
function attributesIn({ profiles, samples }: Profiles, profile: number): number {
  let most = profiles.attributesTo(profile) - profiles.attributesFrom(profile)
  for (let s = profiles.samplesFrom(profile); s < profiles.samplesTo(profile); s++)
    most = Math.max(most, samples.attributesTo(s) - samples.attributesFrom(s))
  return most
}
