import { describe, expect, it } from 'vitest'
import { treeOfFolded } from '../../../profile/src/analyze/testing/tree-of.ts'
import type { CallGraph } from './call-graph.ts'
import { callGraph } from './call-graph.ts'

const tree = treeOfFolded(`
  main;parse;read 4
  main;render;read 2
  main;render 3
  main;walk;walk;walk 1`)

function edgesOf({ nodes, edges }: CallGraph, names: readonly string[]): string[] {
  const name = (i: number): string => names[nodes[i].frame]
  return edges.map(({ from, to, value, isBack }) => `${name(from)} ${name(to)} ${value}${isBack ? ' back' : ''}`).sort()
}

describe('callGraph', () => {
  it('joins the calls of a function and counts recursion once', () => {
    const graph = callGraph(tree, 10)
    expect(edgesOf(graph, tree.frames.name)).toEqual([
      'main parse 4',
      'main render 5',
      'main walk 1',
      'parse read 4',
      'render read 2',
      'walk walk 2 back',
    ])
    const read = graph.nodes.find(({ frame }) => tree.frames.name[frame] === 'read')!
    expect([read.self, read.total, read.layer]).toEqual([6, 6, 2])
    const walk = graph.nodes.find(({ frame }) => tree.frames.name[frame] === 'walk')!
    expect(walk.total).toBe(1)
  })

  it('places every function below its callers, each once in its layer', () => {
    const { nodes, edges, layers } = callGraph(tree, 10)
    for (const { from, to, isBack } of edges) if (!isBack) expect(nodes[to].layer).toBeGreaterThan(nodes[from].layer)
    expect(layers.flat().sort((a, b) => a - b)).toEqual(nodes.map((_, i) => i))
  })

  it('draws calls through hidden functions from the nearest shown caller', () => {
    const graph = callGraph(treeOfFolded('a;small;b 5\na 9\nb 9'), 2)
    expect(graph.hidden).toBe(1)
    expect(graph.edges).toEqual([{ from: 0, to: 1, value: 5, isBack: false }])
  })

  it('survives mutual recursion and an empty tree', () => {
    expect(callGraph(treeOfFolded('a;b;a;b 3\nb;a 2'), 10).nodes.length).toBe(2)
    expect(callGraph(treeOfFolded('a 0'), 10).edges).toEqual([])
  })
})
