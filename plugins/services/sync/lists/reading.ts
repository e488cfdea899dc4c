// Reads the current lists of providers.
import {
  type AccountName,
  AFTER_WRITE,
  BEFORE_WRITE,
  FILTER_PLAN,
  type HookOperation,
  isPlayheadError,
  type ListName,
  msUntil,
  type NewAccountList,
  PlayheadError,
  providerCapability,
  type Remote,
} from '@playhead/sdk'
import { minimise, rowKey } from '@playhead/sdk/items'
import { collectRead, type List, type ListProvider } from '@playhead/sdk/provider'
import type { EngineDeps, EngineParts, FeatureRun } from '../feature-run.ts'
import { changeOf } from '../run/account-changes.ts'
import { findAccount } from '../plan/one-account.ts'
import { NOT_SENT } from '../run/apply.ts'
import { isUsable } from '../library/rows.ts'
import type { ListAccount, ListReading } from './contract.ts'
import { lastRead, storeRead } from './store.ts'
import { randomUUID } from 'node:crypto'
import { judge, scopeOf, VETOED } from '../plan/judge.ts'
import { askTaps } from '../run/ask-taps.ts'
import { NO_PAIR } from '../store/plans.ts'

/** The lists of an account are requested once for all reads of a run. */
const FRESH_MS = 20_000

export function createListReading(
  engine: Pick<EngineParts, 'db' | 'now' | 'accounts' | 'use' | 'work' | 'log' | 'hooks'>,
): ListReading {
  const { db, now } = engine
  const known = new Map<string, { readonly untilMs: number; readonly lists: readonly List[] }>()

  async function accountOf({ provider, instance }: AccountName): Promise<ListAccount> {
    const { account, description } = await findAccount(engine, { provider, instance })
    if (description.lists === undefined)
      throw new PlayheadError('PLH_UNSUPPORTED', `${description.label} has no lists.`, { wire: 'unsupported_feature' })
    const api = engine.use(providerCapability(provider)) as unknown as Remote<ListProvider>
    return { provider, instance, uid: account.uid, description, api }
  }

  async function refresh({ uid, api, instance }: ListAccount, signal?: AbortSignal): Promise<readonly List[]> {
    known.delete(uid)
    const lists = await api.lists(instance, signal)
    known.set(uid, { lists, untilMs: now() + FRESH_MS })
    return lists
  }

  async function listOf(account: ListAccount, { kind, id }: ListName, signal?: AbortSignal): Promise<List> {
    const find = (lists: readonly List[]) => lists.find((one) => one.kind === kind && one.id === id)
    const kept = known.get(account.uid)
    const found = kept !== undefined && msUntil(kept.untilMs, now(), FRESH_MS) > 0 ? find(kept.lists) : undefined
    const list = found ?? find(await refresh(account, signal))
    if (list !== undefined) return list
    throw new PlayheadError('PLH_NOT_FOUND', 'The account does not have this list.', { wire: 'list_missing' })
  }

  return {
    account: accountOf,
    async all(name, signal) {
      return refresh(await accountOf(name), signal)
    },
    async read(name, signal) {
      const account = await accountOf(name)
      const list = await listOf(account, name, signal)
      const { kind, id, provider, instance } = name
      const parts = await account.api.readList(instance, { list: { id, kind } }, signal)
      const { rows, end } = await collectRead(parts)
      if (!end.complete || end.semantics !== 'present') {
        throw new PlayheadError('PLH_CONFLICT', `The list ${list.title} of ${provider} could not be read completely.`, {
          wire: 'incomplete_read',
          details: { reason: end.reason ?? null },
        })
      }
      const unreadable = [...(end.unreadable ?? [])]
      const items = rows.flatMap((row) => {
        if (isUsable(row))
          return [row.position === undefined ? minimise(row) : { ...minimise(row), position: row.position }]
        unreadable.push({ reason: 'missing_ids', ...(typeof row.title === 'string' ? { title: row.title } : {}) })
        return []
      })
      const { uid } = account
      await storeRead(db, { provider, instance, kind, id, uid, list, items, unreadable, atMs: now() })
      return (await lastRead(db, uid, name))!
    },
    async last(name) {
      return (await lastRead(db, (await accountOf(name)).uid, name)) ?? null
    },
    async create({ list, cause, ...name }) {
      const account = await accountOf(name)
      using _hold = await engine.work.begin(await changeOf(engine, name))
      try {
        const tellWritten = await judgeFirst(engine, { list, cause, ...name })
        const before = await refresh(account)
        const made = await account.api.createList(name.instance, list).catch(async (error: unknown) => {
          if (isPlayheadError(error) && NOT_SENT.includes(error.code)) throw error
          const added = (await refresh(account)).filter(
            (one) =>
              one.kind === list.kind &&
              one.title === list.title.trim() &&
              !before.some(({ id, kind }) => id === one.id && kind === one.kind),
          )
          if (added.length !== 1) throw error
          return added[0]!
        })
        engine.log.info({ ...name, kind: list.kind, list: made.id, cause }, 'a list was created')
        await tellWritten()
        return made
      } finally {
        known.delete(account.uid)
      }
    },
  }
}

/**
 * The first item of a new list is a normal write: plugins judge it and are notified. Throws `PLH_INVALID` (`vetoed`,
 * `veto_failed`) if a plugin rejects it. Otherwise returns a callback that notifies plugins after the write.
 */
async function judgeFirst(
  { hooks, log, now }: Pick<EngineDeps, 'hooks' | 'log' | 'now'>,
  { provider, instance, list: { first }, cause }: NewAccountList,
): Promise<() => Promise<void>> {
  if (first === undefined) return async () => {}
  const taps = await askTaps(hooks)
  const planId = `change-${randomUUID()}`
  const run = {
    ...{ engine: { taps, log }, order: { runId: planId }, pair: { id: NO_PAIR } },
    ...{ feature: 'playlists', dryRun: false, plays: false, nowMs: now() },
  } as unknown as FeatureRun
  const account = { provider, instance }
  const key = rowKey(first, false)
  const operation: HookOperation = { n: 0, account, op: 'add', key, item: first, current: null, cause }
  for (const hook of [FILTER_PLAN, BEFORE_WRITE]) {
    if (!taps.has(hook)) continue
    const verdict = (await judge({ run, hook, planId, operations: [operation] })).get(0)
    if (verdict === undefined) continue
    const { note } = verdict
    throw new PlayheadError('PLH_INVALID', `A plugin holds the first item of the list back: ${note}`, {
      wire: 'reason' in verdict && verdict.reason === VETOED ? 'vetoed' : 'veto_failed',
      details: { note },
    })
  }
  const outcomes = [{ key, item: first, outcome: 'applied', reason: null }]
  return () => taps.tell(AFTER_WRITE, { ...scopeOf(run), planId, account, op: 'add', outcomes })
}
