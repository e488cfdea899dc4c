// Pages of a pass: problems, rows, details.
import type { AccountName, AnalyzedFeature, OpenItem, Severity } from '@playhead/sdk'
import { foldText, type Ids, type Item, searchWords, STRONG_SCHEMES } from '@playhead/sdk/items'
import { accountOf, nameOf, type PassResult, summary } from './analyze.ts'
import { type Filters, isOf, type Kind, matches, sortFindings, type Stored, type Summary } from './findings.ts'
import { KINDS } from './rows.ts'
import { accountText, hintOf, type Hint, wireItem } from './wire.ts'

/** Problems that a person chose to hide; absent parts match all. */
export interface Exclusion {
  readonly type: string
  readonly provider?: string
  readonly feature?: string
  readonly key?: string
}

export interface ProblemsQuery extends Filters {
  /** Of the row. */
  readonly key?: string
  readonly offset: number
  readonly limit: number
  readonly hints: boolean
  readonly exclusions: readonly Exclusion[]
}

export interface View {
  problems(query: ProblemsQuery): ProblemsPage
  /** Counts of problems by type, account and feature, with the most severe one. */
  types(filters: Filters, exclusions: readonly Exclusion[]): readonly TypeCount[]
  state(query: StateQuery): StatePage
  detail(account: AccountName, feature: AnalyzedFeature, key: string): Detail | null
}

interface ProblemsPage {
  readonly problems: readonly Readonly<Record<string, unknown>>[]
  /** Counts of all problems that match the filters. */
  readonly total: number
  readonly summary: Summary
  readonly excluded: number
}

export interface TypeCount {
  readonly type: string
  readonly account: AccountName | null
  readonly feature: string | null
  readonly severity: Severity
  readonly count: number
}

export interface StateQuery {
  readonly offset: number
  readonly limit: number
  readonly provider?: string
  readonly feature?: string
  readonly problem?: string
  readonly q?: string
}

interface StatePage {
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly total: number
}

interface Detail {
  readonly targets: readonly string[]
  readonly hints: readonly Hint[]
  readonly target_show_info: readonly Readonly<Record<string, unknown>>[]
}

const NONE: ReadonlySet<string> = new Set()
/** Trakt: shows are found by other ids. */
const SEEKS_BADLY_BY_TVDB = 'TRACKA'

