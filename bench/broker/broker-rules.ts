// Routing speed of the Broker: npm run bench:broker-rules. 50 rules on one core with decoded events, once with plain texts and
// names, once with regular expressions and headers. The goal is at least 1,000,000 events per second.
import type { Event } from '@hearth/broker'
import { Category, RouteRules, compileRoute, createEvent, events } from '@hearth/broker'
import type { Variant } from '../measure.ts'
import { measure } from '../measure.ts'
import { writeFigures } from '../write-figures.ts'

const RULES = 50
const EVENTS = 2000

const SERVICES = Array.from({ length: RULES }, (_, i) => `service-${i}`)

/** Typical routes of an application: one path each, some with named segments. */
const plain = SERVICES.map((name, i) =>
  i % 5 === 0
    ? `Type(\`http\`) && PathPrefix(\`/${name}\`) && Method(\`GET\`, \`PUT\`)`
    : `Type(\`http\`) && Path(\`/${name}/orders/{order}/lines\`) && Method(\`GET\`)`,
)

/** Routes under one path that differ by expressions and headers, so an index over paths does not help. */
const expressions = SERVICES.map(
  (name, i) =>
    `Type(\`capture\`) && Path(\`/profiles/${name}/{type:cpu|wall|heap}/{run:[0-9a-f]{8}}\`) && Header(\`Region\`, \`{(?:eu|us)-[a-z]+-${i % 9}}\`)`,
)

function plainEvents(): Event[] {
  return Array.from({ length: EVENTS }, (_, i) => {
    const service = SERVICES[(i * 7) % RULES]
    const path = (i * 7) % 5 === 0 ? `/${service}/a/b` : `/${service}/orders/${i}/lines`
    return decoded({ type: 'io.kubefox.http', values: { method: 'GET', path, host: 'shop.example.com:443' } })
  })
}

function captureEvents(): Event[] {
  return Array.from({ length: EVENTS }, (_, i) => {
    const place = (i * 7) % RULES
    const run = (i % 200).toString(16).padStart(8, '0')
    return decoded({
      type: 'profiling.capture',
      values: {
        method: 'CAPTURE',
        path: `/profiles/${SERVICES[place]}/cpu/${run}`,
        header: { Region: [`eu-central-${place % 9}`] },
      },
    })
  })
}

/** An event as decoded from the wire. */
function decoded(parts: Partial<Event>): Event {
  return events.decode(events.encode(createEvent({ category: Category.REQUEST, ...parts })))
}

function variant(name: string, rules: readonly string[], list: readonly Event[]): Variant {
  const routes = rules.map((text, value) => ({ rule: compileRoute(text), value }))
  const table = new RouteRules(routes.toSorted((a, b) => b.rule.priority - a.rule.priority))
  const run = (): number => {
    let matched = 0
    for (const event of list) if (table.find(event) !== undefined) matched++
    return matched
  }
  console.error(`${name}: ${run()} of ${list.length} events match`)
  return { name, run }
}

const timings = measure(
  [
    variant(`${RULES} rules`, plain, plainEvents()),
    variant(`${RULES} rules with regular expressions`, expressions, captureEvents()),
    variant(`${RULES} rules, no match`, plain, captureEvents()),
  ],
  7,
)
const lines = [
  '| rules alone | million events per second of CPU |',
  '| --- | ---: |',
  ...timings.map(({ name, micros }) => `| ${name} | ${(EVENTS / micros).toFixed(2)} |`),
]
console.log(lines.join('\n'))
writeFigures('bench:broker-rules', lines.join('\n'))
