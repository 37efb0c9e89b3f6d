// The active span of a sample, with the chosen attributes of the span and of its baggage.

export interface SampleLabels {
  /** Hexadecimal. Either both ids or none. */
  readonly traceId?: string
  readonly spanId?: string
  readonly attributes: readonly LabelAttribute[]
}

export interface LabelAttribute {
  readonly key: string
  readonly value: string | number | boolean
}

export const NO_LABELS: SampleLabels = { attributes: [] }
