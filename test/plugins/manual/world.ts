// The plugin with accounts in memory that fail as services do, and a metadata service with some titles.
import {
  type Account,
  type AccountChanges,
  type ChangeOutcome,
  type Feature,
  type LibraryRow,
  type LibraryService,
  PlayheadError,
  type RecordedPlay,
  type WorkEpisode,
} from '@playhead/sdk'
import { formatKey, type Ids, type Item, keyOf, parseTime, rowKey, tokensOf } from '@playhead/sdk/items'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/manual/index.ts'
import { actionsOf } from '../actions/service.ts'

const MANIFEST = new URL('../../../plugins/services/manual/plugin.json', import.meta.url)

/**
 * `no_plan`: planning fails. `breaks`: applying throws. `refuses`: every item is refused. `lost`: written, and the response
 * is lost. `busy`: a run uses the account. `text`: an error with a message of the service.
 */
export type Fault = 'no_plan' | 'breaks' | 'refuses' | 'lost' | 'busy' | 'text'

export interface AccountShape {
  readonly name: string
  readonly features: readonly ('history' | 'watchlist' | 'ratings')[]
  readonly kinds?: readonly string[]
  /** Single plays are stored and can be looked up. */
  readonly plays?: boolean
  readonly configured?: boolean
  readonly group?: string
  /** Requires one of these ids. */
  readonly needsAnyId?: readonly string[]
  /** A profile other than the first. */
  readonly further?: string
}

export const SHAPES: readonly AccountShape[] = [
  { name: 'TRACKA', features: ['history', 'watchlist', 'ratings'], plays: true },
  { name: 'SVC', features: ['history', 'watchlist', 'ratings'], plays: true },
  { name: 'MEDIAB', features: ['history', 'ratings'] },
  { name: 'METAA', features: ['watchlist', 'ratings'], kinds: ['movie', 'show'] },
  { name: 'MEDIAC', features: ['history'], configured: false },
]
const SECRET = 'https://user:hunter2@example.test/api?token=abc'

export class ManualAccount {
  readonly history: Item[] = []
  readonly watchlist = new Map<string, Item>()
  readonly ratings = new Map<string, number>()
  fault: Fault | undefined
  /** The engine's response to each change, or the error of applying one. */
  answer?: Omit<ChangeOutcome, 'key' | 'op'> | PlayheadError
  /** Applies a change that the next read finds. */
  reread?: () => void
  readonly shape: AccountShape

  constructor(shape: AccountShape) {
    this.shape = shape
  }

  /** The data that it received, one line each. */
  state(): readonly string[] {
    return [
      ...this.history.map((item) => `play ${keyText(item)} ${item.watched_at}`),
      ...[...this.watchlist.keys()].map((key) => `list ${key}`),
      ...[...this.ratings].map(([key, rating]) => `rate ${key} ${rating}`),
    ].toSorted()
  }

  write({ feature }: AccountChanges, { op, item }: AccountChanges['changes'][number]): ChangeOutcome['outcome'] {
    const key = keyText(item)
    if (feature === 'history' && op === 'remove') {
      const place = this.history.findIndex((own) => keyText(own) === key && own.watched_at === item.watched_at)
      return place >= 0 && this.history.splice(place, 1).length > 0 ? 'applied' : 'already'
    }
    if (feature === 'history') {
      this.history.push(item)
      return 'applied'
    }
    if (feature === 'ratings') {
      this.ratings.set(key, item.rating as number)
      return 'applied'
    }
    const was = [...this.watchlist].find(([, own]) => tokensOf(own).some((token) => tokensOf(item).includes(token)))
    if (op === 'remove') return was !== undefined && this.watchlist.delete(was[0]) ? 'applied' : 'already'
    if (was !== undefined) return 'already'
    this.watchlist.set(key, item)
    return 'applied'
  }
}

export function keyText(item: Item): string {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : '?'
}

export interface ManualWorldOptions {
  readonly shapes?: readonly AccountShape[]
  /** Shows by TMDB id. undefined: there is no key. */
  readonly shows?: Readonly<Record<string, readonly WorkEpisode[]>>
  readonly released?: Readonly<Record<string, string>>
}

