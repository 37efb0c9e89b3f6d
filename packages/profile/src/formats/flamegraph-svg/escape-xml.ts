// Escapes text for XML. Characters that XML 1.0 cannot represent become U+FFFD.

const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
// oxlint-disable-next-line no-control-regex -- the pattern is about control characters
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

export function escapeXml(text: string): string {
  const clean = text.replaceAll(LONE_SURROGATES, '\ufffd').replaceAll(FORBIDDEN, '\ufffd')
  return clean.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
