// Formats attribute values of OTLP JSON as text.
import type { Attribute, AttributeValue } from '@hearth/client'

export function valueText(value: AttributeValue): string {
  const { stringValue, boolValue, intValue, doubleValue, bytesValue, arrayValue, kvlistValue } = value
  const simple = stringValue ?? boolValue ?? intValue ?? doubleValue ?? bytesValue
  if (simple !== undefined) return String(simple)
  if (arrayValue !== undefined) return `[${arrayValue.values.map(valueText).join(', ')}]`
  if (kvlistValue !== undefined) {
    return `{${kvlistValue.values.map(each => `${each.key}: ${valueText(each.value)}`).join(', ')}}`
  }
  return ''
}

/** The value of the first attribute with the key; empty if there is none. */
export function attributeText(attributes: readonly Attribute[], key: string): string {
  const found = attributes.find(each => each.key === key)
  return found === undefined ? '' : valueText(found.value)
}

/** The profile id among attributes in hexadecimal. It can be text, or bytes in base64. */
export function profileIdOf(attributes: readonly Attribute[]): string {
  for (const { key, value } of attributes) {
    if (key !== 'profile_id' && key !== 'profile.id') continue
    if (value.stringValue !== undefined && /^(?:[0-9a-fA-F]{2})+$/.test(value.stringValue)) {
      return value.stringValue.toLowerCase()
    }
    if (value.bytesValue !== undefined) {
      return Array.from(atob(value.bytesValue), sign => sign.charCodeAt(0).toString(16).padStart(2, '0')).join('')
    }
  }
  return ''
}
