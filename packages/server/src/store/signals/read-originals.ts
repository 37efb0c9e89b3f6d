// Converts rows of items to OTLP messages with their unknown fields, which only the encoded message has.
import type { Codec, LogRecord, Metric, Span } from '@hearth/signals'
import { LOG_RECORD, METRIC, SPAN, codecOf } from '@hearth/signals'
import type { Block } from '../native/block.ts'
import { readLogRecord, readSpan } from './read-items.ts'
import { readMetric } from './read-metrics.ts'
import { pointsOf, withPoints } from './write-metrics.ts'

const span = codecOf(SPAN, 'stored span')
const logRecord = codecOf(LOG_RECORD, 'stored log record')
const metric = codecOf(METRIC, 'stored metric')

export function originalSpan(block: Block, row: number): Span {
  return original(block, row, span) ?? readSpan(block, row)
}

export function originalLogRecord(block: Block, row: number): LogRecord {
  return original(block, row, logRecord) ?? readLogRecord(block, row)
}

/** Returns the metric whose points are in rows `from` to `to`. Each of them has the metric with one point. */
export function originalMetric(block: Block, from: number, to: number): Metric {
  const first = original(block, from, metric)
  if (first === undefined) return readMetric(block, from, to)
  const points = [...pointsOf(first).points]
  for (let row = from + 1; row < to; row++) points.push(...pointsOf(original(block, row, metric) ?? first).points)
  return withPoints(first, points)
}

function original<T>(block: Block, row: number, codec: Codec<T>): T | undefined {
  const bytes = block.column('original').bytes(row)
  // A copy, because the message has views of it and must not keep the block alive.
  return bytes.length === 0 ? undefined : codec.decode(bytes.slice())
}
