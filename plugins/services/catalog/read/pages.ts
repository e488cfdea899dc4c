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
import type { IndexAccount } from './accounts.ts'
import { findTitle } from './title.ts'
import { heldBy } from './titles.ts'

type Ctx = Pick<PluginContext, 'tryUse' | 'log'>

/** Features whose rows are titles, of shows too. */
const OF_TITLES: readonly string[] = ['watchlist', 'ratings']
/** Features in which a film is a row. */
const OF_FILMS: readonly string[] = [...OF_TITLES, 'history', 'progress']

/** @throws `PLH_NOT_FOUND` (`title_not_found`) */
export async function pagesOf(ctx: Ctx, reader: Tables, accounts: ReadonlyMap<number, IndexAccount>, key: string) {
  const row = await findTitle(reader, key)
  if (row === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'No account has this title any more.', { wire: 'title_not_found' })
  const title: Item = { type: row.kind, title: row.name, year: row.year, ids: JSON.parse(row.ids) as Ids }
  const held = (await heldBy(reader, [row.id])).get(row.id) ?? []
  const pages = await Promise.all(
    [...accounts.values()].map(async ({ id, provider, instance }) => {
      if (!(await hasTitlePages(ctx, provider))) return []
      const features = held
        .filter(
          ({ account, feature }) => account === id && (row.kind === 'show' ? OF_TITLES : OF_FILMS).includes(feature),
        )
        .map(({ feature }) => feature as Feature)
      const item = (await ownRow(ctx, { provider, instance }, features, title)) ?? title
      const [url] = await titlePages(ctx, { provider, instance }, [item])
      return url == null ? [] : [{ provider, instance, url }]
    }),
  )
  return { pages: pages.flat() }
}

async function ownRow(
  ctx: Ctx,
  { provider, instance }: Omit<IndexAccount, 'id'>,
  features: readonly Feature[],
  title: Item,
): Promise<Item | undefined> {
  const library = ctx.tryUse(LIBRARY)
  if (library === undefined) return undefined
  try {
    for (const feature of features)
      for await (const rows of library.rowsOfWorks(provider, instance, feature, [title])) {
        const own = rows.find(({ item: { type } }) => type === title.type || type === 'anime')
        if (own !== undefined) return own.item
      }
  } catch (error) {
    ctx.log.warn({ provider, instance, err: error }, 'the row of a title could not be read')
  }
  return undefined
}
