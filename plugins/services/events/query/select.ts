// Selects the events and groups that match a filter. Counters choose the index, because the tables are large and most
// filters match few rows. Ids are selected first; rows are read for one page only.
import type { SqlValue, Tables } from '@playhead/sdk'
import { type FacetSet, type Filter, type TextSet, facetTest } from './filters.ts'
import { LOOSE } from '../store/flags.ts'
import { type Fragment, type Row, all, firstNumber, idsIn, INDEX_LIMITS, joinFragments, fragment } from './sql.ts'

export interface Page {
  readonly limit: number
  readonly offset: number
  /** `<time>.<id>` of the last row of the previous page. */
  readonly after?: string | undefined
}

export interface Selected {
  readonly ids: readonly number[]
  readonly total: number
  /** The total is a lower bound. */
  readonly capped: boolean
  /** Value for `after`; null on the last page. */
  readonly next: string | null
}

/** Totals are exact up to this number of rows. */
const MAX_COUNTED = 10_000

interface Statement {
  readonly from: string
  readonly where: readonly Fragment[]
  /** Columns of the time and the id. */
  readonly time: string
  readonly id: string
}

/** Facet counters that give the number of rows of a list. */
interface Counters {
  readonly facets: FacetSet
  readonly column: string
  readonly total: number
}

export async function selectEvents(reader: Tables, filter: Filter, page: Page): Promise<Selected> {
  const { facets, visibility, item, search, runNo, statuses } = filter
  const tests: Fragment[] = [
    ...timeTests('e.ts', filter),
    ...facetTest('e.facet_id', facets),
    ...hiddenTest('e', filter),
  ]
  if (statuses !== null)
    tests.push(
      fragment(
        `EXISTS (SELECT 1 FROM grp s WHERE s.id = e.group_id AND ${idsIn('s.status', statuses).text})`,
        JSON.stringify(statuses),
      ),
    )
  if (runNo !== null) tests.push(fragment('e.run_no = ?', runNo))
  if (item !== null)
    tests.push(...textTest('e.text_id', item.texts), ...(item.play === null ? [] : [fragment('e.play = ?', item.play)]))
  const found =
    search === null
      ? []
      : [joinFragments([...textTest('e.text_id', search.texts), ...facetsFound('e.facet_id', search.reasons)], ' OR ')]
  const where = inBrackets([...tests, ...found])

  const narrow = narrowEvents(filter)
  const walk = `event e INDEXED BY ${visibility === 'acknowledged' ? 'event_seen' : 'event_time'}`
  const byFacet = 'event e INDEXED BY event_facet'
  const from = narrow?.from ?? (facets !== null && facets.n <= INDEX_LIMITS.few ? byFacet : walk)
  const all = narrow?.test === undefined ? where : [narrow.test, ...where]
  const counters =
    item === null &&
    search === null &&
    runNo === null &&
    statuses === null &&
    filter.since === null &&
    filter.until === null &&
    facets !== null
      ? countersOf(facets, visibility)
      : null
  return await select(reader, { from, where: all, time: 'e.ts', id: 'e.id' }, filter, page, counters ?? counted())

  /** Counting needs no order, so it uses the most selective index. */
  function counted(): Fragment {
    if (narrow !== null) return rowsOf(narrow.from, all)
    if (search !== null && search.reasons.ids.length === 0)
      return rowsOfTexts(search.texts, 'event e INDEXED BY event_text', 'e.text_id', inBrackets(tests))
    return rowsOf(facets === null || search !== null || visibility === 'acknowledged' ? walk : byFacet, where)
  }
}

function countersOf(facets: FacetSet, visibility: Filter['visibility']): Counters {
  if (visibility === 'all') return { facets, column: 'n', total: facets.n }
  return visibility === 'open'
    ? { facets, column: 'n - hidden_n', total: facets.n - facets.hidden }
    : { facets, column: 'hidden_n', total: facets.hidden }
}

/** Index for filters that match few events: by title or by run. */
function narrowEvents({ item, search, runNo }: Filter): { readonly from: string; readonly test?: Fragment } | null {
  if (item?.texts.ids != null) return { from: 'event e', test: idsIn('e.text_id', item.texts.ids) }
  if (runNo !== null) return { from: 'event e INDEXED BY event_run' }
  if (search?.texts.ids == null || search.reasons.n > INDEX_LIMITS.few) return null
  if (search.reasons.ids.length === 0) return { from: 'event e INDEXED BY event_text' }
  return { from: 'event e', test: inIds('e.id', eventsFound(search.texts.ids, search.reasons)) }
}