export function viewOf(result: PassResult): View {
  const { table, order, running } = result
  const { world } = order
  const kinds = new Map(running.rules.flatMap((one) => [...one.kinds]))
  const segmentAt = new Map(table.segments.map((one, at) => [nameOf(one), at]))
  let sorted: readonly Stored[] | undefined
  let visible:
    | { readonly of: string; readonly list: readonly Stored[]; readonly summary: Summary; readonly excluded: number }
    | undefined
  let byRow: Map<number, Stored[]> | undefined
  const orders = new Map<number, Uint32Array>()
  let hints: Map<string, OpenItem[]> | undefined
  const shows = new Map<number, ReadonlyMap<string, ReadonlySet<string>>>()

  function shown(exclusions: readonly Exclusion[]) {
    sorted ??= sortFindings(running.findings.all, table)
    const of = JSON.stringify(exclusions)
    if (visible?.of === of) return visible
    const list =
      exclusions.length === 0 ? sorted : sorted.filter((one) => !exclusions.some((each) => isExcluded(one, each)))
    visible = { of, list, ...withoutExcluded(sorted, list, exclusions) }
    return visible
  }

  function withoutExcluded(all: readonly Stored[], list: readonly Stored[], exclusions: readonly Exclusion[]) {
    const whole = summary(result)
    if (all.length === list.length) return { summary: whole, excluded: 0 }
    const kept = new Set(list)
    const counts = {
      ...whole,
      by_severity: { ...whole.by_severity },
      by_category: { ...whole.by_category },
      by_type: { ...whole.by_type },
    }
    let excluded = 0
    const take = (kind: Kind, severity: Severity, number: number) => {
      excluded += number
      counts.total -= number
      counts.by_severity[severity] -= number
      counts.by_category[kind.category]! -= number
      counts.by_type[kind.type]! -= number
    }
    const wholeTypes = new Set(
      exclusions
        .filter((one) => one.provider === undefined && one.feature === undefined && one.key === undefined)
        .map(({ type }) => type),
    )
    // Includes problems that are counted but not listed.
    for (const [counted, number] of running.findings.counts()) {
      const [type = '', severity] = counted.split(' ') as [string, Severity]
      if (wholeTypes.has(type)) take(kinds.get(type)!, severity, number)
    }
    for (const one of all) if (!kept.has(one) && !wholeTypes.has(one.kind.type)) take(one.kind, one.severity, 1)
    return { summary: counts, excluded }
  }

  function isExcluded({ kind, account, feature, row }: Stored, one: Exclusion): boolean {
    return (
      kind.type === one.type &&
      (one.provider === undefined || isOf(account, one.provider)) &&
      (one.feature === undefined || feature === one.feature) &&
      (one.key === undefined || (row >= 0 && table.key(row) === one.key))
    )
  }

  function problemOf(one: Stored, withHints: boolean): Readonly<Record<string, unknown>> {
    const { kind, severity, account, feature, message, row, fields } = one
    const item = row < 0 ? undefined : table.item(row)
    const more = fields === undefined ? {} : (JSON.parse(fields) as Record<string, unknown>)
    const { title, ids, ...shape } = item === undefined ? { title: null, ids: null } : wireItem(item)
    const { type: itemType, ...rest } = shape as { type?: string }
    const { fixFields = [] } = kind
    const isFixable =
      kind.hasFix && fixFields.every((name) => ['string', 'number', 'boolean'].includes(typeof more[name]))
    return {
      ...more,
      type: kind.type,
      severity,
      category: kind.category,
      message,
      provider: account === null ? null : accountText(account),
      feature,
      ...(item === undefined
        ? {}
        : { key: table.key(row), title, item_title: title, item_type: itemType, ids, ...rest }),
      fixable: isFixable,
      ...(isFixable && fixFields.length > 0
        ? { fix_with: Object.fromEntries(fixFields.map((name) => [name, more[name]])) }
        : {}),
      ...(isFixable && kind.isChoice === true
        ? { choices: Object.keys((more['values'] as object | undefined) ?? {}) }
        : {}),
      rule: kind.rule,
      ...(withHints && item !== undefined && row >= 0 ? detailOf(row, item) : {}),
    }
  }

  function openLike(feature: string, row: number): readonly OpenItem[] {
    if (hints === undefined) {
      hints = new Map()
      for (const open of world.open) {
        if (open.feature === 'playlists') continue
        const row = table.rowLike(open.feature, open.item, open.key)
        const name = row < 0 ? open.key : `${table.group(row).name}`
        const known = hints.get(`${open.feature} ${name}`)
        if (known === undefined) hints.set(`${open.feature} ${name}`, [open])
        else known.push(open)
      }
    }
    if (hints.size === 0) return []
    return hints.get(`${feature} ${table.group(row).name}`) ?? []
  }

  function detailOf(row: number, item: Item): Detail {
    const segment = table.segmentOf(row)
    const { feature } = table.segments[segment]!
    const states = result.tasks.flatMap((task, at) =>
      task.source === segment && task.target >= 0 ? [{ at, task, verdict: result.verdict(row, at) }] : [],
    )
    const missing = states.filter(({ verdict }) => verdict.state === 'missing')
    const open = openLike(feature, row)
    const found: Hint[] = []
    for (const { at, verdict } of states) {
      const { route } = result.counts[at]!
      const target = accountText(route.target)
      if (verdict.state === 'blocked')
        found.push({
          provider: target,
          feature,
          kind: 'blocked_manual',
          message: 'A person blocked it there.',
          source: 'manual policy',
        })
      if (verdict.state !== 'missing') continue
      found.push(...open.filter((one) => accountText(one) === target).map(hintOf))
      if (table.isAnime(row) && result.tasks[at]!.mapped)
        found.push({
          provider: target,
          feature,
          kind: 'anime_episode_mapping',
          message: 'The anime mapping knows no position of it there.',
          source: 'anime mapping',
        })
      const { source } = route
      if (source.group !== 'media_server' && route.target.group === 'media_server')
        found.push({
          provider: target,
          feature,
          kind: 'tracker_to_media_server_gap',
          message: `${route.target.label} can only have what is in its libraries.`,
          source: 'pair',
        })
    }
    function blockedAt(blocked: readonly { readonly at: number }[]) {
      const names = blocked.map(({ at }) => accountText(result.counts[at]!.route.target))
      return (blocked.length === states.length && names.length > 0 ? ['ALL'] : names).map((target) => ({
        target,
        feature,
        message: 'A person blocked it; runs leave it out.',
      }))
    }
    return {
      targets: missing.map(({ at }) => accountText(result.counts[at]!.route.target)),
      hints: found,
      target_show_info: [
        ...blockedAt(states.filter(({ verdict }) => verdict.state === 'blocked')),
        ...(feature === 'history' && item.type === 'episode'
          ? missing.map(({ at, task }) => showInfo(item, at, task.target))
          : []),
      ],
    }
  }

  /** Episodes of an account's shows by each id of the show, built at the first lookup. */
  function showsOf(segment: number): ReadonlyMap<string, ReadonlySet<string>> {
    const known = shows.get(segment)
    if (known !== undefined) return known
    const made = new Map<string, Set<string>>()
    for (const { start, rows } of table.pages(table.segments[segment]!)) {
      for (const [at, [, item]] of rows.entries()) {
        if (KINDS[table.kind(start + at)] !== 'episode') continue
        for (const name of named(item.show_ids ?? {})) {
          const episodes = made.get(name) ?? new Set<string>()
          made.set(name, episodes.add(`${item.season}x${item.episode}`))
        }
      }
    }
    shows.set(segment, made)
    return made
  }

  /** The target's episodes of the show. */
  function showInfo(item: Item, route: number, target: number) {
    const { feature } = table.segments[target]!
    const known = showsOf(target)
    const episodes = named(item.show_ids ?? {}).reduce<ReadonlySet<string>>(
      (all, name) => all.union(known.get(name) ?? NONE),
      NONE,
    )
    const isThere = episodes.has(`${item.season}x${item.episode}`)
    const { label, name, provider } = result.counts[route]!.route.target
    const count = episodes.size
    const hasOnlyTvdb = item.show_ids?.tvdb !== undefined && strongIds(item.show_ids) === 1
    const note =
      provider === SEEKS_BADLY_BY_TVDB && hasOnlyTvdb
        ? ` Only a TVDB id is known, by which ${label} may not find it.`
        : ''
    return {
      target: name,
      feature,
      show_episodes: count,
      has_episode: isThere,
      message: `${
        count === 0
          ? `${label} has nothing of the show.`
          : isThere
            ? `${label} has this episode, at another time or with other ids.`
            : `${label} has ${count} other ${count === 1 ? 'episode' : 'episodes'} of the show.`
      }${note}`,
    }
  }

  function rowsByKey(segment: number): Uint32Array {
    const known = orders.get(segment)
    if (known !== undefined) return known
    const { start, end } = table.segments[segment]!
    const keys = Array.from({ length: end - start }, (_, at) => table.key(start + at))
    const made = Uint32Array.from(keys, (_, at) => at).sort((a, b) =>
      keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : 0,
    )
    for (let at = 0; at < made.length; at += 1) made[at]! += start
    orders.set(segment, made)
    return made
  }

  function findingsByRow(): ReadonlyMap<number, readonly Stored[]> {
    if (byRow !== undefined) return byRow
    byRow = new Map()
    for (const one of running.findings.all) {
      if (one.row < 0) continue
      const known = byRow.get(one.row)
      if (known === undefined) byRow.set(one.row, [one])
      else known.push(one)
    }
    return byRow
  }

  return {
    problems({ offset, limit, hints: withHints, exclusions, key, ...filters }) {
      const { list, summary: counts, excluded } = shown(exclusions)
      const isFiltered = key !== undefined || Object.values(filters).some((value) => value !== undefined)
      const isOfKey = ({ row }: Stored) => key === undefined || (row >= 0 && table.key(row) === key)
      const found = isFiltered ? list.filter((one) => matches(one, filters) && isOfKey(one)) : list
      return {
        problems: found.slice(offset, offset + limit).map((one) => problemOf(one, withHints)),
        total: found.length,
        summary: counts,
        excluded,
      }
    },

    types(filters, exclusions) {
      const counts = new Map<string, TypeCount>()
      for (const one of shown(exclusions).list) {
        if (!matches(one, filters)) continue
        const { account, feature } = one
        const { type } = one.kind
        const name = JSON.stringify([type, account?.provider, account?.instance, feature])
        const { severity = one.severity, count = 0 } = counts.get(name) ?? {}
        const worst = severity === 'error' ? severity : one.severity
        counts.set(name, { type, account, feature, severity: worst, count: count + 1 })
      }
      return [...counts.values()]
    },

    state({ offset, limit, provider, feature, problem, q = '' }) {
      const counts: Record<string, Record<string, number>> = {}
      const isShown = order.scope === null ? null : new Set(order.scope.map(nameOf))
      const all = table.segments
        .map((segment, at) => ({ segment, at, name: accountText(segment) }))
        .filter(({ segment }) => isShown?.has(nameOf(segment)) !== false)
        .sort((a, b) => compare(a.name, b.name) || compare(a.segment.feature, b.segment.feature))
      for (const { segment, name } of all) {
        counts[name] ??= { history: 0, watchlist: 0, ratings: 0, progress: 0, total: 0 }
        counts[name][segment.feature]! += segment.end - segment.start
        counts[name]['total']! += segment.end - segment.start
      }
      const wanted = all.filter(
        ({ segment }) =>
          (provider === undefined || isOf(segment, provider)) && (feature === undefined || segment.feature === feature),
      )
      const words = searchWords(q)
      const found = problem === undefined ? null : findingsByRow()
      let total = 0
      const rows: number[] = []
      for (const { segment, at } of wanted) {
        const size = segment.end - segment.start
        if (words.length === 0 && found === null) {
          const [first, last] = [Math.max(0, offset - total), Math.min(size, offset + limit - total)]
          if (first < last) rows.push(...rowsByKey(at).subarray(first, last))
          total += size
          continue
        }
        for (const row of limit === 0 && words.length === 0 && found === null ? [] : rowsByKey(at)) {
          if (found !== null && found.get(row)?.some(({ kind }) => kind.type === problem) !== true) continue
          if (words.length > 0 && !isSearched(row, words)) continue
          if (total >= offset && rows.length < limit) rows.push(row)
          total += 1
        }
      }
      const flags = rows.length === 0 ? new Map<number, readonly Stored[]>() : findingsByRow()
      return { counts, total, items: rows.map((row) => stateRow(row, flags.get(row) ?? [])) }
    },

    detail(account, feature, key) {
      const segment = segmentAt.get(nameOf({ ...account, feature }))
      const row = segment === undefined ? -1 : table.find(table.segments[segment]!, key)
      return row < 0 ? null : detailOf(row, table.item(row))
    },
  }

  function isSearched(row: number, words: readonly string[]): boolean {
    const { title, series_title: series, year, ids, show_ids: showIds } = table.item(row)
    const text = foldText([title, series, year, ...named(ids), ...named(showIds ?? {}), table.key(row)].join(' '))
    return words.every((word) => text.includes(word))
  }

  function stateRow(row: number, found: readonly Stored[]) {
    const { provider, instance, feature } = table.segments[table.segmentOf(row)]!
    const item = table.item(row)
    return {
      provider: accountText({ provider, instance }),
      provider_base: provider,
      instance: instance === 'default' ? null : instance,
      provider_label: accountOf(world, { provider, instance }).label,
      feature,
      key: table.key(row),
      ...wireItem(item),
      watched_at: item.watched_at ?? null,
      rating: item.rating ?? null,
      rated_at: item.rated_at ?? null,
      progress: item.progress_percent ?? null,
      added_at: item.added_at ?? null,
      flags: [...new Set(found.map(({ kind }) => kind.type))].sort(),
    }
  }
}

function strongIds(ids: Ids): number {
  return STRONG_SCHEMES.filter((scheme) => ids[scheme] !== undefined).length
}

function named(ids: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(ids).map(([scheme, id]) => `${scheme}:${id}`)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
