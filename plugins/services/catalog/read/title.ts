// One title: its rows at each account, seasons, plays, changes, and unsynced items.
import { EVENT_ARCHIVE, PlayheadError, type PluginContext, SYNC, type OpenItem, type Tables } from '@playhead/sdk'
import { formatPart, type Ids, type Item, tokensOf } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { type IndexAccount, isoOf } from './accounts.ts'
import { playsOfTitle } from './history.ts'
import { heldBy, type HeldRow, toItem, type TitleRow } from './titles.ts'
import type { Zone } from './zone.ts'

const MAX_PLAYS = 100
const MAX_CHANGES = 50
const MAX_OPEN = 100
const MAX_SAYS = 100
/** More than a household has open; further ones are on the page of the run. */
const MAX_SCANNED = 20_000
/** Keys whose changes are listed: the title's own key, and those of its latest episodes. */
const MAX_TRACED = 12

type Ctx = Pick<PluginContext, 'tryUse' | 'log'>

/** @throws `PLH_NOT_FOUND` (`title_not_found`) */
export async function titleOf(
  ctx: Ctx,
  reader: Tables,
  accounts: ReadonlyMap<number, IndexAccount>,
  key: string,
  zone: Zone,
) {
  const row = await findTitle(reader, key)
  if (row === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'No account has this title.', { wire: 'title_not_found' })
  const held = (await heldBy(reader, [row.id])).get(row.id) ?? []
  const [seasons, plays, sources, says] = await Promise.all([
    seasonsOf(reader, accounts, row.id),
    playsOfTitle(reader, accounts, row.id, MAX_PLAYS, zone),
    sourcesOf(reader),
    saysOf(reader, accounts, row.id),
  ])
  const names = await namesOf(reader, row)
  const [changes, open] = await Promise.all([changesOf(ctx, names, plays), openOf(ctx, row, names)])
  return {
    ...toItem(row, held, accounts),
    names: [...names],
    says,
    matrix: matrixOf(row, held, accounts, sources, plays),
    seasons,
    latest_plays: plays,
    changes,
    not_synced: open,
  }
}

const COLUMNS = sql`t.id, t.key, t.kind, t.anime, t.name, t.year, t.ids, t.last_watched, t.last_day, t.added, t.rating,
  t.plays, t.episodes`

/** Finds the title by its key, or by any of its ids. */
export async function findTitle(reader: Tables, key: string): Promise<TitleRow | undefined> {
  // The show of an episode or season.
  const base = key.replace(/[#@].*$/s, '')
  const ofWork = sql`from work w join title t on t.id = w.title_id`
  for (const found of [
    sql`from title t where t.key = ${key}`,
    sql`from title t where t.key = ${base}`,
    sql`${ofWork} where w.id in (select work from token where token = ${base})`,
    // Ids that only accounts of one provider share, and titles.
    sql`${ofWork} where instr(' ' || w.name || ' ', ${` ${base} `}) > 0`,
  ]) {
    const { rows } = await sql<TitleRow>`select ${COLUMNS} ${found} limit 1`.execute(reader)
    if (rows[0] !== undefined) return rows[0]
  }
  return undefined
}

async function namesOf(reader: Tables, { id, key }: TitleRow): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ tokens: string }>`select tokens from work where title_id = ${id}`.execute(reader)
  return new Set([key, ...rows.flatMap(({ tokens }) => JSON.parse(tokens) as string[])])
}

/** When each account was read, by account and feature. */
async function sourcesOf(reader: Tables) {
  const { rows } = await sql<{ account: number; feature: string; read_at: number | null }>`select account, feature,
    read_at from source where feature <> 'activity'`.execute(reader)
  return rows
}

/** The rows of each account at its last read, plus plays that were sent to it or seen there since. */
function matrixOf(
  title: TitleRow,
  held: readonly HeldRow[],
  accounts: ReadonlyMap<number, IndexAccount>,
  sources: readonly { account: number; feature: string; read_at: number | null }[],
  plays: Awaited<ReturnType<typeof playsOfTitle>>,
) {
  return [...Map.groupBy(sources, ({ account }) => account)].flatMap(([id, own]) => {
    const account = accounts.get(id)
    if (account === undefined) return []
    return [
      {
        provider: account.provider,
        instance: account.instance,
        features: own.map(({ feature, read_at: readAt }) => {
          const row = held.find((one) => one.account === id && one.feature === feature)
          const seen = feature !== 'history' || row !== undefined ? [] : playsAt(account, plays)
          const isPresent = row !== undefined || seen.length > 0
          return {
            feature,
            present: isPresent,
            count: row?.count ?? new Set(seen.map(({ season, episode }) => `${season} ${episode}`)).size,
            value: row?.value ?? null,
            at: row === undefined ? (seen[0]?.watched_at ?? null) : isoOf(row.at, row.day),
            read_at: isoOf(readAt, false),
            stale: !isPresent && CHANGED_BY_PLAYS.includes(feature) && wasWatchedAfter(title, readAt),
          }
        }),
      },
    ]
  })
}

