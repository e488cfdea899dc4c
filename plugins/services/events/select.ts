// Which events and groups a filter means: the road to them is chosen by how many there can be, because the tables are large and most
// filters mean few rows. Ids come first, rows are fetched for one page only.
import type { SqlValue, Tables } from '@playhead/sdk'
import { type Filter, facetTest, type FacetSet, type TextSet } from './filters.ts'
import { all, firstNumber, idsIn, joinPieces, type Piece, piece } from './query.ts'

export interface Page {
  readonly limit: number
  readonly offset: number
  /** `<time>.<id>` of the last row of the page before. */
  readonly after?: string | undefined
}

export interface Selected {
  readonly ids: readonly number[]
  readonly total: number
  /** The total is a lower bound. */
  readonly capped: boolean
  /** For `after`; null when this page is the last. */
  readonly next: string | null
}

/** Totals are exact up to this many rows. */
const MOST_COUNTED = 10_000
/** So many events may be looked at one by one; what is more is found by walking along the time. */
const FEW = 20_000
/** So many may be looked up when only their groups are wanted. */
const SOME = 100_000

interface Statement {
  readonly from: string
  readonly where: readonly Piece[]
  /** Columns of time and id. */
  readonly time: string
  readonly id: string
}

export async function selectEvents(reader: Tables, filter: Filter, page: Page): Promise<Selected> {
  const { facets, visibility, item, search, runNo, statuses } = filter
  const where: Piece[] = [...timeTests('e.ts', filter), ...facetTest('e.facet_id', facets), ...hiddenTest('e', filter)]
  if (statuses !== null) where.push(piece(`EXISTS (SELECT 1 FROM grp s WHERE s.id = e.group_id AND ${idsIn('s.status', statuses).text})`, JSON.stringify(statuses)))
  if (runNo !== null) where.push(piece('e.run_no = ?', runNo))
  if (item !== null) where.push(...textTest('e.text_id', item.texts), ...item.play === null ? [] : [piece('e.play = ?', item.play)])
  if (search !== null) where.push(joinPieces([...textTest('e.text_id', search.texts), ...facetsFound('e.facet_id', search.reasons)], ' OR '))
  const bracketed = where.map(({ text, values }) => ({ text: `(${text})`, values }))

  const narrow = narrowEvents(filter)
  const walk = `event e INDEXED BY ${visibility === 'acknowledged' ? 'event_seen' : 'event_time'}`
  const byFacet = 'event e INDEXED BY event_facet'
  const from = narrow?.from ?? (facets !== null && facets.n <= FEW ? byFacet : walk)
  const all = narrow?.test === undefined ? bracketed : [narrow.test, ...bracketed]
  const counters = item === null && search === null && runNo === null && statuses === null && filter.since === null && filter.until === null
    && facets !== null ? facets : null
  return await select(reader, { from, where: all, time: 'e.ts', id: 'e.id' }, filter, page, counters === null
    ? { from: narrow?.from ?? countRoad() }
    : visibility === 'all' ? counters.n : visibility === 'open' ? counters.n - counters.hidden : counters.hidden)

  /** Counting needs no order: the index that leads to the rows counts them fastest. */
  function countRoad(): string {
    if (search !== null && search.reasons.ids.length === 0) return 'event e INDEXED BY event_text'
    return facets === null || search !== null || visibility === 'acknowledged' ? walk : byFacet
  }
}

/** The road to few events: by their titles or their run. */
function narrowEvents({ item, search, runNo }: Filter): { readonly from: string; readonly test?: Piece } | null {
  if (item?.texts.ids != null) return { from: 'event e', test: idsIn('e.text_id', item.texts.ids) }
  if (runNo !== null) return { from: 'event e INDEXED BY event_run' }
  if (search?.texts.ids == null || search.reasons.n > FEW) return null
  if (search.reasons.ids.length === 0) return { from: 'event e INDEXED BY event_text' }
  return { from: 'event e', test: inIds('e.id', eventsFound(search.texts.ids, search.reasons)) }
}

function facetsFound(column: string, { ids }: FacetSet): Piece[] {
  return ids.length === 0 ? [] : [idsIn(column, ids)]
}

