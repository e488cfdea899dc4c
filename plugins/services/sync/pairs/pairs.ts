// The list of pairs: validated before it is stored, with a single writer.
import { randomBytes } from 'node:crypto'
import {
  assertOnePerson,
  type Account,
  accountLabel,
  type Accounts,
  ACCOUNTS,
  defined,
  type Feature,
  featureCapability,
  householdOf,
  isPlayheadError,
  type OwnedPair,
  type PairMode,
  PlayheadError,
  type PluginContext,
  type ProviderDescription,
  PROVIDERS,
  readInstance,
  readProvider,
  type Remote,
} from '@playhead/sdk'
import { namesOf, type Pair } from './pair.ts'
import { type PairBody, type Problem, problem, readFeatures, refuse } from './input.ts'
import type { SyncConfig } from '../settings.ts'
import { optionsWithoutEffect, overridesWithoutEffect } from './without-effect.ts'

export type Pairs = ReturnType<typeof createPairs>

export function createPairs(ctx: PluginContext<SyncConfig>) {
  const accounts: Remote<Accounts> = ctx.use(ACCOUNTS)
  const list = () => ctx.config.pairs as readonly Pair[]
  const find = (id: string) => list().find((pair) => pair.id === id)

  async function check(body: PairBody & { owner?: string }, before: Pair | undefined): Promise<Omit<Pair, 'id'>> {
    const endOf = (side: 'source' | 'target') => {
      const provider = readProvider(body[side] ?? before?.[side])
      // Profiles belong to a provider, so a new provider resets the profile.
      const kept = provider === before?.[side] ? before[`${side}_instance`] : null
      return { provider, instance: readInstance(body[`${side}_instance`] ?? kept) }
    }
    const { provider: source, instance: sourceInstance } = endOf('source')
    const { provider: target, instance: targetInstance } = endOf('target')
    const mode = (body.mode ?? before?.mode ?? 'one_way').replace('-', '_') as PairMode
    const [providers, profiles] = await Promise.all([accounts.providers(), accounts.list()])
    const labels = withProfiles(providers, profiles)
    const problems: Problem[] = [
      ...checkSide('source', source, sourceInstance, providers, profiles),
      ...checkSide('target', target, targetInstance, providers, profiles),
    ]
    const owner = body.owner ?? before?.owner
    // A plugin may pair two lists of one account.
    if (owner === undefined) {
      if (source !== '' && source === target && sourceInstance === targetInstance) {
        problems.push(problem('target_instance', 'source and target are the same account; choose two profiles'))
      }
      const known = (id: string) => providers.find((one) => one.id === id)
      problems.push(...checkDirection(known(source), known(target), mode))
    }

    const features =
      body.features == null
        ? { features: before?.features ?? (await defaultFeatures(ctx)), problems: [] }
        : await readFeatures(
            body.features,
            { add: ctx.config.sync.enable_add, remove: ctx.config.sync.enable_remove },
            (feature, options) => normalise(ctx, feature, options),
          )
    const droppers = providers.flatMap(({ id, droppedShows }) => (droppedShows === true ? [id] : []))
    const ends = { source, source_instance: sourceInstance, target, target_instance: targetInstance }
    const names = { ...ends, providers: providers.map(({ id }) => id), droppers }
    const asked = Object.entries(body.features == null ? {} : features.features)
    problems.push(
      ...features.problems,
      ...asked.flatMap(([name, options]) => optionsWithoutEffect(name, options, names)),
      ...overridesWithoutEffect(body.providers ?? {}, names),
    )
    if (problems.length > 0) throw refuse(problems)

    const overrides = body.providers == null ? before?.providers : readOverrides(body.providers)
    return {
      name:
        (body.name ?? before?.name ?? '').trim() ||
        `${nameOf(source, sourceInstance, labels)} → ${nameOf(target, targetInstance, labels)}`,
      ...ends,
      mode,
      enabled: body.enabled ?? before?.enabled ?? false,
      features: features.features,
      ...defined({ providers: overrides, profile_id: body.profile_id ?? before?.profile_id, owner }),
    }
  }

  /** A pair that crosses persons must be confirmed before it is made. */
  async function checkPersons(pair: Pair, { across_persons: confirmed }: PairBody): Promise<void> {
    const { source, source_instance, target, target_instance } = pair
    const ends = [
      { provider: source, instance: source_instance },
      { provider: target, instance: target_instance },
    ]
    assertOnePerson(await householdOf(ctx), [ends], confirmed)
  }

  async function checked(body: PairBody): Promise<Pair> {
    return { id: `pair_${randomBytes(6).toString('hex')}`, ...(await check(ofPeople(body), undefined)) }
  }

  async function store(change: (pairs: readonly Pair[]) => readonly Pair[]): Promise<void> {
    // Use the stored list, not the validated one: another request may have saved in between.
    await ctx.updateConfig((stored) => ({ pairs: change((stored['pairs'] ?? []) as readonly Pair[]) }))
  }

  const show = (pairs: readonly Pair[], providers: readonly ProviderDescription[]) =>
    pairs.map((pair) => ({ ...pair, features: withSupport(pair, providers) }))

  return {
    list,
    find,
    /** For display: features that an account does not support are marked. */
    shown: async (pairs: readonly Pair[]) => show(pairs, await accounts.providers()),
    /** The list for display. It is incomplete while a provider cannot describe itself. */
    async listed() {
      const found = await accounts.providers()
      // Without a provider that timed out, features are marked differently.
      return { pairs: show(list(), found), isWhole: found.length === ctx.capabilities(PROVIDERS).length }
    },
    /** A new pair that is valid, but not stored. Throws as `create`, but asks nothing about persons. */
    checked,
    store,
    async create(body: PairBody): Promise<Pair> {
      const pair = await checked(body)
      await checkPersons(pair, body)
      await store((pairs) => {
        const same = pairs.find((one) => one.owner === undefined && isSameWay(one, pair))
        if (same !== undefined) {
          throw new PlayheadError(
            'PLH_CONFLICT',
            `The pair ${same.id} joins the same accounts in the same way; change that one.`,
            { wire: 'pair_exists', details: { id: same.id } },
          )
        }
        return [...pairs, pair]
      })
      return pair
    },
    /** @param prepare runs between the validation and the storage of the pair */
    async update(id: string, body: PairBody, prepare: (next: Pair) => Promise<void>): Promise<Pair> {
      const before = find(id)
      if (before === undefined) throw unknownPair(id)
      const pair: Pair = { id, ...(await check(ofPeople(body), before)) }
      if (!isSameWay({ ...before, mode: pair.mode }, pair)) await checkPersons(pair, body)
      await prepare(pair)
      await store((pairs) => {
        if (!pairs.some((one) => one.id === id)) throw unknownPair(id)
        return pairs.map((one) => (one.id === id ? pair : one))
      })
      return pair
    },
    /** Creates or replaces a pair of a plugin. Its mappings are removed from other pairs. */
    async saveOwned(owned: OwnedPair, prepare: (next: Pair) => Promise<void>): Promise<Pair> {
      const { id, owner } = owned
      const known = find(id)
      if (known !== undefined && known.owner !== owner) throw foreignPair(id)
      const pair: Pair = { id, ...(await check(owned, known)) }
      await prepare(pair)
      const mappings = mappingsOf(pair)
      await store((pairs) => {
        const others = pairs.map((one) => (one.id === id ? pair : withoutMappings(one, mappings)))
        return others.includes(pair) ? others : [...others, pair]
      })
      return pair
    },
    remove: (id: string) => store((pairs) => pairs.filter((one) => one.id !== id)),
    async reorder(ids: readonly string[]): Promise<readonly string[]> {
      const wanted = [...new Set(ids)]
      await store((pairs) => {
        const first = wanted.flatMap((id) => pairs.find((one) => one.id === id) ?? [])
        return [...first, ...pairs.filter((one) => !wanted.includes(one.id))]
      })
      return list().map(({ id }) => id)
    },
    /** Hints about valid pairs, for example that they form a ring. */
    warnings: (): readonly string[] => ringWarnings(list()),
  }
}