function facetsFound(column: string, { ids }: FacetSet): Fragment[] {
  return ids.length === 0 ? [] : [idsIn(column, ids)]
}

function eventsFound(texts: readonly number[], reasons: FacetSet): Fragment {
  const byText = fragment(
    `SELECT id FROM event INDEXED BY event_text WHERE ${idsIn('text_id', texts).text}`,
    JSON.stringify(texts),
  )
  const byReason = fragment(
    `SELECT id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', reasons.ids).text}`,
    JSON.stringify(reasons.ids),
  )
  return reasons.ids.length === 0 ? byText : joinFragments([byText, byReason], ' UNION ')
}

interface GroupScope {
  /** Only top-level groups of the tree. */
  readonly top?: boolean
  /** Only the children of this run. */
  readonly childrenOf?: number
}

/** Conditions on a group, for any index. A `leading` column without `+` lets SQLite use its index. */
export function groupTests(filter: Filter, alias = 'g', leading = `+${alias}.facet_id`): readonly Fragment[] {
  const { typeFacets, runNo, item, search } = filter
  const member = (test: Fragment) =>
    fragment(
      `EXISTS (SELECT 1 FROM event m INDEXED BY event_group WHERE m.group_id = ${alias}.id${memberTest(filter, 'm')} AND (${test.text}))`,
      ...test.values,
    )
  const tests: Fragment[] = [...rowTests(filter, alias, leading), ...leadByFacets(filter, alias)]
  if (typeFacets !== null) {
    const { ids, n, isShared } = typeFacets
    const asked = member(idsIn('m.facet_id', ids))
    tests.push(
      n <= INDEX_LIMITS.some
        ? fragment(
            `${alias}.id IN (SELECT group_id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', ids).text}${memberTest(filter)})`,
            JSON.stringify(ids),
          )
        : isShared
          ? asked
          : fragment(`${alias}.kinds & ${LOOSE} = 0 OR ${asked.text}`, ...asked.values),
    )
  }
  if (runNo !== null)
    tests.push(
      fragment(
        `${alias}.id IN (SELECT group_id FROM event INDEXED BY event_run WHERE run_no = ?${memberTest(filter)})`,
        runNo,
      ),
    )
  if (item !== null)
    tests.push(
      ...textTest(`${alias}.text_id`, item.texts),
      ...(item.play === null ? [] : [fragment(`${alias}.play = ?`, item.play)]),
    )
  if (search !== null) {
    const { texts, reasons, notes } = search
    const byReason =
      reasons.ids.length === 0
        ? []
        : [
            reasons.n > INDEX_LIMITS.some
              ? member(idsIn('m.facet_id', reasons.ids))
              : inIds(`${alias}.id`, groupsOfReasons(filter, reasons)),
          ]
    tests.push(
      texts.ids !== null && reasons.n <= INDEX_LIMITS.some
        ? // One list of ids, so that SQLite can start from it.
          inIds(
            `${alias}.id`,
            joinFragments(
              [
                groupsOfTexts(texts.ids),
                ...(reasons.ids.length === 0 ? [] : [groupsOfReasons(filter, reasons)]),
                notes,
              ],
              ' UNION ',
            ),
          )
        : joinFragments([...textTest(`${alias}.text_id`, texts), ...byReason, inIds(`${alias}.id`, notes)], ' OR '),
    )
  }
  return inBrackets(tests)
}

/** Conditions on the group row itself. */
export function rowTests(filter: Filter, alias: string, facet: string): readonly Fragment[] {
  const { groupFacets, reasonFacets, statuses, typeFacets } = filter
  const tests: Fragment[] = [
    ...timeTests(`${alias}.last_at`, filter),
    ...facetTest(facet, groupFacets),
    ...facetTest(`${alias}.reason_facet`, reasonFacets),
  ]
  if (typeFacets !== null) tests.push(fragment(`${alias}.kinds & ? <> 0`, typeFacets.bit))
  if (filter.visibility !== 'all')
    tests.push(fragment(`${alias}.ack_at IS ${filter.visibility === 'open' ? '' : 'NOT '}NULL`))
  // Groups with only health events are hidden unless the filter asks for something.
  if (!filter.isFiltered && filter.visibility !== 'all' && filter.domain !== 'scrobble')
    tests.push(fragment(`${alias}.health_only = 0`))
  if (statuses !== null) tests.push(idsIn(`${alias}.status`, statuses))
  return tests
}

