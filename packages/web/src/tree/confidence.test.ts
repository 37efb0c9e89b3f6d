import { ROOT, findPath } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { diffOfFolded, treeOfFolded } from '../../../profile/src/analyze/testing/tree-of.ts'
import { changeConfidence, sampleText } from './confidence.ts'

describe('sampleText', () => {
  const tree = treeOfFolded('main;a 10\nmain;b 90')

  it('names the number of samples and the confidence interval of the share', () => {
    expect(sampleText(tree, findPath(tree, ['main', 'a']).node, 1000)).toBe(
      'about 100 samples; share ± 1.9 points (95% confidence)',
    )
    expect(sampleText(tree, ROOT, 1000)).toBe('about 1,000 samples')
  })

  it('is empty if the number of samples is unknown', () => {
    expect(sampleText(tree, 0, 0)).toBe('')
  })
})

describe('changeConfidence', () => {
  it('tells changes that may be chance from significant ones', () => {
    const tree = diffOfFolded('main;a 10\nmain;b 90', 'main;a 14\nmain;b 86')
    const { node } = findPath(tree, ['main', 'a'])
    expect(changeConfidence(tree, node, { before: 100, after: 100 })).toBe('may be chance (0.9 standard deviations)')
    expect(changeConfidence(tree, node, { before: 10_000, after: 10_000 })).toMatch(/^significant/)
  })
})
