// Defines which events of a recording are samples and which profiles they become. The note `events-left-out` counts all other
// events.

/** A numeric field of the event that becomes a profile. */
export interface JfrMeasure {
  readonly type: string
  readonly unit: 'nanoseconds' | 'bytes'
  readonly field: string
  /** True if the field counts ticks of the recording's clock. */
  readonly ticks?: true
}

/** An event that is one sample. Its value is the sampling period. */
export interface SampledEvent {
  readonly kind: 'sampled'
  readonly name: string
  /** The profile's type. The unit is nanoseconds, or count if the period is unknown. */
  readonly type: string
  /** The field with the number of samples that one event stands for; default 1. */
  readonly weight?: string
  readonly attributes?: readonly string[]
}

/** An event that is one observation. It yields a profile of the count and one for each measure that the event has. */
export interface CountedEvent {
  readonly kind: 'counted'
  readonly name: string
  readonly count: string
  readonly measures: readonly JfrMeasure[]
  /** Fields with few distinct values, which become attributes of the sample. */
  readonly attributes?: readonly string[]
}

export type JfrEventType = SampledEvent | CountedEvent

function sampled(name: string, type: string, more: Partial<SampledEvent> = {}): SampledEvent {
  return { kind: 'sampled', name, type, ...more }
}

function counted(
  name: string,
  count: string,
  measures: readonly JfrMeasure[],
  attributes: readonly string[] = [],
): CountedEvent {
  return { kind: 'counted', name, count, measures, attributes }
}

function bytes(type: string, field: string): JfrMeasure {
  return { type, unit: 'bytes', field }
}

function duration(type: string, field = 'duration'): JfrMeasure {
  return { type, unit: 'nanoseconds', field, ticks: true }
}

/** The field with the thread that had the monitor before. */
export const OWNER = 'previousOwner'
/** The fields of a program's own events that may name the span, the first that is a text. Otherwise it has the name of the event. */
export const NAME_FIELDS: readonly string[] = ['name', 'operation', 'route', 'path', 'url']

/** In the order of the resulting profiles; viewers show the first one by default. */
export const EVENT_TYPES: readonly JfrEventType[] = [
  sampled('jdk.ExecutionSample', 'cpu'),
  sampled('datadog.ExecutionSample', 'cpu', { weight: 'weight' }),
  // JDK 25. The period may change with the load, so each event has its own.
  counted('jdk.CPUTimeSample', 'cpu_time_samples', [duration('cpu_time', 'samplingPeriod')], ['failed', 'biased']),
  sampled('profiler.WallClockSample', 'wall', { weight: 'samples' }),
  sampled('datadog.MethodSample', 'wall', { weight: 'weight' }),
  sampled('jdk.NativeMethodSample', 'native'),
  counted(
    'jdk.ObjectAllocationInNewTLAB',
    'alloc_in_new_tlab_objects',
    [bytes('alloc_in_new_tlab_bytes', 'tlabSize')],
    ['objectClass'],
  ),
  counted(
    'jdk.ObjectAllocationOutsideTLAB',
    'alloc_outside_tlab_objects',
    [bytes('alloc_outside_tlab_bytes', 'allocationSize')],
    ['objectClass'],
  ),
  counted(
    'jdk.ObjectAllocationSample',
    'alloc_sample_objects',
    [bytes('alloc_sample_bytes', 'weight')],
    ['objectClass'],
  ),
  counted('datadog.ObjectSample', 'object_samples', [bytes('object_sample_bytes', 'size')], ['objectClass']),
  counted('profiler.LiveObject', 'live_objects', [bytes('live_bytes', 'allocationSize')], ['objectClass']),
  counted('datadog.HeapLiveObject', 'live_objects', [bytes('live_bytes', 'size')], ['objectClass']),
  counted('jdk.OldObjectSample', 'old_objects', [bytes('old_object_bytes', 'objectSize')]),
  counted('profiler.Malloc', 'malloc_objects', [bytes('malloc_bytes', 'size')]),
  counted('profiler.Free', 'free_objects', []),
  counted('jdk.JavaMonitorEnter', 'mutex_contentions', [duration('mutex_delay')], ['monitorClass', OWNER]),
  counted('profiler.NativeLock', 'native_lock_contentions', [duration('native_lock_delay')]),
  counted('jdk.ThreadPark', 'block_contentions', [duration('block_delay')], ['parkedClass']),
  counted('jdk.JavaMonitorWait', 'monitor_waits', [duration('monitor_wait_time')], ['monitorClass', 'timedOut']),
  counted('jdk.ThreadSleep', 'sleeps', [duration('sleep_time')]),
  counted('jdk.VirtualThreadPinned', 'virtual_thread_pins', [duration('virtual_thread_pinned_time')]),
  counted('datadog.QueueTime', 'queue_waits', [duration('queue_time')]),
  counted('jdk.FileRead', 'file_reads', [duration('file_read_time'), bytes('file_read_bytes', 'bytesRead')], ['path']),
  counted(
    'jdk.FileWrite',
    'file_writes',
    [duration('file_write_time'), bytes('file_write_bytes', 'bytesWritten')],
    ['path'],
  ),
  counted('jdk.FileForce', 'file_forces', [duration('file_force_time')], ['path']),
  counted(
    'jdk.SocketRead',
    'socket_reads',
    [duration('socket_read_time'), bytes('socket_read_bytes', 'bytesRead')],
    ['host', 'address', 'port'],
  ),
  counted(
    'jdk.SocketWrite',
    'socket_writes',
    [duration('socket_write_time'), bytes('socket_write_bytes', 'bytesWritten')],
    ['host', 'address', 'port'],
  ),
  counted('jdk.GCPhasePause', 'gc_pauses', [duration('gc_pause_time')], ['name']),
  counted('profiler.MethodTrace', 'method_calls', [duration('method_time')]),
  counted('jdk.JavaExceptionThrow', 'exceptions', [], ['thrownClass']),
  counted('jdk.JavaErrorThrow', 'errors', [], ['thrownClass']),
  counted('datadog.ExceptionSample', 'exception_samples', []),
  // Events that a program defines itself, with a duration. They are spans.
  counted('', 'spans', [duration('span')]),
]

const BY_NAME = new Map(EVENT_TYPES.map((type, i) => [type.name, i]))
export const OWN_EVENT = EVENT_TYPES.length - 1
const RECORDERS = /^(?:jdk|java|profiler|datadog|oracle|com\.oracle)\./
const SPAN_FIELDS: readonly string[] = ['startTime', 'duration', 'eventThread']

/** The index of an event in EVENT_TYPES; undefined for events that are neither samples nor spans. */
export function eventTypeOf(name: string, fields: readonly { readonly name: string }[]): number | undefined {
  const known = BY_NAME.get(name)
  if (known !== undefined && known !== OWN_EVENT) return known
  const isSpan =
    name.includes('.') &&
    !RECORDERS.test(name) &&
    SPAN_FIELDS.every(wanted => fields.some(field => field.name === wanted))
  return isSpan ? OWN_EVENT : undefined
}
