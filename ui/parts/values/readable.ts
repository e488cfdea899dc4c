// Turns a code without a text into words: "source_deletes" becomes "Source deletes".
export function readable(code: string): string {
  const words = code.replaceAll(/[_:]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
