// The episodes of a show: those that any account watched, and all that were aired if the metadata service knows them.
import { METADATA, PlayheadError, type PluginContext, type Tables, type WorkEpisode } from '@playhead/sdk'
import type { Ids } from '@playhead/sdk/items'
import { sql } from 'kysely'
import type { IndexAccount } from './accounts.ts'
import { findTitle } from './title.ts'

const MAX_EPISODES = 10_000
const SPECIALS = 0

/** @throws `PLH_NOT_FOUND` (`title_not_found`) */
export async function episodesOf(
  ctx: Pick<PluginContext, 'tryUse' | 'log'>,
  reader: Tables,
  accounts: ReadonlyMap<number, IndexAccount>,
  key: string,
  nowMs: number,
) {
  const row = await findTitle(reader, key)
  if (row === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'No account has this title.', { wire: 'title_not_found' })
  const aired = row.kind === 'show' ? await airedOf(ctx, JSON.parse(row.ids) as Ids, nowMs) : undefined
  const watched = await watchedOf(reader, row.id)
  const known = new Map((aired ?? []).map((one) => [nameOf(one), { ...one, accounts: [] as number[] }]))
  for (const { season, episode, name, account } of watched) {
    const place = { season, episode }
    const one = known.get(nameOf(place)) ?? { ...place, title: '', accounts: [] }
    one.accounts.push(account)
    if (one.title === '') one.title = name ?? ''
    known.set(nameOf(place), one)
  }
  return {
    aired: aired === undefined ? null : aired.filter(({ season }) => season !== SPECIALS).length,
    episodes: [...known.values()]
      .sort((a, b) => a.season - b.season || a.episode - b.episode)
      .slice(0, MAX_EPISODES)
      .map(({ accounts: own, season, episode, title }) => ({
        ...{ season, episode, title },
        accounts: own.flatMap((id) => {
          const account = accounts.get(id)
          return account === undefined ? [] : [{ provider: account.provider, instance: account.instance }]
        }),
      })),
  }
}

/** Undefined if it is not known. */
async function airedOf(
  ctx: Pick<PluginContext, 'tryUse' | 'log'>,
  ids: Ids,
  nowMs: number,
): Promise<{ season: number; episode: number; title: string }[] | undefined> {
  const metadata = ctx.tryUse(METADATA)
  if (metadata === undefined || !(await metadata.ready())) return undefined
  let all: readonly WorkEpisode[] | undefined
  try {
    all = await metadata.episodes(ids)
  } catch (error) {
    ctx.log.warn({ err: error }, 'the episodes of a show could not be read')
    return undefined
  }
  const today = new Date(nowMs).toISOString().slice(0, 10)
  return all?.flatMap(({ season, episode, title, aired }) =>
    aired !== null && aired <= today ? [{ season, episode, title }] : [],
  )
}

async function watchedOf(reader: Tables, title: number) {
  const { rows } = await sql<{ season: number; episode: number; name: string | null; account: number }>`
    select e.season, e.episode, max(e.name) as name, s.account
    from work w indexed by work_title cross join entry e indexed by entry_work on e.work = w.id
    cross join source s on s.id = e.source join account a on a.id = s.account
    where w.title_id = ${title} and s.feature = 'history' and e.type = 'episode' and e.season is not null
      and e.episode is not null
    group by s.account, e.season, e.episode order by a.provider, a.instance`.execute(reader)
  return rows
}

function nameOf({ season, episode }: { readonly season: number; readonly episode: number }): string {
  return `${season} ${episode}`
}
