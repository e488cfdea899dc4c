// The routes under /api/playlists.
import {
  assertScope,
  clientSignal,
  defined,
  pause,
  type PluginApp,
  skipSerializer,
  type Static,
  type TSchema,
  Type,
} from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { capabilitiesOf, resourceOf, supportOf } from '../config/lists.ts'
import { listAccount } from '../config/endpoints.ts'
import { EndpointBody, type EndpointInput, MappingBody, type MappingInput } from '../config/requests.ts'
import { checkRuleset } from '../config/rulesets.ts'
import type { Parts } from '../parts.ts'
import { providerError } from '../run/failures.ts'
import type { Runs } from '../run/runs.ts'
import type { PlaylistsService } from '../service.ts'
import {
  AcceptedAnswer,
  ActivityAnswer,
  CloneBody,
  EndpointAnswer,
  EndpointId,
  list,
  MappingAnswer,
  MappingId,
  ok,
  PairId,
  PreviewAnswer,
  ProviderAnswer,
  ResourceAnswer,
  ResultAnswer,
  RulesetAnswer,
  RulesetBody,
  RulesetCheckAnswer,
  RulesetId,
  RunAnswer,
  RunBody,
  SummaryAnswer,
} from './schemas.ts'

interface RouteParts {
  readonly parts: Parts
  readonly runs: Runs
  readonly service: PlaylistsService
}

/** A run that takes longer continues in the background. */
const ANSWER_MS = 5_000

interface Extra {
  readonly params?: TSchema
  readonly body?: TSchema
  readonly querystring?: TSchema
  readonly accepted?: TSchema
}

function described(summary: string, answer: TSchema, { accepted, ...extra }: Extra = {}) {
  const response = { 200: answer, ...defined({ 202: accepted }) }
  return { ...skipSerializer, schema: { summary, ...extra, response } }
}

/** `{ mapping: {…} }` or the mapping itself. */
function inner(body: unknown, name: string): Readonly<Record<string, unknown>> {
  const given = isRecord(body) ? body : {}
  const wrapped = given[name]
  return isRecord(wrapped) ? wrapped : given
}

export function registerRoutes(app: PluginApp, all: RouteParts): void {
  registerReads(app, all)
  registerEndpoints(app, all)
  registerRulesets(app, all)
  registerMappings(app, all)
  registerRuns(app, all)
}

const AccountQuery = Type.Object({
  provider: Type.String({ minLength: 1, maxLength: 100 }),
  instance: Type.String({ default: 'default', maxLength: 100 }),
})
const ActivityQuery = Type.Object({
  limit: Type.Integer({ default: 25, minimum: 1, maximum: 200 }),
  mapping_id: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'Only its runs.' })),
})

function registerReads(app: PluginApp, { parts, service }: RouteParts): void {
  app.get(
    '/api/playlists/providers',
    described('The accounts that have lists, and what can be done with them', ok({ providers: list(ProviderAnswer) })),
    async () => {
      const [descriptions, accounts] = await Promise.all([parts.accounts.providers(), parts.accounts.list()])
      const capable = descriptions.filter(({ lists = {} }) => Object.keys(lists).length > 0)
      const providers = accounts.flatMap(({ provider, instance, configured }) => {
        const found = capable.find(({ id }) => id === provider)
        if (found === undefined) return []
        return [{ provider, instance, label: found.label, configured, capabilities: capabilitiesOf(found) }]
      })
      const byName = (one: (typeof providers)[number]) =>
        `${one.provider} ${one.instance === 'default' ? '' : one.instance}`
      return { ok: true, providers: providers.toSorted((a, b) => (byName(a) < byName(b) ? -1 : 1)) }
    },
  )

  app.get(
    '/api/playlists/resources',
    described(
      'The lists of an account, from its provider',
      ok({ provider: Type.String(), instance: Type.String(), resources: list(ResourceAnswer) }),
      { querystring: AccountQuery },
    ),
    async (request) => {
      const account = await listAccount(parts, request.query as Static<typeof AccountQuery>)
      const { provider, instance, description } = account
      try {
        const found = await parts.lists.all({ provider, instance }, clientSignal(request))
        const resources = found.map((one) => resourceOf(account, one, supportOf(description, one.kind)))
        return { ok: true, provider, instance, resources }
      } catch (error) {
        throw providerError(error, account)
      }
    },
  )

  app.get(
    '/api/playlists/overview',
    described(
      'Endpoints, mappings, last results and activity',
      ok({
        endpoints: list(EndpointAnswer),
        mappings: list(MappingAnswer),
        results: Type.Record(Type.String(), ResultAnswer),
        activity: list(ActivityAnswer),
        summary: SummaryAnswer,
      }),
    ),
    async () => ({ ok: true, ...(await service.overview()) }),
  )

  app.get(
    '/api/playlists/activity',
    described('The last runs and refreshes, newest first', ok({ activity: list(ActivityAnswer) }), {
      querystring: ActivityQuery,
    }),
    async (request) => {
      const { limit, mapping_id: mappingId } = request.query as Static<typeof ActivityQuery>
      return { ok: true, activity: await service.activity(limit, mappingId) }
    },
  )
}