function eventsFound(texts: readonly number[], reasons: FacetSet): Piece {
  const byText = piece(`SELECT id FROM event INDEXED BY event_text WHERE ${idsIn('text_id', texts).text}`, JSON.stringify(texts))
  const byReason = piece(`SELECT id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', reasons.ids).text}`, JSON.stringify(reasons.ids))
  return reasons.ids.length === 0 ? byText : joinPieces([byText, byReason], ' UNION ')
}

export interface GroupScope {
  /** Only groups that stand by themselves in the tree. */
  readonly top?: boolean
  /** Only the children of this run. */
  readonly childrenOf?: number
}

/** What is asked of a group, whatever the road to it. */
export function groupTests(filter: Filter, alias = 'g'): readonly Piece[] {
  const { typeFacets, runNo, item, search } = filter
  const member = (test: Piece) => piece(`EXISTS (SELECT 1 FROM event m INDEXED BY event_group WHERE m.group_id = ${alias}.id${memberTest(filter, 'm')} AND (${test.text}))`, ...test.values)
  const tests: Piece[] = [...rowTests(filter, alias), ...leadByFacets(filter, alias)]
  if (typeFacets !== null) {
    tests.push(typeFacets.n > SOME ? member(idsIn('m.facet_id', typeFacets.ids))
      : piece(`${alias}.id IN (SELECT group_id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', typeFacets.ids).text}${memberTest(filter)})`, JSON.stringify(typeFacets.ids)))
  }
  if (runNo !== null) tests.push(piece(`${alias}.id IN (SELECT group_id FROM event INDEXED BY event_run WHERE run_no = ?${memberTest(filter)})`, runNo))
  if (item !== null) tests.push(...textTest(`${alias}.text_id`, item.texts), ...item.play === null ? [] : [piece(`${alias}.play = ?`, item.play)])
  if (search !== null) {
    const { texts, reasons, notes } = search
    const byReason = reasons.ids.length === 0 ? [] : [reasons.n > SOME ? member(idsIn('m.facet_id', reasons.ids)) : inIds(`${alias}.id`, groupsOfReasons(filter, reasons))]
    tests.push(texts.ids !== null && reasons.n <= SOME
      // One list of ids, so that it can lead to the groups.
      ? inIds(`${alias}.id`, joinPieces([groupsOfTexts(texts.ids), ...(reasons.ids.length === 0 ? [] : [groupsOfReasons(filter, reasons)]), notes], ' UNION '))
      : joinPieces([...textTest(`${alias}.text_id`, texts), ...byReason, inIds(`${alias}.id`, notes)], ' OR '))
  }
  return tests.map(({ text, values }) => ({ text: `(${text})`, values }))
}

/** What its row alone can tell. */
export function rowTests(filter: Filter, alias: string): readonly Piece[] {
  const { groupFacets, reasonFacets, statuses } = filter
  const tests: Piece[] = [...timeTests(`${alias}.last_at`, filter), ...facetTest(`${alias}.facet_id`, groupFacets), ...facetTest(`${alias}.reason_facet`, reasonFacets)]
  if (filter.visibility !== 'all') tests.push(piece(`${alias}.ack_at IS ${filter.visibility === 'open' ? '' : 'NOT '}NULL`))
  // Nobody wants to see that all is well, unless they ask.
  if (!filter.isFiltered && filter.visibility !== 'all' && filter.domain !== 'scrobble') tests.push(piece(`${alias}.health_only = 0`))
  if (statuses !== null) tests.push(idsIn(`${alias}.status`, statuses))
  return tests
}

function groupsOfTexts(ids: readonly number[]): Piece {
  return piece(`SELECT id FROM grp INDEXED BY grp_text WHERE ${idsIn('text_id', ids).text}`, JSON.stringify(ids))
}

function groupsOfReasons(filter: Filter, reasons: FacetSet): Piece {
  return piece(`SELECT group_id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', reasons.ids).text}${memberTest(filter)}`, JSON.stringify(reasons.ids))
}

