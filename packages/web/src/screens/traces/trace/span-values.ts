// The profile values of each span of a trace, in columns by profile type.
import type { SpanSampleColumns, TraceColumns } from '@hearth/client'

/** The values of one profile type for each span: of the span alone, and including its children. */
export interface SpanValues {
  /** For example `cpu:nanoseconds`. */
  readonly key: string
  readonly type: string
  readonly unit: string
  readonly samples: Float64Array
  readonly value: Float64Array
  readonly subtreeSamples: Float64Array
  readonly subtreeValue: Float64Array
}

export interface ValueSum {
  readonly samples: number
  readonly value: number
}

/** Returns the values of each type that has samples. */
export function spanValues(
  { types, spans }: Pick<TraceColumns, 'types'> & { readonly spans: { readonly length: number } },
  columns: SpanSampleColumns,
): readonly SpanValues[] {
  const all = types.map(({ type, unit }) => ({
    key: `${type}:${unit}`,
    type,
    unit,
    samples: new Float64Array(spans.length),
    value: new Float64Array(spans.length),
    subtreeSamples: new Float64Array(spans.length),
    subtreeValue: new Float64Array(spans.length),
  }))
  const seen = new Set<number>()
  for (let i = 0; i < columns.span.length; i++) {
    const row = columns.span[i]
    const of = all[columns.type[i]]
    seen.add(columns.type[i])
    of.samples[row] = columns.samples[i]
    of.value[row] = columns.value[i]
    of.subtreeSamples[row] = columns.subtreeSamples[i]
    of.subtreeValue[row] = columns.subtreeValue[i]
  }
  return all.filter((_, type) => seen.has(type))
}

/** Returns the sum of a span, of a span including its children, or of the whole trace if `row` is -1. */
export function sumOf(values: SpanValues, row: number, below: boolean, parent: Int32Array): ValueSum {
  if (row !== -1) {
    return below
      ? { samples: values.subtreeSamples[row], value: values.subtreeValue[row] }
      : { samples: values.samples[row], value: values.value[row] }
  }
  let [samples, value] = [0, 0]
  for (let i = 0; i < parent.length; i++) {
    if (parent[i] !== -1) continue
    samples += values.subtreeSamples[i]
    value += values.subtreeValue[i]
  }
  return { samples, value }
}

/** Returns the key of the type to show first: CPU time if it has samples, or else the type with the most samples. */
export function preferredValues(all: readonly SpanValues[], sum: (values: SpanValues) => ValueSum): string {
  const sorted = [...all].sort((a, b) => Number(isCpu(b)) - Number(isCpu(a)) || sum(b).samples - sum(a).samples)
  return (sorted.find(values => sum(values).samples > 0) ?? sorted[0])?.key ?? ''
}

function isCpu({ type }: SpanValues): boolean {
  return type === 'cpu' || type === 'samples'
}
