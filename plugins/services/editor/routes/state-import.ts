// Routes that import live data. Only with the setting `runtime.debug` or `runtime.debug_mods`.
import { namedAccount, orNull, type PluginApp, PlayheadError, skipSerializer, Type } from '@playhead/sdk'
import { invalid, KINDS, type Sources } from '../sources.ts'
import type { ImportJob, Imports } from '../state-import.ts'
import { ImportProvidersAnswer, StateImportAnswer } from './answers.ts'
import { readMode } from './policy.ts'

const Name = Type.String({ maxLength: 200 })
const Body = Type.Object(
  {
    provider: Type.Optional(orNull(Name)),
    provider_instance: Type.Optional(orNull(Name)),
    features: Type.Optional(orNull(Type.Array(Name, { maxItems: 50, description: 'Default: all.' }))),
    mode: Type.Optional(Type.String({ maxLength: 40, description: '`replace` (default) or `merge`.' })),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only read and compare.' })),
    force: Type.Optional(Type.Boolean({ description: 'Also store a read that lacks suspiciously many rows.' })),
  },
  { additionalProperties: true },
)

interface ImportBody {
  readonly provider?: string | null
  readonly provider_instance?: string | null
  readonly features?: readonly string[] | null
  readonly mode?: string
  readonly dry_run?: boolean
  readonly force?: boolean
}

export function registerImportRoutes(
  app: PluginApp,
  { sources, imports }: { readonly sources: Sources; readonly imports: Imports },
): void {
  app.get(
    '/api/editor/state/import/providers',
    {
      ...skipSerializer,
      schema: { summary: 'Providers whose live data can be imported', response: { 200: ImportProvidersAnswer } },
    },
    async () => {
      if (!imports.isEnabled()) return { enabled: false, providers: [] }
      return { enabled: true, providers: await importable(sources), jobs: imports.jobs() }
    },
  )

  app.post<{ Body: ImportBody }>(
    '/api/editor/state/import',
    {
      ...skipSerializer,
      schema: {
        summary: 'Import live data as the known rows',
        body: Body,
        response: { 200: StateImportAnswer, 202: StateImportAnswer },
      },
    },
    async ({ body }, reply) => {
      if (!imports.isEnabled())
        throw new PlayheadError('PLH_FORBIDDEN', 'Turn on debug mode (runtime.debug) in the settings first.', {
          wire: 'debug_disabled',
        })
      if (body.provider == null || body.provider.trim() === '') throw invalid('missing_provider', 'Missing provider.')
      const mode = readMode(body.mode ?? 'replace')
      const asked = body.features?.map((name) => name.trim().toLowerCase())
      const kinds = KINDS.filter((kind) => asked?.includes(kind) ?? true)
      if (kinds.length === 0) throw invalid('no_features', `Name at least one feature of ${KINDS.join(', ')}.`)
      const named = await namedAccount(sources.accounts, body.provider, body.provider_instance)
      if (!named.account.configured) throw invalid('provider_not_configured', 'The provider is not configured.')
      const job = await imports.run(named, {
        mode,
        kinds,
        dryRun: body.dry_run === true,
        approved: body.force === true,
      })
      return reply.code(job.state === 'done' ? 200 : 202).send(answerOf(job))
    },
  )
}

function answerOf({ state, features, ...job }: ImportJob) {
  const { provider, provider_instance: instance, mode, dry_run: dryRun, job_id: jobId } = job
  const about = { provider, provider_instance: instance, mode, dry_run: dryRun, features, job_id: jobId }
  return state === 'done'
    ? { ok: Object.values(features).every(({ ok }) => ok), ...about }
    : { ok: true, accepted: true, progress_id: jobId, ...about }
}

async function importable({ accounts }: Sources) {
  const all = await accounts.list()
  const providers = (await accounts.providers()).map(({ id, label, features }) => {
    const own = all.filter(({ provider }) => provider === id)
    return {
      name: id,
      label,
      configured: own.some(({ configured }) => configured),
      instances: own.map((one) => ({ id: one.instance, label: one.label, configured: one.configured })),
      features: Object.fromEntries(KINDS.map((kind) => [kind, features[kind]?.read === true])),
    }
  })
  return providers.toSorted((a, b) => Number(b.configured) - Number(a.configured) || (a.name < b.name ? -1 : 1))
}
