// A code as words, for codes that have no text: "source_deletes" is "Source deletes".
export function readable(code: string): string {
  const words = code.replaceAll(/[_:]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
