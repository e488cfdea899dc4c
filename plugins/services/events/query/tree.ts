// Groups as a tree: runs with their problems, and groups without a run.
import { yieldToLoop, type Tables } from '@playhead/sdk'
import type { Filter } from './filters.ts'
import { all, firstNumber, idsIn, joinFragments, type Fragment, fragment } from './sql.ts'
import { INDEX_LIMITS } from './sql.ts'
import { type Page, type Selected, groupTests, leadsToFew, rowTests, selectGroups } from './select.ts'
import { type GroupRow, groupRows, toGroupRows, readGroups, type ReadGroups, type Reading } from './view.ts'

const MAX_CHILDREN = 500
const MAX_COUNTED = 10_000
const READ_BATCH = 500
const QUARANTINED = ['blackbox_promoted', 'blackbox_blocked']

interface TreeRow extends GroupRow {
  readonly children: readonly GroupRow[]
  readonly children_total: number
}

interface Tree extends Omit<Selected, 'ids'> {
  readonly items: readonly TreeRow[]
}

/** The page, before the totals are counted. */
interface Found extends Pick<Selected, 'ids' | 'next'> {
  counted(): Promise<Pick<Selected, 'total' | 'capped'>>
}

export async function selectTree(reading: Reading, filter: Filter, page: Page, withChildren: boolean): Promise<Tree> {
  const { reader } = reading
  const { ids, next, counted } = filter.isFiltered
    ? await findMatchingTop(reader, filter, page)
    : await findTop(reader, filter, page)
  const [groups, runs] = await Promise.all([groupRows(reading, ids), runsOf(reader, ids)])
  const numbers = [...runs.values()]
  const [children, quarantined] = await Promise.all([
    childrenOf(reader, filter, numbers, withChildren ? MAX_CHILDREN : 0),
    quarantinedIn(reading, numbers),
  ])
  const read = await readAll(reading, [...new Set([...children.values()].flatMap(({ ids: own }) => own))])
  // The rows are formatted while the database counts.
  const [totals, shown] = await Promise.all([counted(), format(read)])
  const items = groups.map((group): TreeRow => {
    const runNo = runs.get(group.id) ?? -1
    const own = children.get(runNo)
    return {
      ...withQuarantined(group, quarantined.get(runNo) ?? 0),
      children: own?.ids.flatMap((id) => shown.get(id) ?? []) ?? [],
      children_total: own?.total ?? 0,
    }
  })
  return { ...totals, next, items }
}

async function findTop(reader: Tables, filter: Filter, page: Page): Promise<Found> {
  const { ids, next, total, capped } = await selectGroups(reader, filter, page, { top: true })
  return { ids, next, counted: async () => ({ total, capped }) }
}

/** Reads in chunks, so that other requests are served between them. A group under several runs is read once. */
async function readAll(reading: Reading, ids: readonly number[]): Promise<readonly ReadGroups[]> {
  const fragments = Array.from({ length: Math.ceil(ids.length / READ_BATCH) }, (_, index) =>
    ids.slice(index * READ_BATCH, (index + 1) * READ_BATCH),
  )
  return await Promise.all(fragments.map((some) => readGroups(reading, some)))
}

async function format(read: readonly ReadGroups[]): Promise<ReadonlyMap<number, GroupRow>> {
  const rows = new Map<number, GroupRow>()
  for (const some of read) {
    await yieldToLoop()
    for (const row of toGroupRows(some)) rows.set(row.id, row)
  }
  return rows
}

