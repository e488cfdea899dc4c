// Texts that the service sends in English: titles of settings, what needs attention, reasons. A translation has them by
// their English text; `{…}` in it stands for what differs, such as a name.
import { language, translation } from './language.ts'
import { pseudo } from './pseudo.ts'

const known = (translation?.['service'] ?? {}) as Readonly<Record<string, string>>
const PLACE = /\{(\w+)\}/g
const patterns = Object.entries(known)
  .filter(([english]) => english.includes('{'))
  .map(([english, own]) => ({
    match: new RegExp(`^${english.split(PLACE).map(piece).join('')}$`),
    names: Array.from(english.matchAll(PLACE), ([, name]) => name as string),
    own,
  }))

/** The text in the language in use; a text that is not known stays as it is. */
export function serviceText(text: string): string
export function serviceText(text: string | null | undefined): string | null | undefined
export function serviceText(text: string | null | undefined): string | null | undefined {
  if (text === null || text === undefined || text === '') return text
  if (language === 'en-XA') return pseudo(text)
  const own = known[text]
  if (own !== undefined) return own
  for (const { match, names, own: form } of patterns) {
    const found = match.exec(text)
    // A name in a text may itself be a text, such as "History" in "History: Could not reach Emby."
    if (found !== null)
      return form.replaceAll(PLACE, (_, name: string) => serviceText(found[names.indexOf(name) + 1] ?? ''))
  }
  return text
}

function piece(part: string, index: number): string {
  return index % 2 === 1 ? '(.+?)' : RegExp.escape(part)
}
