// The searches of customers without a server: `hearth bench -- node examples/shop/dist/benchmark.js`. SHOP_RANKINGS=2 makes them slower.
import { rankProducts } from './catalogue.ts'

const QUERIES = ['oak stol', 'coper ketle', 'lamp', 'wol blanket', 'bras lantern']

for (const query of QUERIES) rankProducts(query)
