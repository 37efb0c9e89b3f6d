// The response schemas of the profile endpoints, and some of their parts, for tests.
import { attributeValues } from '../profiles/attribute-values.ts'
import { attributes } from '../profiles/attributes.ts'
import { diff } from '../profiles/diff.ts'
import { events } from '../profiles/events.ts'
import { flameGraph } from '../profiles/flame-graph.ts'
import { heatMap } from '../profiles/heat-map.ts'
import { profileTypes } from '../profiles/profile-types.ts'
import { profiles } from '../profiles/profiles.ts'
import { sandwich } from '../profiles/sandwich.ts'
import { series } from '../profiles/series.ts'
import { services } from '../profiles/services.ts'
import { top } from '../profiles/top.ts'
import { frame, treeNodes } from '../profiles/tree-json.ts'
import { failure } from '../response/fields.ts'

export const schemas = {
  attributeValues: attributeValues.response,
  attributes: attributes.response,
  diff: diff.response,
  events: events.response,
  failure,
  flameGraph: flameGraph.response,
  frame,
  heatMap: heatMap.response,
  profileRow: profiles.response.shape.profiles.element,
  profileTypes: profileTypes.response,
  profiles: profiles.response,
  sandwich: sandwich.response,
  series: series.response,
  services: services.response,
  top: top.response,
  treeNodes,
}
