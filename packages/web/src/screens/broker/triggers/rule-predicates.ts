// The predicates and examples that the help for rules shows.

export interface RulePredicate {
  readonly name: string
  readonly use: string
  readonly meaning: string
}

export const RULE_PREDICATES: readonly RulePredicate[] = [
  { name: 'Source', use: 'Source(`checkout`)', meaning: 'items of this service' },
  { name: 'Span', use: 'Span(`GET /cart`)', meaning: 'spans with this name' },
  { name: 'SpanSlower', use: 'SpanSlower(800)', meaning: 'spans longer than this, in milliseconds' },
  { name: 'SpanStatus', use: 'SpanStatus(ERROR)', meaning: 'spans with this status: ERROR, OK or UNSET' },
  {
    name: 'SpanKind',
    use: 'SpanKind(SERVER)',
    meaning: 'spans of this kind: SERVER, CLIENT, INTERNAL, PRODUCER, CONSUMER',
  },
  {
    name: 'LogSeverity',
    use: 'LogSeverity(ERROR)',
    meaning: 'log records of at least this severity, as a name or an OTLP number',
  },
  { name: 'LogBody', use: 'LogBody(`{.*timed out.*}`)', meaning: 'log records with this text' },
  {
    name: 'MetricAbove',
    use: 'MetricAbove(`process.cpu.utilization`, 0.9)',
    meaning: 'data points of this metric above this value; for histograms the maximum or the mean',
  },
  { name: 'MetricBelow', use: 'MetricBelow(`queue.free`, 10)', meaning: 'data points of this metric below this value' },
  {
    name: 'Attr',
    use: 'Attr(`http.route`, `{/cart.*}`)',
    meaning: 'items with this value of an attribute, their own or of their resource',
  },
]

export const RULE_EXAMPLES: readonly { readonly title: string; readonly rule: string }[] = [
  { title: 'Slow requests of a service', rule: 'Source(`checkout`) && SpanKind(SERVER) && SpanSlower(800)' },
  { title: 'Failed requests of one route', rule: 'Attr(`http.route`, `/cart/:id`) && SpanStatus(ERROR)' },
  { title: 'Logged errors', rule: 'LogSeverity(ERROR) && LogBody(`{.*(timeout|refused).*}`)' },
  {
    title: 'A metric above a limit in production',
    rule: 'MetricAbove(`process.cpu.utilization`, 0.9) && Attr(`deployment.environment.name`, `{prod.*}`)',
  },
  {
    title: 'Slow or failed spans outside of tests',
    rule: '(SpanSlower(2000) || SpanStatus(ERROR)) && !Source(`{test-.*}`)',
  },
]