export function unknownPair(id: string): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', `There is no pair ${JSON.stringify(id.slice(0, 80))}.`, {
    wire: 'not_found',
  })
}

// Unknown keys of a body are allowed.
function ofPeople({ owner: _, ...body }: PairBody & { owner?: unknown }): PairBody {
  return body
}

export function foreignPair(id: string): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', `The pair ${JSON.stringify(id.slice(0, 80))} belongs to something else.`, {
    wire: 'pair_exists',
    details: { id },
  })
}

/** Ids of the mappings of playlists that run with the pair. */
export function mappingsOf({ features }: Pick<Pair, 'features'>): readonly string[] {
  const named = features.playlists?.['mappings']
  return Array.isArray(named) ? named.filter((id): id is string => typeof id === 'string') : []
}

function withoutMappings(pair: Pair, mappings: readonly string[]): Pair {
  const { playlists } = pair.features
  const own = mappingsOf(pair)
  if (playlists === undefined || !own.some((id) => mappings.includes(id))) return pair
  const left = { ...playlists, mappings: own.filter((id) => !mappings.includes(id)) }
  return { ...pair, features: { ...pair.features, playlists: left } }
}

function checkSide(
  side: 'source' | 'target',
  provider: string,
  instance: string,
  providers: readonly ProviderDescription[],
  profiles: readonly Account[],
): Problem[] {
  if (provider === '') return [problem(side, 'is required', 'missing')]
  if (!providers.some(({ id }) => id === provider))
    return [
      problem(side, `${provider} is no provider; there are ${providers.map(({ id }) => id).join(', ') || 'none'}`),
    ]
  const known = profiles.some((one) => one.provider === provider && one.instance === instance)
  return known ? [] : [problem(`${side}_instance`, `${provider} has no profile ${instance}`)]
}

