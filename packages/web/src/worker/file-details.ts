// The metadata of a file's profiles as text, and the problems that validation finds.
import type { AnyValue, AttributeIndex, KeyValue, LinkIndex, Profiles } from '@hearth/profile'
import { formatValue, hexOf, profileSummary, validate, valueText } from '@hearth/profile'
import type { FileDetails, Link, ProfileDetails, Property } from './messages.ts'

const LISTED_PROFILES = 200
const LISTED_LINKS = 100
const PROBLEMS_OF_A_RULE = 10

export function fileDetails(profiles: Profiles): FileDetails {
  const { links } = profiles.dictionary
  const details: ProfileDetails[] = []
  const { resources, scopes } = profiles
  for (let r = 0; r < resources.length; r++) {
    const resource = properties(resources.resource(r).attributes)
    for (let s = resources.from(r); s < resources.to(r); s++) {
      const { name, version, attributes } = scopes.scope(s)
      const named = [property('name', name), property('version', version)].filter(each => each.value !== '')
      const scope = [...named, ...properties(attributes)]
      for (let i = scopes.from(s); i < scopes.to(s) && details.length < LISTED_PROFILES; i++) {
        details.push({ ...profileDetails(profiles, i), resource, scope })
      }
    }
  }
  // Row 0 is "no link".
  const listed = Array.from({ length: Math.min(links.length - 1, LISTED_LINKS) }, (_, i) => linkAt(profiles, i + 1))
  return {
    profiles: details,
    links: listed,
    allLinks: Math.max(0, links.length - 1),
    problems: validate(profiles, { strict: true, limit: PROBLEMS_OF_A_RULE }).map(({ rule, level, path, message }) => ({
      rule,
      level,
      path,
      message,
    })),
  }
}

function profileDetails(profiles: Profiles, i: number): Omit<ProfileDetails, 'resource' | 'scope'> {
  const { type, unit, timeUnixNano, durationNano, period, periodType, periodUnit, ...counts } = profileSummary(
    profiles,
    i,
  )
  const table = profiles.profiles
  return {
    type,
    unit,
    time: timeUnixNano,
    duration: durationNano,
    period: periodType === '' ? '' : `${periodType}, ${formatValue(period, periodUnit)}`,
    samples: counts.samples,
    observations: counts.observations,
    total: counts.total,
    shape: counts.shape,
    id: hexOf(table.id(i)),
    attributes: table.attributesOf(i).map(row => attributeAt(profiles, row)),
    originalFormat: table.originalPayloadFormat(i),
  }
}

function attributeAt({ dictionary: { strings, attributes } }: Profiles, row: AttributeIndex): Property {
  return property(strings.text(attributes.key(row)), attributes.value(row))
}

function properties(attributes: readonly KeyValue[]): Property[] {
  return attributes.map(({ key, value }) => property(key, value))
}

function property(key: string, value: AnyValue): Property {
  return { key, value: valueText(value) }
}

function linkAt({ dictionary: { links } }: Profiles, row: number): Link {
  return { traceId: hexOf(links.traceId(row as LinkIndex)), spanId: hexOf(links.spanId(row as LinkIndex)) }
}