function groupsOfTexts(ids: readonly number[]): Fragment {
  return fragment(`SELECT id FROM grp INDEXED BY grp_text WHERE ${idsIn('text_id', ids).text}`, JSON.stringify(ids))
}

function groupsOfReasons(filter: Filter, reasons: FacetSet): Fragment {
  return fragment(
    `SELECT group_id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', reasons.ids).text}${memberTest(filter)}`,
    JSON.stringify(reasons.ids),
  )
}

/** Whether the filter alone selects few groups. */
export function leadsToFew(filter: Filter): 'ids' | 'facets' | null {
  const { item, runNo, search, typeFacets, groupFacets } = filter
  const isLed =
    item?.texts.ids != null ||
    runNo !== null ||
    (search?.texts.ids != null && search.reasons.n <= INDEX_LIMITS.some) ||
    (typeFacets !== null && typeFacets.n <= INDEX_LIMITS.some)
  return isLed ? 'ids' : groupFacets !== null && groupFacets.n <= INDEX_LIMITS.few ? 'facets' : null
}

/** A group has the facet of one of its events, so few events mean few groups. */
function leadByFacets(filter: Filter, alias: string): Fragment[] {
  const { groupFacets } = filter
  if (groupFacets === null || leadsToFew(filter) !== 'facets') return []
  return [
    fragment(
      `${alias}.id IN (SELECT group_id FROM event INDEXED BY event_facet WHERE ${idsIn('facet_id', groupFacets.ids).text})`,
      JSON.stringify(groupFacets.ids),
    ),
  ]
}

export async function selectGroups(
  reader: Tables,
  filter: Filter,
  page: Page,
  { top = false, childrenOf }: GroupScope = {},
): Promise<Selected> {
  const where = [...groupTests(filter), ...(top ? [fragment('g.owner_run_no IS NULL')] : [])]
  if (childrenOf !== undefined) {
    const of = fragment('g.id IN (SELECT group_id FROM child WHERE run_no = ?)', childrenOf)
    const statement = { from: 'grp g', where: [of, ...where], time: 'g.last_at', id: 'g.id' }
    return await select(reader, statement, filter, page, rowsOf('grp g', statement.where))
  }
  const led = leadsToFew(filter)
  const from = led === null ? `grp g INDEXED BY ${top ? 'grp_top' : 'grp_time'}` : 'grp g'
  const counted = led === null && !top ? countedGroups(filter) : null
  return await select(
    reader,
    { from, where, time: 'g.last_at', id: 'g.id' },
    filter,
    page,
    counted ?? rowsOf(from, where),
  )
}

/** The same groups without order, from a covering index; null when there is none. */
function countedGroups(filter: Filter): Fragment | null {
  const { item, runNo, search, groupFacets, reasonFacets, since, until } = filter
  if (item !== null || runNo !== null || reasonFacets !== null || since !== null || until !== null) return null
  if (search === null)
    return groupFacets === null ? null : rowsOf('grp g INDEXED BY grp_facet', groupTests(filter, 'g', 'g.facet_id'))
  if (search.reasons.ids.length > 0) return null
  const {
    texts: { subquery },
    notes,
  } = search
  const rest = groupTests({ ...filter, search: null })
  const isNoted = [
    inIds('g.id', notes),
    fragment(`(g.text_id IS NULL OR g.text_id NOT IN (${subquery.text}))`, ...subquery.values),
  ]
  return joinFragments(
    [rowsOfTexts(search.texts, 'grp g INDEXED BY grp_text', 'g.text_id', rest), rowsOf('grp g', [...isNoted, ...rest])],
    ' UNION ALL ',
  )
}

/** Joins text by text, so that the count can stop at its limit. */
function rowsOfTexts({ subquery }: TextSet, from: string, column: string, where: readonly Fragment[]): Fragment {
  const { text, values } = allOf(where)
  return {
    text: `SELECT 1 FROM (${subquery.text}) t CROSS JOIN ${from} ON ${column} = t.id WHERE ${text}`,
    values: [...subquery.values, ...values],
  }
}

function rowsOf(from: string, where: readonly Fragment[]): Fragment {
  const { text, values } = allOf(where)
  return { text: `SELECT 1 FROM ${from} WHERE ${text}`, values }
}

function inBrackets(tests: readonly Fragment[]): readonly Fragment[] {
  return tests.map(({ text, values }) => ({ text: `(${text})`, values }))
}

