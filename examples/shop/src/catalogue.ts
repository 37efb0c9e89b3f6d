// The products of the shop, and a search that is slow for long queries: it compares them letter by letter with every word.

export interface Product {
  readonly id: number
  readonly name: string
  readonly words: readonly string[]
  readonly cents: number
}

const MATERIALS = ['oak', 'walnut', 'linen', 'copper', 'cast iron', 'stoneware', 'wool', 'enamel', 'birch', 'brass']
const THINGS = ['kettle', 'lamp', 'stool', 'blanket', 'skillet', 'teapot', 'bowl', 'lantern', 'fire screen', 'basket']
const STYLES = [
  'small',
  'large',
  'round',
  'folding',
  'hand-made',
  'everyday',
  'heavy',
  'painted',
  'polished',
  'vintage',
]

export const PRODUCTS: readonly Product[] = STYLES.flatMap((style, s) =>
  MATERIALS.flatMap((material, m) =>
    THINGS.map((thing, t) => {
      const name = `${style} ${material} ${thing}`
      return {
        id: s * 100 + m * 10 + t,
        name,
        words: name.split(' '),
        cents: 900 + ((s * 37 + m * 101 + t * 53) % 90) * 100,
      }
    }),
  ),
)

/** A worse version of the shop, to try out regressions: it ranks this many times. */
const RANKINGS = Number(process.env['SHOP_RANKINGS'] ?? '1')

/** The best ten for a query that may be misspelt. */
export function rankProducts(query: string): readonly Product[] {
  const words = query.toLowerCase().split(/\s+/)
  const ranked = PRODUCTS.map(product => ({ product, distance: distanceTo(product, words) }))
  ranked.sort((a, b) => a.distance - b.distance)
  return ranked.slice(0, 10).map(({ product }) => product)
}

function distanceTo(product: Product, words: readonly string[]): number {
  let sum = 0
  for (let i = 0; i < RANKINGS; i++)
    for (const word of words) sum += Math.min(...product.words.map(known => editDistance(word, known)))
  return sum
}

/** The number of letters to change, add or remove. It keeps no table of known results, so most of the time is spent here. */
export function editDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const rest = editDistance(a.slice(1), b.slice(1))
  if (a[0] === b[0]) return rest
  // Looks at most two letters ahead: otherwise a search would take a day.
  if (Math.abs(a.length - b.length) > 1 || a.length > 8) return 1 + rest
  return 1 + Math.min(rest, editDistance(a.slice(1), b), editDistance(a, b.slice(1)))
}
