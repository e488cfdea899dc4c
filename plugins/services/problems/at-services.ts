// Adds "Open at …" to problems of titles: the page of the title at the accounts that it is about, and at the other account of
// the pair, where it may be that the first one lacks the title.
import {
  type AccountName,
  accountName,
  type Feature,
  hasTitlePages,
  LIBRARY,
  type PluginContext,
  type Problem,
  type ProblemAction,
  SYNC,
  titlePages,
} from '@playhead/sdk'
import { type Item, kindOfKey, parseKey } from '@playhead/sdk/items'

type Ctx = Pick<PluginContext, 'tryUse' | 'log'>

interface Wanted extends AccountName {
  readonly of: Problem
  readonly key: string
  readonly feature: Feature | undefined
}

export async function withPages<Found extends Problem>(
  ctx: Ctx,
  problems: readonly Found[],
): Promise<readonly Found[]> {
  const others = await otherAccounts(ctx, problems)
  const wanted = problems.flatMap((of): readonly Wanted[] => {
    const { key, feature, accounts } = of
    if (key === undefined || accounts.length === 0 || of.actions.some(({ kind }) => kind === 'open_at')) return []
    const all = new Map([...accounts, ...others(of)].map((one) => [accountName(one.provider, one.instance), one]))
    return [...all.values()].map(({ provider, instance }) => ({ of, key, feature, provider, instance }))
  })
  const found = new Map<Problem, ProblemAction[]>()
  const groups = Map.groupBy(wanted, ({ provider, instance, feature }) => JSON.stringify([provider, instance, feature]))
  const pages = await Promise.all([...groups.values()].map((group) => pagesOf(ctx, group)))
  const byWanted = new Map(pages.flat())
  // In the order of the accounts, those of the problem first.
  for (const one of wanted) {
    const url = byWanted.get(one)
    if (url == null) continue
    const { provider, instance } = one
    found
      .getOrInsertComputed(one.of, () => [])
      .push({ kind: 'open_at', label: 'Open at the service', url, account: { provider, instance } })
  }
  return problems.map((one) => {
    const more = found.get(one)
    return more === undefined ? one : { ...one, actions: [...one.actions, ...more] }
  })
}

/** @param group of one account and feature */
async function pagesOf(ctx: Ctx, group: readonly Wanted[]): Promise<readonly (readonly [Wanted, string | null])[]> {
  const [{ provider, instance, feature }] = group as [Wanted]
  if (!(await hasTitlePages(ctx, provider))) return []
  const keys = [...new Set(group.map(({ key }) => key))]
  const rows =
    feature === undefined || feature === 'playlists'
      ? []
      : ((await ctx
          .tryUse(LIBRARY)
          ?.items(provider, instance, feature, keys)
          .catch((error: unknown) => {
            ctx.log.warn({ provider, instance, err: error }, 'rows of problems could not be read')
            return undefined
          })) ?? [])
  const own = new Map(rows.map(({ key, item }) => [key, item]))
  const items = group.map(({ key, of }) => own.get(key) ?? itemOfKey(key, of))
  const known = group.flatMap((one, index) => (items[index] === undefined ? [] : [[one, items[index]] as const]))
  const urls = await titlePages(
    ctx,
    { provider, instance },
    known.map(([, item]) => item),
  )
  return known.map(([one], index) => [one, urls[index] ?? null] as const)
}

/** The item with the one id of its key; of a play, the item that was played. */
function itemOfKey(key: string, { type }: Problem): Item | undefined {
  const parsed = parseKey(key.replace(/@.*$/s, ''))
  if (!parsed.ok || parsed.value.base.by !== 'id') return undefined
  const { base, part } = parsed.value
  const ids = { [base.scheme]: base.id }
  if (part === undefined) return { type: type === 'anime' ? 'anime' : kindOfKey(parsed.value), ids }
  return { type: kindOfKey(parsed.value), ids: {}, show_ids: ids, ...part }
}

/** The two accounts of the pair of a problem. */
async function otherAccounts(ctx: Ctx, problems: readonly Problem[]) {
  if (!problems.some(({ key, pair_id: id }) => key !== undefined && id !== undefined)) return () => []
  const pairs = (await ctx.tryUse(SYNC)?.pairs()) ?? []
  const byId = new Map(pairs.map((pair) => [pair.id, pair]))
  return ({ pair_id: id }: Problem): readonly AccountName[] => {
    const pair = id === undefined ? undefined : byId.get(id)
    if (pair === undefined) return []
    return [
      { provider: pair.source, instance: pair.source_instance },
      { provider: pair.target, instance: pair.target_instance },
    ]
  }
}
