// Finds and orders the entries of the search. Without React, so that its rules can be tested alone.
import { foldText, searchWords } from '../../sdk/items/text.ts'

/** In the order of equal matches: the things of a person come first, documents last. */
const GROUPS = ['titles', 'accounts', 'pairs', 'actions', 'pages', 'settings', 'plugins', 'guide'] as const
export type Group = (typeof GROUPS)[number]

export interface Entry {
  readonly id: string
  readonly group: Group
  readonly label: string
  readonly description?: string
  /** Further words that find it. They are not shown. */
  readonly words?: string
  /** A longer text, of which only the beginnings of words count. */
  readonly text?: string
  /** A part of another entry, such as a field of a page: it comes after whole things that match as well. */
  readonly isPart?: boolean
  readonly href?: string
}

export interface Vocabulary {
  /** Words with the same meaning, separated by spaces. */
  readonly synonyms: readonly string[]
  /** Words that are ignored beside others. */
  readonly fillers: string
}

interface FoundGroup<Found extends Entry = Entry> {
  readonly group: Group
  readonly entries: readonly Found[]
}

/** From the best to the weakest kind of match of one word. */
const RANK = {
  label: 0,
  word: 1,
  labelStart: 2,
  wordStart: 3,
  synonym: 4,
  description: 5,
  text: 7,
  within: 12,
  none: 20,
} as const
/** A group is as good as its best match: exact words, beginnings, the rest. */
const CLASSES = [RANK.word, RANK.wordStart, RANK.synonym] as const
const PART = 2
/** The whole query as the label, or as its start. */
const WHOLE = -2
const WHOLE_START = -1
/** Weak matches are noise beside good ones: the best rank of a query, and the last rank beside it. */
const LIMITS = [
  [RANK.word, RANK.wordStart],
  [RANK.wordStart, RANK.description],
] as const
const NO_WORD = /[^\p{L}\p{N}]+/u
const HYPHENED = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu
const LEAST_WITHIN = 3
const MOST = 14
const MOST_OF: Readonly<Record<Group, number>> = {
  titles: 5,
  accounts: 4,
  pairs: 3,
  actions: 4,
  pages: 4,
  settings: 5,
  plugins: 2,
  guide: 3,
}

export function search<Found extends Entry>(
  entries: readonly Found[],
  query: string,
  vocabulary: Vocabulary,
): readonly FoundGroup<Found>[] {
  const words = wordsOf(query, vocabulary.fillers)
  if (words.length === 0) return []
  const whole = words.join(' ')
  const forms = words.map((word) => ({ word, others: othersOf(word, vocabulary.synonyms) }))
  const scored = entries
    .map((entry) => ({ entry, ...scoreOf(entry, forms, whole) }))
    .filter(({ matched }) => matched * 2 >= words.length && matched > 0)
    .sort((a, b) => a.score - b.score)
  const [best] = scored
  if (best === undefined) return []
  // A part of a question is enough if no entry has more of its words.
  const limit = LIMITS.find(([most]) => best.rank <= most * words.length)?.[1] ?? Infinity
  const shown = scored.filter(({ rank, matched }) => matched >= best.matched && rank <= limit * words.length)
  const groups = GROUPS.map((group, order) => {
    const own = shown.filter(({ entry }) => entry.group === group)
    return {
      group,
      order,
      best: classOf((own[0]?.rank ?? Infinity) / words.length),
      entries: own.map(({ entry }) => entry),
    }
  })
    .filter((one) => one.entries.length > 0)
    .sort((a, b) => lastOf(a.group) - lastOf(b.group) || a.best - b.best || a.order - b.order)
  let left = MOST
  return groups.flatMap(({ group, entries: own }, index) => {
    // Each further group keeps a place.
    const count = Math.max(0, Math.min(MOST_OF[group], left - (groups.length - 1 - index)))
    left -= Math.min(count, own.length)
    return count === 0 ? [] : [{ group, entries: own.slice(0, count) }]
  })
}

function wordsOf(query: string, fillers: string): readonly string[] {
  const words = searchWords(query.replaceAll(/[?!.,;:“”"]+/g, ' '))
  const ignored = new Set(searchWords(fillers))
  const left = words.filter((word) => !ignored.has(word))
  return left.length === 0 ? words : left
}

/** The other words of its groups. The last word of a query is often typed in part, so its start is enough. */
function othersOf(word: string, synonyms: readonly string[]): readonly string[] {
  if (word.length < LEAST_WITHIN) return []
  return [
    ...new Set(
      synonyms.flatMap((group) => {
        const own = searchWords(group)
        return own.some((one) => one === word || (one.startsWith(word) && word.length > LEAST_WITHIN))
          ? own.filter((one) => !one.startsWith(word))
          : []
      }),
    ),
  ]
}

interface Form {
  readonly word: string
  readonly others: readonly string[]
}

interface Score {
  /** The sum of the words; lower is better. */
  readonly rank: number
  /** The rank, with what decides between equal ranks. */
  readonly score: number
  /** How many of the words it has. */
  readonly matched: number
}

function scoreOf(entry: Entry, forms: readonly Form[], whole: string): Score {
  const { whole: label, label: inLabel, words, description, text } = foldedOf(entry)
  const ranks = forms.map(({ word, others }) => {
    const one = singular(word)
    if (inLabel.some((part) => part === word || part === one)) return RANK.label
    if (words.some((part) => part === word || part === one)) return RANK.word
    if (inLabel.some((part) => part.startsWith(one))) return RANK.labelStart
    if (words.some((part) => part.startsWith(one))) return RANK.wordStart
    if (others.some((other) => [...inLabel, ...words].some((part) => singular(part) === singular(other))))
      return RANK.synonym
    if (description.some((part) => part.startsWith(one))) return RANK.description
    if ([word, ...others].some((other) => text.some((part) => part.startsWith(other)))) return RANK.text
    if (word.length >= LEAST_WITHIN && label.includes(word)) return RANK.within
    return RANK.none
  })
  const bonus = label === whole ? WHOLE : label.startsWith(whole) ? WHOLE_START : 0
  const rank = ranks.reduce<number>((sum, one) => sum + one, 0)
  return {
    rank,
    score: rank + bonus + (entry.isPart === true ? PART : 0),
    matched: ranks.filter((one) => one !== RANK.none).length,
  }
}

interface Folded {
  readonly whole: string
  readonly label: readonly string[]
  readonly words: readonly string[]
  readonly description: readonly string[]
  readonly text: readonly string[]
}

const known = new WeakMap<Entry, Folded>()

/** There are about a thousand entries, and each letter of a query compares them all. */
function foldedOf(entry: Entry): Folded {
  const before = known.get(entry)
  if (before !== undefined) return before
  const folded = {
    whole: foldText(entry.label),
    label: split(foldText(entry.label)),
    words: split(foldText(entry.words ?? '')),
    description: split(foldText(entry.description ?? '')),
    text: split(foldText(entry.text ?? '')),
  }
  known.set(entry, folded)
  return folded
}

/** "E-mail" is also found as "email". */
function split(text: string): readonly string[] {
  const joined = Array.from(text.matchAll(HYPHENED), ([word]) => word.replaceAll('-', ''))
  return [...text.split(NO_WORD).filter((part) => part !== ''), ...joined]
}

function classOf(score: number): number {
  const found = CLASSES.findIndex((most) => score <= most)
  return found === -1 ? CLASSES.length : found
}

/** "tokens" finds "token". */
function singular(word: string): string {
  return word.length > LEAST_WITHIN && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function lastOf(group: Group): number {
  return group === 'guide' ? 1 : 0
}
