// State that must survive a restart: answered requests and their plans.
import { accountName, insertRows, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import type { Action, WatchedAnswer } from '../request/body.ts'
import type { Work } from '../request/order.ts'
import { PLANS, PLAYS, REQUESTS } from './tables.ts'

interface StoredRequest {
  readonly id: string
  /** Hash of the body. */
  readonly body: string
  readonly process: string
  readonly answer: WatchedAnswer | null
  readonly atMs: number
}

/** The writes of a plan, so that they can be recorded when it ends. */
export interface PlanDoc {
  readonly requestId: string
  readonly provider: string
  readonly instance: string
  readonly action: Action
  /** Id of the request. */
  readonly item: Work
  readonly entries: readonly PlanEntry[]
}

export interface PlanEntry {
  /** Number of the change in the plan. */
  readonly key: string
  readonly item: Work
  readonly atMs: number | null
  /** The date without a time. */
  readonly date: string | null
  /** Only the date is known. */
  readonly isDay: boolean
  /** The form in which other accounts count it as the same play. */
  readonly tokens: readonly string[]
}

export interface StoredPlan {
  readonly planId: string
  readonly doc: PlanDoc
}

export interface StoredPlay {
  readonly token: string
  readonly watchedAtMs: number
  readonly planId: string
  readonly key: string
  readonly atMs: number
}

export type Store = ReturnType<typeof createStore>

const ANSWERS_MS = 24 * 3_600_000
const PLANS_MS = 31 * 24 * 3_600_000
const TOKENS = 500

export function createStore(db: Tables, now: () => number) {
  const plans = () => db.selectFrom(PLANS).select(['plan_id', 'doc', 'at_ms'])

  return {
    async request(key: string): Promise<StoredRequest | undefined> {
      const row = await db
        .selectFrom(REQUESTS)
        .selectAll()
        .where('key', '=', key)
        .where('at_ms', '>', now() - ANSWERS_MS)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const answer = row['answer'] === null ? null : (JSON.parse(String(row['answer'])) as WatchedAnswer)
      return {
        id: String(row['id']),
        body: String(row['body']),
        process: String(row['process']),
        answer,
        atMs: Number(row['at_ms']),
      }
    },
    async putRequest(key: string, { id, body, process, atMs }: Omit<StoredRequest, 'answer'>): Promise<void> {
      const row = { id, body, process, answer: null, at_ms: atMs }
      await db
        .insertInto(REQUESTS)
        .values({ key, ...row })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute()
    },
    async answerRequest(key: string, id: string, answer: WatchedAnswer): Promise<void> {
      await db
        .updateTable(REQUESTS)
        .set({ answer: JSON.stringify(answer) })
        .where('key', '=', key)
        .where('id', '=', id)
        .execute()
    },
    async dropRequest(key: string, id: string): Promise<void> {
      await db.deleteFrom(REQUESTS).where('key', '=', key).where('id', '=', id).execute()
    },

    async plan(planId: string): Promise<StoredPlan | undefined> {
      const row = await plans().where('plan_id', '=', planId).executeTakeFirst()
      return row === undefined ? undefined : toPlan(row)
    },
    /** The plan of an action in a request that was started before. */
    async planOf(requestId: string, account: string, action: Action): Promise<StoredPlan | undefined> {
      const ofRequest = plans().where('request', '=', requestId).where('account', '=', account)
      const row = await ofRequest.where('action', '=', action).executeTakeFirst()
      return row === undefined ? undefined : toPlan(row)
    },
    /**
     * Called before the plan is applied, because it may be applied at any time afterwards.
     * @param identity identity of the account, for `plays`
     */
    async putPlan(planId: string, identity: string, doc: PlanDoc): Promise<void> {
      const atMs = now()
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto(PLANS)
          .values({
            plan_id: planId,
            request: doc.requestId,
            account: accountName(doc.provider, doc.instance),
            action: doc.action,
            doc: JSON.stringify(doc),
            is_recorded: 0,
            at_ms: atMs,
          })
          .execute()
        const plays = doc.entries.flatMap(({ key, atMs: watchedAtMs, tokens }) =>
          watchedAtMs === null
            ? []
            : tokens.map((token) => ({
                account: identity,
                token,
                watched_at_ms: watchedAtMs,
                plan_id: planId,
                key,
                at_ms: atMs,
              })),
        )
        await insertRows(trx, PLAYS, plays)
      })
    },
    /** Oldest first. */
    async unrecorded(): Promise<readonly (StoredPlan & { readonly atMs: number })[]> {
      const rows = await plans().where('is_recorded', '=', 0).orderBy('at_ms').limit(TOKENS).execute()
      return rows.map((row) => ({ ...toPlan(row), atMs: Number(row['at_ms']) }))
    },
    async isRecorded(planId: string): Promise<boolean> {
      const recorded = plans().where('plan_id', '=', planId).where('is_recorded', '=', 1)
      return (await recorded.executeTakeFirst()) !== undefined
    },
    async setRecorded(planId: string): Promise<void> {
      await db.updateTable(PLANS).set({ is_recorded: 1 }).where('plan_id', '=', planId).execute()
    },
    /** Plays in plans of the last day, for this account. */
    async plays(identity: string, tokens: readonly string[]): Promise<readonly StoredPlay[]> {
      const found: StoredPlay[] = []
      for (let start = 0; start < tokens.length; start += TOKENS) {
        const wanted = sql<string>`(select value from json_each(${JSON.stringify(tokens.slice(start, start + TOKENS))}))`
        const rows = await db
          .selectFrom(PLAYS)
          .selectAll()
          .where('account', '=', identity)
          .where('token', 'in', wanted)
          .where('at_ms', '>', now() - ANSWERS_MS)
          .execute()
        found.push(
          ...rows.map((row) => ({
            token: String(row['token']),
            watchedAtMs: Number(row['watched_at_ms']),
            planId: String(row['plan_id']),
            key: String(row['key']),
            atMs: Number(row['at_ms']),
          })),
        )
      }
      return found
    },
    async prune(): Promise<void> {
      const dayAgo = now() - ANSWERS_MS
      await db.deleteFrom(REQUESTS).where('at_ms', '<=', dayAgo).execute()
      await db.deleteFrom(PLAYS).where('at_ms', '<=', dayAgo).execute()
      await db.deleteFrom(PLANS).where('is_recorded', '=', 1).where('at_ms', '<=', dayAgo).execute()
      // The library deletes its plans at that age.
      await db
        .deleteFrom(PLANS)
        .where('at_ms', '<=', now() - PLANS_MS)
        .execute()
    },
  }
}

function toPlan(row: Readonly<Record<string, unknown>>): StoredPlan {
  return { planId: String(row['plan_id']), doc: JSON.parse(String(row['doc'])) as PlanDoc }
}
