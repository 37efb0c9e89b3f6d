// Quotes text of a payload for a message, and cuts it if it is too long.

const MAX_LENGTH = 80

export function quote(text: string): string {
  return text.length <= MAX_LENGTH ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, MAX_LENGTH))}…`
}
