// Routes that list the watchlist and remove entries.
import {
  AcrossPersons,
  assertOnePerson,
  type Accounts,
  defined,
  type LibraryService,
  type MergedItem,
  type Person,
  PlayheadError,
  type PluginApp,
  type Remote,
  skipSerializer,
  Type,
} from '@playhead/sdk'
import type { FastifyRequest } from 'fastify'
import { BatchAnswer, ListAnswer, RefusedBody, SingleAnswer } from './answers.ts'
import type { Describer, DescribeOptions } from './describe.ts'
import { loadTokens, toEntry } from './entry.ts'
import { reportBatch, reportSingle } from './report.ts'
import { createFinder, namesOf, type WantedKey } from './find-entry.ts'
import { createListing } from './listing.ts'
import type { Removal, Wanted } from './removal.ts'
import { chooseTargets, type Targets } from './targets.ts'

const MAX_NAMES = 500

const ListQuery = Type.Object({
  overview: Type.Unsafe<'none' | 'short' | 'full'>({
    type: 'string',
    enum: ['none', 'short', 'full'],
    default: 'none',
  }),
  locale: Type.Optional(
    Type.String({ maxLength: 35, description: 'Language of the texts; default: that of the metadata.' }),
  ),
  limit: Type.Integer({ default: 0, minimum: 0, maximum: 5000, description: '0: all.' }),
  max_meta: Type.Integer({
    default: 250,
    minimum: 0,
    maximum: 2000,
    description: 'Maximum number of rows with an overview.',
  }),
})
const AccountQuery = Type.Object({
  across_persons: AcrossPersons,
  provider: Type.String({ default: 'ALL', maxLength: 64 }),
  provider_instance: Type.String({ default: '', maxLength: 64 }),
})
const BatchBody = Type.Object(
  {
    across_persons: AcrossPersons,
    provider: Type.Optional(Type.String({ default: 'ALL', maxLength: 64 })),
    provider_instance: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
    keys: Type.Optional(Type.Unknown({ description: 'A list of keys, or of `{ key, aliases }`.' })),
  },
  { additionalProperties: true },
)
const KeyParams = Type.Object({ key: Type.String({ minLength: 1 }) })

interface RouteOptions {
  readonly accounts: Pick<Remote<Accounts>, 'list' | 'providers'>
  /** Undefined without a library service; then no account was ever read. */
  readonly library: () => Remote<LibraryService> | undefined
  readonly persons: () => Promise<readonly Person[]>
  readonly removal: Removal
  readonly describer: (options: DescribeOptions) => Promise<Describer>
  readonly isReady: () => Promise<boolean>
  readonly hostRevision: () => string
}

interface List {
  readonly overview: 'none' | 'short' | 'full'
  readonly locale?: string
  readonly limit: number
  readonly max_meta: number
}

interface Batch {
  readonly across_persons?: boolean
  readonly provider?: string
  readonly provider_instance?: string | null
  readonly keys?: unknown
}

