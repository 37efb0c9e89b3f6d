import { expect, test } from 'vitest'
import { attributeText, profileIdOf, valueText } from './value-text.ts'

test('valueText formats values of every kind', () => {
  expect(valueText({ stringValue: 'a' })).toBe('a')
  expect(valueText({ boolValue: false })).toBe('false')
  expect(valueText({ intValue: '9007199254740993' })).toBe('9007199254740993')
  expect(valueText({ doubleValue: 'NaN' })).toBe('NaN')
  expect(valueText({ arrayValue: { values: [{ intValue: '1' }, { stringValue: 'b' }] } })).toBe('[1, b]')
  expect(valueText({ kvlistValue: { values: [{ key: 'a', value: { boolValue: true } }] } })).toBe('{a: true}')
  expect(valueText({})).toBe('')
  expect(attributeText([{ key: 'a', value: { intValue: '7' } }], 'a')).toBe('7')
  expect(attributeText([], 'a')).toBe('')
})

test('profileIdOf finds the profile id among attributes', () => {
  expect(profileIdOf([{ key: 'profile_id', value: { stringValue: 'AB01' } }])).toBe('ab01')
  expect(profileIdOf([{ key: 'profile.id', value: { bytesValue: btoa('\u00ff\u0001') } }])).toBe('ff01')
  // An invalid id does not hide a valid one.
  expect(
    profileIdOf([
      { key: 'profile_id', value: { stringValue: 'none' } },
      { key: 'profile.id', value: { stringValue: '02' } },
    ]),
  ).toBe('02')
  expect(profileIdOf([{ key: 'id', value: { stringValue: '02' } }])).toBe('')
})