const CHANGED_BY_PLAYS: readonly string[] = ['history', 'progress']

function playsAt({ provider, instance }: IndexAccount, plays: Awaited<ReturnType<typeof playsOfTitle>>) {
  return plays.filter(({ services }) => services.some((one) => one.provider === provider && one.instance === instance))
}

function wasWatchedAfter({ last_watched: at, last_day: isDay }: TitleRow, readAt: number | null): boolean {
  return at !== null && readAt !== null && isDay !== 1 && at > readAt
}

/** The ids of the title at each account; for a show including the show ids of its episodes. */
async function saysOf(reader: Tables, accounts: ReadonlyMap<number, IndexAccount>, title: number) {
  const { rows } = await sql<{
    account: number
    title: string | null
    year: number | null
    ids: string
    count: number
  }>`select s.account, w.title, w.year, w.ids, count(*) as count
    from work w indexed by work_title cross join entry e indexed by entry_work on e.work = w.id
    cross join source s on s.id = e.source
    where w.title_id = ${title} and s.feature <> 'activity' group by s.account, w.id order by s.account, count(*) desc`.execute(
    reader,
  )
  return rows.slice(0, MAX_SAYS).flatMap(({ account, title: name, year, ids, count }) => {
    const found = accounts.get(account)
    if (found === undefined) return []
    const { provider, instance } = found
    return [{ provider, instance, title: name, year, ids: JSON.parse(ids) as Record<string, string>, rows: count }]
  })
}

async function seasonsOf(reader: Tables, accounts: ReadonlyMap<number, IndexAccount>, title: number) {
  const { rows } = await sql<{ account: number; season: number; episodes: number }>`select s.account, e.season,
      count(distinct e.episode) as episodes
    from work w indexed by work_title cross join entry e indexed by entry_work on e.work = w.id
    cross join source s on s.id = e.source
    where w.title_id = ${title} and s.feature = 'history' and e.type = 'episode' and e.season is not null
    group by 1, 2 order by 2, 1`.execute(reader)
  return [...Map.groupBy(rows, ({ season }) => season)].map(([season, own]) => ({
    season,
    accounts: own.flatMap(({ account, episodes }) => {
      const found = accounts.get(account)
      return found === undefined ? [] : [{ provider: found.provider, instance: found.instance, episodes }]
    }),
  }))
}

async function changesOf(ctx: Ctx, names: ReadonlySet<string>, plays: Awaited<ReturnType<typeof playsOfTitle>>) {
  const archive = ctx.tryUse(EVENT_ARCHIVE)
  if (archive === undefined) return []
  const [first] = names
  const parts = plays.flatMap(({ season, episode }) =>
    season === null || episode === null ? [] : [`${first}${formatPart({ season, episode })}`],
  )
  const keys = [...new Set([...names, ...parts])].slice(0, MAX_TRACED)
  const found = await Promise.all(
    keys.map(async (key) => {
      try {
        return await archive.itemTrace(key, MAX_CHANGES)
      } catch (error) {
        ctx.log.warn({ err: error, key }, 'the changes of a title could not be read')
        return []
      }
    }),
  )
  return [...new Map(found.flat().map((row) => [row.id, row])).values()]
    .sort((a, b) => b.created_at - a.created_at || b.id - a.id)
    .slice(0, MAX_CHANGES)
}

/** Pending, failed or held items of this title. */
async function openOf(ctx: Ctx, row: TitleRow, names: ReadonlySet<string>) {
  const sync = ctx.tryUse(SYNC)
  if (sync === undefined) return []
  const own: Item = { type: row.kind, ids: JSON.parse(row.ids) as Ids, title: row.name, year: row.year }
  const wanted = new Set([...names, ...tokensOf(own)])
  const found: OpenItem[] = []
  let scanned = 0
  for await (const page of sync.open({})) {
    found.push(...page.filter(({ key, item }) => isOf(wanted, key, item)))
    scanned += page.length
    if (scanned >= MAX_SCANNED || found.length >= MAX_OPEN) break
  }
  return found
    .slice(0, MAX_OPEN)
    .map((one) => ({
      pair_id: one.pair_id,
      feature: one.feature,
      provider: one.provider,
      instance: one.instance,
      op: one.op,
      key: one.key,
      season: one.item.season ?? null,
      episode: one.item.episode ?? null,
      reason_code: one.reason_code,
      attempts: one.attempts,
      quarantined: one.quarantined,
      first_at: isoOf(one.first_at_ms, false),
      last_at: isoOf(one.last_at_ms, false),
      run_id: one.run_id,
    }))
}

function isOf(wanted: ReadonlySet<string>, key: string, item: Item): boolean {
  if (wanted.has(key.replace(/[#@].*$/s, ''))) return true
  return tokensOf(item).some((token) => wanted.has(token.replace(/#.*$/s, '')))
}