export type ManualWorld = Awaited<ReturnType<typeof openManual>>

export async function openManual({ shapes = SHAPES, shows, released = {} }: ManualWorldOptions = {}) {
  const accounts = new Map(shapes.map((shape) => [shape.name, new ManualAccount(shape)]))
  const plans = new Map<string, { readonly changes: AccountChanges; outcomes: ChangeOutcome[] | null; busy: boolean }>()
  const recorded: RecordedPlay[] = []
  const activity: Readonly<Record<string, any>>[] = []
  const planned: AccountChanges[] = []
  let asked = 0

  function apply(planId: string): readonly ChangeOutcome[] {
    const plan = plans.get(planId)!
    const account = accounts.get(plan.changes.provider)!
    const { fault } = account
    if (fault === 'breaks') throw new PlayheadError('PLH_UPSTREAM', `The service said: ${SECRET}`)
    plan.outcomes = plan.changes.changes.map((change) => {
      const { key, op } = change
      if (account.answer instanceof PlayheadError) throw account.answer
      if (account.answer !== undefined) return { key, op, ...account.answer }
      if (fault === 'refuses') return { key, op, outcome: 'rejected', reason: `No. ${SECRET}` }
      const outcome = account.write(plan.changes, change)
      return { key, op, outcome: fault === 'lost' ? 'unknown' : outcome }
    })
    return plan.outcomes
  }

  const library: Partial<LibraryService> = {
    async plan(changes) {
      const { fault } = accounts.get(changes.provider)!
      if (fault === 'no_plan') throw new PlayheadError('PLH_NOT_FOUND', 'There is no account.')
      if (fault === 'text') throw new PlayheadError('PLH_UPSTREAM', SECRET)
      planned.push(changes)
      const planId = `plan-${plans.size + 1}`
      plans.set(planId, { changes, outcomes: null, busy: false })
      return { planId, ready: { add: 0, update: 0, remove: 0 }, held: null, leftOut: [] }
    },
    async applyWhenFree(planId) {
      const plan = plans.get(planId)!
      if (plan.outcomes !== null) throw new PlayheadError('PLH_CONFLICT', 'done', { wire: 'plan_applied' })
      if (accounts.get(plan.changes.provider)!.fault !== 'busy') return apply(planId)
      if (plan.busy) throw new PlayheadError('PLH_CONFLICT', 'waits', { wire: 'plan_waiting' })
      plan.busy = true
      return null
    },
    async apply(planId) {
      const { provider } = plans.get(planId)!.changes
      if (accounts.get(provider)!.fault === 'busy') throw new PlayheadError('PLH_CONFLICT', 'busy', { wire: 'busy' })
      return apply(planId)
    },
    refresh: async ({ provider }: { provider: string }) => {
      const account = accounts.get(provider)!
      account.reread?.()
      delete account.reread
      return {} as never
    },
    outcomes: async (planId) => plans.get(planId)?.outcomes ?? null,
    holdings: async (feature: Feature) =>
      [...accounts.values()]
        .filter(({ shape }) => feature === 'history' && shape.features.includes('history'))
        .map(({ shape: { name }, history }) => ({
          provider: name,
          instance: 'default',
          feature,
          readAtMs: 1,
          count: history.length,
        })),
    async *rowsOfWorks(provider, _instance, feature) {
      const account = accounts.get(provider)!
      const items =
        feature === 'history' ? account.history : feature === 'watchlist' ? [...account.watchlist.values()] : []
      const isPlays = feature === 'history'
      yield items.map((item): LibraryRow => ({ key: rowKey(item, isPlays), item }))
    },
    recordPlays: async (plays) => void recorded.push(...plays),
  }
  const policies: object[] = []
  const host = await createTestHost({
    plugin,
    manifest: MANIFEST,
    capabilities: {
      library,
      actions: actionsOf(library),
      catalog: {
        episodes: async (show: Ids) =>
          [...accounts.values()].flatMap(({ history }) =>
            history.flatMap(({ season, episode, title, show_ids: ids }) =>
              ids?.tmdb !== undefined && ids.tmdb === show.tmdb
                ? [{ season, episode, title: title ?? '', aired: null }]
                : [],
            ),
          ),
      },
      'manual-policy': {
        revision: async () => '1',
        async change(scope: object, change: object) {
          policies.push({ ...scope, ...change })
          return { adds: 1, blocks: 0, revision: '2' }
        },
      },
      accounts: {
        async providers() {
          asked += 1
          return shapes.map(
            ({ name, features, plays, group = 'tracker', kinds = ['movie', 'episode', 'show'], needsAnyId }) => ({
              id: name,
              group,
              label: `The ${name}`,
              features: Object.fromEntries(
                features.map((feature) => [
                  feature,
                  {
                    read: true,
                    add: true,
                    update: true,
                    remove: true,
                    ...(needsAnyId === undefined ? {} : { needsAnyId }),
                    kinds: feature === 'history' ? kinds.filter((kind) => kind !== 'show') : kinds,
                    ...(feature === 'history' && plays === true
                      ? { plays: { read: true, write: true, removeOne: true } }
                      : {}),
                  },
                ]),
              ),
              ...(plays === true ? { playback: { scrobble: {} } } : {}),
            }),
          )
        },
        list: async () =>
          shapes.flatMap(({ name, configured = true, further }) =>
            ['default', ...(further === undefined ? [] : [further])].map(
              (instance): Account => ({
                provider: name,
                instance,
                id: instance,
                uid: `uid-${name}-${instance}`,
                fingerprint: 'f',
                label: '',
                configured,
              }),
            ),
          ),
      },
      metadata: {
        ready: () => shows !== undefined,
        async details({ ids, type }: { ids: Ids; type: string }) {
          const tmdb = ids.tmdb
          if (tmdb === undefined) return undefined
          return {
            ids: { tmdb, imdb: `tt9${tmdb}` },
            title: `${type} ${tmdb}`,
            year: 1999,
            released: released[tmdb] ?? null,
          }
        },
        episodes: async ({ tmdb = '' }: Ids, { season }: { season?: number } = {}) =>
          shows?.[tmdb]?.filter((episode) => season === undefined || episode.season === season),
      },
      activity: { record: async (entries: readonly object[]) => void activity.push(...entries) },
      ...Object.fromEntries(
        [...accounts].map(([name, account]) => [
          `provider:${name}`,
          {
            plays: async (_: string, { item, fromMs, toMs }: { item: Item; fromMs: number; toMs: number }) => {
              if (account.fault === 'text') throw new Error(SECRET)
              return account.history.filter((own) => {
                const atMs = parseTime(own.watched_at)?.atMs ?? 0
                return atMs >= fromMs && atMs <= toMs && tokensOf(own).some((token) => tokensOf(item).includes(token))
              })
            },
          },
        ]),
      ),
    },
  })
  return {
    host,
    accounts,
    account: (name: string) => accounts.get(name)!,
    planned,
    policies,
    recorded,
    activity,
    asked: () => asked,
    /** Ends the run that used the accounts. */
    free() {
      for (const account of accounts.values()) if (account.fault === 'busy') account.fault = undefined
      for (const [planId, plan] of plans) if (plan.busy && plan.outcomes === null) apply(planId)
    },
    async mark(payload: object): Promise<{ status: number; body: any; text: string }> {
      const answer = await host.inject({ method: 'POST', url: '/api/manual/watched', payload })
      return { status: answer.statusCode, body: answer.json(), text: answer.body }
    },
    async send(route: string, payload: object): Promise<{ status: number; body: any; text: string }> {
      const answer = await host.inject({ method: 'POST', url: `/api/manual/${route}`, payload })
      return { status: answer.statusCode, body: answer.json(), text: answer.body }
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export const HIDDEN = /hunter2|token=abc|example\.test/
export const film = { type: 'movie', title: 'Heat', year: 1995, ids: { tmdb: 949 } }
export const to = (...names: readonly string[]) => names.map((provider) => ({ provider, instance: 'default' }))
