// Assembles the V8 profiles of a process from their events. A profile is a Profile event and the ProfileChunks of the same id,
// in any order, or a single CpuProfile event. Ids are unique only within an isolate, so several threads may use the same one.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { compareLongs } from '../../model/columns/order.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { TraceNodeReader } from './node-reader.ts'
import type { Trace, V8Event } from './trace.ts'
import type { Id } from './event-id.ts'
import { V8Profile } from './v8-profile.ts'

export function readV8Profiles(reader: JsonReader, builder: ProfilesBuilder, trace: Trace): void {
  const nodeReader = new TraceNodeReader(reader, builder)
  for (const process of trace.processes) {
    process.v8Profiles = profilesIn(process.v8Events).map(({ thread, events }) => {
      const profile = new V8Profile(builder, reader.bytes.length, thread)
      for (const { argsAt, time } of events) {
        if (argsAt < 0) continue
        reader.offset = argsAt
        profile.readArgs(reader, nodeReader, time)
      }
      return profile
    })
  }
}

interface ProfileEvents {
  readonly thread: Id
  readonly events: readonly V8Event[]
}

function profilesIn(events: readonly V8Event[]): readonly ProfileEvents[] {
  const groups = new Map<string | V8Event, V8Event[]>()
  for (const event of events) {
    const { kind, id, thread } = event
    // Each CpuProfile is complete. Chrome 66 and older have no ids, but use the profiled thread for all events.
    const key = kind === 'CpuProfile' ? event : id === undefined ? `thread ${thread}` : `id ${id}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [event])
    else group.push(event)
  }
  return [...groups.values()].flatMap(splitGroup)
}

/** Splits the events with one id by their Profile events, if there are several. */
function splitGroup(events: readonly V8Event[]): readonly ProfileEvents[] {
  const openers = distinctOpeners(events)
  if (openers.length <= 1) return [{ thread: (openers[0] ?? events[0]).thread, events }]
  const profiles = openers.map(opener => ({ opener, thread: opener.thread, events: [opener] }))
  const profiledThreads = new Set(openers.map(({ thread }) => thread))
  const chunks = events.filter(({ kind }) => kind === 'ProfileChunk')
  const chunkThreads = [...new Set(byTime(chunks).map(({ thread }) => thread))].filter(id => !profiledThreads.has(id))
  // The profiler of each thread writes its chunks from a thread of its own. Both start in the same order.
  const profiledBy = new Map(
    chunkThreads.length === profiledThreads.size
      ? chunkThreads.map((thread, i): [Id, Id] => [thread, [...profiledThreads][i]])
      : [],
  )
  for (const chunk of chunks) {
    const thread = profiledThreads.has(chunk.thread) ? chunk.thread : profiledBy.get(chunk.thread)
    const ofThread = profiles.filter(profile => profile.thread === thread)
    const candidates = ofThread.length > 0 ? ofThread : profiles
    const open = candidates.findLast(({ opener }) => opener.time <= chunk.time) ?? candidates[0]
    open.events.push(chunk)
  }
  return profiles
}

/** The Profile events in the order of time, without repetitions. */
function distinctOpeners(events: readonly V8Event[]): readonly V8Event[] {
  const openers = byTime(events.filter(({ kind }) => kind !== 'ProfileChunk'))
  return openers.filter(
    ({ thread, time }, i) => openers.findIndex(other => other.thread === thread && other.time === time) === i,
  )
}

function byTime(events: readonly V8Event[]): V8Event[] {
  return events.toSorted((a, b) => compareLongs(a.time, b.time))
}
