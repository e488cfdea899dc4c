// HTTP routes for the status, updates, overrides and coverage of the anime mapping.
import { defined, PlayheadError, type PluginApp, skipSerializer, type Static, Type } from '@playhead/sdk'
import { isName } from './capability.ts'
import { GivenRule, MAX_RULES, parseRules, Rule } from './overrides/rule.ts'
import { CoverageAnswer, CoverageQuery } from './coverage.ts'
import type { Parts } from './parts.ts'
import {
  ANY_PROVIDER,
  DataProvider,
  DEFAULT_PROVIDERS,
  isReleaseTag,
  MappedFeatures,
  RefreshHours,
  type Settings,
  StaleDays,
} from './settings.ts'
import { AutoUpdateStatus, Status, statusOf } from './status.ts'
import { isReady } from './update/update.ts'

const BODY_BYTES = 8 * 1024 * 1024
const ReleaseTag = Type.String({ maxLength: 200, description: 'Letters, digits, ".", "_" and "-".' })

const SettingsBody = Type.Partial(
  Type.Object({
    enabled: Type.Boolean({ description: 'Consent to the download of the data sets.' }),
    auto_update: Type.Boolean(),
    provider: DataProvider,
    release_tag: ReleaseTag,
    refresh_hours: RefreshHours,
    stale_after_days: StaleDays,
    use_for_pairs: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 50,
      description: 'Services whose pairs are mapped; * for all. Empty: animeA and trackB.',
    }),
    features: MappedFeatures,
    overrides: Type.Array(GivenRule, { maxItems: MAX_RULES, description: 'All rules; they replace those of before.' }),
  }),
  { additionalProperties: true, description: 'Absent fields stay unchanged.' },
)
const UpdateBody = Type.Object(
  {
    release_tag: Type.Optional(ReleaseTag),
    force: Type.Optional(Type.Boolean({ description: 'Download also what did not change.' })),
  },
  { additionalProperties: true },
)
const RebuildBody = Type.Object({ release_tag: Type.Optional(ReleaseTag) }, { additionalProperties: true })

const Counts = Type.Object({
  source_count: Type.Integer(),
  edge_count: Type.Integer(),
  pair_count: Type.Integer(),
  identity_count: Type.Integer(),
  skipped_count: Type.Integer(),
})
const KnownSettings = Type.Object({
  ok: Type.Literal(true),
  anime_mapping: Type.Object({
    enabled: Type.Boolean(),
    auto_update: Type.Boolean(),
    provider: Type.String(),
    release_tag: Type.String(),
    refresh_hours: Type.Integer(),
    stale_after_days: Type.Integer(),
    use_for_pairs: Type.Array(Type.String()),
    features: Type.Array(Type.String()),
    overrides: Type.Array(Rule),
  }),
})
const SettingsAnswer = Type.Composite([
  KnownSettings,
  Type.Object({
    status: Status,
    bootstrap: Type.Union([Type.Object({ job: Type.Literal('started') }), Type.Null()], {
      description: 'The first download, in the background; see the status.',
    }),
    bootstrap_error: Type.String(),
  }),
])
const UpdateAnswer = Type.Composite([
  Status,
  Type.Object({
    updated: Type.Boolean(),
    rebuilt: Type.Optional(Type.Boolean()),
    download: Type.Optional(Type.Object({ size: Type.Integer({ description: 'Bytes.' }) })),
    rebuild: Type.Optional(Counts),
  }),
])
const RebuildAnswer = Type.Object({
  ok: Type.Literal(true),
  rebuild: Counts,
  status: Status,
  auto_update_status: AutoUpdateStatus,
})