function allOf(tests: readonly Fragment[]): Fragment {
  return tests.length === 0 ? fragment('1') : joinFragments(tests, ' AND ')
}

/** @param total counters, or the rows to count */
async function select(
  reader: Tables,
  statement: Statement,
  { order }: Filter,
  page: Page,
  total: Counters | Fragment,
): Promise<Selected> {
  const cursor = cursorTest(page.after, statement.time, statement.id, order)
  if ('total' in total) {
    const isNearTheEnd = cursor.length === 0 && page.offset > total.total / 2
    const found = isNearTheEnd ? pageFromTheEnd(statement, order, page, total) : pageOf(statement, order, page, cursor)
    return { ...shownOf(await all(reader, found), page), total: total.total, capped: false }
  }
  const shown = shownOf(await all(reader, pageOf(statement, order, page, cursor)), page)
  const count = await firstNumber(
    reader,
    fragment(`SELECT count(*) FROM (SELECT 1 FROM (${total.text}) LIMIT ${MAX_COUNTED + 1})`, ...total.values),
  )
  return { ...shown, total: Math.min(count, MAX_COUNTED), capped: count > MAX_COUNTED }
}

/** Reads one row more to detect the last page. */
function pageOf(
  { from, where, time, id }: Statement,
  order: Filter['order'],
  { limit, offset }: Page,
  cursor: readonly Fragment[],
): Fragment {
  const { text, values } = allOf([...where, ...cursor])
  return fragment(
    `SELECT ${id} AS id, ${time} AS at FROM ${from} WHERE ${text} ORDER BY ${time} ${order}, ${id} ${order} LIMIT ? OFFSET ?`,
    ...values,
    limit + 1,
    cursor.length > 0 ? 0 : offset,
  )
}

/** Reads the page backwards from the end. The statement counts the rows itself, because they change meanwhile. */
function pageFromTheEnd(
  { from, where, time, id }: Statement,
  order: Filter['order'],
  { limit, offset }: Page,
  { facets, column }: Counters,
): Fragment {
  const { text, values } = allOf(where)
  const back = order === 'DESC' ? 'ASC' : 'DESC'
  const facet = idsIn('id', facets.ids)
  const left = fragment(
    `(SELECT coalesce(sum(${column}), 0) FROM facet WHERE ${facet.text}) - ?`,
    ...facet.values,
    offset,
  )
  return fragment(
    `SELECT id, at FROM (SELECT ${id} AS id, ${time} AS at FROM ${from} WHERE ${text} ORDER BY ${time} ${back}, ${id} ${back}
      LIMIT max(0, min(?, ${left.text})) OFFSET max(0, ${left.text} - ?)) ORDER BY at ${order}, id ${order}`,
    ...values,
    limit + 1,
    ...left.values,
    ...left.values,
    limit + 1,
  )
}

function shownOf(rows: readonly Row[], { limit }: Page): Pick<Selected, 'ids' | 'next'> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    ids: shown.map(({ id }) => Number(id)),
    next: rows.length > limit && last !== undefined ? `${String(last['at'])}.${String(last['id'])}` : null,
  }
}

function cursorTest(after: string | undefined, time: string, id: string, order: Filter['order']): Fragment[] {
  if (after === undefined || after === '') return []
  const [at, last] = after.split('.').map(Number) as [number, number]
  return [fragment(`(${time}, ${id}) ${order === 'DESC' ? '<' : '>'} (?, ?)`, at, last)]
}

function timeTests(column: string, { since, until }: Filter): Fragment[] {
  return [
    ...(since === null ? [] : [fragment(`${column} >= ?`, since)]),
    ...(until === null ? [] : [fragment(`${column} <= ?`, until)]),
  ]
}

function hiddenTest(alias: string, { visibility }: Filter): Fragment[] {
  return visibility === 'all' ? [] : [fragment(`${alias}.hidden = ${visibility === 'open' ? 0 : 1}`)]
}

function memberTest({ visibility }: Filter, alias = ''): string {
  return visibility === 'all' ? '' : ` AND ${alias === '' ? '' : `${alias}.`}hidden = ${visibility === 'open' ? 0 : 1}`
}

function textTest(column: string, { ids, subquery }: TextSet): Fragment[] {
  return [ids === null ? inIds(column, subquery) : idsIn(column, ids)]
}

function inIds(column: string, { text, values }: Fragment): Fragment {
  return fragment(`${column} IN (${text})`, ...(values as readonly SqlValue[]))
}