function registerEndpoints(app: PluginApp, { service }: RouteParts): void {
  app.get(
    '/api/playlists/endpoints',
    described('The lists that people named', ok({ endpoints: list(EndpointAnswer) })),
    async () => ({ ok: true, endpoints: await service.endpoints() }),
  )
  app.post(
    '/api/playlists/endpoints',
    described(
      'Creates or changes an endpoint; creates its list if asked',
      ok({ endpoint: EndpointAnswer, created: Type.Boolean(), state_reset: Type.Optional(Type.Boolean()) }),
      { body: EndpointBody },
    ),
    async (request) => {
      const signal = clientSignal(request)
      const { endpoint, created, stateReset } = await service.saveEndpoint(request.body as EndpointInput, signal)
      return { ok: true, endpoint, created, ...(stateReset ? { state_reset: true } : {}) }
    },
  )
  app.delete(
    '/api/playlists/endpoints/:endpoint_id',
    described('Removes an endpoint; its list stays', ok(), { params: EndpointId }),
    async (request) => {
      await service.removeEndpoint((request.params as { endpoint_id: string }).endpoint_id)
      return { ok: true }
    },
  )
  app.post(
    '/api/playlists/endpoints/:endpoint_id/sync',
    described('Reads the list of an endpoint; changes no items', ok({ endpoint: EndpointAnswer }), {
      params: EndpointId,
    }),
    async (request) => {
      const { endpoint_id: id } = request.params as { endpoint_id: string }
      return { ok: true, endpoint: await service.refreshEndpoint(id, clientSignal(request)) }
    },
  )
}

function registerRulesets(app: PluginApp, { service }: RouteParts): void {
  const idOf = (params: unknown) => (params as { ruleset_id: string }).ruleset_id
  app.get(
    '/api/playlists/rulesets',
    described('All rulesets, those of the product first', ok({ rulesets: list(RulesetAnswer) })),
    async () => ({ ok: true, rulesets: service.rulesets() }),
  )
  app.get(
    '/api/playlists/rulesets/:ruleset_id',
    described('A ruleset', ok({ ruleset: RulesetAnswer, error: Type.Null() }), { params: RulesetId }),
    async (request) => ({ ok: true, ruleset: service.ruleset(idOf(request.params)), error: null }),
  )
  app.post(
    '/api/playlists/rulesets',
    described('Creates or changes a ruleset', ok({ ruleset: RulesetAnswer, created: Type.Boolean() }), {
      body: RulesetBody,
    }),
    async (request) => {
      const { saved, created } = await service.saveRuleset(inner(request.body, 'ruleset'))
      return { ok: true, ruleset: saved, created }
    },
  )
  app.post(
    '/api/playlists/rulesets/validate',
    described('All errors of a ruleset, and what it becomes', RulesetCheckAnswer, { body: RulesetBody }),
    async (request) => {
      const { errors, warnings, ruleset } = checkRuleset(inner(request.body, 'ruleset'), false)
      return { ok: errors.length === 0, errors, warnings, ruleset }
    },
  )
  app.post(
    '/api/playlists/rulesets/:ruleset_id/clone',
    described('Copies a ruleset', ok({ ruleset: RulesetAnswer, created: Type.Boolean() }), {
      params: RulesetId,
      body: CloneBody,
    }),
    async (request) => {
      const changes = inner(request.body, 'ruleset')
      return { ok: true, ruleset: await service.cloneRuleset(idOf(request.params), changes), created: true }
    },
  )
  app.delete(
    '/api/playlists/rulesets/:ruleset_id',
    described('Removes a ruleset', ok(), { params: RulesetId }),
    async (request) => {
      await service.removeRuleset(idOf(request.params))
      return { ok: true }
    },
  )
}