export function registerRoutes(app: PluginApp, options: RouteOptions): void {
  const { accounts, library, persons, removal, describer } = options
  const listing = createListing(options)

  for (const path of ['/api/watchlist', '/api/watchlist/']) {
    app.get<{ Querystring: List }>(
      path,
      {
        ...skipSerializer,
        config: {
          // Descriptions come from a service, within a time limit.
          revision: ({ query }: FastifyRequest<{ Querystring: List }>) =>
            query.overview === 'none' ? listing.revision() : null,
        },
        schema: {
          summary: 'The watchlists of all accounts as one',
          hide: path.endsWith('/'),
          querystring: ListQuery,
          response: { 200: ListAnswer },
        },
      },
      async (request, reply) => {
        const { overview, locale, limit, max_meta: most } = request.query
        const describing = await describer({ overview, most, ...defined({ locale }) })
        // Errors must occur before the first chunk is sent.
        const body = await listing.write(limit, describing)
        return reply.type('application/json; charset=utf-8').send(body)
      },
    )
  }

  app.delete<{
    Params: { key: string }
    Querystring: { provider: string; provider_instance: string; across_persons?: boolean }
  }>(
    '/api/watchlist/:key',
    {
      ...skipSerializer,
      schema: {
        summary: 'Remove a title from the watchlists',
        params: KeyParams,
        querystring: AccountQuery,
        // A key without a match, or with several, gets a response of the same form; a refused body has that of all routes.
        response: { 200: SingleAnswer, 400: Type.Union([SingleAnswer, RefusedBody]) },
        errors: { 400: { invalid_key: 'The body has a key named `__proto__` or `constructor`.' } },
      },
    },
    async ({ params, query }, reply) => {
      const targets = await chooseTargets(accounts, query.provider, query.provider_instance)
      const { wanted, outcomes } = await remove([{ key: params.key, aliases: [] }], targets, query.across_persons)
      const report = reportSingle(wanted[0] as Wanted, targets, outcomes)
      return reply.code(report.ok ? 200 : 400).send(report)
    },
  )

  for (const path of ['/api/watchlist/delete', '/api/watchlist/delete_batch']) {
    app.post<{ Body: Batch }>(
      path,
      {
        ...skipSerializer,
        schema: { summary: 'Remove titles from the watchlists', body: BatchBody, response: { 200: BatchAnswer } },
      },
      async ({ body }) => {
        const keys = readKeys(body.keys)
        const targets = await chooseTargets(accounts, body.provider ?? 'ALL', body.provider_instance ?? '')
        const { wanted, outcomes } = await remove(keys, targets, body.across_persons)
        return reportBatch(wanted, targets, outcomes)
      },
    )
  }

  async function remove(keys: readonly WantedKey[], targets: Targets, isConfirmed: boolean | undefined) {
    const source = library()
    if (source === undefined)
      throw new PlayheadError('PLH_CAPABILITY_GONE', 'The sync engine is not running, so nothing was deleted.')
    const tokenOf = await loadTokens(accounts)
    const names = namesOf(keys)
    const found: MergedItem[] = []
    for (let start = 0; start < names.length; start += MAX_NAMES)
      found.push(...(await source.itemsByKeys({ feature: 'watchlist' }, names.slice(start, start + MAX_NAMES))))
    // Several keys may find the same item.
    const entries = new Map(found.map((item) => [JSON.stringify(item.rows), toEntry(item, tokenOf)]))
    const find = createFinder([...entries.values()])
    const wanted = keys.map((key): Wanted => ({ key: key.key, found: find(key) }))
    const touched = wanted.flatMap(({ found: one }) =>
      one.outcome === 'found'
        ? one.entry.rows.filter(({ provider, instance }) => targets.includes(provider, instance))
        : [],
    )
    assertOnePerson(await persons(), [touched], isConfirmed)
    return { wanted, outcomes: await removal(wanted, targets) }
  }
}

function readKeys(keys: unknown): readonly WantedKey[] {
  if (!Array.isArray(keys) || keys.length === 0) throw invalid('keys must be a non-empty array', 'keys_required')
  return keys.map((key: unknown): WantedKey => {
    const given: { readonly key?: unknown; readonly aliases?: unknown } =
      typeof key === 'object' && key !== null ? key : { key }
    const { key: text, aliases = [] } = given
    const isRight =
      typeof text === 'string' &&
      text !== '' &&
      Array.isArray(aliases) &&
      aliases.every((alias) => typeof alias === 'string')
    if (!isRight) throw invalid('keys must hold texts, or objects with a key and aliases', 'invalid_keys')
    return { key: text, aliases: aliases as readonly string[] }
  })
}

/** The interface provides the sentences; `reason` is the code. */
function invalid(text: string, reason: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `Send the list of keys again: ${text}.`, { wire: text, details: { reason } })
}
