// A language for tests: English with accents, a third longer and in brackets. Plain text is not translated, and cut-off text
// has too little room.
const FROM = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const TO = 'åƀçđéƒğħîĵķļɱñöþɋřšţûṽŵẋýžÅƁÇĐÉƑĞĦÎĴĶĻṀÑÖÞɊŘŠŢÛṼŴẊÝŽ'

/** A text in the test language. Placeholders and the keywords of the message format stay unchanged. */
export function pseudo(text: string): string {
  let depth = 0
  let words = ''
  for (const letter of text) {
    if (letter === '{') depth += 1
    else if (letter === '}') depth -= 1
    const at = depth % 2 === 0 ? FROM.indexOf(letter) : -1
    words += at === -1 ? letter : TO[at]
  }
  return `[${words}${'·'.repeat(Math.ceil(text.length / 3))}]`
}