/** A top group matches itself or through one of its children. */
async function findMatchingTop(reader: Tables, filter: Filter, page: Page): Promise<Found> {
  const own = joined(groupTests(filter, 'g'))
  const child = joined(groupTests(filter, 'c'))
  const inRuns = joined(rowTests(filter, 'c', 'c.facet_id'))
  const couldMatch = fragment(
    `SELECT k.run_no FROM grp c INDEXED BY grp_facet CROSS JOIN child k INDEXED BY child_group ON k.group_id = c.id WHERE ${inRuns.text}`,
    ...inRuns.values,
  )
  // An acknowledged run hides its children.
  const visibility = (alias: string) =>
    filter.visibility === 'all' ? '' : ` AND ${alias}.ack_at IS ${filter.visibility === 'open' ? '' : 'NOT '}NULL`
  // With few matches the union starts from the groups; with many it is faster to check each run.
  const union =
    leadsToFew(filter) !== null
      ? joinFragments(
          [
            fragment(`SELECT g.id, g.last_at FROM grp g WHERE g.owner_run_no IS NULL AND ${own.text}`, ...own.values),
            fragment(
              `SELECT p.id, p.last_at FROM grp c JOIN child k ON k.group_id = c.id JOIN run r ON r.no = k.run_no JOIN grp p ON p.id = r.group_id WHERE ${child.text}${visibility('p')}`,
              ...child.values,
            ),
          ],
          ' UNION ',
        )
      : fragment(
          `SELECT g.id, g.last_at FROM grp g INDEXED BY grp_top WHERE g.owner_run_no IS NULL${visibility('g')} AND ((${own.text})
        OR (g.run_no IS NOT NULL AND EXISTS (SELECT 1 FROM child k JOIN grp c ON c.id = k.group_id WHERE k.run_no = g.run_no AND ${child.text})))`,
          ...own.values,
          ...child.values,
        )
  // When most runs have no match, all candidate children are selected at once first.
  const narrowed = isRare(filter)
    ? fragment(
        `SELECT g.id FROM grp g INDEXED BY grp_top WHERE g.owner_run_no IS NULL${visibility('g')} AND ((${own.text})
      OR (g.run_no IN (${couldMatch.text}) AND EXISTS (SELECT 1 FROM child k JOIN grp c ON c.id = k.group_id WHERE k.run_no = g.run_no AND ${child.text})))`,
        ...own.values,
        ...couldMatch.values,
        ...child.values,
      )
    : union
  const { order } = filter
  const [at, last] = (page.after ?? '').split('.').map(Number)
  const cursor =
    at === undefined || last === undefined
      ? null
      : fragment(`WHERE (last_at, id) ${order === 'DESC' ? '<' : '>'} (?, ?)`, at, last)
  const rows = await all(
    reader,
    fragment(
      `SELECT id, last_at FROM (${union.text}) ${cursor?.text ?? ''} ORDER BY last_at ${order}, id ${order} LIMIT ? OFFSET ?`,
      ...union.values,
      ...(cursor?.values ?? []),
      page.limit + 1,
      cursor === null ? page.offset : 0,
    ),
  )
  const shown = rows.slice(0, page.limit)
  const end = shown.at(-1)
  return {
    ids: shown.map(({ id }) => Number(id)),
    next: rows.length > page.limit && end !== undefined ? `${String(end['last_at'])}.${String(end['id'])}` : null,
    async counted() {
      const total = await firstNumber(
        reader,
        fragment(
          `SELECT count(*) FROM (SELECT 1 FROM (${narrowed.text}) LIMIT ${MAX_COUNTED + 1})`,
          ...narrowed.values,
        ),
      )
      return { total: Math.min(total, MAX_COUNTED), capped: total > MAX_COUNTED }
    },
  }
}

/** Whether most runs contain no match. */
function isRare(filter: Filter): boolean {
  return leadsToFew(filter) === null && filter.groupFacets !== null && filter.groupFacets.n <= INDEX_LIMITS.rare
}

function joined(tests: readonly Fragment[]): Fragment {
  return tests.length === 0 ? fragment('1') : joinFragments(tests, ' AND ')
}

interface Children {
  /** The newest ids. */
  readonly ids: number[]
  readonly total: number
}

/** Reads the children of all runs at once. */
async function childrenOf(
  reader: Tables,
  filter: Filter,
  runs: readonly number[],
  most: number,
): Promise<ReadonlyMap<number, Children>> {
  const { text, values } = joined([idsIn('k.run_no', runs), ...groupTests(filter)])
  const rows = await all(
    reader,
    fragment(
      `SELECT run_no, id, place, total FROM (
      SELECT k.run_no, g.id, row_number() OVER (PARTITION BY k.run_no ORDER BY g.last_at DESC, g.id DESC) AS place, count(*) OVER (PARTITION BY k.run_no) AS total
      FROM child k JOIN grp g ON g.id = k.group_id WHERE ${text}) WHERE place <= ? ORDER BY run_no, place`,
      ...values,
      Math.max(1, most),
    ),
  )
  const found = new Map<number, Children>()
  for (const row of rows) {
    const runNo = Number(row['run_no'])
    const children = found.get(runNo) ?? { ids: [], total: Number(row['total']) }
    if (children.ids.length < most) children.ids.push(Number(row['id']))
    found.set(runNo, children)
  }
  return found
}

async function runsOf(reader: Tables, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const test = idsIn('id', ids)
  const rows = await all(
    reader,
    fragment(`SELECT id, run_no FROM grp WHERE run_no IS NOT NULL AND ${test.text}`, ...test.values),
  )
  return new Map(rows.map((row) => [Number(row['id']), Number(row['run_no'])]))
}

async function quarantinedIn(
  { reader, facets }: Reading,
  runs: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const quarantined = (await facets.counted())
    .filter(({ event_type: type }) => QUARANTINED.includes(type))
    .map(({ id }) => id)
  if (quarantined.length === 0) return new Map()
  const { text, values } = joined([idsIn('c.run_no', runs), idsIn('e.facet_id', quarantined)])
  const rows = await all(
    reader,
    fragment(
      `SELECT c.run_no, count(DISTINCT e.group_id) AS n FROM child c CROSS JOIN event e INDEXED BY event_run ON e.run_no = c.run_no AND e.group_id = c.group_id
      WHERE ${text} GROUP BY c.run_no`,
      ...values,
    ),
  )
  return new Map(rows.map((row) => [Number(row['run_no']), Number(row['n'])]))
}

function withQuarantined(group: GroupRow, count: number): GroupRow {
  const summary = String(group['summary'] ?? '')
  if (count === 0 || summary.includes('quarantined')) return group
  return { ...group, summary: `${summary}${summary.includes(':') ? ',' : ':'} ${count} quarantined` }
}
