// Texts that the service sends in English: titles of settings, issues, error reasons. A translation is keyed by the English
// text, where `{…}` stands for a variable part such as a name. Plugins bring their own.
import { at } from '../api/base.ts'
import { language, translation } from './language.ts'
import { pseudo } from './pseudo.ts'

type Texts = Readonly<Record<string, string>>
interface Pattern {
  readonly match: RegExp
  readonly names: readonly string[]
  readonly own: string
}

const PLACE = /\{(\w+)\}/g
const MAX_FOUND = 5_000
const core = (translation?.['service'] ?? {}) as Texts
let known: Texts = core
let patterns = patternsOf(core)
/** The meaning of each error code, in English. */
let reasons: Texts = {}
/** Cache by text, because rows of long lists repeat the same texts. */
const found = new Map<string, string>()

/** The texts of the plugins, for a language other than English; without them, plugin texts stay English. */
export async function loadServiceTexts(): Promise<void> {
  if (translation === undefined) return
  const answer = await fetch(at(`/api/plugin-texts/${language}`)).catch(() => null)
  if (answer === null || !answer.ok) return
  const body = (await answer.json()) as { readonly texts: Texts; readonly reasons: Texts }
  known = { ...body.texts, ...core }
  patterns = patternsOf(known)
  reasons = body.reasons
  found.clear()
}

/** The text in the current language; an unknown text stays unchanged. */
export function serviceText(text: string): string
export function serviceText(text: string | null | undefined): string | null | undefined
export function serviceText(text: string | null | undefined): string | null | undefined {
  if (text === null || text === undefined || text === '') return text
  if (language === 'en-XA') return pseudo(text)
  return own(text) ?? text
}

/** An error of the service: translated by its text, otherwise by its code. */
export function errorText(message: string, code: string): string {
  if (language === 'en-XA') return pseudo(message)
  return own(message) ?? own(reasons[code] ?? '') ?? message
}

function own(text: string): string | null {
  if (text === '' || (found.get(text) ?? '') === text) return null
  const before = found.get(text) ?? known[text]
  if (before !== undefined) return before
  if (found.size > MAX_FOUND) found.clear()
  const result = byPattern(text)
  found.set(text, result ?? text)
  return result
}

function byPattern(text: string): string | null {
  for (const { match, names, own: form } of patterns) {
    const places = match.exec(text)
    // A name in a text may itself be a text, such as "History" in "History: Could not reach Emby."
    if (places !== null)
      return form.replaceAll(PLACE, (_, name: string) => serviceText(places[names.indexOf(name) + 1] ?? ''))
  }
  return null
}

function patternsOf(texts: Texts): readonly Pattern[] {
  return Object.entries(texts)
    .filter(([english]) => english.includes('{'))
    .map(([english, form]) => ({
      match: new RegExp(`^${english.split(PLACE).map(piece).join('')}$`),
      names: Array.from(english.matchAll(PLACE), ([, name]) => name as string),
      own: form,
    }))
}

function piece(part: string, index: number): string {
  return index % 2 === 1 ? '(.+?)' : RegExp.escape(part)
}
