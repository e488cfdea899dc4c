// One group with its events and related data.
import { PlayheadError } from '@playhead/sdk'
import { all, firstNumber, fragment, type Row } from './sql.ts'
import { eventRows, groupRows, type Reading } from './view.ts'

const MAX_EVENTS = 500
const MAX_RELATED = 20

interface Paged {
  readonly limit: number
  readonly offset: number
}

export async function groupDetail(reading: Reading, id: number, page: Paged) {
  const row = await needGroup(reading, id)
  const { reader } = reading
  const [group] = await groupRows(reading, [id])
  const events = await idsOf(
    reading,
    fragment(`SELECT id FROM event WHERE group_id = ? ORDER BY ts, id LIMIT ${MAX_EVENTS}`, id),
  )
  const related =
    row['text_id'] === null
      ? []
      : await idsOf(
          reading,
          fragment(
            `SELECT g.id FROM grp g JOIN item_text t ON t.id = g.text_id WHERE t.item_key = (SELECT item_key FROM item_text WHERE id = ?)
      AND t.item_key <> '' AND g.id <> ? ORDER BY g.last_at DESC, g.id DESC LIMIT ${MAX_RELATED}`,
            row['text_id'] as number,
            id,
          ),
        )
  const shown = await eventRows(reading, events)
  return {
    ok: true,
    group,
    events: shown,
    context: {
      run_id: group?.['run_id'] ?? shown.at(-1)?.['run_id'] ?? null,
      owner_run_group_id: group?.['owner_run_group_id'] ?? null,
    },
    related_groups: await groupRows(reading, related),
    aggregate: await aggregateOf(reading, id),
    ...(row['run_no'] === null ? {} : runItems(await runItemsOf(reading, Number(row['run_no']), page), page)),
  }

  function runItems(
    { items, total }: { readonly items: readonly object[]; readonly total: number },
    { limit, offset }: Paged,
  ) {
    return { run_items: items, run_items_total: total, run_items_limit: limit, run_items_offset: offset }
  }

  async function aggregateOf({ facets }: Reading, group: number) {
    const counts = await all(
      reader,
      fragment(
        'SELECT facet_id, count(*) AS n, min(ts) AS first, max(ts) AS last FROM event WHERE group_id = ? GROUP BY facet_id',
        group,
      ),
    )
    const known = await facets.of(counts.map((row) => Number(row['facet_id'])))
    const by = (name: 'event_type' | 'severity') => {
      const sums: Record<string, number> = {}
      for (const each of counts) {
        const value = known.get(Number(each['facet_id']))?.[name] ?? ''
        sums[value] = (sums[value] ?? 0) + Number(each['n'])
      }
      return sums
    }
    const all_ = counts.flatMap((each) => known.get(Number(each['facet_id'])) ?? [])
    const names = (values: readonly (string | null)[]) => [...new Set(values.filter((value) => value !== null))].sort()
    return {
      event_count: counts.reduce((sum, { n }) => sum + Number(n), 0),
      by_type: by('event_type'),
      by_severity: by('severity'),
      first_event_at: counts.length === 0 ? null : Math.min(...counts.map(({ first }) => Number(first))),
      last_event_at: counts.length === 0 ? null : Math.max(...counts.map(({ last }) => Number(last))),
      providers: names(
        all_.flatMap((facet) => [facet.source_provider, facet.destination_provider, facet.origin_provider]),
      ),
      features: names(all_.map(({ feature }) => feature)),
    }
  }
}

export async function groupRunItems(reading: Reading, id: number, page: Paged) {
  const row = await needGroup(reading, id)
  const found =
    row['run_no'] === null ? { items: [], total: 0 } : await runItemsOf(reading, Number(row['run_no']), page)
  return { ok: true, ...found, ...page }
}

export async function groupEvents(reading: Reading, id: number, order: 'ASC' | 'DESC', page: Paged) {
  await needGroup(reading, id)
  const { reader } = reading
  const ids = await idsOf(
    reading,
    fragment(
      `SELECT id FROM event WHERE group_id = ? ORDER BY ts ${order}, id ${order} LIMIT ? OFFSET ?`,
      id,
      page.limit,
      page.offset,
    ),
  )
  const total = await firstNumber(reader, fragment('SELECT count(*) FROM event WHERE group_id = ?', id))
  return { items: await eventRows(reading, ids), total, ...page }
}

/** Item groups of a run: problems first, then the latest. */
async function runItemsOf(reading: Reading, runNo: number, { limit, offset }: Paged) {
  const items = `SELECT DISTINCT e.group_id AS id, EXISTS (SELECT 1 FROM child c WHERE c.run_no = e.run_no AND c.group_id = e.group_id) AS bad
    FROM event e INDEXED BY event_run WHERE e.run_no = ? AND e.group_id <> coalesce((SELECT group_id FROM run WHERE no = ?), -1)`
  const ids = await idsOf(
    reading,
    fragment(`${items} ORDER BY bad DESC, id DESC LIMIT ? OFFSET ?`, runNo, runNo, limit, offset),
  )
  const total = await firstNumber(reading.reader, fragment(`SELECT count(*) FROM (${items})`, runNo, runNo))
  return { items: await groupRows(reading, ids), total }
}

async function needGroup({ reader }: Reading, id: number): Promise<Row> {
  const [row] = await all(reader, fragment('SELECT id, run_no, text_id FROM grp WHERE id = ?', id))
  if (row === undefined) throw new PlayheadError('PLH_NOT_FOUND', `There is no group ${id}.`, { wire: 'not_found' })
  return row
}

async function idsOf({ reader }: Reading, statement: ReturnType<typeof fragment>): Promise<readonly number[]> {
  return (await all(reader, statement)).map(({ id }) => Number(id))
}
