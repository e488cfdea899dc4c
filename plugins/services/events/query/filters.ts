// Compiles the query parameters of a list to conditions on the tables: facets, titles, a run, a time range.
import { type EventDomain, oneOf, type Static, type Tables, Type } from '@playhead/sdk'
import { splitKey } from '../store/facts.ts'
import type { CountedFacet, Facet, Facets } from '../store/facets.ts'
import { all, firstText, idsIn, type Fragment, fragment } from './sql.ts'
import { INDEX_LIMITS } from './sql.ts'
import { CATEGORIES, codeOfStatus, type GroupStatus, STATUSES } from '../store/vocabulary.ts'

const text = (description: string, maxLength = 500) => Type.Optional(Type.String({ maxLength, description }))
const TIME =
  '^(?:|\\d{1,12}|\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[T ](?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-](?:[01]\\d|2[0-3]):?[0-5]\\d)?)?)$'
export const Time = Type.Optional(Type.String({ pattern: TIME, description: 'Seconds since 1970, or ISO 8601.' }))

const PAGING = {
  visibility: oneOf(['open', 'acknowledged', 'all'], 'open'),
  order: oneOf(['newest', 'oldest', 'desc', 'asc'], 'newest'),
  view: oneOf(['groups', 'events'], 'groups'),
  domain: oneOf(['sync', 'scrobble', 'audit', 'all', ''], 'sync'),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
  after: Type.Optional(
    Type.String({
      pattern: '^(?:|\\d{1,15}\\.\\d{1,15})$',
      description: '`next` of the page before: deep pages cost as little as the first.',
    }),
  ),
}
const FILTERS = {
  q: text('Any part of a title, key, reason or summary.'),
  event_type: text('One kind of events.', 120),
  provider: text('Source, destination or origin.', 40),
  origin_provider: text('Where it appeared first.', 40),
  destination_provider: text('Where it was written to.', 40),
  source_provider: text('Where it came from.', 40),
  feature: text('One feature.', 40),
  operation: text('One operation.', 80),
  pair_key: text('Two providers, sorted, joined by a dash.', 120),
  item_key: text('An item; without `@…` all its plays too.', 2_000),
  title_key: text(
    'A title with the seasons and episodes of a show, by one or more keys with spaces between them.',
    4_000,
  ),
  run_id: text('A run.', 200),
  reason_code: text('A reason.', 200),
  status: Type.Optional(Type.Unsafe<GroupStatus | ''>({ type: 'string', enum: ['', ...STATUSES] })),
  category: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['', ...Object.keys(CATEGORIES)] })),
  since: Time,
  until: Time,
}

export const RecentQuery = Type.Object(PAGING)
export const SearchQuery = Type.Object({ ...FILTERS, ...PAGING })
export const TreeQuery = Type.Object({ ...FILTERS, ...PAGING, children: Type.Boolean({ default: true }) })
export type ListQuery = Static<typeof RecentQuery> & Partial<Static<typeof SearchQuery>>

type Visibility = ListQuery['visibility']

/** Facets of a list with their number of events. Null means every facet. */
export interface FacetSet {
  readonly ids: readonly number[]
  readonly n: number
  readonly hidden: number
}

/** Facets of one kind of event. */
interface KindSet extends FacetSet {
  /** Bit in the `kinds` column of groups. */
  readonly bit: number
  /** Other kinds use the same bit. */
  readonly isShared: boolean
}

export interface TextSet {
  /** Null when there are too many titles to use an index on them. */
  readonly ids: readonly number[] | null
  /** Selects all titles. */
  readonly subquery: Fragment
}

