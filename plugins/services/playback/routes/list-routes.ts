// Routes that list profiles and positions.
import { defined, oneOf, ownersByPairs, type PluginApp, skipSerializer, type Static, Type } from '@playhead/sdk'
import { ItemsAnswer, type ProviderRow, ProvidersAnswer, type ReadError } from '../answers.ts'
import type { Parts } from '../parts.ts'
import { abilitiesOf, isShown, keyText, type Profile } from '../profiles.ts'
import type { ProfileRows } from '../read/reads.ts'
import { groupPlaces, type Group, type Place } from '../show/group.ts'
import { liveOf } from '../show/live.ts'
import { AGES, filterGroups, matcherOf, MEDIA_TYPES, SORTS, sortGroups } from '../show/query.ts'
import { isoTime, toItem, toRecord } from '../show/record.ts'

const MAX_PAGE = 250

const Percent = Type.Optional(Type.Number({ minimum: 0, maximum: 100 }))
const ItemsQuery = Type.Object({
  provider: Type.String({ default: '', maxLength: 64, description: 'Positions of one provider, without merging.' }),
  instance_id: Type.String({ default: '', maxLength: 64 }),
  media_type: oneOf(MEDIA_TYPES, 'all'),
  progress_min: Percent,
  progress_max: Percent,
  age: Type.Optional(oneOf(AGES)),
  rating_min: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
  search: Type.String({ default: '', maxLength: 200 }),
  sort: Type.String({ default: 'last_updated', maxLength: 64, description: `${SORTS.join(', ')}; others: the first.` }),
  page: Type.Integer({ default: 1, minimum: 1, maximum: 1_000_000 }),
  page_size: Type.Integer({ default: 50, minimum: 1, maximum: MAX_PAGE }),
  force_refresh: Type.Boolean({ default: false, description: 'Asks the services again.' }),
})

export function registerListRoutes(app: PluginApp, parts: Parts): void {
  app.get(
    '/api/playback_progress/providers',
    {
      ...skipSerializer,
      schema: {
        summary: 'Accounts with positions, and what can be done with them',
        response: { 200: ProvidersAnswer },
      },
    },
    async () => {
      const profiles = await parts.profiles()
      return {
        providers: profiles.map((profile) => providerRow(profile, parts.reads.cached(profile))),
        refreshed_at: isoTime(Date.now()),
      }
    },
  )

  app.get(
    '/api/playback_progress/items',
    {
      ...skipSerializer,
      schema: {
        summary: 'Where people stopped watching, on all accounts',
        querystring: ItemsQuery,
        response: { 200: ItemsAnswer },
      },
    },
    async ({ query }) => list(parts, query as Static<typeof ItemsQuery>),
  )
}

async function list(parts: Parts, query: Static<typeof ItemsQuery>) {
  const { page, page_size: size, force_refresh: force } = query
  const provider = query.provider.trim().toLowerCase() === 'all' ? '' : keyText(query.provider)
  const instance = query.instance_id.trim().toLowerCase() === 'all' ? '' : query.instance_id
  const all = await parts.profiles()
  parts.reads.retain(all)
  const asked = all.filter(
    (profile) =>
      isShown(profile) &&
      (provider === '' || keyText(profile.provider) === provider) &&
      (instance === '' || keyText(profile.instance) === keyText(instance)),
  )
  const timeoutMs = parts.settings().provider_timeout_seconds * 1_000
  const [read, streams, pairs, hasArt] = await Promise.all([
    parts.reads.rowsOf(asked, { force, timeoutMs }),
    parts.streams(),
    provider === '' ? parts.pairs() : [],
    parts.hasArt(),
  ])
  const nowMs = Date.now()
  const places = read.flatMap(toPlaces)
  const groups: readonly Group[] =
    provider === '' ? await groupPlaces(places, ownersByPairs(pairs)) : places.map((place): Group => [place])
  const matches = matcherOf(
    {
      instance,
      mediaType: query.media_type,
      search: query.search,
      ...defined({
        progressMin: query.progress_min,
        progressMax: query.progress_max,
        age: query.age,
        ratingMin: query.rating_min,
      }),
    },
    nowMs,
  )
  const sort = SORTS.find((name) => name === query.sort) ?? 'last_updated'
  const sorted = await sortGroups(await filterGroups(groups, matches), sort)
  const options = { liveOf: liveOf(streams, nowMs), hasArt }
  const errors = read.flatMap(toError)
  return {
    items: sorted
      .slice((page - 1) * size, page * size)
      .map((group) => (provider === '' ? toItem(group, options) : toRecord(group[0], options))),
    page,
    page_size: size,
    total: sorted.length,
    providers: all.map((profile) => providerRow(profile, parts.reads.cached(profile))),
    errors,
    partial: errors.length > 0 && sorted.length > 0,
    refreshed_at: isoTime(nowMs),
  }
}

function toPlaces({ profile, entries, readAtMs, isOld }: ProfileRows): readonly Place[] {
  return [...entries.values()].map((entry) => ({ profile, entry, readAtMs, isOld }))
}

function toError({ profile, failure }: ProfileRows): readonly ReadError[] {
  if (failure === undefined) return []
  return [
    {
      ok: false,
      ...namesOf(profile),
      operation: 'list_progress',
      error_code: failure.code,
      message: failure.message,
      retryable: failure.retryable,
      remote_status: failure.remoteStatus,
    },
  ]
}

function namesOf({ provider, label, instance, instanceLabel }: Profile) {
  return { provider, provider_label: label, instance_id: instance, instance_label: instanceLabel }
}

function providerRow(profile: Profile, rows: ProfileRows | undefined): ProviderRow {
  const abilities = abilitiesOf(profile)
  return {
    provider: profile.provider,
    provider_label: profile.label,
    instance_id: profile.instance,
    instance_label: profile.instanceLabel,
    included: profile.included,
    configured: profile.configured,
    ...abilities,
    reason: profile.reason,
    last_refresh: isoTime(rows?.readAtMs ?? null),
    last_error: rows?.failure?.message ?? null,
    capabilities: abilities,
  }
}