/** Whether the filter leads to few groups by itself. */
export function leadsToFew(filter: Filter): 'ids' | 'facets' | null {
  const { item, runNo, search, typeFacets, groupFacets } = filter
  const isLed = item?.texts.ids != null || runNo !== null || (search?.texts.ids != null && search.reasons.n <= SOME) || (typeFacets !== null && typeFacets.n <= SOME)
  return isLed ? 'ids' : groupFacets !== null && groupFacets.n <= FEW ? 'facets' : null
}

/** A group has the facet of one of its events, so few events lead to few groups. */
function leadByFacets(filter: Filter, alias: string): Piece[] {
  const { groupFacets } = filter
  if (groupFacets === null || leadsToFew(filter) !== 'facets') return []
  return [piece(`${alias}.id IN (SELECT group_id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', groupFacets.ids).text})`, JSON.stringify(groupFacets.ids))]
}

export async function selectGroups(reader: Tables, filter: Filter, page: Page, { top = false, childrenOf }: GroupScope = {}): Promise<Selected> {
  const where = [...groupTests(filter), ...(top ? [piece('g.owner_run_no IS NULL')] : [])]
  if (childrenOf !== undefined) {
    const of = piece('g.id IN (SELECT group_id FROM child WHERE run_no = ?)', childrenOf)
    const statement = { from: 'grp g', where: [of, ...where], time: 'g.last_at', id: 'g.id' }
    return await select(reader, statement, filter, page, { from: 'grp g' })
  }
  const led = leadsToFew(filter)
  const from = led === null ? `grp g INDEXED BY ${top ? 'grp_top' : 'grp_time'}` : 'grp g'
  return await select(reader, { from, where, time: 'g.last_at', id: 'g.id' }, filter, page, { from })
}

async function select(reader: Tables, { from, where, time, id }: Statement, { order }: Filter, page: Page, total: number | { readonly from: string }): Promise<Selected> {
  const cursor = cursorTest(page.after, time, id, order)
  const tests = (given: readonly Piece[]) => given.length === 0 ? piece('1') : joinPieces(given, ' AND ')
  const rows = tests([...where, ...cursor])
  const found = await all(reader, piece(
    `SELECT ${id} AS id, ${time} AS at FROM ${from} WHERE ${rows.text} ORDER BY ${time} ${order}, ${id} ${order} LIMIT ? OFFSET ?`,
    ...rows.values, page.limit + 1, cursor.length > 0 ? 0 : page.offset,
  ))
  const shown = found.slice(0, page.limit)
  const last = shown.at(-1)
  const next = found.length > page.limit && last !== undefined ? `${String(last['at'])}.${String(last['id'])}` : null
  const ids = shown.map((row) => Number(row['id']))
  if (typeof total === 'number') return { ids, total, capped: false, next }
  const counted = tests(where)
  const count = await firstNumber(reader, piece(
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${total.from} WHERE ${counted.text} LIMIT ${MOST_COUNTED + 1})`, ...counted.values,
  ))
  return { ids, total: Math.min(count, MOST_COUNTED), capped: count > MOST_COUNTED, next }
}

function cursorTest(after: string | undefined, time: string, id: string, order: Filter['order']): Piece[] {
  if (after === undefined || after === '') return []
  const [at, last] = after.split('.').map(Number) as [number, number]
  return [piece(`(${time}, ${id}) ${order === 'DESC' ? '<' : '>'} (?, ?)`, at, last)]
}

function timeTests(column: string, { since, until }: Filter): Piece[] {
  return [...(since === null ? [] : [piece(`${column} >= ?`, since)]), ...(until === null ? [] : [piece(`${column} <= ?`, until)])]
}

function hiddenTest(alias: string, { visibility }: Filter): Piece[] {
  return visibility === 'all' ? [] : [piece(`${alias}.hidden = ${visibility === 'open' ? 0 : 1}`)]
}

function memberTest({ visibility }: Filter, alias = ''): string {
  return visibility === 'all' ? '' : ` AND ${alias === '' ? '' : `${alias}.`}hidden = ${visibility === 'open' ? 0 : 1}`
}

function textTest(column: string, { ids, subquery }: TextSet): Piece[] {
  return [ids === null ? inIds(column, subquery) : idsIn(column, ids)]
}

function inIds(column: string, { text, values }: Piece): Piece {
  return piece(`${column} IN (${text})`, ...(values as readonly SqlValue[]))
}
