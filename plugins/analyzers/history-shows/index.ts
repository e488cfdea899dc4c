// Compares the shows in the histories of a pair's accounts. A large difference means that one account identifies shows differently,
// or lost a part of its history.
import { contradicts, type Item, plainTitle, titleTokenOf, tokensOf } from '@playhead/sdk/items'
import { type AnalyzerAccount, defineAnalyzer, type Finding } from '@playhead/sdk/analyzer'

const MANY = 10
const RATIO = 1.5
const MAX_LISTED = 200
/** Limit for each list as JSON, because the fields of a finding are limited. `show_gap` has the full numbers. */
const MAX_CHARACTERS = 850
const MAX_TEXT = 120

interface Show {
  readonly item: Item
  readonly name: string
}

interface Shows {
  /** Shows by their ids as text, so that each show is compared once. */
  readonly known: Map<string, Show>
}

export default defineAnalyzer({
  label: 'Shows in the history',
  problems: [
    {
      type: 'history_show_normalization',
      severity: 'info',
      category: 'history',
      meaning: 'The two accounts of the pair have different shows in their history.',
    },
  ],
  needs: { features: ['history'] },
  begin({ routes, metadataReady }) {
    const byAccount = new Map<string, Shows>()
    return {
      // biome-ignore lint/correctness/useYield: findings come at the end
      *inspect({ account, rows }) {
        let shows = byAccount.get(account.name)
        if (shows === undefined) byAccount.set(account.name, (shows = { known: new Map() }))
        for (const { item } of rows) {
          if (item.type !== 'episode' && item.type !== 'season') continue
          const name = JSON.stringify([item.show_ids, item.show_ids === undefined ? item.series_title : null])
          if (!shows.known.has(name)) shows.known.set(name, showOf(item, name))
        }
      },
      *end(unreadable) {
        const isUnreadable = ({ name }: AnalyzerAccount) =>
          unreadable.some((one) => one.feature === 'history' && one.account.name === name)
        const seen = new Set<string>()
        for (const { feature, source, target, pairId, options } of routes) {
          const name = [pairId, source.name, target.name].sort().join(' ')
          if (feature !== 'history' || seen.has(name)) continue
          seen.add(name)
          const [a, b] = [byAccount.get(source.name), byAccount.get(target.name)]
          if (a === undefined || b === undefined || a.known.size === 0 || b.known.size === 0) continue
          const isWhole = options['libraries'] === undefined && options['anime_only_sync'] !== true
          const found = compare(source, target, a, b, metadataReady)
          // A pair that excludes shows causes a difference on purpose, and an unreadable row may belong to any show.
          if (found !== undefined && isWhole && !isUnreadable(source) && !isUnreadable(target)) yield found
        }
      },
    }
  },
})

function showOf(
  { show_ids: ids = {}, series_title: title = null, series_year: year = null }: Item,
  name: string,
): Show {
  return { name, item: { type: 'show', ids, title, year } }
}

function compare(
  source: AnalyzerAccount,
  target: AnalyzerAccount,
  a: Shows,
  b: Shows,
  metadataReady: boolean,
): Finding | undefined {
  const [onlyA, onlyB] = [without(a, b), without(b, a)]
  const larger = Math.max(onlyA.length, onlyB.length)
  if (larger === 0) return undefined
  const [countA, countB] = [a.known.size, b.known.size]
  const ratio = Math.round((Math.max(countA, countB) / Math.max(1, Math.min(countA, countB))) * 100) / 100
  const isTracker = source.group !== 'media_server' && target.group === 'media_server'
  const titles = (shows: readonly Show[]) => listed(shows, ({ item }) => item.title ?? 'untitled')
  const keys = (shows: readonly Show[]) => listed(shows, ({ item }) => tokensOf(item)[0] ?? item.title ?? '')
  return {
    type: 'history_show_normalization',
    account: source,
    feature: 'history',
    severity: (larger >= MANY || ratio >= RATIO) && !isTracker ? 'warn' : 'info',
    message: `${source.label} knows ${onlyA.length} shows that ${target.label} does not, and ${target.label} ${onlyB.length} that ${source.label} does not.`,
    fields: {
      source: source.name,
      target: target.name,
      show_delta: { source: countA, target: countB },
      show_gap: { source_only: onlyA.length, target_only: onlyB.length, ratio },
      extra_source: keys(onlyA),
      extra_target: keys(onlyB),
      extra_source_titles: titles(onlyA),
      extra_target_titles: titles(onlyB),
      // With TMDB set up, ids that would distinguish these shows can be looked up.
      tmdb_enabled: metadataReady,
      ...(isTracker ? { sync_context: 'tracker_to_media_server' } : {}),
    },
  }
}

function listed(shows: readonly Show[], textOf: (show: Show) => string): readonly string[] {
  const texts: string[] = []
  let left = MAX_CHARACTERS
  for (const show of shows.slice(0, MAX_LISTED)) {
    const text = textOf(show).slice(0, MAX_TEXT)
    left -= JSON.stringify(text).length + 1
    if (left < 0) break
    texts.push(text)
  }
  return texts
}

/** Shows of one account that the other does not know, by any id, or by title and year where no id says otherwise. */
function without(a: Shows, b: Shows): readonly Show[] {
  const ids = new Set<string>()
  const titles = new Map<string, Item[]>()
  for (const { item } of b.known.values()) {
    for (const token of tokensOf(item)) ids.add(token)
    const title = titleOf(item)
    if (title !== undefined) titles.set(title, [...(titles.get(title) ?? []), item])
  }
  return [...a.known.values()].filter(({ item }) => {
    if (tokensOf(item).some((token) => ids.has(token))) return false
    const title = titleOf(item)
    return title === undefined || !(titles.get(title) ?? []).some((other) => !contradicts(item, other))
  })
}

/** Without a year, the title alone, which can only prevent a show from being reported as missing. */
function titleOf(item: Item): string | undefined {
  const title = plainTitle(item.title)
  return titleTokenOf(item) ?? (title === '' ? undefined : title)
}
