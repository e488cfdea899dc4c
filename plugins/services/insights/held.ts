// What is held of the rows while they are counted: numbers only, for there may be hundreds of thousands. Rows of one
// name are one item for certain; names that share a token are one item as long as nothing of them contradicts. Names,
// tokens and ids are held as fingerprints: should two ever be equal by chance, a number that is shown is off by one.
import {
  createColumn,
  createFingerprintTable,
  createMatcher,
  createPackedTexts,
  FACT_PLACES,
  factsOf,
  fingerprint,
  type Item,
  type ItemKind,
  kindOf,
  type NumberTable,
  type Spans,
  tokensOf,
} from '@playhead/sdk'
import {
  counts,
  KINDS,
  kindName,
  type Kind,
  type KeyedMark,
  type Mark,
  nameOf,
  type Sighting,
  sightingOf,
} from './sightings.ts'
import type { Counted, Row } from './sources.ts'

/** Names are numbers, in the order in which they came. */
export interface Held {
  add(account: number, row: Row): void
  /** Names by tokens. Nothing can be added afterwards. */
  spans(rest: () => Promise<void>): Promise<Spans>
  contradict(names: Int32Array): boolean
  accountsOf(names: Int32Array): readonly number[]
  kindOf(names: Int32Array): Kind
  typeOf(name: number): ItemKind
  /** Number of the film, or of the show of an episode. Known of histories. */
  workOf(names: Int32Array): number | undefined
  marksOf(names: Int32Array): readonly Mark[]
  keyed(mark: Mark): KeyedMark
  /** After its last use. */
  release(): void
}

const TYPES = ['movie', 'show', 'season', 'episode'] as const satisfies readonly ItemKind[]
const ANIME = KINDS.indexOf('anime')
const WORD_BITS = 32

export function createHeld(feature: Counted, accounts: number): Held {
  let byName: NumberTable<number> | undefined = createFingerprintTable()
  const matcher = createMatcher(createFingerprintTable())
  const words = Math.ceil(accounts / WORD_BITS)

  // Of each name.
  const kinds = createColumn(Uint8Array)
  const types = createColumn(Uint8Array)
  const works = createColumn(Float64Array)
  const holders = createColumn(Int32Array)
  const factEnds = createColumn(Int32Array)
  const lastMarks = createColumn(Int32Array)
  // Of each fact.
  const places = createColumn(Uint8Array)
  const ids = createColumn(Float64Array)
  // Of each mark: its account and whether only the day is known, the time, the rating, and the mark of the same name
  // before it.
  const origins = createColumn(Int32Array)
  const times = createColumn(Float64Array)
  const ratings = createColumn(Float64Array)
  const previous = createColumn(Int32Array)
  const keys = createPackedTexts()

  function addName(item: Item, tokens: readonly string[]): number {
    const name = kinds.size
    kinds.push(KINDS.indexOf(kindName(item)))
    types.push(TYPES.indexOf(kindOf(item)))
    for (let word = 0; word < words; word += 1) holders.push(0)
    for (const [place, id] of factsOf(item).entries()) {
      if (id === undefined) continue
      places.push(place)
      ids.push(fingerprint(id))
    }
    factEnds.push(places.size)
    lastMarks.push(-1)
    if (feature === 'history') works.push(numberOf((item.type === 'episode' ? item.show_ids : item.ids)?.tmdb))
    matcher.add(tokens.map(fingerprint))
    return name
  }

  function addMark(name: number, account: number, key: string, { atMs, isDate, rating }: Sighting): void {
    previous.push(lastMarks.at(name))
    lastMarks.set(name, origins.size)
    origins.push(account * 2 + Number(isDate))
    times.push(atMs)
    if (feature === 'ratings') ratings.push(rating ?? Number.NaN)
    keys.add(key)
  }

  function markAt(place: number): Mark {
    const origin = origins.at(place)
    const rating = feature === 'ratings' ? { rating: ratings.at(place) } : {}
    return { account: origin >> 1, atMs: times.at(place), isDate: (origin & 1) === 1, place, ...rating }
  }

  return {
    add(account, row) {
      if (byName === undefined) throw new Error('The rows are counted already.')
      const sighting = sightingOf(feature, row.item)
      if (!counts(feature, row.item, sighting)) return
      const tokens = tokensOf(row.item)
      const print = fingerprint(nameOf(account, row, tokens))
      let name = byName.get(print)
      if (name === undefined) {
        name = addName(row.item, tokens)
        byName.set(print, name)
      } else if (kinds.at(name) !== ANIME && kindName(row.item) === 'anime') {
        // One account that knows it to be anime is enough.
        kinds.set(name, ANIME)
      }
      const word = name * words + Math.floor(account / WORD_BITS)
      holders.set(word, holders.at(word) | (1 << (account % WORD_BITS)))
      if (sighting !== undefined) addMark(name, account, row.key, sighting)
    },

    spans(rest) {
      byName = undefined
      return matcher.spans(rest)
    },

    contradict(names) {
      const told = new Float64Array(FACT_PLACES).fill(Number.NaN)
      for (const name of names) {
        for (let fact = name === 0 ? 0 : factEnds.at(name - 1); fact < factEnds.at(name); fact += 1) {
          const [place, id] = [places.at(fact), ids.at(fact)]
          if (!Number.isNaN(told[place]) && told[place] !== id) return true
          told[place] = id
        }
      }
      return false
    },

    accountsOf(names) {
      const found: number[] = []
      for (let account = 0; account < accounts; account += 1) {
        const [word, bit] = [Math.floor(account / WORD_BITS), 1 << (account % WORD_BITS)]
        if (names.some((name) => (holders.at(name * words + word) & bit) !== 0)) found.push(account)
      }
      return found
    },

    kindOf: (names) => (names.some((name) => kinds.at(name) === ANIME) ? 'anime' : KINDS[kinds.at(names[0]!)]!),
    typeOf: (name) => TYPES[types.at(name)]!,
    workOf(names) {
      const name = names.find((one) => !Number.isNaN(works.at(one)))
      return name === undefined ? undefined : works.at(name)
    },

    marksOf(names) {
      const marks: Mark[] = []
      for (const name of names) {
        const own: Mark[] = []
        for (let place = lastMarks.at(name); place !== -1; place = previous.at(place)) own.push(markAt(place))
        for (let at = own.length - 1; at >= 0; at -= 1) marks.push(own[at]!)
      }
      return marks
    },

    keyed: (mark) => ({ ...mark, key: keys.get(mark.place) }),
    release: () => keys.release(),
  }
}

/** No work has a number that is not exact. */
function numberOf(tmdb: string | undefined): number {
  const number = Number(tmdb ?? Number.NaN)
  return Number.isSafeInteger(number) ? number : Number.NaN
}
