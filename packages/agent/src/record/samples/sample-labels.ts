// What a sample carries beside its stack and time: the span that was active, and what of it and of its baggage was chosen.

export interface SampleLabels {
  /** Hex; both or none. */
  readonly traceId?: string
  readonly spanId?: string
  readonly attributes: readonly LabelAttribute[]
}

export interface LabelAttribute {
  readonly key: string
  readonly value: string | number | boolean
}

export const NO_LABELS: SampleLabels = { attributes: [] }
