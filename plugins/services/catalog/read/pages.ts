// The pages of a title at the services of accounts. Media servers know a title by an id of their own, which is in the row of the
// account.
import {
  type Feature,
  hasTitlePages,
  LIBRARY,
  PlayheadError,
  type PluginContext,
  type Tables,
  titlePages,
} from '@playhead/sdk'
import type { Ids, Item } from '@playhead/sdk/items'
import { sql } from 'kysely'
import type { IndexAccount } from './accounts.ts'
import { findTitle } from './title.ts'

type Ctx = Pick<PluginContext, 'tryUse' | 'log'>

/** Features whose rows are titles, of shows too. */
const OF_TITLES: readonly Feature[] = ['watchlist', 'ratings']
/** Features in which a film is a row. */
const OF_FILMS: readonly Feature[] = [...OF_TITLES, 'history', 'progress']

/** @throws `PLH_NOT_FOUND` (`title_not_found`) */
export async function pagesOf(ctx: Ctx, reader: Tables, accounts: ReadonlyMap<number, IndexAccount>, key: string) {
  const row = await findTitle(reader, key)
  if (row === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'No account has this title any more.', { wire: 'title_not_found' })
  const title: Item = { type: row.kind, title: row.name, year: row.year, ids: JSON.parse(row.ids) as Ids }
  const { rows: own } = await sql<OwnRow>`select s.account, s.feature, e.key
    from work w indexed by work_title cross join entry e indexed by entry_work on e.work = w.id
    cross join source s on s.id = e.source
    where w.title_id = ${row.id} and e.type = 'work' and e.key is not null`.execute(reader)
  const features = row.kind === 'show' ? OF_TITLES : OF_FILMS
  const pages = await Promise.all(
    [...accounts.values()].map(async (account) => {
      if (!(await hasTitlePages(ctx, account.provider))) return []
      const ofAccount = features.flatMap((feature) =>
        own.filter((one) => one.account === account.id && one.feature === feature),
      )
      const item = (await itemOf(ctx, account, ofAccount[0])) ?? title
      const { provider, instance } = account
      const [url] = await titlePages(ctx, { provider, instance }, [item])
      return url == null ? [] : [{ provider, instance, url }]
    }),
  )
  return { pages: pages.flat() }
}

interface OwnRow {
  readonly account: number
  readonly feature: Feature
  readonly key: string
}

async function itemOf(
  ctx: Ctx,
  { provider, instance }: IndexAccount,
  own: OwnRow | undefined,
): Promise<Item | undefined> {
  if (own === undefined) return undefined
  try {
    return (await ctx.tryUse(LIBRARY)?.items(provider, instance, own.feature, [own.key]))?.[0]?.item
  } catch (error) {
    ctx.log.warn({ provider, instance, err: error }, 'the row of a title could not be read')
    return undefined
  }
}