export function registerRoutes(app: PluginApp<Settings>, { state, rules, updates, automatic, coverage }: Parts): void {
  const ctx = app.playhead

  async function status(): Promise<Status> {
    const [current, list, nextAtMs] = await Promise.all([state.read(), rules.list(), automatic.nextAt()])
    return statusOf({
      settings: ctx.config,
      state: current,
      isRunning: updates.isRunning(),
      nextAtMs,
      overrides: list.length,
      nowMs: Date.now(),
    })
  }

  app.get(
    '/api/anime-mapping/status',
    { ...skipSerializer, schema: { summary: 'State of the anime mapping', response: { 200: Status } } },
    () => status(),
  )

  app.get(
    '/api/anime-mapping/coverage',
    {
      ...skipSerializer,
      schema: {
        summary: 'Which anime of each account is mapped, and what is not',
        querystring: CoverageQuery,
        response: { 200: CoverageAnswer },
      },
    },
    async (request) => {
      const { provider, instance, offset, limit } = request.query as Static<typeof CoverageQuery>
      const { ready, accounts, unmapped } = await coverage.read()
      const wanted = unmapped.filter(
        (one) =>
          (provider === undefined || one.provider === provider.toUpperCase()) &&
          (instance === undefined || one.instance === instance),
      )
      const shown = wanted.slice(offset, offset + limit)
      return { ok: true, ready, accounts, total: wanted.length, offset, limit, unmapped: shown }
    },
  )

  function shownOf(settings: Settings, overrides: Awaited<ReturnType<typeof rules.list>>) {
    const { mappings_url: _mappings, identities_url: _identities, ...shown } = settings
    return { ok: true, anime_mapping: { ...shown, overrides } }
  }

  app.get(
    '/api/anime-mapping/settings',
    {
      ...skipSerializer,
      schema: { summary: 'The settings and rules of the anime mapping', response: { 200: KnownSettings } },
    },
    async () => shownOf(ctx.config, await rules.list()),
  )

  app.post(
    '/api/anime-mapping/settings',
    {
      ...skipSerializer,
      bodyLimit: BODY_BYTES,
      schema: {
        summary: 'Change the settings and rules of the anime mapping',
        body: SettingsBody,
        response: { 200: SettingsAnswer },
      },
    },
    async (request) => {
      const { overrides, ...given } = request.body as Static<typeof SettingsBody>
      const change = changeOf(
        given,
        ctx.host.plugins().flatMap(({ provider }) => provider ?? []),
      )
      const before = await rules.list()
      const list = overrides === undefined ? before : parseRules(overrides, before, Math.floor(Date.now() / 1_000))
      // Validate both before the first one is stored.
      await ctx.updateConfig(change)
      if (overrides !== undefined) await rules.save(list)
      const settings = { ...ctx.config, ...change }
      const needsData = settings.enabled && !isReady((await state.read()).index)
      if (needsData && !updates.isRunning()) await automatic.request()
      else await automatic.plan()
      return {
        ...shownOf(settings, list),
        status: await status(),
        bootstrap: needsData ? { job: 'started' } : null,
        bootstrap_error: '',
      }
    },
  )

  app.post(
    '/api/anime-mapping/update',
    {
      ...skipSerializer,
      schema: {
        summary: 'Download new data sets, and build the index',
        body: UpdateBody,
        response: { 200: UpdateAnswer },
      },
    },
    async (request) => {
      const { release_tag: tag, force = false } = request.body as Static<typeof UpdateBody>
      checkTag(tag)
      if (!ctx.config.enabled) {
        throw new PlayheadError('PLH_CONFLICT', 'The anime mapping is off. Turn it on to download its data.', {
          wire: 'mapping_off',
        })
      }
      const result = await updates.update({ force, ...defined({ tag }) }, ctx.signal)
      await automatic.plan()
      return { ...(await status()), ...result }
    },
  )

  app.post(
    '/api/anime-mapping/rebuild-index',
    {
      ...skipSerializer,
      schema: {
        summary: 'Build the index from the data sets that are there',
        body: RebuildBody,
        response: { 200: RebuildAnswer },
      },
    },
    async (request) => {
      const { release_tag: tag } = request.body as Static<typeof RebuildBody>
      checkTag(tag)
      const rebuild = await updates.rebuild(tag, ctx.signal)
      await automatic.plan()
      const now = await status()
      return { ok: true, rebuild, status: now, auto_update_status: now.auto_update_status }
    },
  )
}

type Change = Partial<Omit<Settings, 'mappings_url' | 'identities_url'>>

function changeOf(
  given: Omit<Static<typeof SettingsBody>, 'overrides'>,
  providers: readonly { readonly id: string; readonly token: string }[],
): Change {
  const { enabled, auto_update, provider, release_tag, refresh_hours, stale_after_days, use_for_pairs, features } =
    given
  checkTag(release_tag)
  const change = {
    enabled,
    auto_update,
    provider,
    release_tag,
    refresh_hours,
    stale_after_days,
    use_for_pairs: use_for_pairs === undefined ? undefined : providersOf(use_for_pairs, providers),
    features,
  }
  return defined(change)
}

function providersOf(
  names: readonly string[],
  providers: readonly { readonly id: string; readonly token: string }[],
): string[] {
  if (names.length === 0) return [...DEFAULT_PROVIDERS]
  const known = names.map((name) => {
    if (name === ANY_PROVIDER) return name
    const provider = providers.find(({ id, token }) => isName(name, id, token))
    // The defaults are known even if their plugins are off.
    const token = provider?.token ?? DEFAULT_PROVIDERS.find((one) => isName(name, one))
    if (token !== undefined) return token
    throw new PlayheadError('PLH_INVALID', `There is no service "${name}".`, { wire: 'unknown_provider' })
  })
  return [...new Set(known)]
}

function checkTag(tag: string | undefined): void {
  if (tag === undefined || isReleaseTag(tag)) return
  throw new PlayheadError('PLH_INVALID', 'A release tag has 1 to 64 letters, digits, ".", "_" and "-".', {
    wire: 'invalid_release_tag',
  })
}
