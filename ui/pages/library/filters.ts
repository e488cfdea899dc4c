// The filters of the library, and their query parameters.
import type { Input } from '../../api/client.ts'

type Query = NonNullable<Input<'GET /api/library'>['query']>

export interface Filters {
  readonly text: string
  readonly kind: NonNullable<Query['kind']> | null
  readonly account: string | null
  /** Id of a person. */
  readonly person: string | null
  readonly feature: NonNullable<Query['feature']> | null
  readonly missing: string | null
  readonly sort: keyof typeof SORTS
}

export const SORTS = {
  title: { sort: 'title' },
  last_watched: { sort: 'last_watched' },
  added: { sort: 'added' },
  yearDown: { sort: 'year' },
  yearUp: { sort: 'year', order: 'asc' },
  rating: { sort: 'rating' },
} as const satisfies Readonly<Record<string, Query>>

export const NO_FILTERS: Filters = {
  text: '',
  kind: null,
  account: null,
  person: null,
  feature: null,
  missing: null,
  sort: 'last_watched',
}

export function queryOf({ text, kind, account, person, feature, missing, sort }: Filters): Query {
  return {
    ...SORTS[sort],
    ...(text.trim() === '' ? {} : { q: text.trim().slice(0, 200) }),
    kind: kind ?? undefined,
    account: account ?? undefined,
    person: person ?? undefined,
    feature: feature ?? undefined,
    missing: missing ?? undefined,
  }
}

export function isFiltered({ text, kind, account, person, feature, missing }: Filters): boolean {
  return text.trim() !== '' || [kind, account, person, feature, missing].some((one) => one !== null)
}
