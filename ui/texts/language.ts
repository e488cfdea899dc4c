// The language of the pages: the one selected here, or the first browser language that is supported. English is in the texts
// themselves; another language is one file that is loaded before any text is used.
import { pseudo } from './pseudo.ts'

/** The selectable languages with their own names. The last one is for finding untranslated texts. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', 'en-XA': 'Ẽñğļîšħ (test)' } as const
export type Language = keyof typeof LANGUAGES

type Tree = { readonly [key: string]: string | Tree }

/** The same tree with other texts. */
export type Translation<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string ? string : Translation<Texts[Key]>
}

const KEY = 'playhead.language'
const isLanguage = (text: string | null | undefined): text is Language => text != null && text in LANGUAGES

// Tests of texts run without a browser.
interface Page {
  readonly documentElement: { getAttribute(name: string): string | null }
}
const page = (globalThis as { readonly document?: Page }).document
const isBrowser = page !== undefined
const wanted: readonly string[] = isBrowser ? navigator.languages.filter(isTag) : ['en']
const chosen = isBrowser ? localStorage.getItem(KEY) : null

export const language: Language = isLanguage(chosen)
  ? chosen
  : (wanted.map((one) => one.split('-')[0]).find(isLanguage) ?? 'en')

/** For dates, numbers and lists: the browser's own variant of the language, such as `en-GB`. */
export const locale: string = wanted.find((one) => one.split('-')[0] === language.split('-')[0]) ?? language

const LOADERS: Readonly<Record<Language, (() => Promise<Tree>) | null>> = {
  en: null,
  de: () => fetched('de'),
  'en-XA': null,
}
// Not part of the bundle, because every language would load it. If loading fails, texts stay English.
async function fetched(name: string): Promise<Tree> {
  const answer = await fetch(page?.documentElement.getAttribute(`data-texts-${name}`) ?? `/assets/${name}.json`)
  return answer.ok ? ((await answer.json()) as Tree) : {}
}
export const translation = await LOADERS[language]?.().catch(() => ({}) as Tree)

/** The texts of an area in the current language. Missing texts stay English. */
export function translated<const Texts extends object>(area: string, texts: Texts): Texts {
  if (language === 'en-XA') return mapTexts(texts as unknown as Tree, pseudo) as Texts
  const own = translation?.[area]
  return own === undefined || typeof own === 'string' ? texts : (merged(texts as unknown as Tree, own) as Texts)
}

/** Stores the language in this browser; it applies from the next page load. */
export function keepLanguage(next: Language): void {
  localStorage.setItem(KEY, next)
}

// Some systems report invalid language tags, such as `en-US@posix`.
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function mapTexts(texts: Tree, map: (text: string) => string): Tree {
  return each(texts, (text) => (typeof text === 'string' ? map(text) : mapTexts(text, map)))
}

function merged(texts: Tree, own: Tree): Tree {
  return each(texts, (text, key) => {
    const other = own[key]
    if (typeof text === 'string') return typeof other === 'string' ? other : text
    return typeof other === 'object' ? merged(text, other) : text
  })
}

function each(texts: Tree, map: (text: string | Tree, key: string) => string | Tree): Tree {
  if (Array.isArray(texts)) return texts.map((text, index) => map(text, String(index))) as unknown as Tree
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, map(text, key)]))
}
