// What rules of triggers are made of, for people who write one.

export interface RulePredicate {
  readonly name: string
  readonly use: string
  readonly meaning: string
}

export const RULE_PREDICATES: readonly RulePredicate[] = [
  { name: 'Source', use: 'Source(`checkout`)', meaning: 'comes from this service' },
  { name: 'Span', use: 'Span(`GET /cart`)', meaning: 'a span of this name' },
  { name: 'SpanSlower', use: 'SpanSlower(800)', meaning: 'a span that took longer, in milliseconds' },
  { name: 'SpanStatus', use: 'SpanStatus(ERROR)', meaning: 'a span that ended so: ERROR, OK or UNSET' },
  {
    name: 'SpanKind',
    use: 'SpanKind(SERVER)',
    meaning: 'a span of this kind: SERVER, CLIENT, INTERNAL, PRODUCER, CONSUMER',
  },
  {
    name: 'LogSeverity',
    use: 'LogSeverity(ERROR)',
    meaning: 'a log record this grave or graver: a word, or OTLP’s number',
  },
  { name: 'LogBody', use: 'LogBody(`{.*timed out.*}`)', meaning: 'a log record with this text' },
  {
    name: 'MetricAbove',
    use: 'MetricAbove(`process.cpu.utilization`, 0.9)',
    meaning: 'a data point of this metric with a higher value; of a histogram its maximum, or its mean',
  },
  { name: 'MetricBelow', use: 'MetricBelow(`queue.free`, 10)', meaning: 'the same with a lower value' },
  {
    name: 'Attr',
    use: 'Attr(`http.route`, `{/cart.*}`)',
    meaning: 'an attribute of it, or of its resource, with this value',
  },
]

export const RULE_EXAMPLES: readonly { readonly title: string; readonly rule: string }[] = [
  { title: 'Slow requests of a service', rule: 'Source(`checkout`) && SpanKind(SERVER) && SpanSlower(800)' },
  { title: 'Requests of one route that fail', rule: 'Attr(`http.route`, `/cart/:id`) && SpanStatus(ERROR)' },
  { title: 'Errors that are logged', rule: 'LogSeverity(ERROR) && LogBody(`{.*(timeout|refused).*}`)' },
  {
    title: 'A metric that is too high, anywhere in production',
    rule: 'MetricAbove(`process.cpu.utilization`, 0.9) && Attr(`deployment.environment.name`, `{prod.*}`)',
  },
  {
    title: 'One or the other, but not in tests',
    rule: '(SpanSlower(2000) || SpanStatus(ERROR)) && !Source(`{test-.*}`)',
  },
]
