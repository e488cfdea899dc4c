// Many small JSON texts of few forms, as rows of an account are: each form is kept once, and of a text what is its own. That is half of
// what the texts would take. Only the text counts here, nothing is parsed: whatever is put in comes back as it was.
import { createPackedTexts, type PackedTexts } from './packed-texts.ts'

// In JSON a control character stands as an escape, so this one is in no text. One that has it all the same is kept whole.
const GAP = '\0'
const QUOTE = 34
const BACKSLASH = 92
const MINUS = 45
/** Where every text has a form of its own, forms would be the larger part. */
const MOST_FORMS = 4_096
const WHOLE = 0

export function createPackedJson(): PackedTexts {
  const texts = createPackedTexts()
  const numbers = new Map<string, number>([[GAP, WHOLE]])
  const forms: string[][] = [['', '']]

  /** Each value, and the gap that ends it, behind the number of the form. */
  function split(text: string): string {
    if (text.includes(GAP)) return whole(text)
    let form = ''
    let values = ''
    let taken = 0
    for (let at = text.indexOf(':') + 1; at > 0; at = text.indexOf(':', at) + 1) {
      const end = endOfValue(text, at)
      if (end === at) continue
      form += text.slice(taken, at) + GAP
      values += text.slice(at, end) + GAP
      taken = at = end
    }
    form += text.slice(taken)
    let number = numbers.get(form)
    if (number === undefined) {
      if (numbers.size === MOST_FORMS) return whole(text)
      number = numbers.size
      numbers.set(form, number)
      forms.push(form.split(GAP))
    }
    return `${number}${GAP}${values}`
  }

  function whole(text: string): string {
    return `${WHOLE}${GAP}${text}${GAP}`
  }

  return {
    get size() { return texts.size },
    add: (text) => texts.add(split(text)),
    get(index) {
      const kept = texts.get(index)
      const [number, ...values] = kept.split(GAP)
      const form = forms[Number(number)]!
      if (Number(number) === WHOLE) return kept.slice(`${WHOLE}${GAP}`.length, -1)
      let text = form[0]!
      for (let place = 1; place < form.length; place += 1) text += values[place - 1]! + form[place]!
      return text
    },
    * pieces() {
      yield* texts.pieces()
      // The values alone do not say what they are the values of.
      yield Buffer.from([...numbers.keys()].join('\n'))
    },
    release: () => texts.release(),
  }
}

/** Of a text in quotes or a number that begins there; else the place itself. */
function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (first === QUOTE) {
    let end = text.indexOf('"', at + 1)
    while (end !== -1 && text.charCodeAt(end - 1) === BACKSLASH) end = text.indexOf('"', end + 1)
    return end === -1 ? at : end + 1
  }
  if (first !== MINUS && !isDigit(first)) return at
  let end = at + 1
  while (isDigit(text.charCodeAt(end))) end += 1
  return end
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
