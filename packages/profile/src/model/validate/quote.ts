// Text of a payload as part of a message: quoted, and cut where a hostile payload would fill the screen.

const LONGEST = 80

export function quote(text: string): string {
  return text.length <= LONGEST ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, LONGEST))}…`
}
