// Random lives as scripts: accounts that behave as services do, graphs of pairs, and people and machines who interfere.
import fc from '../../../fast-check.ts'

/** The contents that a life may have. */
export interface Range {
  /** Pairs as `ANN <> BEN`; `ANN <> BEN history by-play` has a feature of its own. */
  readonly shapes: readonly (readonly string[])[]
  /** A feature, and options of its pairs. */
  readonly features: readonly string[]
  /** Traits that accounts always have, by name. */
  readonly always?: Readonly<Record<string, string>>
  /** Traits of the others, see `TRAITS`. */
  readonly traits?: readonly string[]
  /**
   * Acts beside those of people and runs, one or more lines: `@` is an account and `~` another one, `+` a pair, `*` a title,
   * `#` and `%` are numbers.
   */
  readonly acts?: readonly string[]
  readonly works?: readonly string[]
  readonly maxActs?: number
}

export const SHAPES = {
  'two-way': ['ANN <> BEN'],
  'one-way': ['ANN > BEN'],
  chain: ['ANN <> BEN', 'BEN <> CAT'],
  'chain of five': ['ANN <> BEN', 'BEN <> CAT', 'CAT <> DAN', 'DAN <> EVE'],
  ring: ['ANN <> BEN', 'BEN <> CAT', 'CAT <> ANN'],
  star: ['ANN <> BEN', 'ANN <> CAT', 'ANN <> DAN'],
  'two sources': ['ANN > BEN', 'CAT > BEN'],
  'a source and a pair': ['ANN > BEN', 'BEN <> CAT'],
  'a pair and a target': ['ANN <> BEN', 'ANN > CAT'],
} as const

const FILMS = ['heat', 'alien', 'arrival']

interface Raw {
  readonly act: string
  readonly account: number
  readonly pair: number
  readonly work: number
  readonly number: number
}

const VALUES = [2, 5, 8, 10]

const OF_PEOPLE = ['put @ * #', 'put @ * #', 'put @ * #', 'drop @ *', 'drop @ *']
const OF_TIME = ['run', 'run', 'run', 'wait 5m', 'wait 7h', 'wait 2d']

export function scripts(range: Range): fc.Arbitrary<string> {
  const { shapes, features, always = {}, traits = [], acts = [], works = FILMS, maxActs = 16 } = range
  const act = (all: readonly string[]) =>
    fc.record({
      act: fc.constantFrom(...all),
      account: fc.nat({ max: 9 }),
      pair: fc.nat({ max: 9 }),
      work: fc.nat({ max: works.length - 1 }),
      number: fc.integer({ min: 1, max: 10 }),
    })
  return fc
    .record({
      shape: fc.constantFrom(...shapes),
      feature: fc.constantFrom(...features),
      traits: fc.array(fc.subarray([...traits], { maxLength: Math.min(3, traits.length) }), {
        minLength: 5,
        maxLength: 5,
      }),
      first: fc.array(act(['put @ * #']), { maxLength: 5 }),
      runs: fc.nat({ max: 2 }),
      acts: fc.array(act([...OF_PEOPLE, ...OF_PEOPLE, ...OF_TIME, ...OF_TIME, ...acts]), { maxLength: maxActs }),
    })
    .map(({ shape, feature, traits, first, runs, acts }) => {
      const accounts = [...new Set(shape.flatMap(accountsOf))]
      const traitsOf = (account: string, index: number) => always[account] ?? (traits[index] ?? []).join(' ')
      const line = (raw: Raw, index: number) =>
        lineOf(raw, { accounts, shape, works, value: putValue(feature, raw, index) })
      return [
        ...accounts.map((account, index) => `account ${account} ${traitsOf(account, index)}`.trimEnd()),
        ...shape.map((pair) => `pair ${pair}${/ [a-z]/.test(pair) ? '' : ` ${feature}`}`),
        ...first.map(line),
        ...Array.from({ length: runs }, () => 'run'),
        ...acts.map((raw, index) => line(raw, first.length + index)),
      ].join('\n')
    })
}

const accountsOf = (pair: string) => pair.split(/ <?>+ | /, 2)

interface Names {
  readonly accounts: readonly string[]
  readonly shape: readonly string[]
  readonly works: readonly string[]
  readonly value: string
}

/** Ratings and viewings that are apart by more than services round; positions of which no two are equal. */
function putValue(feature: string, { number }: Raw, index: number): string {
  return feature === 'progress' ? (1 + 0.2 * index).toFixed(1) : String(VALUES[number % VALUES.length])
}

function lineOf({ act, account, pair, work, number }: Raw, { accounts, shape, works, value }: Names): string {
  return act
    .replaceAll('@', accounts[account % accounts.length]!)
    .replaceAll('~', accounts[(account + 1) % accounts.length]!)
    .replaceAll('+', accountsOf(shape[pair % shape.length]!).join('-'))
    .replaceAll('*', works[work]!)
    .replaceAll('#', value)
    .replaceAll('%', String(number * 7))
}
