// The filters of the history, and its plays with a heading for each day.
import type { Input } from '../../api/client.ts'
import type { Play } from '../../parts/titles/play-list.tsx'
import { history as texts } from '../../texts/en/history.ts'
import { locale } from '../../texts/language.ts'

type Query = NonNullable<Input<'GET /api/history'>['query']>

export interface Filters {
  readonly text: string
  readonly kind: NonNullable<Query['kind']> | null
  readonly account: string | null
  /** Id of a person. */
  readonly person: string | null
  /** `2026-07-01`, or empty. */
  readonly from: string
  readonly to: string
  readonly duplicates: boolean
}

export const NO_FILTERS: Filters = {
  text: '',
  kind: null,
  account: null,
  person: null,
  from: '',
  to: '',
  duplicates: false,
}

const DAY = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

export function queryOf({ text, kind, account, person, from, to, duplicates }: Filters): Query {
  // A reversed range is swapped.
  const [first, last] = from !== '' && to !== '' && from > to ? [to, from] : [from, to]
  return {
    ...(text.trim() === '' ? {} : { q: text.trim().slice(0, 200) }),
    kind: kind ?? undefined,
    account: account ?? undefined,
    person: person ?? undefined,
    ...(first === '' ? {} : { from: first }),
    ...(last === '' ? {} : { to: last }),
    ...(duplicates ? { duplicates } : {}),
  }
}

export function isFiltered(filters: Filters): boolean {
  return Object.values(queryOf(filters)).some((one) => one !== undefined)
}

type Row =
  | { readonly day: string }
  /** The place of the play among all, and within its day. */
  | { readonly play: Play; readonly index: number; readonly isFirst: boolean; readonly isLast: boolean }

/** Each day as a heading and the lines of its plays. */
export function rowsOf(plays: readonly Play[]): readonly Row[] {
  return plays.flatMap((play, index): readonly Row[] => {
    const isFirst = play.day !== plays[index - 1]?.day
    const row = { play, index, isFirst, isLast: play.day !== plays[index + 1]?.day }
    return isFirst ? [{ day: play.day }, row] : [row]
  })
}

export function dayName(day: string): string {
  const now = new Date()
  if (day === dateOf(now)) return texts.today
  if (day === dateOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, 12))) return texts.yesterday
  const at = new Date(`${day}T12:00:00`)
  return (at.getFullYear() === now.getFullYear() ? DAY : DAY_OF_YEAR).format(at)
}

function dateOf(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, '0')).join('-')
}
