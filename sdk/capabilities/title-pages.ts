// The pages of titles at the services of accounts, for plugins that show titles.
import type { PluginContext } from '../context.ts'
import type { Item } from '../items/item.ts'
import { PROVIDERS } from '../provider/contract.ts'
import { ACCOUNTS, type AccountName } from './accounts.ts'

/**
 * The address of each item's page at the account's service; null where there is none, or where it is not known. Pass the
 * account's own rows where it has them: media servers know titles by ids of their own. Asks no service.
 *
 * @example
 * const [url] = await titlePages(ctx, { provider: 'TRACKA', instance: 'default' }, [{ type: 'movie', ids: { tmdb: '949' } }])
 */
export async function titlePages(
  ctx: Pick<PluginContext, 'tryUse' | 'log'>,
  { provider, instance }: AccountName,
  items: readonly Item[],
): Promise<readonly (string | null)[]> {
  const none = items.map(() => null)
  if (items.length === 0) return none
  try {
    const accounts = ctx.tryUse(ACCOUNTS)
    if (accounts === undefined || !(await hasTitlePages(ctx, provider))) return none
    const { account } = await accounts.health(provider, instance, { known: true })
    const request = { items, ...(account === undefined ? {} : { account }) }
    return (await ctx.tryUse(PROVIDERS.of(provider))?.titlePages?.(instance, request)) ?? none
  } catch (error) {
    ctx.log.warn({ provider, instance, err: error }, 'the pages of titles are left out')
    return none
  }
}

/** Whether the service has pages of titles. Loads no provider. */
export async function hasTitlePages(ctx: Pick<PluginContext, 'tryUse'>, provider: string): Promise<boolean> {
  const known = (await ctx.tryUse(ACCOUNTS)?.providers()) ?? []
  return known.some(({ id, titlePages: has }) => id === provider && has === true)
}