function checkDirection(
  source: ProviderDescription | undefined,
  target: ProviderDescription | undefined,
  mode: string,
): Problem[] {
  if (source === undefined || target === undefined) return []
  const ends = [['source', source, 'read'] as const, ['target', target, 'add'] as const]
  return [
    ...ends.flatMap(([side, { label, features }, what]) =>
      Object.values(features).some((one) => one[what]) ? [] : problem(side, `${label} cannot be a ${side}`),
    ),
    ...ends.flatMap(([side, { label, bidirectional }]) =>
      bidirectional || mode !== 'two_way' ? [] : problem('mode', `${label} (${side}) cannot be part of a two-way pair`),
    ),
  ]
}

async function normalise(ctx: PluginContext, feature: Feature, options: Readonly<Record<string, unknown>>) {
  try {
    return await ctx.use(featureCapability(feature)).normalize(options)
  } catch (error) {
    if (isPlayheadError(error, 'PLH_CAPABILITY_GONE')) return undefined
    throw error
  }
}

async function defaultFeatures(ctx: PluginContext): Promise<Pair['features']> {
  const watchlist = { enabled: true, add: true, remove: false }
  return { watchlist: (await normalise(ctx, 'watchlist', watchlist)) ?? watchlist }
}

function withSupport({ source, target, features }: Pair, providers: readonly ProviderDescription[]): Pair['features'] {
  const ends = providers.filter(({ id }) => id === source || id === target)
  return Object.fromEntries(
    Object.entries(features).map(([name, options]) => {
      const isSupported = ends.every((provider) => provider.features[name as Feature]?.read === true)
      return [name, isSupported ? options : { ...options, supported: false }]
    }),
  )
}

function readOverrides(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'boolean' ? { strict_id_matching: value } : value,
    ]),
  )
}

/** A service and the names of its profiles. */
export interface ServiceLabel extends Pick<ProviderDescription, 'id' | 'label'> {
  readonly profiles?: ReadonlyMap<string, string>
}

export async function readLabels(
  accounts: Pick<Remote<Accounts>, 'providers' | 'list'>,
): Promise<readonly ServiceLabel[]> {
  const [providers, profiles] = await Promise.all([accounts.providers(), accounts.list()])
  return withProfiles(providers, profiles)
}

function withProfiles(
  providers: readonly ProviderDescription[],
  profiles: readonly Pick<Account, 'provider' | 'instance' | 'label'>[],
): readonly ServiceLabel[] {
  return providers.map(({ id, label }) => ({
    id,
    label,
    profiles: new Map(profiles.flatMap((one) => (one.provider === id ? [[one.instance, one.label] as const] : []))),
  }))
}

/** The name of an account for display. */
export function nameOf(provider: string, instance: string, services: readonly ServiceLabel[]): string {
  const service = services.find(({ id }) => id === provider)
  return accountLabel(service?.label ?? provider, instance, service?.profiles?.get(instance))
}

function namesInOrder(pair: Pair): readonly [string, string] {
  const { a, b } = namesOf(pair)
  return [a, b]
}

/** Whether two pairs join the same accounts in the same way. */
export function isSameWay(a: Pair, b: Pair): boolean {
  const [aEnds, bEnds] = [a, b].map(namesInOrder).map((ends) => (a.mode === 'two_way' ? ends.toSorted() : ends).join())
  return a.mode === b.mode && aEnds === bEnds
}

// Rings are valid and converge, but an item that one pair adds and another removes is hard to understand.
function ringWarnings(pairs: readonly Pair[]): string[] {
  const ends = pairs.filter(({ enabled, mode }) => enabled && mode === 'one_way').map(namesInOrder)
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    ends.some(([one, next]) => one === from && (next === to || (!seen.has(next) && reaches(next, to, seen.add(next)))))
  const inRing = [...new Set(ends.map(([from]) => from))].filter((account) => reaches(account, account))
  return inRing.length === 0
    ? []
    : [
        `One-way pairs form a ring through ${inRing.join(', ')}: what is added anywhere goes to all of them. A two-way pair says the same more clearly.`,
      ]
}