export interface Filter {
  /** For events: every condition on the facet. */
  readonly facets: FacetSet | null
  /** For groups: the same without kind and reason, which are checked on their events. */
  readonly groupFacets: FacetSet | null
  readonly typeFacets: KindSet | null
  readonly reasonFacets: FacetSet | null
  readonly item: { readonly texts: TextSet; readonly play: string | null } | null
  readonly search: { readonly texts: TextSet; readonly reasons: FacetSet; readonly notes: Fragment } | null
  /** -1 for an unknown run. */
  readonly runNo: number | null
  readonly statuses: readonly number[] | null
  readonly since: number | null
  readonly until: number | null
  readonly visibility: Visibility
  readonly order: 'DESC' | 'ASC'
  /** Whether anything but visibility, order and domain is set. */
  readonly isFiltered: boolean
  readonly domain: EventDomain | null
}

const UPPER = ['origin_provider', 'destination_provider', 'source_provider'] as const
const EXACT = ['feature', 'operation', 'pair_key'] as const

export async function compileFilter(
  query: Partial<ListQuery>,
  { reader, facets }: { readonly reader: Tables; readonly facets: Facets },
): Promise<Filter> {
  const given = (name: keyof ListQuery) => {
    const value = query[name]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  const domain = query.domain === 'all' || query.domain === '' || query.domain === undefined ? null : query.domain
  const conditions: ((facet: Facet) => boolean)[] = []
  if (domain !== null) conditions.push((facet) => facet.domain === domain)
  const provider = given('provider')?.toUpperCase()
  if (provider !== undefined)
    conditions.push((facet) =>
      [facet.source_provider, facet.destination_provider, facet.origin_provider].includes(provider),
    )
  for (const name of UPPER) {
    const wanted = given(name)?.toUpperCase()
    if (wanted !== undefined) conditions.push((facet) => facet[name] === wanted)
  }
  for (const name of EXACT) {
    const wanted = given(name)
    if (wanted !== null) conditions.push((facet) => facet[name] === wanted)
  }
  const [type, reason, q, key, title, run] = [
    given('event_type'),
    given('reason_code'),
    query.q === undefined || query.q === '' ? null : query.q,
    given('item_key'),
    given('title_key'),
    given('run_id'),
  ]
  const isType = (facet: Facet) => facet.event_type === type
  const isReason = (facet: Facet) => facet.reason_code === reason
  const counted = await facets.counted()
  const select = (tests: readonly ((facet: Facet) => boolean)[]) =>
    tests.length === 0 ? null : setOf(counted.filter((facet) => tests.every((test) => test(facet))))
  const statuses = statusesOf(given('status') as GroupStatus | null, given('category'))
  const [since, until] = [readTime(query.since), readTime(query.until)]
  const named = key === null ? null : splitKey(key)
  return {
    facets: select([...conditions, ...(type === null ? [] : [isType]), ...(reason === null ? [] : [isReason])]),
    groupFacets: select(conditions),
    typeFacets: type === null ? null : kindSetOf(counted.filter(isType), counted),
    reasonFacets: reason === null ? null : select([isReason]),
    item:
      named !== null
        ? {
            texts: await textsOf(reader, fragment('SELECT id FROM item_text WHERE item_key = ?', named.key)),
            play: named.play,
          }
        : title === null
          ? null
          : { texts: await textsOf(reader, textsOfTitle(title.split(/ +/))), play: null },
    search:
      q === null
        ? null
        : {
            texts: await textsOf(reader, searchTexts(q)),
            reasons: setOf(
              counted.filter((facet) => facet.reason_code?.toLowerCase().includes(q.toLowerCase()) === true),
            ),
            notes: searchNotes(q),
          },
    runNo:
      run === null
        ? null
        : Number((await all(reader, fragment('SELECT no FROM run WHERE run_id = ?', run)))[0]?.['no'] ?? -1),
    statuses,
    since,
    until,
    visibility: query.visibility ?? 'open',
    order: query.order === 'oldest' || query.order === 'asc' ? 'ASC' : 'DESC',
    isFiltered:
      conditions.length > (domain === null ? 0 : 1) ||
      statuses !== null ||
      since !== null ||
      until !== null ||
      [type, reason, q, key, title, run].some((value) => value !== null),
    domain,
  }
}

function setOf(facets: readonly CountedFacet[]): FacetSet {
  return {
    ids: facets.map(({ id }) => id),
    n: facets.reduce((sum, { n }) => sum + n, 0),
    hidden: facets.reduce((sum, { hidden }) => sum + hidden, 0),
  }
}

function statusesOf(status: GroupStatus | null, category: string | null): readonly number[] | null {
  if (status === null && category === null) return null
  const wanted = (category === null ? STATUSES : (CATEGORIES[category] ?? [])).filter(
    (each) => status === null || each === status,
  )
  return wanted.map(codeOfStatus)
}

function kindSetOf(facets: readonly CountedFacet[], counted: readonly CountedFacet[]): KindSet {
  const [first] = facets
  const isOther = (facet: CountedFacet) => facet.kind_bit === first?.kind_bit && facet.event_type !== first.event_type
  return { ...setOf(facets), bit: first?.kind_bit ?? 0, isShared: counted.some(isOther) }
}

async function textsOf(reader: Tables, subquery: Fragment): Promise<TextSet> {
  // Read as one JSON value, because rows are slow to pass between threads.
  const list = await firstText(
    reader,
    fragment(
      `SELECT json_group_array(id) FROM (SELECT id FROM (${subquery.text}) LIMIT ${Math.max(INDEX_LIMITS.narrow, INDEX_LIMITS.known) + 1})`,
      ...subquery.values,
    ),
  )
  const ids = JSON.parse(list) as readonly number[]
  return {
    ids: ids.length > INDEX_LIMITS.narrow ? null : ids,
    subquery: ids.length > INDEX_LIMITS.known ? subquery : fragment('SELECT value AS id FROM json_each(?)', list),
  }
}

/** The keys of parts begin with that of their show and `#`. */
function textsOfTitle(keys: readonly string[]): Fragment {
  return fragment(
    `SELECT t.id FROM json_each(?) k CROSS JOIN item_text t WHERE t.item_key = k.value
     UNION SELECT t.id FROM json_each(?) k CROSS JOIN item_text t WHERE t.item_key >= k.value || '#' AND t.item_key < k.value || '$'`,
    ...Array.from({ length: 2 }, () => JSON.stringify(keys)),
  )
}

/** Literal text, spaces included. The trigram index needs at least three characters. */
function searchTexts(q: string): Fragment {
  if (q.includes('\0')) return fragment('SELECT id FROM item_text WHERE 0')
  if ([...q].length >= 3) return fragment('SELECT rowid AS id FROM item_fts WHERE item_fts MATCH ?', phrase(q))
  return fragment(
    "SELECT id FROM item_text WHERE title LIKE ? ESCAPE '\\' OR item_key LIKE ? ESCAPE '\\'",
    like(q),
    like(q),
  )
}

function searchNotes(q: string): Fragment {
  if (q.includes('\0')) return fragment('SELECT id FROM grp WHERE 0')
  if ([...q].length >= 3) return fragment('SELECT rowid FROM note_fts WHERE note_fts MATCH ?', phrase(q))
  return fragment("SELECT id FROM grp WHERE note LIKE ? ESCAPE '\\'", like(q))
}

function phrase(q: string): string {
  return `"${q.replaceAll('"', '""')}"`
}

function like(q: string): string {
  return `%${q.replace(/[\\%_]/g, (char) => `\\${char}`)}%`
}

export function readTime(given: string | undefined): number | null {
  const value = given?.trim() ?? ''
  if (value === '') return null
  if (/^\d+$/.test(value)) return Number(value)
  // Times without a zone are UTC.
  const text = value.replace(' ', 'T')
  return Math.floor(Date.parse(/[Zz]$|[+-]\d\d:?\d\d$/.test(text) || !text.includes('T') ? text : `${text}Z`) / 1_000)
}

export function facetTest(column: string, set: FacetSet | null): Fragment[] {
  return set === null ? [] : [idsIn(column, set.ids)]
}
