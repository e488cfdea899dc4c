// Files of several episodes (S01E01-E02): the media server has one mark for all of them, another account one per episode.
import type { Item, OpenItem } from '@playhead/sdk'
import {
  type AnalyzerAccount,
  type AnalyzerRow,
  type AnalyzerWorld,
  defineAnalyzer,
  type Finding,
} from '@playhead/sdk/analyzer'
import { episodeCode } from '@playhead/sdk/items'

interface SharedFile {
  readonly account: AnalyzerAccount
  readonly item: Item
  /** By number: the accounts that have the episode as watched, and those that do not. */
  readonly episodes: Map<number, { readonly has: readonly string[]; readonly lacks: readonly string[] }>
}

const MAX_LISTED = 30

export default defineAnalyzer({
  label: 'Files with several episodes',
  problems: [
    {
      type: 'shared_file',
      severity: 'info',
      category: 'history',
      meaning:
        'One file contains several episodes, and only some of them are watched. The media server can only mark the whole file.',
    },
  ],
  needs: { features: ['history'], peers: true },
  begin(world) {
    const files = new Map<string, SharedFile>()
    return {
      // biome-ignore lint/correctness/useYield: findings come at the end
      *inspect({ account, rows }) {
        if (account.group === 'media_server') for (const row of rows) note(files, account, row)
      },
      *end() {
        for (const file of files.values()) if (file.episodes.size > 1) yield* watchedInPart(file)
        yield* waiting(world)
      },
    }
  },
})

/** Rows of one file have the id of that file at their server. */
function note(files: Map<string, SharedFile>, account: AnalyzerAccount, { item, peers }: AnalyzerRow): void {
  const id = item.native?.item_id
  if (item.type !== 'episode' || item.episode === undefined || id === undefined) return
  const file = files.getOrInsertComputed(`${account.name} ${id}`, () => ({ account, item, episodes: new Map() }))
  const of = (wanted: string) => peers.flatMap(({ state, route }) => (state === wanted ? [route.target.label] : []))
  file.episodes.set(item.episode, { has: of('found'), lacks: of('missing') })
}

/** The server has all of them as watched, another account only some. */
function* watchedInPart({ account, item, episodes }: SharedFile): Iterable<Finding> {
  const all = [...episodes.keys()].sort((a, b) => a - b)
  for (const target of new Set([...episodes.values()].flatMap(({ lacks }) => lacks))) {
    const lacks = all.filter((number) => episodes.get(number)!.lacks.includes(target))
    const has = all.filter((number) => episodes.get(number)!.has.includes(target))
    if (has.length === 0) continue
    yield {
      type: 'shared_file',
      account,
      feature: 'history',
      message: `${named(item, all)} are one file at ${account.label}, and watched. ${target} has only ${numbered(item, has)} as watched.`,
      fields: { ...fieldsOf(item, all), target, missing: lacks.slice(0, MAX_LISTED) },
    }
  }
}

/** The mark of a file waits until each of its episodes is watched, or removed. */
function* waiting({ accounts, open }: AnalyzerWorld): Iterable<Finding> {
  const own = open.filter(
    ({ feature, reason_code: reason, item }) =>
      feature === 'history' && /(?:^|:)shared_file$/.test(reason) && item.episode !== undefined,
  )
  const show = ({ item: { show_ids: ids, series_title: title, season } }: OpenItem) =>
    JSON.stringify([ids ?? title, season])
  for (const items of Map.groupBy(own, (one) => `${one.provider} ${one.instance} ${one.op} ${show(one)}`).values()) {
    const [{ provider, instance, op, item }] = items as [OpenItem, ...OpenItem[]]
    const numbers = [...new Set(items.map((one) => one.item.episode!))].sort((a, b) => a - b)
    const label = accounts.find((one) => one.provider === provider && one.instance === instance)?.label ?? provider
    const end =
      op === 'remove'
        ? 'its mark is taken off once each of them is removed'
        : 'it is marked once each of them is watched'
    yield {
      type: 'shared_file',
      account: { provider, instance },
      feature: 'history',
      message: `${named(item, numbers)}: the file at ${label} holds other episodes too, and ${end}.`,
      fields: { ...fieldsOf(item, numbers), operation: op },
    }
  }
}

function fieldsOf({ series_title: show, season }: Item, episodes: readonly number[]): Record<string, unknown> {
  return { show: show?.slice(0, 200) ?? null, season: season ?? null, episodes: episodes.slice(0, MAX_LISTED) }
}

function named(item: Item, episodes: readonly number[]): string {
  return `${item.series_title?.slice(0, 200) ?? 'A show'} ${numbered(item, episodes)}`
}

function numbered({ season = 0 }: Item, episodes: readonly number[]): string {
  return episodes
    .slice(0, MAX_LISTED)
    .map((episode) => episodeCode({ season, episode }))
    .join(', ')
}