const SavedMapping = ok({ mapping: MappingAnswer, created: Type.Boolean(), pair_id: Type.String() })

function registerMappings(app: PluginApp, { service }: RouteParts): void {
  app.get('/api/playlists/mappings', described('All mappings', ok({ mappings: list(MappingAnswer) })), async () => ({
    ok: true,
    mappings: await service.mappings(),
  }))
  app.post(
    '/api/playlists/mappings',
    described('Creates or changes a mapping, with its pair', SavedMapping, { body: MappingBody }),
    async (request) => ({ ok: true, ...(await service.saveMapping(inner(request.body, 'mapping') as MappingInput)) }),
  )
  app.delete(
    '/api/playlists/mappings/:mapping_id',
    described('Removes a mapping and what it manages; items stay in their lists', ok(), { params: MappingId }),
    async (request) => {
      await service.removeMapping((request.params as { mapping_id: string }).mapping_id)
      return { ok: true }
    },
  )
  app.get(
    '/api/playlists/mappings/:mapping_id/result',
    described('The result of the last run', ok({ result: Type.Union([ResultAnswer, Type.Null()]) }), {
      params: MappingId,
    }),
    async (request) => ({
      ok: true,
      result: await service.result((request.params as { mapping_id: string }).mapping_id),
    }),
  )
  app.get(
    '/api/playlists/pairs/:pair_id/mappings',
    described(
      'The mappings that run with a pair, or could',
      ok({ pair_id: Type.String(), mappings: list(MappingAnswer) }),
      { params: PairId },
    ),
    async (request) => {
      const { pair_id: id } = request.params as { pair_id: string }
      return { ok: true, pair_id: id, mappings: await service.ofPair(id) }
    },
  )
}

const RunQuery = Type.Object({ dry_run: Type.Boolean({ default: false }) })

function registerRuns(app: PluginApp, { runs }: RouteParts): void {
  const confirmed = (body: unknown) => {
    const { confirm_mass_delete: approved, confirm_destructive: lossy } = inner(body, 'options') as {
      readonly confirm_mass_delete?: boolean
      readonly confirm_destructive?: boolean
    }
    return { approved: approved === true, confirmed: lossy === true }
  }
  app.post(
    '/api/playlists/mappings/:mapping_id/preview',
    described('What a run would do now; writes nothing', PreviewAnswer, { params: MappingId, body: RunBody }),
    async (request) => {
      const { mapping_id: id } = request.params as { mapping_id: string }
      const signal = clientSignal(request)
      return { ok: true, preview: await runs.preview(id, { ...confirmed(request.body), signal }) }
    },
  )
  app.post(
    '/api/playlists/mappings/:mapping_id/run',
    described('Runs a mapping', RunAnswer, {
      params: MappingId,
      querystring: RunQuery,
      body: RunBody,
      accepted: AcceptedAnswer,
    }),
    async (request, reply) => {
      const { mapping_id: id } = request.params as { mapping_id: string }
      const { dry_run: dryRun } = request.query as Static<typeof RunQuery>
      const approval = confirmed(request.body)
      if (approval.approved || approval.confirmed)
        assertScope(request.caller, 'write', 'To approve removals that were held')
      const { jobId, result, failure } = await runs.start(id, { ...approval, dryRun })
      const limit = new AbortController()
      const done = await Promise.race([result, pause(ANSWER_MS, limit.signal)]).finally(() => limit.abort())
      if (done === undefined)
        return reply.code(202).send({ ok: true, accepted: true, job_id: jobId, progress_id: jobId })
      const error = failure()
      if (error !== undefined) throw error
      return { ok: true, result: done }
    },
  )
}
