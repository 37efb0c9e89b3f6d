// Profiles that came through a structured clone, as from a worker thread. A clone keeps the columns but loses the classes of
// the tables; this puts new tables over the same columns, which costs far less than encoding and decoding.
import type { AttributeIndex } from './brand.ts'
import {
  AttributeTable,
  FunctionTable,
  LineTable,
  LinkTable,
  LocationTable,
  MappingTable,
  Pool,
  StackTable,
  StringTable,
} from './dictionary.ts'
import type { Profiles } from './profiles.ts'
import { LongPool, ProfileTable, ResourceTable, SampleTable, ScopeTable } from './profiles.ts'

interface Rows {
  readonly ints: Int32Array
  readonly base: number
  readonly length: number
}

const rows = ({ ints, base, length }: Rows) => [ints, base, length] as const
const attributePool = (pool: Rows): Pool<AttributeIndex> => new Pool<AttributeIndex>(...rows(pool))

export function profilesFromClone({ dictionary, resources, scopes, profiles, samples, ...rest }: Profiles): Profiles {
  const { bytes, strings, functions, mappings, locations, stacks, links, attributes, unknown } = dictionary
  return {
    dictionary: {
      bytes,
      strings: new StringTable(...rows(strings), bytes),
      functions: new FunctionTable(...rows(functions)),
      mappings: new MappingTable(...rows(mappings), attributePool(mappings.attributes)),
      locations: new LocationTable(
        ...rows(locations),
        new LineTable(...rows(locations.lines)),
        attributePool(locations.attributes),
      ),
      stacks: new StackTable(...rows(stacks), new Pool(...rows(stacks.locations))),
      links: new LinkTable(...rows(links), bytes),
      attributes: new AttributeTable(...rows(attributes), bytes),
      unknown,
    },
    resources: new ResourceTable(...rows(resources), bytes),
    scopes: new ScopeTable(...rows(scopes), bytes),
    profiles: new ProfileTable(...rows(profiles), bytes, attributePool(profiles.attributes)),
    samples: new SampleTable(
      ...rows(samples),
      attributePool(samples.attributes),
      new LongPool(...rows(samples.values)),
      new LongPool(...rows(samples.timestamps)),
    ),
    ...rest,
  }
}
